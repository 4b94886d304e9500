//===- Normalization.cpp - reference models of softmax and norms ----------===//
//
// Everything is computed in double and rounded to the element type once.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include <cmath>

using namespace mlir;
using namespace lz;

/// Softmax, its logarithm or hardmax of one line, in place.
static void normalizeLine(SoftmaxKind kind, MutableArrayRef<double> line) {
  if (line.empty())
    return;
  auto best = std::max_element(line.begin(), line.end());
  double largest = *best, sum = 0;
  if (kind == SoftmaxKind::hardmax) {
    size_t chosen = best - line.begin();
    for (auto [i, value] : llvm::enumerate(line))
      value = i == chosen;
    return;
  }
  for (double value : line)
    sum += std::exp(value - largest);
  for (double &value : line)
    value = kind == SoftmaxKind::softmax ? std::exp(value - largest) / sum
                                         : value - largest - std::log(sum);
}

/// ONNX Softmax-13, LogSoftmax-13, Hardmax-13.
static LogicalResult evaluateSoftmax(SoftmaxOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  if (failed(result))
    return failure();
  AxisView view(input.getShape(), op.getAxis());
  std::vector<double> line(view.size);
  for (int64_t o = 0; o != view.outer; ++o)
    for (int64_t n = 0; n != view.inner; ++n) {
      for (int64_t i = 0; i != view.size; ++i)
        line[i] = input.getDouble(view.at(o, i, n));
      normalizeLine(op.getKind(), line);
      for (int64_t i = 0; i != view.size; ++i)
        result->setDouble(view.at(o, i, n), line[i]);
    }
  return e.give(*result);
}

/// Moves `part` to mean 0 (unless `keepMean`) and scales it to variance 1.
static void normalizePart(MutableArrayRef<double> part, double epsilon,
                          bool keepMean) {
  double count = static_cast<double>(part.size()), mean = 0, variance = 0;
  for (double value : part)
    mean += value;
  mean = keepMean ? 0 : mean / count;
  for (double value : part)
    variance += (value - mean) * (value - mean);
  double deviation = std::sqrt(variance / count + epsilon);
  for (double &value : part)
    value = (value - mean) / deviation;
}

/// ONNX LayerNormalization-17, RMSNormalization-23.
static LogicalResult evaluateLayerNorm(LayerNormOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput()), &scale = e.get(op.getScale());
  const RefTensor *bias = e.find(op.getBias());
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  auto joined = broadcastShapes(op, {input.getShape(), scale.getShape()});
  if (failed(result) || failed(joined))
    return failure();
  if (ArrayRef<int64_t>(*joined) != input.getShape())
    return op.emitOpError() << "has a scale of sizes [" << scale.getShape()
                            << "] for an input of [" << input.getShape() << "]";
  std::vector<double> values = input.getDoubles();
  int64_t size = countElements(input.getShape().drop_front(op.getAxis()));
  for (size_t begin = 0; begin != values.size() && size != 0; begin += size)
    normalizePart(MutableArrayRef<double>(values).slice(begin, size),
                  op.getEpsilon().convertToDouble(),
                  op.getKind() == NormKind::rms);
  BroadcastMap scaleMap(scale.getShape(), input.getShape());
  BroadcastMap biasMap(bias ? bias->getShape() : ArrayRef<int64_t>(),
                       input.getShape());
  int64_t position = 0;
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    double value = values[position] * scale.getDouble(scaleMap.at(index));
    result->setDouble(
        position++, bias ? value + bias->getDouble(biasMap.at(index)) : value);
  });
  return e.give(*result);
}

/// ONNX BatchNormalization-15 in inference mode.
static LogicalResult evaluateBatchNorm(BatchNormOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  if (failed(result))
    return failure();
  const RefTensor &scale = e.get(op.getScale()), &bias = e.get(op.getBias());
  const RefTensor &mean = e.get(op.getMean());
  const RefTensor &variance = e.get(op.getVariance());
  double epsilon = op.getEpsilon().convertToDouble();
  AxisView view(input.getShape(), input.getRank() > 1 ? 1 : 0);
  for (const RefTensor *operand : {&scale, &bias, &mean, &variance})
    if (operand->getNumElements() != view.size)
      return op.emitOpError()
             << "has a per-channel operand of " << operand->getNumElements()
             << " values for " << view.size << " channels";
  for (int64_t i = 0; i != input.getNumElements(); ++i) {
    int64_t c = i / view.inner % view.size;
    double deviation = std::sqrt(variance.getDouble(c) + epsilon);
    double normal = (input.getDouble(i) - mean.getDouble(c)) / deviation;
    result->setDouble(i, normal * scale.getDouble(c) + bias.getDouble(c));
  }
  return e.give(*result);
}

/// ONNX GroupNormalization-21, InstanceNormalization-22.
static LogicalResult evaluateGroupNorm(GroupNormOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  if (failed(result))
    return failure();
  const RefTensor &scale = e.get(op.getScale()), &bias = e.get(op.getBias());
  AxisView view(input.getShape(), 1);
  int64_t groups = op.getGroups() == 0 ? view.size : op.getGroups();
  if ((groups != 0 && view.size % groups != 0) ||
      scale.getNumElements() != view.size || bias.getNumElements() != view.size)
    return op.emitOpError() << "can't divide " << view.size << " channels into "
                            << groups << " groups";
  std::vector<double> values = input.getDoubles();
  int64_t size = groups == 0 ? 0 : view.size / groups * view.inner;
  for (size_t begin = 0; begin != values.size() && size != 0; begin += size)
    normalizePart(MutableArrayRef<double>(values).slice(begin, size),
                  op.getEpsilon().convertToDouble(), /*keepMean=*/false);
  for (size_t i = 0; i != values.size(); ++i) {
    int64_t c = i / view.inner % view.size;
    result->setDouble(i, values[i] * scale.getDouble(c) + bias.getDouble(c));
  }
  return e.give(*result);
}

/// ONNX LRN-13.
static LogicalResult evaluateLrn(LrnOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  if (failed(result))
    return failure();
  AxisView view(input.getShape(), 1);
  int64_t size = op.getSize(), before = (size - 1) / 2, after = size / 2;
  double alpha = op.getAlpha().convertToDouble();
  double beta = op.getBeta().convertToDouble();
  double offset = op.getOffset().convertToDouble();
  for (int64_t i = 0; i != input.getNumElements(); ++i) {
    int64_t n = i % view.inner, c = i / view.inner % view.size;
    int64_t o = i / view.inner / view.size;
    double square = 0;
    for (int64_t k = std::max<int64_t>(0, c - before);
         k <= std::min(view.size - 1, c + after); ++k)
      square += std::pow(input.getDouble(view.at(o, k, n)), 2);
    double scale = offset + alpha / static_cast<double>(size) * square;
    result->setDouble(i, input.getDouble(i) / std::pow(scale, beta));
  }
  return e.give(*result);
}

void lz::attachNormalizationModels(MLIRContext &context) {
  attachReference<SoftmaxOp, evaluateSoftmax>(context);
  attachReference<LayerNormOp, evaluateLayerNorm>(context);
  attachReference<BatchNormOp, evaluateBatchNorm>(context);
  attachReference<GroupNormOp, evaluateGroupNorm>(context);
  attachReference<LrnOp, evaluateLrn>(context);
}
