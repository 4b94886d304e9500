//===- ContribQuantMatmul.cpp - products of quantized numbers -------------===//

#include "frontends/onnx/ops/Contrib.h"

using namespace mlir;
using namespace lz;

void lz::requireScalar(NodeImporter &node, Value value, StringRef name) {
  if (!value || node.failed() ||
      node.getShapes().getNumElements(value).isConstant(1))
    return;
  node.error() << name << " has type " << value.getType()
               << "; only one number for the whole tensor is supported";
}

/// The product of the integers without their zero points, as i32.
static Value multiplyShifted(NodeImporter &node, const IntegerOperand &lhs,
                             const IntegerOperand &rhs) {
  requireScalar(node, lhs.scale, "the scale of the left operand");
  requireScalar(node, lhs.zero, "the zero point of the left operand");
  return node.matmul(getShiftedFactor(node, lhs.value, lhs.zero, true),
                     getShiftedFactor(node, rhs.value, rhs.zero, false), false,
                     false);
}

/// `product`, as a float, by both operands' scales.
static Value scaleProduct(NodeImporter &node, Value product,
                          const IntegerOperand &lhs,
                          const IntegerOperand &rhs) {
  if (node.failed())
    return {};
  Value left = node.reshape(lhs.scale, {});
  Value scale = node.binary(BinaryKind::mul, left, rhs.scale);
  return node.binary(BinaryKind::mul,
                     node.cast(product, node.getElement(scale)), scale);
}

Value lz::multiplyIntegers(NodeImporter &node, const IntegerOperand &lhs,
                           const IntegerOperand &rhs) {
  return scaleProduct(node, multiplyShifted(node, lhs, rhs), lhs, rhs);
}

static LogicalResult importMatmulToFloat(NodeImporter &node) {
  Value product = multiplyIntegers(
      node, {node.operand(0), node.operand(2), node.operand(4)},
      {node.operand(1), node.operand(3), node.operand(5)});
  return node.finish(addIfThere(node, product, node.operand(6)));
}

/// Gemm of quantized numbers. C is in units of the product, and the result real
/// unless it gets a scale.
static LogicalResult importQGemm(NodeImporter &node) {
  IntegerOperand lhs{node.operand(0), node.operand(1), node.operand(2)};
  IntegerOperand rhs{node.operand(3), node.operand(4), node.operand(5)};
  for (int index : {0, 3})
    if (node.getRank(node.operand(index)) != 2)
      return node.error() << "input " << index << " must have rank 2, not "
                          << node.getRank(node.operand(index));
  if (!node.operand(7) != !node.operand(8))
    return node.error() << "inputs 7 (y_scale) and 8 (y_zero_point) must be "
                           "given together";
  if (node.getBool("transA", false))
    lhs.value = node.transpose(lhs.value, {1, 0});
  if (node.getBool("transB", false))
    rhs.value = node.transpose(rhs.value, {1, 0});
  Value product =
      addIfThere(node, multiplyShifted(node, lhs, rhs), node.operand(6));
  Value result = scaleBy(node, scaleProduct(node, product, lhs, rhs),
                         node.getFloat("alpha", 1));
  if (Value scale = node.operand(7)) {
    requireScalar(node, scale, "input 7 (y_scale)");
    result = node.create<QuantizeOp>(result, scale, node.operand(8), 0, 0,
                                     node.getElement(node.operand(8)));
  }
  return node.finish(result);
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

static constexpr ContribOperator kQuantProducts[] = {
    {"MatMulIntegerToFloat",
     "A:Q B:R a_scale:F b_scale:F a_zero_point:Q? b_zero_point:R? bias:F?", 1,
     "", importMatmulToFloat},
    {"DynamicQuantizeMatMul", "A:f B:q b_scale:f b_zero_point:q? bias:f?", 1,
     "", importDynamicMatmul},
    {"MatMulNBits", "A:F B:u scales:F zero_points:x? g_idx:i? bias:F?", 1,
     "K:INT! N:INT! accuracy_level:INT bits:INT block_size:INT! "
     "weight_prepacked:INT",
     importMatmulNBits},
    {"QGemm",
     "A:Q a_scale:f a_zero_point:Q B:R b_scale:f b_zero_point:R C:i? "
     "y_scale:f? y_zero_point:q?",
     1, "alpha:FLOAT transA:INT transB:INT", importQGemm},
};

ArrayRef<ContribOperator> lz::getContribQuantProducts() {
  return kQuantProducts;
}
