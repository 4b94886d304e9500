//===- Random.cpp - operators that draw random numbers --------------------===//

#include "frontends/onnx/ops/Random.h"

#include "frontends/onnx/Types.h"
#include "frontends/onnx/ops/Common.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// The generator
//===----------------------------------------------------------------------===//

/// The 32-bit FNV-1a hash of `text`.
static uint32_t hashName(StringRef text) {
  uint32_t hash = 2166136261U;
  for (char letter : text)
    hash = (hash ^ static_cast<uint8_t>(letter)) * 16777619U;
  return hash;
}

/// Attribute `seed`: an integer of Dropout, the bits of the float of others.
static std::optional<uint64_t> getSeed(NodeImporter &node) {
  if (!node.has("seed"))
    return std::nullopt;
  if (node.getOpType() == "Dropout")
    return node.getInt("seed", 0);
  return llvm::bit_cast<uint32_t>(static_cast<float>(node.getFloat("seed", 0)));
}

Value RandomNumbers::number(uint64_t value) {
  auto tensor = RankedTensorType::get({}, type);
  return node.constant(DenseElementsAttr::get(tensor, APInt(64, value)));
}

Value RandomNumbers::combine(BinaryKind kind, Value lhs, uint64_t rhs) {
  return node.binary(kind, lhs, number(rhs));
}

/// Ten rounds of Philox4x32.
RandomNumbers::Words RandomNumbers::mix(Words words, uint32_t key0,
                                        uint32_t key1) {
  constexpr uint64_t kLow = 0xffffffff;
  for (int round = 0; round != 10; ++round) {
    Value first = combine(BinaryKind::mul, words[0], 0xd2511f53);
    Value second = combine(BinaryKind::mul, words[2], 0xcd9e8d57);
    auto high = [&](Value product, Value other, uint32_t key) {
      Value top = combine(BinaryKind::shift_right, product, 32);
      return combine(BinaryKind::bit_xor,
                     node.binary(BinaryKind::bit_xor, top, other), key);
    };
    words = {high(second, words[1], key0),
             combine(BinaryKind::bit_and, second, kLow),
             high(first, words[3], key1),
             combine(BinaryKind::bit_and, first, kLow)};
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  return words;
}

RandomNumbers::RandomNumbers(NodeImporter &node, ArrayRef<SymExpr> shape)
    : node(node),
      type(IntegerType::get(node.getContext(), 64, IntegerType::Unsigned)) {
  constexpr uint64_t kUnseeded = uint64_t(1) << 32;
  uint64_t key =
      getSeed(node).value_or(kUnseeded + hashName(node.getResultName(0)));
  SymExpr count = getProduct(node.getContext(), shape);
  Value position = node.cast(getPositions(node, count), type);
  position = node.reshape(position, shape);
  words = mix({combine(BinaryKind::bit_and, position, 0xffffffff),
               combine(BinaryKind::shift_right, position, 32), number(0),
               number(0)},
              static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32));
}

Value RandomNumbers::toFraction(Value high, Value low, bool isDouble) {
  Builder &builder = node.getBuilder();
  Type real = isDouble ? Type(builder.getF64Type()) : builder.getF32Type();
  Type i64 = builder.getI64Type();
  Value bits = combine(BinaryKind::shift_right, high, isDouble ? 6 : 8);
  if (isDouble)
    bits =
        node.binary(BinaryKind::add, combine(BinaryKind::shift_left, bits, 27),
                    combine(BinaryKind::shift_right, low, 5));
  double unit = isDouble ? 0x1p-53 : 0x1p-24;
  return node.binary(BinaryKind::mul, node.cast(node.cast(bits, i64), real),
                     node.scalar(real, unit));
}

Value RandomNumbers::getUniform(bool isDouble) {
  return toFraction(words[0], words[1], isDouble);
}

Value RandomNumbers::getNormal(bool isDouble) {
  Value radius = toFraction(words[0], words[1], isDouble);
  Value angle = toFraction(words[2], words[3], isDouble);
  if (node.failed())
    return {};
  Type real = node.getElement(radius);
  auto scale = [&](Value value, double by) {
    return node.binary(BinaryKind::mul, value, node.scalar(real, by));
  };
  // 1 - u is never 0.
  Value rest = node.binary(BinaryKind::sub, node.scalar(real, 1), radius);
  radius =
      node.unary(UnaryKind::sqrt, scale(node.unary(UnaryKind::log, rest), -2));
  constexpr double kTurn = 6.283185307179586;
  return node.binary(BinaryKind::mul, radius,
                     node.unary(UnaryKind::cos, scale(angle, kTurn)));
}

//===----------------------------------------------------------------------===//
// RandomUniform, RandomNormal and the operators like them
//===----------------------------------------------------------------------===//

/// The element type that attribute `dtype` names, or `fallback`.
static Type getResultType(NodeImporter &node, Type fallback) {
  if (!node.has("dtype"))
    return fallback;
  Type type = getElementType(node.getContext(), node.getInt("dtype", 0));
  if (!type && !node.failed())
    node.error() << "attribute 'dtype' names no element type";
  return type;
}

/// The sizes that the node states, or those of its operand.
static SymShape getRandomShape(NodeImporter &node) {
  if (node.getNumOperands() != 0)
    return node.getShape(node.operand(0));
  SmallVector<int64_t> sizes =
      node.getInts("shape").value_or(SmallVector<int64_t>());
  for (int64_t size : sizes)
    if ((size < 0 || size > SymbolList::kMaxSize) && !node.failed())
      node.error() << "attribute 'shape' is [" << sizes
                   << "], expected sizes from 0 to " << SymbolList::kMaxSize;
  return node.sizes(sizes);
}

static LogicalResult importRandom(NodeImporter &node, bool isNormal) {
  bool isLike = node.getNumOperands() != 0;
  Type fallback = isLike ? node.getElement(node.operand(0))
                         : Type(node.getBuilder().getF32Type());
  Type type = getResultType(node, fallback);
  SymShape shape = getRandomShape(node);
  if (!node.failed() && !isa<FloatType>(type))
    return node.error() << "gives numbers of type " << type
                        << ", expected floats; state attribute 'dtype'";
  if (node.failed())
    return failure();
  bool isDouble = type.isF64();
  double low = isNormal ? node.getFloat("mean", 0) : node.getFloat("low", 0);
  double scale =
      isNormal ? node.getFloat("scale", 1) : node.getFloat("high", 1) - low;
  RandomNumbers random(node, shape);
  Value drawn =
      isNormal ? random.getNormal(isDouble) : random.getUniform(isDouble);
  Type real = node.getElement(drawn);
  drawn =
      node.binary(BinaryKind::add,
                  node.binary(BinaryKind::mul, drawn, node.scalar(real, scale)),
                  node.scalar(real, low));
  return node.finish(node.cast(drawn, type));
}

static LogicalResult importRandomUniform(NodeImporter &node) {
  return importRandom(node, /*isNormal=*/false);
}

static LogicalResult importRandomNormal(NodeImporter &node) {
  return importRandom(node, /*isNormal=*/true);
}

//===----------------------------------------------------------------------===//
// Bernoulli, Multinomial
//===----------------------------------------------------------------------===//

/// `value` in the type that it is compared with random numbers in.
static Value toReal(NodeImporter &node, Value value) {
  Type type = node.getElement(value);
  return type.isF64() ? value
                      : node.cast(value, node.getBuilder().getF32Type());
}

static LogicalResult importBernoulli(NodeImporter &node) {
  Value chances = toReal(node, node.operand(0));
  Type type = getResultType(node, node.getElement(node.operand(0)));
  if (node.failed())
    return failure();
  RandomNumbers random(node, node.getShape(chances));
  Value drawn = random.getUniform(node.getElement(chances).isF64());
  return node.finish(
      node.cast(node.compare(CompareKind::lt, drawn, chances), type));
}

/// Multinomial: a class is drawn by counting those that end below a random
/// share of the sum.
static LogicalResult importMultinomial(NodeImporter &node) {
  SymShape shape = node.getShape(node.operand(0));
  int64_t count = node.getInt("sample_size", 1);
  Type type = getResultType(node, node.getBuilder().getI32Type());
  if (shape.size() != 2)
    return node.error() << "needs an input of rank 2, not " << shape.size();
  if (!node.failed() && (count < 0 || count > SymbolList::kMaxSize))
    return node.error() << "attribute 'sample_size' is " << count
                        << ", expected 0 to " << SymbolList::kMaxSize;
  if (node.failed())
    return failure();
  Value logits = toReal(node, node.operand(0));
  Value shares =
      node.unary(UnaryKind::exp,
                 node.binary(BinaryKind::sub, logits,
                             node.reduce(ReduceKind::max, logits, 1, true)));
  Value ends = node.create<CumsumOp>(shares, 1, /*exclusive=*/false,
                                     /*reverse=*/false);
  Value sum = node.sliceAxis(ends, 1, shape[1] - 1, node.size(1));
  RandomNumbers random(node, {shape[0], node.size(count)});
  Value drawn = random.getUniform(node.getElement(logits).isF64());
  drawn = node.binary(BinaryKind::mul, drawn, sum);
  Value below = node.compare(
      CompareKind::le, node.reshape(ends, {shape[0], node.size(1), shape[1]}),
      node.reshape(drawn, {shape[0], node.size(count), node.size(1)}));
  Type i64 = node.getBuilder().getI64Type();
  Value index = node.reduce(ReduceKind::sum, node.cast(below, i64), 2, false);
  // Rounding may put the last share's end below the sum.
  index =
      node.binary(BinaryKind::min, index, node.sizeTensor(shape[1] - 1, {}));
  return node.finish(node.cast(index, type));
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// The share of elements to drop, a scalar: 0 but for training.
static Value getDropRatio(NodeImporter &node, Type real) {
  Value none = node.scalar(real, 0);
  if (node.getVersion() < 7 && !node.getBool("is_test", false))
    return node.scalar(real, node.getFloat("ratio", 0.5));
  Value mode = node.operand(2);
  if (node.getVersion() < 12 || !mode)
    return none;
  auto known = node.getNumbers(mode);
  if (known && known->size() == 1 && known->front() == 0)
    return none;
  Value ratio = node.operand(1)
                    ? node.cast(node.reshape(node.operand(1), {}), real)
                    : node.scalar(real, 0.5);
  return node.create<SelectOp>(node.reshape(mode, {}), ratio, none);
}

/// True if `ratio` is known to drop nothing.
static bool dropsNothing(NodeImporter &node, Value ratio) {
  auto numbers = node.failed() ? std::nullopt : node.getNumbers(ratio);
  return numbers && numbers->front() == 0;
}

static LogicalResult importDropout(NodeImporter &node) {
  Value input = node.operand(0);
  Value wide = toReal(node, input);
  if (node.failed())
    return failure();
  Type real = node.getElement(wide);
  SymShape shape = node.getShape(input);
  Value ratio = getDropRatio(node, real), result = input, mask;
  if (dropsNothing(node, ratio)) {
    if (node.hasResult(1))
      mask = getTrue(node, shape);
  } else {
    RandomNumbers random(node, shape);
    mask =
        node.compare(CompareKind::ge, random.getUniform(real.isF64()), ratio);
    Value kept = node.binary(BinaryKind::sub, node.scalar(real, 1), ratio);
    Value scaled = node.binary(BinaryKind::div, wide, kept);
    result =
        node.cast(node.create<SelectOp>(mask, scaled, node.scalar(real, 0)),
                  node.getElement(input));
  }
  // Before version 10, the mask has the type of the data.
  if (mask && node.getVersion() < 10)
    mask = node.cast(mask, node.getElement(input));
  return node.finish({result, mask});
}

void lz::registerRandom(HandlerTable &handlers) {
  handlers["RandomUniform"] = importRandomUniform;
  handlers["RandomUniformLike"] = importRandomUniform;
  handlers["RandomNormal"] = importRandomNormal;
  handlers["RandomNormalLike"] = importRandomNormal;
  handlers["Bernoulli"] = importBernoulli;
  handlers["Multinomial"] = importMultinomial;
  handlers["Dropout"] = importDropout;
}
