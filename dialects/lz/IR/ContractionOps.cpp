//===- ContractionOps.cpp - rules of products and convolutions ------------===//

#include "dialects/lz/IR/ExprList.h"
#include "dialects/lz/IR/Rules.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

#define GET_OP_CLASSES
#include "dialects/lz/IR/ContractionOps.cpp.inc"

namespace lz {
void registerContractionOps(LzDialect *dialect) {
  RegisteredOperationName::insert<MatmulOp>(*dialect);
  RegisteredOperationName::insert<ConvOp>(*dialect);
  RegisteredOperationName::insert<ConvTransposeOp>(*dialect);
}
} // namespace lz

/// The operand's shape as matrices, after its transposition.
static SymShape getMatrixShape(ShapeAnalysis &shapes, Value operand,
                               bool transposed) {
  SymShape shape = copyShape(shapes, operand);
  if (transposed && shape.size() >= 2)
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return shape;
}

LogicalResult MatmulOp::inferResults(ShapeAnalysis &shapes,
                                     SmallVectorImpl<ResultInfo> &results) {
  if (failed(verifySameElementType(*this, getLhs(), getRhs())))
    return failure();
  SymShape lhs = getMatrixShape(shapes, getLhs(), getTransposeLhs());
  SymShape rhs = getMatrixShape(shapes, getRhs(), getTransposeRhs());
  if (lhs.empty() || rhs.empty())
    return emitOpError() << "needs operands of rank 1 or more";
  SymExpr depth = rhs[rhs.size() == 1 ? 0 : rhs.size() - 2];
  if (failed(shapes.requireEqual(*this, lhs.back(), depth,
                                 "inner dimensions must be equal")))
    return failure();
  auto batch = shapes.broadcast(
      *this,
      {ArrayRef<SymExpr>(lhs).drop_back(std::min<size_t>(2, lhs.size())),
       ArrayRef<SymExpr>(rhs).drop_back(std::min<size_t>(2, rhs.size()))});
  if (failed(batch))
    return failure();
  if (lhs.size() >= 2)
    batch->push_back(lhs[lhs.size() - 2]);
  if (rhs.size() >= 2)
    batch->push_back(rhs.back());
  results.emplace_back(getElementType(getLhs()), *batch);
  return success();
}

/// What the two convolutions must have in common.
template <typename Op>
static LogicalResult verifyConvolution(Op op, ShapeAnalysis &shapes) {
  int64_t rank = shapes.getShape(op.getInput()).size();
  if (rank < 3)
    return op.emitOpError() << "needs an input of rank 3 or more, not " << rank;
  if (failed(verifySameElementType(op, op.getInput(), op.getFilter())))
    return failure();
  int64_t spatial = rank - 2;
  if (failed(verifyCount(op, "filter dimensions",
                         shapes.getShape(op.getFilter()).size(), rank)) ||
      failed(verifyCount(op, "strides", op.getStrides().size(), spatial)) ||
      failed(verifyCount(op, "dilations", op.getDilations().size(), spatial)) ||
      failed(verifyCount(op, "low pads", op.getLow().size(), spatial)) ||
      failed(verifyCount(op, "high pads", op.getHigh().size(), spatial)))
    return failure();
  auto isPositive = [](int64_t value) { return value > 0; };
  if (!llvm::all_of(op.getStrides(), isPositive) ||
      !llvm::all_of(op.getDilations(), isPositive) || op.getGroups() < 1)
    return op.emitOpError() << "strides, dilations and groups must be positive";
  return success();
}

/// Requires a bias of one value for each of `channels`.
template <typename Op>
static LogicalResult verifyBias(Op op, ShapeAnalysis &shapes,
                                SymExpr channels) {
  if (!op.getBias())
    return success();
  if (failed(verifyCount(op, "bias dimensions",
                         shapes.getShape(op.getBias()).size(), 1)))
    return failure();
  return shapes.requireEqual(op, shapes.getShape(op.getBias())[0], channels,
                             "bias must have one value per output channel");
}

LogicalResult ConvOp::inferResults(ShapeAnalysis &shapes,
                                   SmallVectorImpl<ResultInfo> &results) {
  if (failed(verifyConvolution(*this, shapes)))
    return failure();
  ArrayRef<SymExpr> input = shapes.getShape(getInput());
  ArrayRef<SymExpr> filter = shapes.getShape(getFilter());
  if (failed(shapes.requireEqual(*this, input[1],
                                 filter[1] * static_cast<int64_t>(getGroups()),
                                 "input channels must be the filter's times "
                                 "groups")) ||
      failed(verifyBias(*this, shapes, filter[0])))
    return failure();
  if (auto channels = filter[0].getConstant();
      channels && *channels % static_cast<int64_t>(getGroups()) != 0)
    return emitOpError() << "has " << *channels << " output channels, which "
                         << getGroups() << " groups do not divide";
  SymShape shape = {input[0], filter[0]};
  SymShape low = getExprs(getLow()), high = getExprs(getHigh());
  for (auto [i, stride] : llvm::enumerate(getStrides())) {
    SymExpr room = input[i + 2] + low[i] + high[i] -
                   (filter[i + 2] - 1) * getDilations()[i] - 1;
    if (failed(shapes.requireNotLess(*this, room, shapes.constant(0),
                                     "the filter must fit into the input")))
      return failure();
    shape.push_back(room.floorDiv(shapes.constant(stride)) + 1);
  }
  results.emplace_back(getElementType(getInput()), shape);
  return success();
}

LogicalResult
ConvTransposeOp::inferResults(ShapeAnalysis &shapes,
                              SmallVectorImpl<ResultInfo> &results) {
  if (failed(verifyConvolution(*this, shapes)))
    return failure();
  ArrayRef<SymExpr> input = shapes.getShape(getInput());
  ArrayRef<SymExpr> filter = shapes.getShape(getFilter());
  SymExpr channels = filter[1] * static_cast<int64_t>(getGroups());
  if (failed(verifyCount(*this, "extra sizes", getExtra().size(),
                         input.size() - 2)) ||
      failed(shapes.requireEqual(*this, input[1], filter[0],
                                 "input and filter channels must be equal")) ||
      failed(verifyBias(*this, shapes, channels)))
    return failure();
  SymShape shape = {input[0], channels};
  SymShape low = getExprs(getLow()), high = getExprs(getHigh());
  for (auto [i, stride] : llvm::enumerate(getStrides())) {
    SymExpr size = (input[i + 2] - 1) * stride + getExtra()[i] +
                   (filter[i + 2] - 1) * getDilations()[i] + 1 - low[i] -
                   high[i];
    if (failed(shapes.requireNotLess(*this, size, shapes.constant(0),
                                     "must not crop more than there is")))
      return failure();
    shape.push_back(size);
  }
  results.emplace_back(getElementType(getInput()), shape);
  return success();
}
