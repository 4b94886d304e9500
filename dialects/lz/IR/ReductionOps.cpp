//===- ReductionOps.cpp - rules of reductions, norms and pools ------------===//

#include "dialects/lz/IR/ExprList.h"
#include "dialects/lz/IR/Rules.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

#define GET_OP_CLASSES
#include "dialects/lz/IR/ReductionOps.cpp.inc"

namespace lz {
void registerReductionOps(LzDialect *dialect) {
  RegisteredOperationName::insert<ReduceOp>(*dialect);
  RegisteredOperationName::insert<ArgReduceOp>(*dialect);
  RegisteredOperationName::insert<CumsumOp>(*dialect);
  RegisteredOperationName::insert<SoftmaxOp>(*dialect);
  RegisteredOperationName::insert<LayerNormOp>(*dialect);
  RegisteredOperationName::insert<BatchNormOp>(*dialect);
  RegisteredOperationName::insert<GroupNormOp>(*dialect);
  RegisteredOperationName::insert<LrnOp>(*dialect);
  RegisteredOperationName::insert<PoolOp>(*dialect);
  RegisteredOperationName::insert<RoiAlignOp>(*dialect);
}
} // namespace lz

/// `shape` with the dimensions in `axes` of size 1, or gone.
static SymShape dropAxes(ShapeAnalysis &shapes, ArrayRef<SymExpr> shape,
                         ArrayRef<int64_t> axes, bool keep) {
  SymShape kept;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(dim)))
      kept.push_back(size);
    else if (keep)
      kept.push_back(shapes.constant(1));
  return kept;
}

/// Two elements reduced; null if `kind` is not arithmetic on integers.
static SymExpr reducePair(ReduceKind kind, SymExpr a, SymExpr b) {
  switch (kind) {
  case ReduceKind::sum:
    return a + b;
  case ReduceKind::prod:
    return a * b;
  case ReduceKind::max:
    return a.max(b);
  case ReduceKind::min:
    return a.min(b);
  default:
    return {};
  }
}

/// The reduction of a vector whose elements are known.
static std::optional<SymShape> reduceContents(ShapeAnalysis &shapes,
                                              ReduceOp op) {
  auto contents = shapes.getContents(op.getInput());
  bool vector = shapes.getShape(op.getInput()).size() == 1;
  if (!contents || !vector || op.getAxes().size() != 1 || contents->empty() ||
      !reducePair(op.getKind(), contents->front(), contents->front()))
    return std::nullopt;
  SymExpr result = contents->front();
  for (SymExpr element : contents->drop_front())
    result = reducePair(op.getKind(), result, element);
  return SymShape{result};
}

LogicalResult ReduceOp::inferResults(ShapeAnalysis &shapes,
                                     SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> shape = shapes.getShape(getInput());
  int64_t previous = -1;
  for (int64_t axis : getAxes()) {
    if (failed(verifyAxis(*this, axis, shape.size())))
      return failure();
    if (axis <= previous)
      return emitOpError() << "axes [" << getAxes()
                           << "] are not sorted and unique";
    previous = axis;
  }
  results.emplace_back(getElementType(getInput()),
                       dropAxes(shapes, shape, getAxes(), getKeepDims()),
                       reduceContents(shapes, *this));
  return success();
}

LogicalResult ArgReduceOp::inferResults(ShapeAnalysis &shapes,
                                        SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> shape = shapes.getShape(getInput());
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, axis, shape.size())) ||
      failed(shapes.requireNotLess(*this, shape[axis], shapes.constant(1),
                                   "the reduced dimension must not be empty")))
    return failure();
  results.emplace_back(IntegerType::get(getContext(), 64),
                       dropAxes(shapes, shape, axis, getKeepDims()));
  return success();
}

/// The result is like the input, `axis` one of its dimensions.
template <typename Op>
static LogicalResult inferLikeInput(Op op, ShapeAnalysis &shapes,
                                    SmallVectorImpl<ResultInfo> &results,
                                    int64_t axis) {
  SymShape shape = copyShape(shapes, op.getInput());
  if (failed(verifyAxis(op, axis, shape.size())))
    return failure();
  results.emplace_back(getElementType(op.getInput()), shape);
  return success();
}

LogicalResult CumsumOp::inferResults(ShapeAnalysis &shapes,
                                     SmallVectorImpl<ResultInfo> &results) {
  return inferLikeInput(*this, shapes, results, getAxis());
}

LogicalResult SoftmaxOp::inferResults(ShapeAnalysis &shapes,
                                      SmallVectorImpl<ResultInfo> &results) {
  return inferLikeInput(*this, shapes, results, getAxis());
}

/// Requires that `operand` broadcasts to `shape` without changing it.
static LogicalResult requireBroadcastTo(Operation *op, ShapeAnalysis &shapes,
                                        Value operand,
                                        ArrayRef<SymExpr> shape) {
  if (shapes.getShape(operand).size() > shape.size())
    return op->emitOpError()
           << "has an operand of rank " << shapes.getShape(operand).size()
           << ", more than the input's " << shape.size();
  auto joined = shapes.broadcast(op, {shape, shapes.getShape(operand)});
  if (failed(joined))
    return failure();
  for (auto [size, own] : llvm::zip_equal(*joined, shape))
    if (failed(shapes.requireEqual(op, own, size,
                                   "operands must broadcast to the input")))
      return failure();
  return success();
}

LogicalResult LayerNormOp::inferResults(ShapeAnalysis &shapes,
                                        SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> shape = shapes.getShape(getInput());
  for (Value operand : getOperands().drop_front())
    if (failed(requireBroadcastTo(*this, shapes, operand, shape)))
      return failure();
  return inferLikeInput(*this, shapes, results, getAxis());
}

/// Requires each of `operands` to be a vector of `channels`.
static LogicalResult requireVectors(Operation *op, ShapeAnalysis &shapes,
                                    ValueRange operands, SymExpr channels) {
  for (Value operand : operands) {
    ArrayRef<SymExpr> shape = shapes.getShape(operand);
    if (failed(verifyCount(op, "dimensions in a per-channel operand",
                           shape.size(), 1)) ||
        failed(shapes.requireEqual(op, shape[0], channels,
                                   "operands must have one value per channel")))
      return failure();
  }
  return success();
}

LogicalResult BatchNormOp::inferResults(ShapeAnalysis &shapes,
                                        SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> shape = shapes.getShape(getInput());
  int64_t axis = shape.size() > 1 ? 1 : 0;
  if (failed(verifyAxis(*this, axis, shape.size())) ||
      failed(requireVectors(*this, shapes, getOperands().drop_front(),
                            shape[axis])))
    return failure();
  return inferLikeInput(*this, shapes, results, axis);
}

LogicalResult GroupNormOp::inferResults(ShapeAnalysis &shapes,
                                        SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> shape = shapes.getShape(getInput());
  if (failed(verifyAxis(*this, 1, shape.size())) ||
      failed(
          requireVectors(*this, shapes, getOperands().drop_front(), shape[1])))
    return failure();
  int64_t groups = getGroups();
  std::optional<int64_t> channels = shape[1].getConstant();
  if (groups < 0 || (groups > 0 && channels && *channels % groups != 0))
    return emitOpError() << groups << " groups do not divide " << shape[1].str()
                         << " channels";
  return inferLikeInput(*this, shapes, results, 1);
}

LogicalResult LrnOp::inferResults(ShapeAnalysis &shapes,
                                  SmallVectorImpl<ResultInfo> &results) {
  return inferLikeInput(*this, shapes, results, 1);
}

LogicalResult PoolOp::inferResults(ShapeAnalysis &shapes,
                                   SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> input = shapes.getShape(getInput());
  int64_t spatial = static_cast<int64_t>(input.size()) - 2;
  if (spatial < 1)
    return emitOpError() << "needs an input of rank 3 or more, not "
                         << input.size();
  if (failed(verifyCount(*this, "kernel sizes", getKernel().size(), spatial)) ||
      failed(verifyCount(*this, "strides", getStrides().size(), spatial)) ||
      failed(verifyCount(*this, "dilations", getDilations().size(), spatial)) ||
      failed(verifyCount(*this, "low pads", getLow().size(), spatial)) ||
      failed(verifyCount(*this, "high pads", getHigh().size(), spatial)) ||
      failed(verifyCount(*this, "sizes", getSizes().size(), spatial)))
    return failure();
  auto isPositive = [](int64_t value) { return value > 0; };
  if (!llvm::all_of(getKernel(), isPositive) ||
      !llvm::all_of(getStrides(), isPositive) ||
      !llvm::all_of(getDilations(), isPositive))
    return emitOpError() << "kernel, strides and dilations must be positive";
  SymShape shape = {input[0], input[1]};
  for (SymExpr size : getExprs(getSizes())) {
    if (failed(shapes.requireNotLess(*this, size, shapes.constant(0),
                                     "the window must fit into the input")))
      return failure();
    shape.push_back(size);
  }
  results.emplace_back(getElementType(getInput()), shape);
  if (getWithIndices())
    results.emplace_back(IntegerType::get(getContext(), 64), shape);
  return success();
}

/// What `lz.roi_align` requires of its attributes.
static LogicalResult verifyGrid(RoiAlignOp op) {
  if (op.getKind() == PoolKind::lp)
    return op.emitOpError() << "takes the average or the maximum";
  if (failed(verifyCount(op, "sizes", op.getSizes().size(), 2)))
    return failure();
  if (op.getSizes()[0] < 1 || op.getSizes()[1] < 1)
    return op.emitOpError()
           << "sizes [" << op.getSizes() << "] must be positive";
  constexpr int64_t most = 65536; // their square counts the points of a bin
  auto samples = static_cast<int64_t>(op.getSamples());
  if (samples >= 0 && samples <= most)
    return success();
  return op.emitOpError() << "the number of samples " << samples
                          << " is not within 0.." << most;
}

LogicalResult RoiAlignOp::inferResults(ShapeAnalysis &shapes,
                                       SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> input = shapes.getShape(getInput());
  ArrayRef<SymExpr> regions = shapes.getShape(getRois());
  ArrayRef<SymExpr> batch = shapes.getShape(getBatch());
  if (failed(verifyGrid(*this)) ||
      failed(verifySameElementType(*this, getInput(), getRois())) ||
      failed(verifyCount(*this, "input dimensions", input.size(), 4)) ||
      failed(verifyCount(*this, "region dimensions", regions.size(), 2)) ||
      failed(verifyCount(*this, "batch dimensions", batch.size(), 1)) ||
      failed(shapes.requireEqual(*this, regions[1], shapes.constant(4),
                                 "a region must be four numbers")) ||
      failed(shapes.requireEqual(*this, regions[0], batch[0],
                                 "each region must have a picture")))
    return failure();
  SymShape shape = {regions[0], input[1], shapes.constant(getSizes()[0]),
                    shapes.constant(getSizes()[1])};
  results.emplace_back(getElementType(getInput()), shape);
  return success();
}
