//===- Quant.cpp - quantization -------------------------------------------===//

#include "frontends/onnx/Types.h"
#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;

/// The axis of a scale that is not one number; 0 for one that is.
static int64_t getScaleAxis(NodeImporter &node, Value input, Value scale) {
  if (node.getShapes().getNumElements(scale).isConstant(1))
    return 0;
  return node.getAxis(node.getInt("axis", 1), node.getRank(input));
}

/// The type that attribute `output_dtype` names, else `fallback`.
static Type getOutputType(NodeImporter &node, Type fallback) {
  int64_t number = node.getInt("output_dtype", 0);
  if (number == 0)
    return fallback;
  Type type = getElementType(node.getContext(), number);
  if (!type)
    node.error() << "attribute 'output_dtype' is " << number
                 << ", which is no element type";
  return type ? type : fallback;
}

LogicalResult lz::importQuantize(NodeImporter &node) {
  Value input = node.operand(0), scale = node.operand(1);
  Value zero = node.operand(2);
  Type type = node.getBuilder().getIntegerType(8, /*isSigned=*/false);
  type = zero ? node.getElement(zero) : getOutputType(node, type);
  if (!node.getBool("saturate", true))
    return node.error() << "attribute 'saturate' = 0 is not supported";
  int64_t axis = getScaleAxis(node, input, scale);
  return node.finish(node.create<QuantizeOp>(
      input, scale, zero, axis, node.getInt("block_size", 0), type));
}

LogicalResult lz::importDequantize(NodeImporter &node) {
  Value input = node.operand(0), scale = node.operand(1);
  Type type = getOutputType(node, node.getElement(scale));
  int64_t axis = getScaleAxis(node, input, scale);
  return node.finish(node.create<DequantizeOp>(
      input, scale, node.operand(2), axis, node.getInt("block_size", 0), type));
}

//===----------------------------------------------------------------------===//
// Integer operators
//===----------------------------------------------------------------------===//

/// Operands `index` to `index + 2` (tensor, scale, zero point) as real numbers.
static Value getReal(NodeImporter &node, int index, int64_t axis) {
  Value scale = node.operand(index + 1);
  return node.create<DequantizeOp>(node.operand(index), scale,
                                   node.operand(index + 2), axis, 0,
                                   node.getElement(scale));
}

/// `result`, quantized by the operands `index` (scale, zero point).
static Value quantizeResult(NodeImporter &node, Value result, int index) {
  Value zero = node.operand(index + 1);
  return node.create<QuantizeOp>(result, node.operand(index), zero, 0, 0,
                                 node.getElement(zero));
}

/// The bias of QLinearConv, int32 in units of both scales' product.
static Value getRealBias(NodeImporter &node) {
  Value bias = node.operand(8);
  if (!bias)
    return {};
  Value scale = node.binary(BinaryKind::mul, node.operand(1), node.operand(4));
  return node.create<DequantizeOp>(bias, scale, Value(), 0, 0,
                                   node.getElement(scale));
}

/// Builds the convolution of `input` and `filter` with the node's attributes.
static Value convolve(NodeImporter &node, Value input, Value filter,
                      Value bias) {
  SymShape spatial = node.getShape(input), kernel = node.getShape(filter);
  if (!node.failed() && (spatial.size() < 3 || spatial.size() != kernel.size()))
    node.error() << "needs input and filter of one rank, 3 or more";
  if (node.failed())
    return {};
  spatial.erase(spatial.begin(), spatial.begin() + 2);
  kernel.erase(kernel.begin(), kernel.begin() + 2);
  Windows windows = getWindows(node, spatial, kernel, /*ceilMode=*/false);
  return node.create<ConvOp>(input, filter, bias, windows.strides,
                             node.exprs(windows.low), node.exprs(windows.high),
                             windows.dilations, node.getInt("group", 1));
}

static LogicalResult importQLinearConv(NodeImporter &node) {
  Value input = getReal(node, 0, 0), filter = getReal(node, 3, 0);
  Value result = convolve(node, input, filter, getRealBias(node));
  return node.finish(quantizeResult(node, result, 6));
}

static LogicalResult importQLinearMatmul(NodeImporter &node) {
  int64_t rows = std::max<int64_t>(node.getRank(node.operand(0)) - 2, 0);
  int64_t columns = std::max<int64_t>(node.getRank(node.operand(3)) - 1, 0);
  Value lhs = getReal(node, 0, rows), rhs = getReal(node, 3, columns);
  Value product = node.matmul(lhs, rhs, false, false);
  return node.finish(quantizeResult(node, product, 6));
}

/// Operand `index` as i32 without its zero point, one for the whole tensor or
/// one for each of the filter's output channels.
static Value getShifted(NodeImporter &node, int index, int zeroIndex) {
  Type i32 = node.getBuilder().getI32Type();
  Value wide = node.cast(node.operand(index), i32);
  Value zero = node.operand(zeroIndex);
  if (!zero)
    return wide;
  SymShape shape = node.getShape(zero);
  if (shape.size() == 1)
    shape.append(node.getRank(wide) - 1, node.size(1));
  zero = node.reshape(node.cast(zero, i32), shape);
  return node.binary(BinaryKind::sub, wide, zero);
}

static LogicalResult importConvInteger(NodeImporter &node) {
  Value input = getShifted(node, 0, 2), filter = getShifted(node, 1, 3);
  return node.finish(convolve(node, input, filter, Value()));
}

void lz::registerQuant(HandlerTable &handlers) {
  handlers["QuantizeLinear"] = importQuantize;
  handlers["DequantizeLinear"] = importDequantize;
  handlers["QLinearConv"] = importQLinearConv;
  handlers["QLinearMatMul"] = importQLinearMatmul;
  handlers["ConvInteger"] = importConvInteger;
}
