//===- RecurrentOps.cpp - rules of LSTM, GRU, RNN -------------------------===//

#include "dialects/lz/IR/ExprList.h"
#include "dialects/lz/IR/Rules.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace lz;

#define GET_OP_CLASSES
#include "dialects/lz/IR/RecurrentOps.cpp.inc"

namespace lz {
void registerRecurrentOps(LzDialect *dialect) {
  RegisteredOperationName::insert<LstmOp>(*dialect);
  RegisteredOperationName::insert<GruOp>(*dialect);
  RegisteredOperationName::insert<RnnOp>(*dialect);
}
} // namespace lz

/// Requires `value`, if there, to have the shape `expected`.
static LogicalResult requireShape(Operation *op, ShapeAnalysis &shapes,
                                  Value value, ArrayRef<SymExpr> expected,
                                  StringRef what) {
  if (!value)
    return success();
  ArrayRef<SymExpr> shape = shapes.getShape(value);
  std::string message = (what + " must fit the other operands").str();
  if (failed(verifyCount(op, (what + " dimensions").str(), shape.size(),
                         expected.size())))
    return failure();
  for (auto [size, own] : llvm::zip_equal(shape, expected))
    if (failed(shapes.requireEqual(op, size, own, message)))
      return failure();
  return success();
}

/// The sizes that all operands of a recurrent operation share.
namespace {
struct RecurrentSizes {
  SymExpr time, batch, input, directions, hidden;
};
} // namespace

/// Checks the operands that all kinds have; `gates` is the number of gates.
template <typename Op>
static FailureOr<RecurrentSizes> verifyOperands(Op op, ShapeAnalysis &shapes,
                                                int64_t gates) {
  ArrayRef<SymExpr> input = shapes.getShape(op.getInput());
  if (failed(verifyCount(op, "input dimensions", input.size(), 3)))
    return failure();
  bool both = op.getDirection() == DirectionKind::bidirectional;
  RecurrentSizes sizes = {input[0], input[1], input[2],
                          shapes.constant(both ? 2 : 1),
                          shapes.constant(op.getHidden())};
  SymExpr rows = sizes.hidden * gates;
  if (failed(requireShape(op, shapes, op.getWeights(),
                          {sizes.directions, rows, sizes.input}, "weights")) ||
      failed(requireShape(op, shapes, op.getRecurrentWeights(),
                          {sizes.directions, rows, sizes.hidden},
                          "recurrent weights")) ||
      failed(requireShape(op, shapes, op.getBias(),
                          {sizes.directions, rows * 2}, "bias")) ||
      failed(requireShape(op, shapes, op.getLengths(), {sizes.batch},
                          "lengths")) ||
      failed(requireShape(op, shapes, op.getInitialH(),
                          {sizes.directions, sizes.batch, sizes.hidden},
                          "initial h")))
    return failure();
  return sizes;
}

/// Appends y and `states` final states.
static void appendResults(Value input, const RecurrentSizes &sizes, int states,
                          SmallVectorImpl<ResultInfo> &results) {
  Type type = getElementType(input);
  results.emplace_back(
      type, SymShape{sizes.time, sizes.directions, sizes.batch, sizes.hidden});
  for (int i = 0; i != states; ++i)
    results.emplace_back(type,
                         SymShape{sizes.directions, sizes.batch, sizes.hidden});
}

LogicalResult LstmOp::inferResults(ShapeAnalysis &shapes,
                                   SmallVectorImpl<ResultInfo> &results) {
  auto sizes = verifyOperands(*this, shapes, 4);
  if (failed(sizes) ||
      failed(requireShape(*this, shapes, getInitialC(),
                          {sizes->directions, sizes->batch, sizes->hidden},
                          "initial c")) ||
      failed(requireShape(*this, shapes, getPeepholes(),
                          {sizes->directions, sizes->hidden * 3}, "peepholes")))
    return failure();
  appendResults(getInput(), *sizes, 2, results);
  return success();
}

LogicalResult GruOp::inferResults(ShapeAnalysis &shapes,
                                  SmallVectorImpl<ResultInfo> &results) {
  auto sizes = verifyOperands(*this, shapes, 3);
  if (failed(sizes))
    return failure();
  appendResults(getInput(), *sizes, 1, results);
  return success();
}

LogicalResult RnnOp::inferResults(ShapeAnalysis &shapes,
                                  SmallVectorImpl<ResultInfo> &results) {
  auto sizes = verifyOperands(*this, shapes, 1);
  if (failed(sizes))
    return failure();
  appendResults(getInput(), *sizes, 1, results);
  return success();
}
