//===- Norm.cpp - gradients of normalizations -----------------------------===//
//
// With x' = (x - mean) r and r = 1 / sqrt(variance + epsilon), the result is
// y = x' scale + bias. Where mean and variance are those of x, with means over
// the same elements and H = G scale:
//
//   dx = r (H - mean(H) - x' mean(H x'))      (RMS: no mean(H))
//
// Halves are computed in f32, as the forward operation is.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/Rules.h"
#include "dialects/lz/Rules/Gradient/Gradients.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace lz;

namespace {
/// An input minus its mean and over its deviation, and one over the latter.
struct Normalized {
  Value value, factor;
};
} // namespace

/// The type to compute in.
static Type getWideType(RuleBuilder &b, Value value) {
  Type type = getElementType(value);
  return type.isF64() ? type : b.getBuilder().getF32Type();
}

static Value getMean(RuleBuilder &b, Value value, ArrayRef<int64_t> axes) {
  return b.create<ReduceOp>(ReduceKind::mean, value, axes, true);
}

/// 1 / sqrt(variance + epsilon).
static Value getFactor(RuleBuilder &b, Value variance, APFloat epsilon) {
  Value offset = b.number(variance, epsilon.convertToDouble());
  return b.unary(UnaryKind::rsqrt, b.add(variance, offset));
}

static Normalized normalize(RuleBuilder &b, Value input, ArrayRef<int64_t> axes,
                            APFloat epsilon, NormKind kind) {
  if (kind == NormKind::layer)
    input = b.sub(input, getMean(b, input, axes));
  Value factor = getFactor(b, getMean(b, b.mul(input, input), axes), epsilon);
  return {b.mul(input, factor), factor};
}

/// The gradient by the input, from that by the normalized input.
static Value getInputGradient(RuleBuilder &b, const Normalized &normal,
                              Value gradient, ArrayRef<int64_t> axes,
                              NormKind kind) {
  Value mean = getMean(b, b.mul(gradient, normal.value), axes);
  Value rest = b.sub(gradient, b.mul(normal.value, mean));
  if (kind == NormKind::layer)
    rest = b.sub(rest, getMean(b, gradient, axes));
  return b.mul(normal.factor, rest);
}

/// Sums `gradient` to the shape and type of `operand`.
static Value fit(RuleBuilder &b, Value gradient, Value operand) {
  SymShape shape(b.getShapes().getShape(operand));
  return b.cast(sumTo(b, gradient, shape), getElementType(operand));
}

static LogicalResult buildLayerNormGradients(LayerNormOp op, RuleBuilder &b,
                                             ArrayRef<Value> results,
                                             Values &gradients) {
  Type wide = getWideType(b, op.getInput());
  Value gradient = b.cast(results[0], wide);
  Value scale = b.cast(op.getScale(), wide);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(
      op.getAxis(), b.getShapes().getShape(op.getInput()).size()));
  Normalized normal = normalize(b, b.cast(op.getInput(), wide), axes,
                                op.getEpsilon(), op.getKind());
  Value input =
      getInputGradient(b, normal, b.mul(gradient, scale), axes, op.getKind());
  SmallVector<Value> built = {
      fit(b, input, op.getInput()),
      fit(b, b.mul(gradient, normal.value), op.getScale())};
  if (op.getBias())
    built.push_back(fit(b, gradient, op.getBias()));
  return giveGradients(built, gradients);
}

/// The shape in which a value for each channel meets an input of `rank`.
static SymShape getChannelShape(RuleBuilder &b, Value channels, int64_t rank) {
  SymShape shape(b.getShapes().getShape(channels));
  if (rank > 2)
    shape.append(rank - 2, b.getShapes().constant(1));
  return shape;
}

/// Sums `gradient` to a value for each channel.
static Value fitChannels(RuleBuilder &b, Value gradient, Value operand) {
  if (!gradient)
    return {};
  int64_t rank = b.getShapes().getShape(gradient).size();
  Value sum = sumTo(b, gradient, getChannelShape(b, operand, rank));
  SymShape shape(b.getShapes().getShape(operand));
  return b.cast(b.reshape(sum, shape), getElementType(operand));
}

/// Mean and variance are operands: with H = G scale r,
/// d mean = -sum(H), d variance = -sum(H (x - mean) r^2) / 2.
static LogicalResult buildBatchNormGradients(BatchNormOp op, RuleBuilder &b,
                                             ArrayRef<Value> results,
                                             Values &gradients) {
  Type wide = getWideType(b, op.getInput());
  int64_t rank = b.getShapes().getShape(op.getInput()).size();
  auto widen = [&](Value channels) {
    return b.cast(b.reshape(channels, getChannelShape(b, channels, rank)),
                  wide);
  };
  Value gradient = b.cast(results[0], wide);
  Value factor = getFactor(b, widen(op.getVariance()), op.getEpsilon());
  Value centred = b.sub(b.cast(op.getInput(), wide), widen(op.getMean()));
  Value normal = b.mul(centred, factor);
  Value input = b.mul(gradient, b.mul(widen(op.getScale()), factor));
  Value variance = b.scale(-0.5, b.mul(input, b.mul(normal, factor)));
  return giveGradients(
      {fit(b, input, op.getInput()),
       fitChannels(b, b.mul(gradient, normal), op.getScale()),
       fitChannels(b, gradient, op.getBias()),
       fitChannels(b, b.unary(UnaryKind::neg, input), op.getMean()),
       fitChannels(b, variance, op.getVariance())},
      gradients);
}

/// [N, C, D...] as [N, groups, the rest].
static SymShape getGroupShape(GroupNormOp op, RuleBuilder &b) {
  ArrayRef<SymExpr> input = b.getShapes().getShape(op.getInput());
  SymExpr groups = b.getShapes().constant(op.getGroups());
  SymExpr channels = input[1].floorDiv(groups);
  if (op.getGroups() == 0) {
    groups = input[1];
    channels = b.getShapes().constant(1);
  }
  for (SymExpr size : input.drop_front(2))
    channels = channels * size;
  return {input[0], groups, channels};
}

static LogicalResult buildGroupNormGradients(GroupNormOp op, RuleBuilder &b,
                                             ArrayRef<Value> results,
                                             Values &gradients) {
  Type wide = getWideType(b, op.getInput());
  SymShape shape(b.getShapes().getShape(op.getInput()));
  SymShape grouped = getGroupShape(op, b);
  Value gradient = b.cast(results[0], wide), scale = op.getScale();
  scale =
      b.cast(b.reshape(scale, getChannelShape(b, scale, shape.size())), wide);
  Normalized normal =
      normalize(b, b.reshape(b.cast(op.getInput(), wide), grouped), 2,
                op.getEpsilon(), NormKind::layer);
  Value scaled = b.reshape(b.mul(gradient, scale), grouped);
  Value input =
      b.reshape(getInputGradient(b, normal, scaled, 2, NormKind::layer), shape);
  Value slope = b.mul(gradient, b.reshape(normal.value, shape));
  return giveGradients({fit(b, input, op.getInput()),
                        fitChannels(b, slope, op.getScale()),
                        fitChannels(b, gradient, op.getBias())},
                       gradients);
}

void lz::attachNormGradients(MLIRContext &context) {
  attachGradient<LayerNormOp, buildLayerNormGradients>(context);
  attachGradient<BatchNormOp, buildBatchNormGradients>(context);
  attachGradient<GroupNormOp, buildGroupNormGradients>(context);
}
