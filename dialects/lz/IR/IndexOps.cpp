//===- IndexOps.cpp - rules of operations steered by index data -----------===//

#include "dialects/lz/IR/ExprList.h"
#include "dialects/lz/IR/Rules.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

#define GET_OP_CLASSES
#include "dialects/lz/IR/IndexOps.cpp.inc"

namespace lz {
void registerIndexOps(LzDialect *dialect) {
  RegisteredOperationName::insert<GatherOp>(*dialect);
  RegisteredOperationName::insert<GatherElementsOp>(*dialect);
  RegisteredOperationName::insert<GatherNdOp>(*dialect);
  RegisteredOperationName::insert<ScatterElementsOp>(*dialect);
  RegisteredOperationName::insert<ScatterNdOp>(*dialect);
  RegisteredOperationName::insert<OneHotOp>(*dialect);
  RegisteredOperationName::insert<TopKOp>(*dialect);
  RegisteredOperationName::insert<NonZeroOp>(*dialect);
  RegisteredOperationName::insert<NonMaxSuppressionOp>(*dialect);
  RegisteredOperationName::insert<UniqueOp>(*dialect);
  RegisteredOperationName::insert<ReverseSequenceOp>(*dialect);
}
} // namespace lz

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// The elements that constant indices take from a vector.
static std::optional<SymShape> gatherContents(ShapeAnalysis &shapes,
                                              GatherOp op) {
  auto contents = shapes.getContents(op.getInput());
  auto indices = shapes.getContents(op.getIndices());
  if (!contents || !indices || shapes.getShape(op.getInput()).size() != 1)
    return std::nullopt;
  int64_t count = contents->size();
  SymShape taken;
  for (SymExpr index : *indices) {
    std::optional<int64_t> position = index.getConstant();
    if (!position || *position < -count || *position >= count)
      return std::nullopt;
    taken.push_back((*contents)[*position < 0 ? *position + count : *position]);
  }
  return taken;
}

LogicalResult GatherOp::inferResults(ShapeAnalysis &shapes,
                                     SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> input = shapes.getShape(getInput());
  ArrayRef<SymExpr> indices = shapes.getShape(getIndices());
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, axis, input.size())))
    return failure();
  SymShape shape(input.take_front(axis));
  shape.append(indices.begin(), indices.end());
  shape.append(input.begin() + axis + 1, input.end());
  results.emplace_back(getElementType(getInput()), shape,
                       gatherContents(shapes, *this));
  return success();
}

LogicalResult
GatherElementsOp::inferResults(ShapeAnalysis &shapes,
                               SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> input = shapes.getShape(getInput());
  SymShape shape = copyShape(shapes, getIndices());
  if (failed(
          verifyCount(*this, "index dimensions", shape.size(), input.size())) ||
      failed(verifyAxis(*this, getAxis(), input.size())))
    return failure();
  for (auto [dim, size] : llvm::enumerate(shape))
    if (static_cast<int64_t>(dim) != static_cast<int64_t>(getAxis()) &&
        failed(shapes.requireNotLess(
            *this, input[dim], size,
            "indices must not exceed the input off the axis")))
      return failure();
  results.emplace_back(getElementType(getInput()), shape);
  return success();
}

/// The constant last dimension of `indices`: the length of its tuples.
static FailureOr<int64_t> getTupleLength(Operation *op, ShapeAnalysis &shapes,
                                         Value indices, int64_t limit) {
  ArrayRef<SymExpr> shape = shapes.getShape(indices);
  std::optional<int64_t> length =
      shape.empty() ? std::nullopt : shape.back().getConstant();
  if (!length || *length < 0 || *length > limit)
    return op->emitOpError()
           << "needs indices whose last dimension is known and at most "
           << limit;
  return *length;
}

LogicalResult GatherNdOp::inferResults(ShapeAnalysis &shapes,
                                       SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> input = shapes.getShape(getInput());
  ArrayRef<SymExpr> indices = shapes.getShape(getIndices());
  int64_t batch = getBatchDims();
  if (batch < 0 || batch >= static_cast<int64_t>(indices.size()) ||
      batch > static_cast<int64_t>(input.size()))
    return emitOpError() << "batch_dims " << batch << " is not below the ranks "
                         << input.size() << " and " << indices.size();
  auto length =
      getTupleLength(*this, shapes, getIndices(), input.size() - batch);
  if (failed(length))
    return failure();
  for (int64_t dim = 0; dim != batch; ++dim)
    if (failed(shapes.requireEqual(*this, input[dim], indices[dim],
                                   "batch dimensions must be equal")))
      return failure();
  SymShape shape(indices.drop_back());
  shape.append(input.begin() + batch + *length, input.end());
  results.emplace_back(getElementType(getInput()), shape);
  return success();
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

LogicalResult
ScatterElementsOp::inferResults(ShapeAnalysis &shapes,
                                SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> input = shapes.getShape(getInput());
  ArrayRef<SymExpr> indices = shapes.getShape(getIndices());
  ArrayRef<SymExpr> updates = shapes.getShape(getUpdates());
  if (failed(verifySameElementType(*this, getInput(), getUpdates())) ||
      failed(verifyAxis(*this, getAxis(), input.size())) ||
      failed(verifyCount(*this, "index dimensions", indices.size(),
                         input.size())) ||
      failed(verifyCount(*this, "update dimensions", updates.size(),
                         indices.size())))
    return failure();
  for (auto [dim, index, update] : llvm::enumerate(indices, updates)) {
    if (failed(shapes.requireEqual(*this, index, update,
                                   "indices and updates must have one shape")))
      return failure();
    if (static_cast<int64_t>(dim) != static_cast<int64_t>(getAxis()) &&
        failed(shapes.requireNotLess(
            *this, input[dim], index,
            "indices must not exceed the input off the axis")))
      return failure();
  }
  results.emplace_back(getElementType(getInput()), SymShape(input));
  return success();
}

LogicalResult ScatterNdOp::inferResults(ShapeAnalysis &shapes,
                                        SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> input = shapes.getShape(getInput());
  ArrayRef<SymExpr> indices = shapes.getShape(getIndices());
  ArrayRef<SymExpr> updates = shapes.getShape(getUpdates());
  if (failed(verifySameElementType(*this, getInput(), getUpdates())))
    return failure();
  auto length = getTupleLength(*this, shapes, getIndices(), input.size());
  if (failed(length))
    return failure();
  SymShape expected(indices.drop_back());
  expected.append(input.begin() + *length, input.end());
  if (failed(verifyCount(*this, "update dimensions", updates.size(),
                         expected.size())))
    return failure();
  for (auto [update, size] : llvm::zip_equal(updates, expected))
    if (failed(shapes.requireEqual(*this, update, size,
                                   "updates must fit indices and input")))
      return failure();
  results.emplace_back(getElementType(getInput()), SymShape(input));
  return success();
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

LogicalResult OneHotOp::inferResults(ShapeAnalysis &shapes,
                                     SmallVectorImpl<ResultInfo> &results) {
  SymShape shape = copyShape(shapes, getIndices());
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, axis, shape.size() + 1)) ||
      failed(verifyCount(*this, "depths", getDepth().size(), 1)) ||
      failed(verifyCount(*this, "value dimensions",
                         shapes.getShape(getValues()).size(), 1)) ||
      failed(shapes.requireEqual(*this, shapes.getShape(getValues())[0],
                                 shapes.constant(2),
                                 "values must be [off, on]")))
    return failure();
  shape.insert(shape.begin() + axis, getExprs(getDepth())[0]);
  results.emplace_back(getElementType(getValues()), shape);
  return success();
}

LogicalResult TopKOp::inferResults(ShapeAnalysis &shapes,
                                   SmallVectorImpl<ResultInfo> &results) {
  SymShape shape = copyShape(shapes, getInput());
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, axis, shape.size())) ||
      failed(verifyCount(*this, "values of k", getK().size(), 1)))
    return failure();
  SymExpr count = getExprs(getK())[0];
  if (failed(shapes.requireNotLess(*this, shape[axis], count,
                                   "k must not exceed the dimension")))
    return failure();
  shape[axis] = count;
  results.emplace_back(getElementType(getInput()), shape);
  results.emplace_back(IntegerType::get(getContext(), 64), shape);
  return success();
}

LogicalResult NonZeroOp::inferResults(ShapeAnalysis &shapes,
                                      SmallVectorImpl<ResultInfo> &results) {
  int64_t rank = shapes.getShape(getInput()).size();
  if (failed(verifyCount(*this, "counts", getCount().size(), 1)))
    return failure();
  SymShape shape = {shapes.constant(rank), getExprs(getCount())[0]};
  results.emplace_back(IntegerType::get(getContext(), 64), shape);
  return success();
}

/// Requires each of `operands` that is there to have one element.
static LogicalResult requireScalars(Operation *op, ShapeAnalysis &shapes,
                                    ValueRange operands) {
  for (Value operand : operands)
    if (operand && failed(shapes.requireEqual(
                       op, shapes.getNumElements(operand), shapes.constant(1),
                       "numbers must be tensors of one element")))
      return failure();
  return success();
}

/// Requires boxes [batch, n, 4] and scores [batch, classes, n].
static LogicalResult verifyBoxes(NonMaxSuppressionOp op,
                                 ShapeAnalysis &shapes) {
  ArrayRef<SymExpr> boxes = shapes.getShape(op.getBoxes());
  ArrayRef<SymExpr> scores = shapes.getShape(op.getScores());
  if (failed(verifyCount(op, "box dimensions", boxes.size(), 3)) ||
      failed(verifyCount(op, "score dimensions", scores.size(), 3)) ||
      failed(shapes.requireEqual(op, boxes[2], shapes.constant(4),
                                 "a box must be four numbers")) ||
      failed(shapes.requireEqual(op, boxes[0], scores[0],
                                 "boxes and scores must have one batch size")))
    return failure();
  return shapes.requireEqual(op, boxes[1], scores[2],
                             "each box must have a score for each class");
}

LogicalResult
NonMaxSuppressionOp::inferResults(ShapeAnalysis &shapes,
                                  SmallVectorImpl<ResultInfo> &results) {
  if (failed(verifyBoxes(*this, shapes)) ||
      failed(requireScalars(*this, shapes, getOperands().drop_front(2))) ||
      failed(verifyCount(*this, "limits", getLimit().size(), 1)))
    return failure();
  SymExpr limit = getExprs(getLimit())[0];
  if (failed(shapes.requireNotLess(*this, limit, shapes.constant(0),
                                   "the limit must not be negative")))
    return failure();
  ArrayRef<SymExpr> scores = shapes.getShape(getScores());
  Type i64 = IntegerType::get(getContext(), 64);
  results.emplace_back(
      i64, SymShape{scores[0] * scores[1] * limit, shapes.constant(3)});
  results.emplace_back(i64, SymShape{shapes.constant(1)});
  return success();
}

LogicalResult UniqueOp::inferResults(ShapeAnalysis &shapes,
                                     SmallVectorImpl<ResultInfo> &results) {
  SymShape shape = copyShape(shapes, getInput());
  if (failed(verifyAxis(*this, getAxis(), shape.size())))
    return failure();
  SymExpr size = shape[getAxis()];
  Type i64 = IntegerType::get(getContext(), 64);
  results.emplace_back(getElementType(getInput()), shape);
  for (int result = 0; result != 3; ++result)
    results.emplace_back(i64, SymShape{size});
  results.emplace_back(i64, SymShape{shapes.constant(1)});
  return success();
}

LogicalResult
ReverseSequenceOp::inferResults(ShapeAnalysis &shapes,
                                SmallVectorImpl<ResultInfo> &results) {
  SymShape shape = copyShape(shapes, getInput());
  if (failed(verifyAxis(*this, getBatchAxis(), shape.size())) ||
      failed(verifyAxis(*this, getTimeAxis(), shape.size())) ||
      failed(verifyCount(*this, "length dimensions",
                         shapes.getShape(getLengths()).size(), 1)) ||
      failed(shapes.requireEqual(*this, shapes.getShape(getLengths())[0],
                                 shape[getBatchAxis()],
                                 "there must be a length per sequence")))
    return failure();
  results.emplace_back(getElementType(getInput()), shape);
  return success();
}
