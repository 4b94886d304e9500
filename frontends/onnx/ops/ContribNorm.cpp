//===- ContribNorm.cpp - norms, GELUs and a gradient of ONNX Runtime
//--------===//

#include "frontends/onnx/ops/Contrib.h"

using namespace mlir;
using namespace lz;

/// The default of `epsilon` in the norms of domain `com.microsoft`.
static constexpr float kEpsilon = 1e-12f;

/// `value` in f32, unless it is f64: types that are narrower are summed so.
static Value widen(NodeImporter &node, Value value) {
  if (!value || node.getElement(value).isF64())
    return value;
  return node.cast(value, node.getBuilder().getF32Type());
}

/// The mean (null for `rms`) and the inverse deviation over dimensions `axis`
/// and later.
static std::pair<Value, Value> getStatistics(NodeImporter &node, NormKind kind,
                                             Value input, int64_t axis,
                                             double epsilon) {
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(axis, node.getRank(input)));
  Value mean, distance = input;
  if (kind == NormKind::layer) {
    mean = node.reduce(ReduceKind::mean, input, axes, true);
    distance = node.binary(BinaryKind::sub, input, mean);
  }
  Value square = node.binary(BinaryKind::mul, distance, distance);
  Value variance = node.binary(
      BinaryKind::add, node.reduce(ReduceKind::mean, square, axes, true),
      node.scalar(node.getElement(input), epsilon));
  return {mean, node.unary(UnaryKind::rsqrt, variance)};
}

/// ONNX Runtime's older RMSNormalization, whose result has the scale's type.
static LogicalResult importSimplifiedNorm(NodeImporter &node) {
  Value input = node.operand(0), scale = node.operand(1), inverse;
  Type type = node.getElement(scale);
  double epsilon = node.getFloat("epsilon", 1e-5f);
  int64_t axis = node.getAxis(node.getInt("axis", -1), node.getRank(input));
  if (node.hasResult(1))
    inverse =
        getStatistics(node, NormKind::rms, widen(node, input), axis, epsilon)
            .second;
  if (node.getElement(input) != type) {
    input = widen(node, input);
    scale = node.cast(scale, node.getElement(input));
  }
  Value result = node.create<LayerNormOp>(NormKind::rms, input, scale, Value(),
                                          axis, APFloat(epsilon));
  return node.finish({node.cast(result, type), inverse});
}

/// The results of a norm of `sum`, which is in f32 at least: normalized, mean,
/// inverse deviation, sum.
static LogicalResult finishSkipNorm(NodeImporter &node, NormKind kind,
                                    Value sum, Value gamma, Value beta) {
  Type type = node.getElement(node.operand(0));
  double epsilon = node.getFloat("epsilon", kEpsilon);
  int64_t axis = node.getAxis(-1, node.getRank(sum));
  std::pair<Value, Value> statistics;
  if (node.hasResult(1) || node.hasResult(2))
    statistics = getStatistics(node, kind, sum, axis, epsilon);
  Value result = node.create<LayerNormOp>(
      kind, sum, widen(node, gamma), widen(node, beta), axis, APFloat(epsilon));
  Value sumResult = node.hasResult(3) ? node.cast(sum, type) : Value();
  return node.finish({node.cast(result, type), statistics.first,
                      statistics.second, sumResult});
}

/// `input + skip + bias`, normalized.
static LogicalResult importSkipNorm(NodeImporter &node, NormKind kind,
                                    Value beta, Value bias) {
  Value sum = node.binary(BinaryKind::add, widen(node, node.operand(0)),
                          widen(node, node.operand(1)));
  sum = addIfThere(node, sum, widen(node, bias));
  return finishSkipNorm(node, kind, sum, node.operand(2), beta);
}

static LogicalResult importSkipLayerNorm(NodeImporter &node) {
  return importSkipNorm(node, NormKind::layer, node.operand(3),
                        node.operand(4));
}

static LogicalResult importSkipSimplifiedNorm(NodeImporter &node) {
  return importSkipNorm(node, NormKind::rms, Value(), node.operand(3));
}

//===----------------------------------------------------------------------===//
// EmbedLayerNormalization
//===----------------------------------------------------------------------===//

/// The rows of the position embedding: by index, or the first ones.
static Value getPositions(NodeImporter &node) {
  Value table = node.operand(3);
  if (node.operand(8))
    return node.create<GatherOp>(table, node.operand(8), 0);
  return node.sliceAxis(table, 0, node.size(0),
                        node.getShape(node.operand(0))[1]);
}

/// The number of ones in each row of the mask; 0 without a mask.
static Value countMask(NodeImporter &node) {
  Type i32 = node.getBuilder().getI32Type();
  Value mask = node.operand(7);
  if (!mask)
    return node.expand(node.scalar(i32, 0),
                       {node.getShape(node.operand(0))[0]});
  Value isOne = node.compare(CompareKind::eq, mask, node.scalar(i32, 1));
  return node.reduce(ReduceKind::sum, node.cast(isOne, i32), {1}, false);
}

static LogicalResult importEmbedNorm(NodeImporter &node) {
  if (!node.operand(1) != !node.operand(4))
    return node.error() << "inputs 'segment_ids' and 'segment_embedding' must "
                           "be given together";
  for (int index : {0, 2, 3})
    if (node.getRank(node.operand(index)) != 2)
      return node.error() << "input " << index << " must have rank 2, not "
                          << node.getRank(node.operand(index));
  Value positions = getPositions(node);
  Value word = node.create<GatherOp>(node.operand(2), node.operand(0), 0);
  Type type = node.getElement(word);
  Value sum =
      node.binary(BinaryKind::add, widen(node, word), widen(node, positions));
  if (node.operand(1))
    sum = addIfThere(node, sum,
                     widen(node, node.create<GatherOp>(node.operand(4),
                                                       node.operand(1), 0)));
  Value result = node.create<LayerNormOp>(
      NormKind::layer, sum, widen(node, node.operand(5)),
      widen(node, node.operand(6)), 2,
      APFloat(double(node.getFloat("epsilon", kEpsilon))));
  Value count = node.hasResult(1) ? countMask(node) : Value();
  Value sumResult = node.hasResult(2) ? node.cast(sum, type) : Value();
  return node.finish({node.cast(result, type), count, sumResult});
}

//===----------------------------------------------------------------------===//
// GELUs
//===----------------------------------------------------------------------===//

template <UnaryKind kind> static LogicalResult importGelu(NodeImporter &node) {
  Value sum = addIfThere(node, node.operand(0), node.operand(1));
  return node.finish(node.unary(kind, sum));
}

static LogicalResult importQuickGelu(NodeImporter &node) {
  return node.finish(node.unary(UnaryKind::swish, node.operand(0),
                                node.getFloat("alpha", 1.702f)));
}

//===----------------------------------------------------------------------===//
// SoftmaxGrad
//===----------------------------------------------------------------------===//

/// With y the softmax over the dimensions from `axis` on and g its gradient,
/// y * (g - sum(g * y)).
static LogicalResult importSoftmaxGrad(NodeImporter &node) {
  Value gradient = node.operand(0), y = node.operand(1);
  int64_t rank = node.getRank(y);
  int64_t axis = node.getAxis(node.getInt("axis", 1), rank);
  if (!node.failed() && node.getShape(gradient) != node.getShape(y))
    node.error() << "input 0 (dY) and input 1 (Y) must have one shape";
  if (node.failed())
    return failure();
  auto axes = llvm::to_vector(llvm::seq(axis, rank));
  Value sum = node.reduce(ReduceKind::sum, mul(node, gradient, y), axes,
                          /*keepDims=*/true);
  return node.finish(mul(node, y, sub(node, gradient, sum)));
}

static constexpr ContribOperator kNorms[] = {
    {"SimplifiedLayerNormalization", "X:F scale:G", 2,
     "axis:INT epsilon:FLOAT stash_type:INT", importSimplifiedNorm},
    {"LayerNormalization", "X:F Scale:F B:F?", 3,
     "axis:INT epsilon:FLOAT stash_type:INT", importLayerNorm},
    {"SkipLayerNormalization", "input:F skip:F gamma:F beta:F? bias:F?", 4,
     "epsilon:FLOAT", importSkipLayerNorm},
    {"SkipSimplifiedLayerNormalization", "input:F skip:F gamma:F bias:F?", 4,
     "epsilon:FLOAT", importSkipSimplifiedNorm},
    {"EmbedLayerNormalization",
     "input_ids:i segment_ids:i? word_embedding:F position_embedding:F "
     "segment_embedding:F? gamma:F beta:F mask:i? position_ids:i?",
     3, "epsilon:FLOAT mask_index_type:INT", importEmbedNorm},
    {"BiasGelu", "A:F B:F", 1, "", importGelu<UnaryKind::gelu>},
    {"FastGelu", "X:F bias:F?", 1, "", importGelu<UnaryKind::gelu_tanh>},
    {"Gelu", "X:F", 1, "", importGelu<UnaryKind::gelu>},
    {"QuickGelu", "X:F", 1, "alpha:FLOAT", importQuickGelu},
    {"SoftmaxGrad", "dY:F Y:F", 1, "axis:INT", importSoftmaxGrad},
};

ArrayRef<ContribOperator> lz::getContribNorms() { return kNorms; }
