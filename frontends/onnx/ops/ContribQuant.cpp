//===- ContribQuant.cpp - quantized operators of ONNX Runtime -------------===//
//
// Most compute with real numbers between a dequantization and a quantization,
// as do ONNX's own quantized operators; `lz` has no other form of them.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/Contrib.h"

using namespace mlir;
using namespace lz;

/// Requires one number as scale at operand `index`, and as zero point behind
/// it.
static void requireScalars(NodeImporter &node, int index) {
  requireScalar(node, node.operand(index),
                "input " + std::to_string(index) + " (a scale)");
  requireScalar(node, node.operand(index + 1),
                "input " + std::to_string(index + 1) + " (a zero point)");
}

/// Operands `index` to `index + 2` (tensor, scale, zero point) as real numbers.
static Value getReal(NodeImporter &node, int index) {
  requireScalars(node, index + 1);
  Value scale = node.operand(index + 1);
  return node.create<DequantizeOp>(node.operand(index), scale,
                                   node.operand(index + 2), 0, 0,
                                   node.getElement(scale));
}

/// `result` quantized by the operands `index` (scale, zero point), by default
/// to the type of `alike`.
static Value quantize(NodeImporter &node, Value result, int index,
                      Value alike) {
  requireScalars(node, index);
  Value zero = node.operand(index + 1);
  return node.create<QuantizeOp>(result, node.operand(index), zero, 0, 0,
                                 node.getElement(zero ? zero : alike));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

template <BinaryKind kind>
static LogicalResult importBinary(NodeImporter &node) {
  Value result = node.binary(kind, getReal(node, 0), getReal(node, 3));
  return node.finish(quantize(node, result, 6, node.operand(0)));
}

static LogicalResult importSigmoid(NodeImporter &node) {
  Value result = node.unary(UnaryKind::sigmoid, getReal(node, 0));
  return node.finish(quantize(node, result, 3, node.operand(0)));
}

static LogicalResult importLeakyRelu(NodeImporter &node) {
  Value result = node.unary(UnaryKind::leaky_relu, getReal(node, 0),
                            node.getFloat("alpha", 0.01f));
  return node.finish(quantize(node, result, 3, node.operand(0)));
}

static LogicalResult importWhere(NodeImporter &node) {
  Value result = node.create<SelectOp>(node.operand(0), getReal(node, 1),
                                       getReal(node, 4));
  return node.finish(quantize(node, result, 7, node.operand(1)));
}

/// Softmax of opset 12 and before works on all dimensions from the axis on.
static Value flattenFrom(NodeImporter &node, Value input, int64_t axis) {
  SymShape shape = node.getShape(input);
  ArrayRef<SymExpr> sizes = shape;
  return node.reshape(input,
                      {getProduct(node.getContext(), sizes.take_front(axis)),
                       getProduct(node.getContext(), sizes.drop_front(axis))});
}

static LogicalResult importSoftmax(NodeImporter &node) {
  Value input = getReal(node, 0);
  SymShape shape = node.getShape(input);
  bool flattens = node.getInt("opset", 0) < 13;
  int64_t axis = node.getAxis(node.getInt("axis", -1), shape.size());
  if (flattens && !node.failed()) {
    input = flattenFrom(node, input, axis);
    axis = 1;
  }
  Value result = node.create<SoftmaxOp>(SoftmaxKind::softmax, input, axis);
  result = node.reshape(result, shape);
  return node.finish(quantize(node, result, 3, node.operand(0)));
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Channels moved from the end to dimension 1, or back.
static Value moveChannels(NodeImporter &node, Value input, bool toFront) {
  int64_t rank = node.getRank(input);
  if (rank < 3) {
    if (!node.failed())
      node.error() << "needs an input of rank 3 or more, not " << rank;
    return {};
  }
  SmallVector<int64_t> permutation = {0};
  if (toFront)
    permutation.push_back(rank - 1);
  for (int64_t dim = toFront ? 1 : 2; dim != (toFront ? rank - 1 : rank); ++dim)
    permutation.push_back(dim);
  if (!toFront)
    permutation.push_back(1);
  return node.transpose(input, permutation);
}

static LogicalResult importAveragePool(NodeImporter &node) {
  bool channelsLast = node.getBool("channels_last", false);
  Value input = getReal(node, 0);
  if (channelsLast)
    input = moveChannels(node, input, /*toFront=*/true);
  Value result = buildAveragePool(node, input, /*countOverhang=*/true);
  if (channelsLast)
    result = moveChannels(node, result, /*toFront=*/false);
  return node.finish(quantize(node, result, 3, node.operand(0)));
}

static LogicalResult importGlobalAveragePool(NodeImporter &node) {
  int64_t rank = node.getRank(node.operand(0));
  if (rank < 3)
    return node.error() << "needs an input of rank 3 or more, not " << rank;
  int64_t first = node.getBool("channels_last", false) ? 1 : 2;
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(first, first + rank - 2));
  Value mean = node.reduce(ReduceKind::mean, getReal(node, 0), axes, true);
  return node.finish(quantize(node, mean, 3, node.operand(0)));
}

//===----------------------------------------------------------------------===//
// QLinearConcat
//===----------------------------------------------------------------------===//

static LogicalResult importConcat(NodeImporter &node) {
  int count = node.getNumOperands();
  if (count < 5 || count % 3 != 2)
    return node.error() << "takes a scale and a zero point, then three inputs "
                           "for each part, not "
                        << count << " in all";
  SmallVector<Value> parts;
  for (int i = 2; i < count; i += 3) {
    if (!node.operand(i) || !node.operand(i + 1) || !node.operand(i + 2))
      return node.error() << "inputs " << i << " to " << i + 2
                          << " (a part, its scale, its zero point) must all "
                             "be given";
    Type type = node.getElement(node.operand(i));
    if (!type.isInteger(8) || type != node.getElement(node.operand(i + 2)) ||
        !node.getElement(node.operand(i + 1)).isF32())
      return node.error() << "inputs " << i << " to " << i + 2
                          << " must be quantized numbers of 8 bits, their "
                             "scale (a float), and their zero point";
    parts.push_back(getReal(node, i));
  }
  int64_t axis = node.getAxis(node.getInt("axis", 0), node.getRank(parts[0]));
  return node.finish(
      quantize(node, node.concat(parts, axis), 0, node.operand(1)));
}

static constexpr StringLiteral kBinaryInputs =
    "A:Q A_scale:f A_zero_point:Q? B:Q B_scale:f B_zero_point:Q? C_scale:f "
    "C_zero_point:Q?";
static constexpr StringLiteral kUnaryInputs =
    "X:Q X_scale:f X_zero_point:Q? Y_scale:f Y_zero_point:Q?";

static constexpr ContribOperator kQuants[] = {
    {"QLinearAdd", kBinaryInputs, 1, "", importBinary<BinaryKind::add>},
    {"QLinearMul", kBinaryInputs, 1, "", importBinary<BinaryKind::mul>},
    {"QLinearSigmoid", kUnaryInputs, 1, "", importSigmoid},
    {"QLinearLeakyRelu", kUnaryInputs, 1, "alpha:FLOAT", importLeakyRelu},
    {"QLinearSoftmax", "X:Q X_scale:f x_zero_point:Q? y_scale:f y_zero_point:Q",
     1, "axis:INT opset:INT!", importSoftmax},
    {"QLinearAveragePool", kUnaryInputs, 1,
     "auto_pad:STRING ceil_mode:INT channels_last:INT count_include_pad:INT "
     "kernel_shape:INTS! pads:INTS strides:INTS",
     importAveragePool},
    {"QLinearGlobalAveragePool",
     "X:Q x_scale:f x_zero_point:Q y_scale:f y_zero_point:Q", 1,
     "channels_last:INT", importGlobalAveragePool},
    {"QLinearConcat", "Y_scale:f Y_zero_point:q inputs:x*", 1, "axis:INT!",
     importConcat},
    {"QLinearWhere",
     "condition:b X:Q x_scale:f x_zero_point:Q Y:Q y_scale:f y_zero_point:Q "
     "z_scale:f z_zero_point:Q",
     1, "", importWhere},
    {"QuantizeLinear", "x:F y_scale:F y_zero_point:Z?", 1, "axis:INT",
     importQuantize},
    {"DequantizeLinear", "x:Z x_scale:F x_zero_point:Z?", 1, "axis:INT",
     importDequantize},
};

ArrayRef<ContribOperator> lz::getContribQuants() { return kQuants; }
