//===- Pool.cpp - gradients of pools --------------------------------------===//
//
// What a window gave to its result, the result's gradient gives back to the
// window's elements, added up where windows overlap: a transposed convolution
// by ones. All channels are one batch of it. The largest element of a window
// alone gets the gradient of a maximum.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/Rules.h"
#include "dialects/lz/Rules/Gradient/Gradients.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace lz;

/// `value` with its batch and channels as one batch of one channel.
static Value joinChannels(RuleBuilder &b, Value value) {
  if (!value)
    return {};
  SymShape shape(b.getShapes().getShape(value));
  shape[0] = shape[0] * shape[1];
  shape[1] = b.getShapes().constant(1);
  return b.reshape(value, shape);
}

/// A filter of ones of the size of a window.
static Value getOnes(PoolOp op, RuleBuilder &b) {
  SymShape shape(2, b.getShapes().constant(1));
  for (int64_t size : op.getKernel())
    shape.push_back(b.getShapes().constant(size));
  return b.expand(b.number(op.getInput(), 1), shape);
}

/// Adds the gradient of each window to all of its elements. Windows cover the
/// positions from -low on; a pad brings what they cover to the input's range.
static Value giveToWindows(PoolOp op, RuleBuilder &b, Value gradient) {
  SmallVector<int64_t> zeros(op.getKernel().size(), 0);
  ArrayAttr none = getExprArray(op.getContext(), zeros);
  Value covered = b.create<ConvTransposeOp>(
      joinChannels(b, gradient), getOnes(op, b), RuleBuilder::Absent(),
      op.getStrides(), none, none, zeros, op.getDilations(), /*groups=*/1);
  if (!covered)
    return {};
  SymShape input(b.getShapes().getShape(op.getInput()));
  SymShape low(2, b.getShapes().constant(0)), high = low;
  SymShape sizes(b.getShapes().getShape(covered));
  for (auto [dim, before] : llvm::enumerate(getExprs(op.getLow()))) {
    low.push_back(before * -1);
    high.push_back(input[dim + 2] + before - sizes[dim + 2]);
  }
  return b.reshape(b.pad(covered, low, high), input);
}

/// For each window along a dimension, how many of its taps lie in [0, end), or
/// with `fromStart` before `end`: those from ceil(-start / dilation) on up to
/// ceil((end - start) / dilation).
static Value countTaps(PoolOp op, RuleBuilder &b, int64_t dim, SymExpr end,
                       bool fromStart) {
  Type type = b.getBuilder().getI64Type();
  SymExpr low = getExprs(op.getLow())[dim];
  SymExpr windows = getExprs(op.getSizes())[dim];
  int64_t dilation = op.getDilations()[dim];
  auto number = [&](int64_t value) { return b.scalar(type, value); };
  auto getTap = [&](Value distance) {
    Value rounded = b.add(distance, number(dilation - 1));
    return b.div(rounded, number(dilation));
  };
  Value start = b.sub(b.mul(b.positions(windows), number(op.getStrides()[dim])),
                      b.size(low, type));
  Value after = b.binary(BinaryKind::min, number(op.getKernel()[dim]),
                         getTap(b.sub(b.size(end, type), start)));
  if (fromStart)
    return after;
  Value first = b.binary(BinaryKind::max, number(0),
                         getTap(b.unary(UnaryKind::neg, start)));
  return b.sub(after, first);
}

/// What the mean of each window divides by, to broadcast over the channels.
static Value getCounts(PoolOp op, RuleBuilder &b) {
  int64_t spatial = op.getKernel().size();
  SymShape input(b.getShapes().getShape(op.getInput()));
  SymShape high = getExprs(op.getHigh());
  Value counts = b.scalar(b.getBuilder().getI64Type(), 1);
  for (int64_t dim = 0; dim != spatial; ++dim) {
    SymShape alone(spatial, b.getShapes().constant(1));
    alone[dim] = getExprs(op.getSizes())[dim];
    SymExpr end = input[dim + 2];
    if (op.getCountPadding())
      end = end + high[dim];
    Value taps = countTaps(op, b, dim, end, op.getCountPadding());
    counts = b.mul(counts, b.reshape(taps, alone));
  }
  return b.cast(counts, getElementType(op.getInput()));
}

/// Scatters to the largest elements, whose positions another pool finds.
static Value getMaxGradient(PoolOp op, RuleBuilder &b, Value gradient) {
  SymShape input(b.getShapes().getShape(op.getInput()));
  SymExpr total = b.getShapes().getNumElements(op.getInput());
  SymExpr count = b.getShapes().getNumElements(gradient);
  auto type = RankedTensorType::get({}, b.getBuilder().getI64Type());
  auto pool = PoolOp::create(
      b.getBuilder(), b.getLoc(), op.getResult().getType(), type, op.getKind(),
      op.getInput(), op.getKernel(), op.getStrides(), op.getLow(), op.getHigh(),
      op.getDilations(), op.getSizes(), op.getCountPadding(), op.getPower(),
      /*column_major=*/false, /*with_indices=*/true);
  if (!b.infer(pool))
    return {};
  Value positions = b.reshape(pool.getIndices(), count);
  // A window of padding alone has the position -1.
  Value isThere = b.compare(CompareKind::ge, positions, b.number(positions, 0));
  Value zeros = b.expand(b.number(gradient, 0), total);
  Value sums = b.create<ScatterElementsOp>(
      ScatterKind::add, zeros, positions,
      b.keepIf(isThere, b.reshape(gradient, count)), /*axis=*/0);
  return b.reshape(sums, input);
}

/// y = (sum |x|^p)^(1/p): each x of a window gets G (|x| / y)^(p - 1) sign(x),
/// which is |x|^(p - 1) sign(x) times what its windows give: G y^(1 - p), or 0
/// of a window of zeros.
static Value getLpGradient(PoolOp op, RuleBuilder &b, Value gradient) {
  Value x = op.getInput(), y = op.getResult(), zero = b.number(y, 0);
  auto power = static_cast<double>(op.getPower());
  Value given = b.binary(BinaryKind::pow, y, b.number(y, 1 - power));
  Value isZero = b.compare(CompareKind::eq, y, zero);
  Value shares = b.mul(gradient, b.select(isZero, zero, given));
  Value own = b.binary(BinaryKind::pow, b.unary(UnaryKind::abs, x),
                       b.number(x, power - 1));
  return b.mul(b.mul(own, b.unary(UnaryKind::sign, x)),
               giveToWindows(op, b, shares));
}

static LogicalResult buildPoolGradients(PoolOp op, RuleBuilder &b,
                                        ArrayRef<Value> results,
                                        Values &gradients) {
  switch (op.getKind()) {
  case PoolKind::max:
    return giveGradients(getMaxGradient(op, b, results[0]), gradients);
  case PoolKind::lp:
    return giveGradients(getLpGradient(op, b, results[0]), gradients);
  case PoolKind::average:
    return giveGradients(
        giveToWindows(op, b, b.div(results[0], getCounts(op, b))), gradients);
  }
  llvm_unreachable("all kinds are covered");
}

void lz::attachPoolGradients(MLIRContext &context) {
  attachGradient<PoolOp, buildPoolGradients>(context);
}
