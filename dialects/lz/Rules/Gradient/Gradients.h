//===- Gradients.h - what gradient rules share ------------------*- C++ -*-===//
#ifndef DIALECTS_LZ_RULES_GRADIENT_GRADIENTS_H
#define DIALECTS_LZ_RULES_GRADIENT_GRADIENTS_H

#include "dialects/lz/Rules/RuleInterfaces.h"

namespace lz {

using Values = llvm::SmallVectorImpl<mlir::Value>;

/// Attaches `rule` as the gradient rule of `Op`.
template <typename Op,
          llvm::LogicalResult (*rule)(Op, RuleBuilder &,
                                      llvm::ArrayRef<mlir::Value>, Values &)>
struct GradientModel
    : GradientOpInterface::ExternalModel<GradientModel<Op, rule>, Op> {
  llvm::LogicalResult buildGradients(mlir::Operation *op, RuleBuilder &builder,
                                     llvm::ArrayRef<mlir::Value> results,
                                     Values &gradients) const {
    RuleBuilder here = builder.at(op->getLoc());
    return rule(mlir::cast<Op>(op), here, results, gradients);
  }
};

template <typename Op,
          llvm::LogicalResult (*rule)(Op, RuleBuilder &,
                                      llvm::ArrayRef<mlir::Value>, Values &)>
void attachGradient(mlir::MLIRContext &context) {
  Op::template attachInterface<GradientModel<Op, rule>>(context);
}

// One function per family.
void attachContractionGradients(mlir::MLIRContext &context);
void attachConvolutionGradients(mlir::MLIRContext &context);
void attachElementwiseGradients(mlir::MLIRContext &context);
void attachUnaryGradients(mlir::MLIRContext &context);
void attachReductionGradients(mlir::MLIRContext &context);
void attachNormGradients(mlir::MLIRContext &context);
void attachPoolGradients(mlir::MLIRContext &context);
void attachSoftmaxGradients(mlir::MLIRContext &context);
void attachIndexGradients(mlir::MLIRContext &context);
void attachShapeGradients(mlir::MLIRContext &context);
void attachControlGradients(mlir::MLIRContext &context);

/// Succeeds unless a gradient couldn't be built; appends them all.
llvm::LogicalResult giveGradients(llvm::ArrayRef<mlir::Value> built,
                                  Values &gradients);

/// Undoes broadcasting: sums `value` to `shape`, which broadcasts to its own.
/// A dimension of which it is not known whether it was broadcast is summed in
/// as many parts as the sizes at run time say, one if it wasn't.
mlir::Value sumTo(RuleBuilder &builder, mlir::Value value,
                  llvm::ArrayRef<SymExpr> shape);

/// The permutation that undoes `order`.
llvm::SmallVector<int64_t> invertOrder(llvm::ArrayRef<int64_t> order);

/// Undoes a gather: dimension `axis`, of `size`, was indexed by `indices`, all
/// in range. Sums the slices that each index of that dimension was read as.
mlir::Value addSlices(RuleBuilder &builder, mlir::Value slices,
                      mlir::Value indices, int64_t axis, SymExpr size);

} // namespace lz

#endif // DIALECTS_LZ_RULES_GRADIENT_GRADIENTS_H
