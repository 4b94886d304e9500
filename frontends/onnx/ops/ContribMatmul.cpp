//===- ContribMatmul.cpp - products of ONNX Runtime -----------------------===//

#include "frontends/onnx/ops/Contrib.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// FusedMatMul
//===----------------------------------------------------------------------===//

/// [D, batch..., K] as [batch..., D, K].
static Value moveBatchFirst(NodeImporter &node, Value input) {
  int64_t rank = node.getRank(input);
  if (rank < 3)
    return input;
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(1, rank - 1));
  permutation.append({0, rank - 1});
  return node.transpose(input, permutation);
}

static LogicalResult importFusedMatmul(NodeImporter &node) {
  Value lhs = node.operand(0), rhs = node.operand(1);
  if (node.getBool("transBatchA", false))
    lhs = moveBatchFirst(node, lhs);
  if (node.getBool("transBatchB", false))
    rhs = moveBatchFirst(node, rhs);
  Value product = node.matmul(lhs, rhs, node.getBool("transA", false),
                              node.getBool("transB", false));
  return node.finish(scaleBy(node, product, node.getFloat("alpha", 1)));
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// The smaller of `high` and the larger of `low` and `value`.
static Value clip(NodeImporter &node, Value value, double low, double high) {
  Type type = node.getElement(value);
  value = node.binary(BinaryKind::max, value, node.scalar(type, low));
  return node.binary(BinaryKind::min, value, node.scalar(type, high));
}

/// `value` after attribute `activation`, whose parameters are `params`; those
/// that are not stated have the defaults of ONNX.
static Value activate(NodeImporter &node, Value value,
                      ArrayRef<double> params) {
  std::string name = node.getString("activation", "");
  auto param = [&](size_t index, double fallback) {
    return index < params.size() ? params[index] : fallback;
  };
  if (name.empty())
    return value;
  if (name == "Relu")
    return node.unary(UnaryKind::relu, value);
  if (name == "Tanh")
    return node.unary(UnaryKind::tanh, value);
  if (name == "Sigmoid")
    return node.unary(UnaryKind::sigmoid, value);
  if (name == "LeakyRelu")
    return node.unary(UnaryKind::leaky_relu, value, param(0, 0.01f));
  if (name == "HardSigmoid")
    return node.unary(UnaryKind::hard_sigmoid, value, param(0, 0.2f),
                      param(1, 0.5));
  if (name == "Clip" && params.size() == 2)
    return clip(node, value, params[0], params[1]);
  if (!node.failed())
    node.error() << "attribute 'activation' is '" << name
                 << "', expected Relu, Tanh, Sigmoid, LeakyRelu, HardSigmoid "
                    "or, with two parameters, Clip";
  return {};
}

static LogicalResult importFusedGemm(NodeImporter &node) {
  SmallVector<double> params;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (node.has(name))
      params.push_back(node.getFloat(name, 0));
  if (node.has("activation_gamma"))
    return node.error() << "attribute 'activation_gamma' is not supported";
  if (!node.has("activation_alpha") && node.has("activation_beta"))
    return node.error() << "attribute 'activation_beta' needs "
                           "'activation_alpha' beside it";
  return node.finish(activate(node, buildGemm(node), params));
}

static LogicalResult importFusedConv(NodeImporter &node) {
  SmallVector<double> params =
      node.getFloats("activation_params").value_or(SmallVector<double>());
  Value sum = addIfThere(node, buildConv(node), node.operand(3));
  return node.finish(activate(node, sum, params));
}

static constexpr ContribOperator kProducts[] = {
    {"FusedMatMul", "A:F B:F", 1,
     "alpha:FLOAT transA:INT transB:INT transBatchA:INT transBatchB:INT",
     importFusedMatmul},
    {"TransposeMatMul", "A:F B:F", 1, "alpha:FLOAT transA:INT transB:INT",
     importFusedMatmul},
    {"FusedGemm", "A:F B:F C:F?", 1,
     "activation:STRING activation_alpha:FLOAT activation_beta:FLOAT "
     "activation_gamma:FLOAT alpha:FLOAT beta:FLOAT transA:INT transB:INT",
     importFusedGemm},
    {"FusedConv", "X:F W:F B:F? Z:F?", 1,
     "activation:STRING activation_params:FLOATS auto_pad:STRING "
     "dilations:INTS group:INT kernel_shape:INTS pads:INTS strides:INTS",
     importFusedConv},
};

ArrayRef<ContribOperator> lz::getContribProducts() { return kProducts; }
