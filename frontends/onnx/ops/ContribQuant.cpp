//===- ContribQuant.cpp - quantized operators of ONNX Runtime -------------===//
//
// Most compute with real numbers between a dequantization and a quantization,
// as do ONNX's own quantized operators; `lz` has no other form of them.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/Contrib.h"

using namespace mlir;
using namespace lz;

/// Requires that `value`, what is called `name`, is one number if it is there.
static void requireScalar(NodeImporter &node, Value value, StringRef name) {
  if (!value || node.failed() ||
      node.getShapes().getNumElements(value).isConstant(1))
    return;
  node.error() << name << " has type " << value.getType()
               << "; only one number for the whole tensor is supported";
}

/// The same of the scale at operand `index` and the zero point behind it.
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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value lz::multiplyIntegers(NodeImporter &node, const IntegerOperand &lhs,
                           const IntegerOperand &rhs) {
  requireScalar(node, lhs.scale, "the scale of the left operand");
  requireScalar(node, lhs.zero, "the zero point of the left operand");
  Value product = node.matmul(
      getShiftedFactor(node, lhs.value, lhs.zero, true),
      getShiftedFactor(node, rhs.value, rhs.zero, false), false, false);
  if (node.failed())
    return {};
  Value left = node.reshape(lhs.scale, {});
  Value scale = node.binary(BinaryKind::mul, left, rhs.scale);
  return node.binary(BinaryKind::mul,
                     node.cast(product, node.getElement(scale)), scale);
}

static LogicalResult importMatmulToFloat(NodeImporter &node) {
  Value product = multiplyIntegers(
      node, {node.operand(0), node.operand(2), node.operand(4)},
      {node.operand(1), node.operand(3), node.operand(5)});
  return node.finish(addIfThere(node, product, node.operand(6)));
}

/// `input` as uint8 that cover its range and 0: ONNX's DynamicQuantizeLinear.
static IntegerOperand quantizeDynamically(NodeImporter &node, Value input) {
  Type real = node.getElement(input);
  Type byte = node.getBuilder().getIntegerType(8, /*isSigned=*/false);
  SmallVector<int64_t> axes = getOtherAxes(node.getRank(input), {});
  Value zero = node.scalar(real, 0), most = node.scalar(real, 255);
  Value low = node.binary(
      BinaryKind::min, node.reduce(ReduceKind::min, input, axes, false), zero);
  Value high = node.binary(
      BinaryKind::max, node.reduce(ReduceKind::max, input, axes, false), zero);
  Value range = node.binary(BinaryKind::sub, high, low);
  Value scale = node.binary(BinaryKind::div, range, most);
  Value isFlat = node.compare(CompareKind::eq, range, zero);
  scale = node.create<SelectOp>(isFlat, node.scalar(real, 1), scale);
  Value shift =
      node.unary(UnaryKind::neg, node.binary(BinaryKind::div, low, scale));
  shift = node.unary(UnaryKind::round, shift);
  shift = node.binary(BinaryKind::min, shift, most);
  Value point = node.cast(shift, byte);
  return {node.create<QuantizeOp>(input, scale, point, 0, 0, byte), scale,
          point};
}

static LogicalResult importDynamicMatmul(NodeImporter &node) {
  Value product =
      multiplyIntegers(node, quantizeDynamically(node, node.operand(0)),
                       {node.operand(1), node.operand(2), node.operand(3)});
  return node.finish(addIfThere(node, product, node.operand(4)));
}

//===----------------------------------------------------------------------===//
// MatMulNBits
//===----------------------------------------------------------------------===//

/// The numbers of `bits` bits that the bytes of `packed` hold, lowest first, as
/// `type`, along a new last dimension.
static Value unpackBits(NodeImporter &node, Value packed, int64_t bits,
                        Type type) {
  SymShape shape = node.getShape(packed);
  shape.push_back(node.size(1));
  Type i32 = node.getBuilder().getI32Type();
  Value bytes = node.cast(node.reshape(packed, shape), i32);
  SmallVector<Value> parts;
  for (int64_t shift = 0; shift != 8; shift += bits) {
    Value part = bytes;
    if (shift != 0)
      part = node.binary(BinaryKind::div, part,
                         node.scalar(i32, int64_t(1) << shift));
    parts.push_back(node.binary(BinaryKind::bit_and, part,
                                node.scalar(i32, (int64_t(1) << bits) - 1)));
  }
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  return node.cast(parts.size() == 1 ? parts[0] : node.concat(parts, last),
                   type);
}

namespace {
/// The sizes of a MatMulNBits.
struct BlockSizes {
  int64_t rows, columns, bits, block;
  int64_t getBlocks() const { return llvm::divideCeil(columns, block); }
};
} // namespace

/// Reads the sizes; an error if they are not what ONNX Runtime defines.
static BlockSizes getBlockSizes(NodeImporter &node) {
  BlockSizes sizes{node.getInt("N", 0), node.getInt("K", 0),
                   node.getInt("bits", 4), node.getInt("block_size", 0)};
  for (auto [name, size] : {std::pair<const char *, int64_t>("N", sizes.rows),
                            {"K", sizes.columns}})
    if (size < 1 || size > SymbolList::kMaxSize)
      node.error() << "attribute '" << name << "' is " << size
                   << ", expected 1 to " << SymbolList::kMaxSize;
  if (sizes.bits != 2 && sizes.bits != 4 && sizes.bits != 8)
    node.error() << "attribute 'bits' is " << sizes.bits
                 << ", expected 2, 4 or 8";
  if (sizes.block < 16 || sizes.block > SymbolList::kMaxSize ||
      !llvm::isPowerOf2_64(sizes.block))
    node.error() << "attribute 'block_size' is " << sizes.block
                 << ", expected a power of two from 16 on";
  return sizes;
}

/// The zero points as [N, blocks, 1]: packed like the weights, of the scales'
/// type, or the middle of the range.
static Value getBlockZeros(NodeImporter &node, const BlockSizes &sizes,
                           Type type) {
  Value zeros = node.operand(3);
  int64_t blocks = sizes.getBlocks();
  if (!zeros)
    return node.scalar(type, int64_t(1) << (sizes.bits - 1));
  Type stored = node.getElement(zeros);
  if (stored != type && !stored.isUnsignedInteger(8)) {
    node.error() << "input 3 (zero_points) has type " << zeros.getType()
                 << ", expected packed uint8 or the type of the scales";
    return {};
  }
  if (stored != type) {
    int64_t bytes = llvm::divideCeil(blocks * sizes.bits, 8);
    zeros = node.reshape(zeros, node.sizes({sizes.rows, bytes}));
    zeros = unpackBits(node, zeros, sizes.bits, type);
    zeros =
        node.reshape(zeros, node.sizes({sizes.rows, bytes * (8 / sizes.bits)}));
    zeros = node.sliceAxis(zeros, 1, node.size(0), node.size(blocks));
  }
  return node.reshape(zeros, node.sizes({sizes.rows, blocks, 1}));
}

/// The weights as real numbers, [N, K].
static Value getBlockWeights(NodeImporter &node, const BlockSizes &sizes) {
  Value scales = node.operand(2);
  Type type = node.getElement(scales);
  int64_t blocks = sizes.getBlocks();
  SymShape packed =
      node.sizes({sizes.rows, blocks, sizes.block * sizes.bits / 8});
  Value weights =
      unpackBits(node, node.reshape(node.operand(1), packed), sizes.bits, type);
  weights =
      node.reshape(weights, node.sizes({sizes.rows, blocks, sizes.block}));
  weights =
      node.binary(BinaryKind::sub, weights, getBlockZeros(node, sizes, type));
  scales = node.reshape(scales, node.sizes({sizes.rows, blocks, 1}));
  weights = node.binary(BinaryKind::mul, weights, scales);
  weights =
      node.reshape(weights, node.sizes({sizes.rows, blocks * sizes.block}));
  return node.sliceAxis(weights, 1, node.size(0), node.size(sizes.columns));
}

static LogicalResult importMatmulNBits(NodeImporter &node) {
  if (node.operand(4))
    return node.error() << "input 4 (g_idx), which ONNX Runtime has "
                           "deprecated, is not supported";
  if (node.getInt("weight_prepacked", 0) != 0)
    return node.error() << "attribute 'weight_prepacked' is not 0; only "
                           "weights as ONNX Runtime documents them are "
                           "supported";
  BlockSizes sizes = getBlockSizes(node);
  if (node.failed())
    return failure();
  Value weights = getBlockWeights(node, sizes);
  Value product = node.matmul(node.operand(0), weights, false, true);
  return node.finish(addIfThere(node, product, node.operand(5)));
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
    {"MatMulIntegerToFloat",
     "A:Q B:R a_scale:F b_scale:F a_zero_point:Q? b_zero_point:R? bias:F?", 1,
     "", importMatmulToFloat},
    {"DynamicQuantizeMatMul", "A:f B:q b_scale:f b_zero_point:q? bias:f?", 1,
     "", importDynamicMatmul},
    {"MatMulNBits", "A:F B:u scales:F zero_points:x? g_idx:i? bias:F?", 1,
     "K:INT! N:INT! accuracy_level:INT bits:INT block_size:INT! "
     "weight_prepacked:INT",
     importMatmulNBits},
};

ArrayRef<ContribOperator> lz::getContribQuants() { return kQuants; }
