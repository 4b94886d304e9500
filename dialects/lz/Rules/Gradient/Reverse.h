//===- Reverse.h - reverse-mode differentiation of a block ------*- C++ -*-===//
#ifndef DIALECTS_LZ_RULES_GRADIENT_REVERSE_H
#define DIALECTS_LZ_RULES_GRADIENT_REVERSE_H

#include "dialects/lz/Rules/RuleBuilder.h"

namespace lz {

/// The gradients that have reached each value so far, summed.
class GradientMap {
public:
  /// Null if none has.
  mlir::Value get(mlir::Value value) const { return gradients.lookup(value); }
  /// Adds `gradient` to that of `value`; fails if the sum can't be built.
  llvm::LogicalResult add(RuleBuilder &builder, mlir::Value value,
                          mlir::Value gradient);

private:
  llvm::DenseMap<mlir::Value, mlir::Value> gradients;
};

/// True for values that have gradients: tensors of floats.
bool isDifferentiable(mlir::Value value);

/// Goes through `ops`, which are in program order, backwards and builds their
/// gradients: from those in `gradients` on, towards `wanted`. Ops between which
/// there is no path to `wanted` are passed over; one on such a path that has no
/// gradient rule is an error on that op.
llvm::LogicalResult buildReverse(RuleBuilder &builder,
                                 llvm::ArrayRef<mlir::Operation *> ops,
                                 mlir::ValueRange wanted,
                                 GradientMap &gradients);

/// The operations that `target` depends on, each after those whose results it
/// reads. What gives `sources` is not among them: these count as independent.
llvm::SmallVector<mlir::Operation *> getOpsBetween(mlir::ValueRange sources,
                                                   mlir::Value target);

/// Builds the gradients of the sum of `target` by `wanted`, which are floats;
/// zeros for those that it does not depend on. It is a function of `wanted` and
/// `others`: what these are computed from plays no part.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
differentiate(RuleBuilder &builder, mlir::Value target, mlir::ValueRange wanted,
              mlir::ValueRange others);

} // namespace lz

#endif // DIALECTS_LZ_RULES_GRADIENT_REVERSE_H
