//===- QuantOps.cpp - rules of quantization -------------------------------===//

#include "dialects/lz/IR/Rules.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

#define GET_OP_CLASSES
#include "dialects/lz/IR/QuantOps.cpp.inc"

namespace lz {
void registerQuantOps(LzDialect *dialect) {
  RegisteredOperationName::insert<QuantizeOp>(*dialect);
  RegisteredOperationName::insert<DequantizeOp>(*dialect);
}
} // namespace lz

/// Requires a zero point of the scale's shape, or of one element like it.
template <typename Op>
static LogicalResult verifyZeroPoint(Op op, ShapeAnalysis &shapes) {
  ArrayRef<SymExpr> scale = shapes.getShape(op.getScale());
  ArrayRef<SymExpr> zero = shapes.getShape(op.getZeroPoint());
  if (getProduct(op.getContext(), scale).isConstant(1) &&
      getProduct(op.getContext(), zero).isConstant(1))
    return success();
  if (scale.size() != zero.size())
    return op.emitOpError() << "scale and zero point must have one shape";
  for (auto [size, other] : llvm::zip_equal(scale, zero))
    if (failed(shapes.requireEqual(op, size, other,
                                   "scale and zero point must have one shape")))
      return failure();
  return success();
}

/// Requires a scale that is scalar, per axis, or per block along the axis.
template <typename Op>
static LogicalResult verifyScale(Op op, ShapeAnalysis &shapes) {
  ArrayRef<SymExpr> input = shapes.getShape(op.getInput());
  ArrayRef<SymExpr> scale = shapes.getShape(op.getScale());
  int64_t block = op.getBlock(), axis = op.getAxis();
  if (op.getZeroPoint() && failed(verifyZeroPoint(op, shapes)))
    return failure();
  if (getProduct(op.getContext(), scale).isConstant(1))
    return success();
  if (failed(verifyAxis(op, axis, input.size())))
    return failure();
  if (block == 0) {
    if (failed(verifyCount(op, "scale dimensions", scale.size(), 1)))
      return failure();
    return shapes.requireEqual(op, scale[0], input[axis],
                               "there must be a scale per element of the axis");
  }
  if (failed(verifyCount(op, "scale dimensions", scale.size(), input.size())))
    return failure();
  return shapes.requireEqual(op, scale[axis],
                             input[axis].ceilDiv(shapes.constant(block)),
                             "there must be a scale per block");
}

template <typename Op>
static LogicalResult inferQuantization(Op op, ShapeAnalysis &shapes,
                                       SmallVectorImpl<ResultInfo> &results) {
  if (failed(verifyScale(op, shapes)))
    return failure();
  results.emplace_back(op.getTo(), copyShape(shapes, op.getInput()));
  return success();
}

LogicalResult QuantizeOp::inferResults(ShapeAnalysis &shapes,
                                       SmallVectorImpl<ResultInfo> &results) {
  return inferQuantization(*this, shapes, results);
}

LogicalResult DequantizeOp::inferResults(ShapeAnalysis &shapes,
                                         SmallVectorImpl<ResultInfo> &results) {
  return inferQuantization(*this, shapes, results);
}
