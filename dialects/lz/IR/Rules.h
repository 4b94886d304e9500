//===- Rules.h - what the inference rules of lz share -----------*- C++ -*-===//
#ifndef DIALECTS_LZ_IR_RULES_H
#define DIALECTS_LZ_IR_RULES_H

#include "dialects/lz/IR/LzOps.h"

namespace lz {

/// The element type of a tensor value.
inline mlir::Type getElementType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType();
}

/// The shape recorded for `value`, as a copy that may be changed.
inline SymShape copyShape(const ShapeAnalysis &shapes, mlir::Value value) {
  llvm::ArrayRef<SymExpr> shape = shapes.getShape(value);
  return SymShape(shape.begin(), shape.end());
}

/// The values of `exprs`, if all are constants.
std::optional<llvm::SmallVector<int64_t>>
getConstants(llvm::ArrayRef<SymExpr> exprs);

/// Fails with an error on `op` unless 0 <= axis < rank.
mlir::LogicalResult verifyAxis(mlir::Operation *op, int64_t axis, int64_t rank);

/// Fails with an error on `op` unless `count` (of `what`) is `expected`.
mlir::LogicalResult verifyCount(mlir::Operation *op, llvm::StringRef what,
                                int64_t count, int64_t expected);

/// Fails with an error on `op` unless both have one element type.
mlir::LogicalResult verifySameElementType(mlir::Operation *op, mlir::Value a,
                                          mlir::Value b);

} // namespace lz

#endif // DIALECTS_LZ_IR_RULES_H
