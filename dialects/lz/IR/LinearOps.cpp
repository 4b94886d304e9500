//===- LinearOps.cpp - rules of transforms and functions of matrices ------===//

#include "dialects/lz/IR/ExprList.h"
#include "dialects/lz/IR/Rules.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

#define GET_OP_CLASSES
#include "dialects/lz/IR/LinearOps.cpp.inc"

namespace lz {
void registerLinearOps(LzDialect *dialect) {
  RegisteredOperationName::insert<DftOp>(*dialect);
  RegisteredOperationName::insert<DetOp>(*dialect);
}
} // namespace lz

/// Requires as many parts of a number as the direction takes.
static LogicalResult requireParts(DftOp op, ShapeAnalysis &shapes,
                                  SymExpr parts) {
  if (op.getOnesided() && op.getInverse())
    return shapes.requireEqual(op, parts, shapes.constant(2),
                               "a one-sided inverse needs complex numbers");
  if (op.getOnesided())
    return shapes.requireEqual(op, parts, shapes.constant(1),
                               "a one-sided transform needs real numbers");
  if (failed(shapes.requireNotLess(op, parts, shapes.constant(1),
                                   "a number must have a part")))
    return failure();
  return shapes.requireNotLess(op, shapes.constant(2), parts,
                               "a number must have at most two parts");
}

LogicalResult DftOp::inferResults(ShapeAnalysis &shapes,
                                  SmallVectorImpl<ResultInfo> &results) {
  SymShape shape = copyShape(shapes, getInput());
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, axis, static_cast<int64_t>(shape.size()) - 1)) ||
      failed(requireParts(*this, shapes, shape.back())) ||
      failed(verifyCount(*this, "lengths", getLength().size(), 1)))
    return failure();
  SymExpr length = getExprs(getLength())[0];
  if (failed(shapes.requireNotLess(*this, length, shapes.constant(1),
                                   "the length must be positive")))
    return failure();
  bool isHalf = getOnesided() && !getInverse();
  shape[axis] = isHalf ? length.floorDiv(shapes.constant(2)) + 1 : length;
  shape.back() = shapes.constant(getOnesided() && getInverse() ? 1 : 2);
  results.emplace_back(getElementType(getInput()), shape);
  return success();
}

LogicalResult DetOp::inferResults(ShapeAnalysis &shapes,
                                  SmallVectorImpl<ResultInfo> &results) {
  SymShape shape = copyShape(shapes, getInput());
  if (shape.size() < 2)
    return emitOpError() << "needs an operand of rank 2 or more, not "
                         << shape.size();
  SymExpr columns = shape.pop_back_val(), rows = shape.pop_back_val();
  if (failed(
          shapes.requireEqual(*this, rows, columns, "matrices must be square")))
    return failure();
  results.emplace_back(getElementType(getInput()), shape);
  return success();
}
