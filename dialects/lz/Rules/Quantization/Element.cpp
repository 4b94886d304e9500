//===- Element.cpp - integer forms of softmax, gather and reshape ---------===//

#include "dialects/lz/IR/Rules.h"
#include "dialects/lz/Rules/Quantization/Quantizations.h"

using namespace mlir;
using namespace lz;

/// Integers of one quantization as those of another; as they are if it's the
/// same.
static Value requantize(RuleBuilder &b, const QuantizedValue &value,
                        const QuantizationParams &params) {
  return value.params == params ? value.value
                                : buildInteger(b, buildReal(b, value), params);
}

static LogicalResult give(Value integer, SmallVectorImpl<Value> &integers) {
  integers.push_back(integer);
  return success(!!integer);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Scales may vary off the axis.
static QuantizationRule getSoftmaxRule(SoftmaxOp op) {
  QuantizationRule rule;
  rule.sources = {allowAxes(op.getInput(), op.getAxis())};
  rule.results = {allowAxes(op.getResult())};
  return rule;
}

/// Softmax doesn't change when its input is shifted, so the zero point drops
/// out, and distances from the largest integer (exact, and of few values, fit
/// for a table) are all that there is to be scaled and exponentiated.
static LogicalResult buildSoftmax(SoftmaxOp op, RuleBuilder &b,
                                  ArrayRef<QuantizedValue> sources,
                                  ArrayRef<QuantizationParams> results,
                                  SmallVectorImpl<Value> &integers) {
  const QuantizationParams &params = sources[0].params;
  Value real = sources[0].value;
  if (params) {
    Type wide = b.getBuilder().getIntegerType(64);
    Value integer = b.cast(sources[0].value, wide);
    Value largest = b.create<ReduceOp>(ReduceKind::max, integer, op.getAxis(),
                                       /*keep_dims=*/true);
    Value distance =
        b.cast(b.sub(integer, largest), getElementType(params.scale));
    int64_t rank = b.getShapes().getShape(op.getInput()).size();
    real = b.mul(distance, alignToAxis(b, params.scale, params.axis, rank));
  }
  Value result = b.create<SoftmaxOp>(op.getKind(), real, op.getAxis());
  return give(buildInteger(b, result, results[0]), integers);
}

//===----------------------------------------------------------------------===//
// Ops that move elements
//===----------------------------------------------------------------------===//

/// Scales may vary off the axis; the indices stay as they are.
static QuantizationRule getGatherRule(GatherOp op) {
  QuantizationRule rule;
  rule.sources = {allowAxes(op.getInput(), op.getAxis()), {false, {}}};
  rule.results = {allowAxes(op.getResult())};
  rule.movesElements = true;
  return rule;
}

/// The dimension of the result that dimension `dim` of the input becomes.
static int64_t mapGatherDim(GatherOp op, int64_t dim) {
  auto indices = cast<RankedTensorType>(op.getIndices().getType());
  bool isAfter = dim > static_cast<int64_t>(op.getAxis());
  return isAfter ? dim + indices.getRank() - 1 : dim;
}

static LogicalResult buildGather(GatherOp op, RuleBuilder &b,
                                 ArrayRef<QuantizedValue> sources,
                                 ArrayRef<QuantizationParams> results,
                                 SmallVectorImpl<Value> &integers) {
  QuantizedValue gathered = sources[0];
  gathered.value =
      b.create<GatherOp>(sources[0].value, sources[1].value, op.getAxis());
  if (gathered.params.axis)
    gathered.params.axis = mapGatherDim(op, *gathered.params.axis);
  return give(requantize(b, gathered, results[0]), integers);
}

/// One scale for the whole of the input, as its dimensions come apart.
static QuantizationRule getReshapeRule(ReshapeOp op) {
  QuantizationRule rule;
  rule.sources = {{true, {}}};
  rule.results = {allowAxes(op.getResult())};
  rule.movesElements = true;
  return rule;
}

static LogicalResult buildReshape(ReshapeOp op, RuleBuilder &b,
                                  ArrayRef<QuantizedValue> sources,
                                  ArrayRef<QuantizationParams> results,
                                  SmallVectorImpl<Value> &integers) {
  QuantizedValue reshaped = sources[0];
  reshaped.value = b.reshape(sources[0].value, getExprs(op.getSizes()));
  return give(requantize(b, reshaped, results[0]), integers);
}

void lz::attachElementQuantizations(MLIRContext &context) {
  attachQuantization<SoftmaxOp, getSoftmaxRule, buildSoftmax>(context);
  attachQuantization<GatherOp, getGatherRule, buildGather>(context);
  attachQuantization<ReshapeOp, getReshapeRule, buildReshape>(context);
}
