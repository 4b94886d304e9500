//===- Convolution.cpp - gradients of a convolution -----------------------===//
//
// In one dimension, with padded input position p = o * stride + k * dilation:
//
//   by the input:   dX[p - low] = sum over o, k of dY[o] * W[k]
//   by the filter:  dW[k]       = sum over o    of dY[o] * X[p - low]
//
// The first is a transposed convolution. The second is a convolution again, in
// which dY is the filter, stride and dilation change roles, and the batch is
// what is summed over, as channels are otherwise.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/Rules.h"
#include "dialects/lz/Rules/Gradient/Gradients.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace lz;

/// The permutation that swaps dimensions `a` and `b` of `rank`.
static SmallVector<int64_t> getSwap(int64_t rank, int64_t a, int64_t b) {
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[a], permutation[b]);
  return permutation;
}

/// The padded input positions after the last window, of each dimension: those
/// that a stride leaves over.
static SymShape getRemainders(ConvOp op, RuleBuilder &b) {
  ArrayRef<SymExpr> input = b.getShapes().getShape(op.getInput());
  ArrayRef<SymExpr> filter = b.getShapes().getShape(op.getFilter());
  SymShape low = getExprs(op.getLow()), high = getExprs(op.getHigh());
  SymShape remainders;
  for (auto [i, stride] : llvm::enumerate(op.getStrides())) {
    SymExpr room = input[i + 2] + low[i] + high[i] -
                   (filter[i + 2] - 1) * op.getDilations()[i] - 1;
    remainders.push_back(room.mod(b.getShapes().constant(stride)));
  }
  return remainders;
}

/// Pads or crops the spatial dimensions of `value`.
static Value padSpatial(RuleBuilder &b, Value value, ArrayRef<SymExpr> low,
                        ArrayRef<SymExpr> high) {
  SymExpr none = b.getShapes().constant(0);
  SymShape before = {none, none}, after = {none, none};
  before.append(low.begin(), low.end());
  after.append(high.begin(), high.end());
  return b.pad(value, before, after);
}

/// The gradient by the input. Where the remainders are known, they and the pads
/// are the transposed convolution's own; otherwise it gives the gradient of the
/// positions that windows cover, which a pad brings to the input's range.
static Value getInputGradient(ConvOp op, RuleBuilder &b, Value gradient) {
  SymShape remainders = getRemainders(op, b);
  if (auto extra = getConstants(remainders))
    return b.create<ConvTransposeOp>(
        gradient, op.getFilter(), RuleBuilder::Absent(), op.getStrides(),
        op.getLow(), op.getHigh(), *extra, op.getDilations(), op.getGroups());
  SmallVector<int64_t> zeros(remainders.size(), 0);
  ArrayAttr none = getExprArray(op.getContext(), zeros);
  Value covered = b.create<ConvTransposeOp>(
      gradient, op.getFilter(), RuleBuilder::Absent(), op.getStrides(), none,
      none, zeros, op.getDilations(), op.getGroups());
  if (!covered)
    return {};
  SymShape low = getExprs(op.getLow()), high = getExprs(op.getHigh());
  for (auto [before, after, remainder] :
       llvm::zip_equal(low, high, remainders)) {
    before = before * -1;
    after = remainder - after;
  }
  return padSpatial(b, covered, low, high);
}

/// [N, groups * C, D...] as [C, groups * N, D...].
static Value swapBatchAndChannels(RuleBuilder &b, Value input, SymExpr channels,
                                  int64_t groups) {
  SymShape shape(b.getShapes().getShape(input));
  if (groups == 1)
    return b.transpose(input, getSwap(shape.size(), 0, 1));
  SymExpr batch = shape[0];
  shape[1] = channels;
  shape.insert(shape.begin() + 1, b.getShapes().constant(groups));
  Value grouped =
      b.transpose(b.reshape(input, shape), getSwap(shape.size(), 0, 2));
  shape[0] = channels;
  shape[1] = batch * groups;
  shape.erase(shape.begin() + 2);
  return b.reshape(grouped, shape);
}

/// Takes the first elements of each dimension, as many as `sizes` says.
static Value takeFirst(RuleBuilder &b, Value value, ArrayRef<SymExpr> sizes) {
  if (!value || b.getShapes().getShape(value) == sizes)
    return value;
  SymShape offsets(sizes.size(), b.getShapes().constant(0));
  return b.slice(value, offsets, sizes);
}

/// The gradient by the filter of a convolution of `input` whose result has
/// `gradient`; `op` is that convolution, or the transposed one of which it is
/// the gradient. Positions that the stride left over make the result longer
/// than the filter; what is beyond it is cut off.
template <typename Op>
static Value getFilterGradient(Op op, RuleBuilder &b, Value input,
                               Value gradient) {
  SymShape filter(b.getShapes().getShape(op.getFilter()));
  auto swap = getSwap(filter.size(), 0, 1);
  Value channels = swapBatchAndChannels(b, input, filter[1], op.getGroups());
  Value taps =
      b.create<ConvOp>(channels, b.transpose(gradient, swap),
                       RuleBuilder::Absent(), op.getDilations(), op.getLow(),
                       op.getHigh(), op.getStrides(), op.getGroups());
  if (!taps)
    return {};
  return takeFirst(b, b.transpose(taps, swap), filter);
}

/// The gradient by the bias: the sum over all dimensions but the channels.
static Value getBiasGradient(RuleBuilder &b, Value gradient) {
  SmallVector<int64_t> axes = {0};
  int64_t rank = b.getShapes().getShape(gradient).size();
  llvm::append_range(axes, llvm::seq<int64_t>(2, rank));
  return b.reduceSum(gradient, axes, /*keepDims=*/false);
}

static LogicalResult buildConvGradients(ConvOp op, RuleBuilder &b,
                                        ArrayRef<Value> results,
                                        Values &gradients) {
  SmallVector<Value> built = {
      getInputGradient(op, b, results[0]),
      getFilterGradient(op, b, op.getInput(), results[0])};
  if (op.getBias())
    built.push_back(getBiasGradient(b, results[0]));
  return giveGradients(built, gradients);
}

/// A transposed convolution's gradient by its input is the convolution; its
/// input is that one's gradient.
static LogicalResult buildConvTransposeGradients(ConvTransposeOp op,
                                                 RuleBuilder &b,
                                                 ArrayRef<Value> results,
                                                 Values &gradients) {
  SymShape shape(b.getShapes().getShape(op.getInput()));
  Value input = b.create<ConvOp>(
      results[0], op.getFilter(), RuleBuilder::Absent(), op.getStrides(),
      op.getLow(), op.getHigh(), op.getDilations(), op.getGroups());
  SmallVector<Value> built = {
      takeFirst(b, input, shape),
      getFilterGradient(op, b, results[0], op.getInput())};
  if (op.getBias())
    built.push_back(getBiasGradient(b, results[0]));
  return giveGradients(built, gradients);
}

void lz::attachConvolutionGradients(MLIRContext &context) {
  attachGradient<ConvOp, buildConvGradients>(context);
  attachGradient<ConvTransposeOp, buildConvTransposeGradients>(context);
}
