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

} // namespace lz

#endif // DIALECTS_LZ_RULES_GRADIENT_REVERSE_H
