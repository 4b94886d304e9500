//===- Normalization.cpp - normalization operators ------------------------===//

#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Batch normalization
//===----------------------------------------------------------------------===//

/// `(x - mean) / sqrt(variance + epsilon) * scale + bias` by plain operations.
static Value normalize(NodeImporter &node, Value input, Value mean,
                       Value variance, double epsilon) {
  Value shifted =
      add(node, variance, node.scalar(node.getElement(variance), epsilon));
  return divide(node, sub(node, input, mean),
                node.unary(UnaryKind::sqrt, shifted));
}

/// Statistics per element (spatial = 0 of versions before 9): all operands have
/// the shape of one sample.
static Value normalizeElements(NodeImporter &node, double epsilon) {
  Value result = normalize(node, node.operand(0), node.operand(3),
                           node.operand(4), epsilon);
  return add(node, mul(node, result, node.operand(1)), node.operand(2));
}

/// True if statistics are those of the batch.
static bool isTraining(NodeImporter &node) {
  if (node.getVersion() < 7)
    return !node.getBool("is_test", false);
  return node.getVersion() >= 14 && node.getBool("training_mode", false);
}

/// `running * momentum + current * (1 - momentum)`
static Value blend(NodeImporter &node, Value running, Value current,
                   double momentum) {
  Type type = node.getElement(running);
  return add(node, mul(node, running, node.scalar(type, momentum)),
             mul(node, current, node.scalar(type, 1 - momentum)));
}

/// Version 14 and later in training: normalizes by the batch's statistics and
/// gives the running ones.
static LogicalResult importTrainedBatchNorm(NodeImporter &node,
                                            double epsilon) {
  Value input = node.operand(0);
  double momentum = node.getFloat("momentum", 0.9f);
  SmallVector<int64_t> axes = getOtherAxes(node.getRank(input), 1);
  Value center = node.reduce(ReduceKind::mean, input, axes, true);
  Value distance = sub(node, input, center);
  Value mean = node.reduce(ReduceKind::mean, input, axes, false);
  Value variance =
      node.reduce(ReduceKind::mean, mul(node, distance, distance), axes, false);
  Type stat = node.getElement(node.operand(3));
  mean = node.cast(mean, stat);
  variance = node.cast(variance, stat);
  Value result =
      node.create<BatchNormOp>(input, node.operand(1), node.operand(2), mean,
                               variance, APFloat(epsilon));
  return node.finish({result, blend(node, node.operand(3), mean, momentum),
                      blend(node, node.operand(4), variance, momentum)});
}

static LogicalResult importBatchNorm(NodeImporter &node) {
  double epsilon = node.getFloat("epsilon", 1e-5f);
  if (isTraining(node)) {
    if (node.getVersion() >= 14)
      return importTrainedBatchNorm(node, epsilon);
    return node.error() << "attribute 'is_test' is 0, which asks for training; "
                           "export the model for inference (is_test = 1)";
  }
  if (node.getVersion() < 9 && !node.getBool("spatial", true))
    return node.finish(normalizeElements(node, epsilon));
  return node.finish(node.create<BatchNormOp>(
      node.operand(0), node.operand(1), node.operand(2), node.operand(3),
      node.operand(4), APFloat(epsilon)));
}

//===----------------------------------------------------------------------===//
// Layer, group, instance normalization
//===----------------------------------------------------------------------===//

/// The mean and the inverse deviation that LayerNormalization also gives.
static void getStatistics(NodeImporter &node, Value input, int64_t axis,
                          double epsilon, Value &mean, Value &inverse) {
  int64_t rank = node.getRank(input);
  Type type = node.getElement(input);
  if (node.getInt("stash_type", 1) == 1)
    type = node.getBuilder().getF32Type();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(axis, rank));
  Value wide = node.cast(input, type);
  mean = node.reduce(ReduceKind::mean, wide, axes, true);
  Value distance = sub(node, wide, mean);
  Value variance =
      node.reduce(ReduceKind::mean, mul(node, distance, distance), axes, true);
  inverse = node.unary(UnaryKind::rsqrt,
                       add(node, variance, node.scalar(type, epsilon)));
}

LogicalResult lz::importLayerNorm(NodeImporter &node) {
  Value input = node.operand(0), mean, inverse;
  double epsilon = node.getFloat("epsilon", 1e-5f);
  int64_t axis = node.getAxis(node.getInt("axis", -1), node.getRank(input));
  if (node.hasResult(1) || node.hasResult(2))
    getStatistics(node, input, axis, epsilon, mean, inverse);
  Value result =
      node.create<LayerNormOp>(NormKind::layer, input, node.operand(1),
                               node.operand(2), axis, APFloat(epsilon));
  return node.finish({result, mean, inverse});
}

/// RMSNormalization: scale may have a type of its own.
static LogicalResult importRmsNorm(NodeImporter &node) {
  Value input = node.operand(0);
  int64_t axis = node.getAxis(node.getInt("axis", -1), node.getRank(input));
  Value scale = node.cast(node.operand(1), node.getElement(input));
  return node.finish(
      node.create<LayerNormOp>(NormKind::rms, input, scale, Value(), axis,
                               APFloat(node.getFloat("epsilon", 1e-5f))));
}

static LogicalResult importInstanceNorm(NodeImporter &node) {
  return node.finish(node.create<GroupNormOp>(
      node.operand(0), node.operand(1), node.operand(2), 0,
      APFloat(node.getFloat("epsilon", 1e-5f))));
}

static LogicalResult importGroupNorm(NodeImporter &node) {
  int64_t groups = node.getInt("num_groups", 0);
  if (groups < 1)
    return node.error() << "attribute 'num_groups' is " << groups
                        << ", expected a positive number";
  return node.finish(node.create<GroupNormOp>(
      node.operand(0), node.operand(1), node.operand(2), groups,
      APFloat(node.getFloat("epsilon", 1e-5f))));
}

//===----------------------------------------------------------------------===//
// LRN, LpNormalization
//===----------------------------------------------------------------------===//

static LogicalResult importLrn(NodeImporter &node) {
  int64_t size = node.getInt("size", 0);
  if (size < 1)
    return node.error() << "attribute 'size' is " << size
                        << ", expected a positive number";
  return node.finish(node.create<LrnOp>(
      node.operand(0), size, APFloat(node.getFloat("alpha", 1e-4f)),
      APFloat(node.getFloat("beta", 0.75)), APFloat(node.getFloat("bias", 1))));
}

static LogicalResult importLpNorm(NodeImporter &node) {
  Value input = node.operand(0);
  int64_t p = node.getInt("p", 2);
  if (p != 1 && p != 2)
    return node.error() << "attribute 'p' is " << p << ", expected 1 or 2";
  int64_t axis = node.getAxis(node.getInt("axis", -1), node.getRank(input));
  Value norm = node.reduce(p == 1 ? ReduceKind::l1 : ReduceKind::l2, input,
                           axis, /*keepDims=*/true);
  // Nothing but zeros stays nothing but zeros.
  Value zero = node.scalar(node.getElement(input), 0);
  Value isZero = node.compare(CompareKind::eq, norm, zero);
  Value one = node.scalar(node.getElement(input), 1);
  Value divisor = node.create<SelectOp>(isZero, one, norm);
  return node.finish(divide(node, input, divisor));
}

void lz::registerNormalization(HandlerTable &handlers) {
  handlers["BatchNormalization"] = importBatchNorm;
  handlers["LayerNormalization"] = importLayerNorm;
  handlers["RMSNormalization"] = importRmsNorm;
  handlers["InstanceNormalization"] = importInstanceNorm;
  handlers["GroupNormalization"] = importGroupNorm;
  handlers["LRN"] = importLrn;
  handlers["LpNormalization"] = importLpNorm;
}
