//===- CheckOutputs.cpp - are the outputs of a model right? ---------------===//

#include "test/conformance/RunModel.h"
#include "test/conformance/TestData.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace lz;

static const onnx::NodeProto *findNode(const onnx::GraphProto &graph,
                                       StringRef type) {
  for (const onnx::NodeProto &node : graph.node())
    if (node.op_type() == type)
      return &node;
  return nullptr;
}

/// True if `count` may well be a sum of draws with this mean and variance.
static bool isLikely(double count, double mean, double variance) {
  return std::abs(count - mean) <= 6 * std::sqrt(variance) + 1;
}

/// Zeros and ones with the chances that the first input states.
static std::string checkBernoulli(const RefTensor &drawn, const DataSet &data) {
  const RefTensor &chances = data.inputs.front().second.getTensor();
  double count = 0, mean = 0, variance = 0;
  for (int64_t i = 0; i != drawn.getNumElements(); ++i) {
    double value = drawn.getDouble(i), chance = chances.getDouble(i);
    if (value != 0 && value != 1)
      return "has element " + std::to_string(value) + ", expected 0 or 1";
    count += value;
    mean += chance;
    variance += chance * (1 - chance);
  }
  if (isLikely(count, mean, variance))
    return "";
  return "has " + std::to_string(count) + " ones, expected about " +
         std::to_string(mean);
}

/// Elements of the input, scaled or dropped, as the mask says if there is one.
static std::string checkDropout(const onnx::NodeProto &node,
                                ArrayRef<RefValue> outputs,
                                const DataSet &data) {
  const RefTensor &input = data.find(node.input(0))->getTensor();
  const RefTensor &result = outputs.front().getTensor();
  const RefValue *stated = data.find(node.input(1));
  double ratio = stated ? stated->getTensor().getDouble(0) : 0.5;
  int64_t size = input.getNumElements(), dropped = 0;
  for (int64_t i = 0; i != size; ++i) {
    double value = result.getDouble(i), kept = input.getDouble(i) / (1 - ratio);
    bool isKept = std::abs(value - kept) <= 1e-6 * std::abs(kept);
    if (!isKept && value != 0)
      return "has element " + std::to_string(value) + ", expected 0 or " +
             std::to_string(kept);
    if (outputs.size() > 1 && outputs[1].getTensor().getBool(i) != isKept)
      return "has a mask of another element than " + std::to_string(value);
    dropped += !isKept;
  }
  auto count = static_cast<double>(size);
  if (isLikely(dropped, count * ratio, count * ratio * (1 - ratio)))
    return "";
  return "drops " + std::to_string(dropped) + " of " + std::to_string(size) +
         " elements, expected about " + std::to_string(count * ratio);
}

/// Compares types, and so shapes.
static std::string compareTypes(ArrayRef<RefValue> actual,
                                ArrayRef<RefValue> expected) {
  if (actual.size() != expected.size())
    return "gives " + std::to_string(actual.size()) + " outputs, expected " +
           std::to_string(expected.size());
  for (auto [given, wanted] : llvm::zip_equal(actual, expected))
    if (given.getTensor().getType() != wanted.getTensor().getType())
      return "has an output of another type or shape";
  return "";
}

/// How far an output may lie from the expected one. That of a Fourier transform
/// was computed in single precision: where the sum of all numbers is 0, it is
/// as far from it as they are large.
static Tolerance getTolerance(const TestModel &model,
                              const RefValue &expected) {
  Tolerance tolerance;
  if (!findNode(model.graph, "DFT"))
    return tolerance;
  const RefTensor &tensor = expected.getTensor();
  double largest = 1;
  for (int64_t i = 0; i != tensor.getNumElements(); ++i)
    largest = std::max(largest, std::abs(tensor.getDouble(i)));
  tolerance.absolute *= largest;
  return tolerance;
}

static std::string compareOutputs(const TestModel &model,
                                  ArrayRef<RefValue> actual,
                                  ArrayRef<RefValue> expected) {
  if (actual.size() < expected.size())
    return "gives " + std::to_string(actual.size()) + " outputs, expected " +
           std::to_string(expected.size());
  for (size_t i = 0; i != expected.size(); ++i) {
    std::string text =
        compareValues(actual[i], expected[i], getTolerance(model, expected[i]));
    if (!text.empty())
      return "output " + std::to_string(i) + " " + text;
  }
  return "";
}

std::string lz::checkOutputs(const TestModel &model, const DataSet &data,
                             ArrayRef<RefValue> actual) {
  const onnx::NodeProto *dropout = findNode(model.graph, "Dropout");
  bool drops = dropout && dropout->input_size() == 3;
  bool draws = findNode(model.graph, "Bernoulli") ||
               findNode(model.graph, "RandomUniformLike");
  if (!drops && !draws)
    return compareOutputs(model, actual, data.outputs);
  std::string text = compareTypes(actual, data.outputs);
  if (!text.empty())
    return text;
  return drops ? checkDropout(*dropout, actual, data)
               : checkBernoulli(actual.front().getTensor(), data);
}
