//===- MlCommon.cpp - attributes and scores of classical models -----------===//

#include "frontends/onnx/ops/MlCommon.h"

#include "frontends/onnx/Types.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace lz;
using onnx::AttributeProto;
using onnx::TensorProto;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

template <typename T>
static std::vector<T> pickFrom(const std::vector<T> &values,
                               ArrayRef<size_t> order) {
  std::vector<T> picked;
  for (size_t index : order)
    if (index < values.size())
      picked.push_back(values[index]);
  return picked;
}

NumberList NumberList::pick(ArrayRef<size_t> order) const {
  return {type, pickFrom(integers, order), pickFrom(reals, order)};
}

static void reportStrings(NodeImporter &node, StringRef name) {
  node.error() << "attribute '" << name
               << "' has strings, and strings are not computed with; export "
                  "the model with numbers in their place";
}

void lz::refuseStrings(NodeImporter &node, StringRef name) {
  if (!node.failed() && node.has(name))
    reportStrings(node, name);
}

/// The elements of `bytes`, each a `From`, as `To`.
template <typename From, typename To>
static std::vector<To> readAs(ArrayRef<char> bytes) {
  std::vector<To> numbers(bytes.size() / sizeof(From));
  for (size_t i = 0; i != numbers.size(); ++i) {
    From number;
    std::memcpy(&number, bytes.data() + i * sizeof(From), sizeof(From));
    numbers[i] = static_cast<To>(number);
  }
  return numbers;
}

static std::vector<double> readHalves(ArrayRef<char> bytes) {
  std::vector<double> numbers;
  for (uint16_t bits : readAs<uint16_t, uint16_t>(bytes))
    numbers.push_back(
        APFloat(APFloat::IEEEhalf(), APInt(16, bits)).convertToDouble());
  return numbers;
}

/// The numbers of `data`; none if they are of a type that no attribute has.
static std::optional<NumberList> readNumbers(const TensorData &data) {
  Type type = data.type.getElementType();
  if (type.isF16())
    return NumberList{type, {}, readHalves(data.bytes)};
  if (type.isF32())
    return NumberList{type, {}, readAs<float, double>(data.bytes)};
  if (type.isF64())
    return NumberList{type, {}, readAs<double, double>(data.bytes)};
  if (type.isUnsignedInteger(8))
    return NumberList{type, readAs<uint8_t, int64_t>(data.bytes), {}};
  if (type.isSignlessInteger(16))
    return NumberList{type, readAs<int16_t, int64_t>(data.bytes), {}};
  if (type.isSignlessInteger(32))
    return NumberList{type, readAs<int32_t, int64_t>(data.bytes), {}};
  if (type.isSignlessInteger(64))
    return NumberList{type, readAs<int64_t, int64_t>(data.bytes), {}};
  return std::nullopt;
}

std::optional<NumberList> lz::getTensor(NodeImporter &node, StringRef name) {
  const AttributeProto *found = node.find(name, AttributeProto::TENSOR);
  if (!found || node.failed())
    return std::nullopt;
  if (found->t().data_type() == TensorProto::STRING) {
    reportStrings(node, name);
    return std::nullopt;
  }
  auto data = node.getImporter().readTensor(found->t());
  if (!data) {
    node.error() << "attribute '" << name
                 << "': " << toString(data.takeError());
    return std::nullopt;
  }
  auto numbers = readNumbers(*data);
  if (!numbers)
    node.error() << "attribute '" << name << "' is a " << data->type
                 << ", which is not supported there";
  return numbers;
}

SmallVector<double> lz::getFloatList(NodeImporter &node, StringRef name) {
  return node.getFloats(name).value_or(SmallVector<double>());
}

SmallVector<int64_t> lz::getIntList(NodeImporter &node, StringRef name) {
  return node.getInts(name).value_or(SmallVector<int64_t>());
}

SmallVector<double> lz::getFloatsOrTensor(NodeImporter &node, StringRef name) {
  SmallVector<double> values = getFloatList(node, name);
  std::string other = name.str() + "_as_tensor";
  auto tensor = getTensor(node, other);
  if (!tensor)
    return values;
  if (!values.empty() && !node.failed())
    node.error() << "attributes '" << name << "' and '" << other
                 << "' are both given, expected one of them";
  if (!tensor->isReal() && !node.failed())
    node.error() << "attribute '" << other << "' has elements of type "
                 << tensor->type << ", expected floats";
  return SmallVector<double>(tensor->reals.begin(), tensor->reals.end());
}

void lz::requireCount(NodeImporter &node, StringRef name, int64_t count,
                      int64_t expected) {
  if (count != expected && !node.failed())
    node.error() << "attribute '" << name << "' has " << count
                 << " elements, expected " << expected;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

template <typename To, typename From>
static std::string writeAs(ArrayRef<From> values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(To));
  for (From value : values) {
    To number = static_cast<To>(value);
    bytes.append(reinterpret_cast<const char *>(&number), sizeof(To));
  }
  return bytes;
}

/// The bytes of `values` as elements of `type`.
static std::string getBytes(ArrayRef<double> values, Type type) {
  return type.isF64() ? writeAs<double>(values) : writeAs<float>(values);
}

static std::string getBytes(ArrayRef<int64_t> values, Type type) {
  if (type.isInteger(1))
    return writeAs<uint8_t>(values);
  if (type.isInteger(16))
    return writeAs<int16_t>(values);
  return type.isInteger(32) ? writeAs<int32_t>(values)
                            : writeAs<int64_t>(values);
}

/// The parts of a model that are large become parameters, as weights do.
template <typename T>
static Value buildConstant(NodeImporter &node, ArrayRef<T> values,
                           ArrayRef<int64_t> shape, Type type, StringRef what) {
  if (node.failed())
    return {};
  TensorProto tensor;
  tensor.set_data_type(getOnnxElementType(type));
  for (int64_t size : shape)
    tensor.add_dims(size);
  *tensor.mutable_raw_data() = getBytes(values, type);
  std::string name =
      cast<NameLoc>(node.getLoc()).getName().str() + "/" + what.str();
  Value constant = node.getImporter().createOwnTensor(std::move(tensor), name,
                                                      node.getLoc());
  if (!constant)
    node.fail();
  return constant;
}

Value lz::getConstant(NodeImporter &node, ArrayRef<double> values,
                      ArrayRef<int64_t> shape, Type type, StringRef what) {
  return buildConstant(node, values, shape, type, what);
}

Value lz::getConstant(NodeImporter &node, ArrayRef<int64_t> values,
                      ArrayRef<int64_t> shape, Type type, StringRef what) {
  return buildConstant(node, values, shape, type, what);
}

Value lz::getConstant(NodeImporter &node, const NumberList &list,
                      StringRef what) {
  int64_t size = list.size();
  return list.isReal()
             ? getConstant(node, ArrayRef(list.reals), size, list.type, what)
             : getConstant(node, ArrayRef(list.integers), size, list.type,
                           what);
}

Value lz::getNumber(NodeImporter &node, const NumberList &list, size_t index) {
  auto type = RankedTensorType::get({}, list.type);
  if (list.isReal())
    return node.scalar(list.type, list.reals[index]);
  APInt bits(list.type.getIntOrFloatBitWidth(), list.integers[index],
             /*isSigned=*/true);
  return node.constant(DenseElementsAttr::get(
      type, Attribute(IntegerAttr::get(list.type, bits))));
}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

Value lz::getRows(NodeImporter &node, Type type, int64_t features) {
  SymShape shape = node.getShape(node.operand(0));
  if (node.failed())
    return {};
  if (shape.empty() || shape.size() > 2) {
    node.error() << "needs an input of rank 1 or 2, not " << shape.size();
    return {};
  }
  if (shape.size() == 1)
    shape.insert(shape.begin(), node.size(1));
  if (features >= 0) {
    if (shape[1].getConstant().value_or(features) != features) {
      node.error() << "the input has " << shape[1].str()
                   << " features, but the attributes are for " << features;
      return {};
    }
    shape[1] = node.size(features);
  }
  return node.cast(node.reshape(node.operand(0), shape), type);
}

Value lz::buildProducts(NodeImporter &node, int64_t columns) {
  SmallVector<double> coefficients = getFloatList(node, "coefficients");
  int64_t count = coefficients.size();
  if (node.failed())
    return {};
  if (count == 0 || count % columns != 0) {
    node.error() << "attribute 'coefficients' has " << count
                 << " elements, expected as many for each of " << columns
                 << " scores";
    return {};
  }
  Type f32 = node.getBuilder().getF32Type();
  int64_t features = count / columns;
  Value weights =
      getConstant(node, coefficients, {columns, features}, f32, "coefficients");
  return node.matmul(getRows(node, f32, features), weights,
                     /*transposeLhs=*/false, /*transposeRhs=*/true);
}

Value lz::getColumn(NodeImporter &node, Value table, int64_t index) {
  Value column = node.sliceAxis(table, 1, node.size(index), node.size(1));
  if (node.failed())
    return {};
  return node.reshape(column, node.getShape(column)[0]);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

PostTransform lz::getPostTransform(NodeImporter &node) {
  std::string text = node.getString("post_transform", "NONE");
  auto transform = llvm::StringSwitch<std::optional<PostTransform>>(text)
                       .Case("NONE", PostTransform::None)
                       .Case("SOFTMAX", PostTransform::Softmax)
                       .Case("LOGISTIC", PostTransform::Logistic)
                       .Case("SOFTMAX_ZERO", PostTransform::SoftmaxZero)
                       .Case("PROBIT", PostTransform::Probit)
                       .Default(std::nullopt);
  if (!transform && !node.failed())
    node.error() << "attribute 'post_transform' is '" << text
                 << "', expected 'NONE', 'SOFTMAX', 'LOGISTIC', "
                    "'SOFTMAX_ZERO' or 'PROBIT'";
  return transform.value_or(PostTransform::None);
}

/// `sqrt(2) erfinv(2 score - 1)`, where `erfinv(x)` is the approximation
///   log = ln(1 - x^2), v = 2 / (pi 0.147) + log / 2
///   sign(x) sqrt(sqrt(v^2 - log / 0.147) - v)
/// with as many digits of pi as ONNX Runtime has.
static Value buildProbit(NodeImporter &node, Value score) {
  Type f32 = node.getBuilder().getF32Type();
  auto number = [&](double value) { return node.scalar(f32, value); };
  auto mul = [&](Value a, Value b) {
    return node.binary(BinaryKind::mul, a, b);
  };
  auto sub = [&](Value a, Value b) {
    return node.binary(BinaryKind::sub, a, b);
  };
  Value x = sub(mul(score, number(2)), number(1));
  Value rest =
      mul(sub(number(1), x), node.binary(BinaryKind::add, number(1), x));
  Value log = node.unary(UnaryKind::log, rest);
  Value v = node.binary(BinaryKind::add, number(2 / (3.14159f * 0.147f)),
                        mul(number(0.5), log));
  Value square = sub(mul(v, v), mul(number(1 / 0.147f), log));
  Value root =
      node.unary(UnaryKind::sqrt, sub(node.unary(UnaryKind::sqrt, square), v));
  Value isBelow = node.compare(CompareKind::lt, x, number(0));
  Value signedRoot =
      node.create<SelectOp>(isBelow, node.unary(UnaryKind::neg, root), root);
  return mul(signedRoot, number(std::sqrt(2.0)));
}

/// Softmax that passes over zeros: they add nothing to the sum, and stay small.
static Value buildSoftmaxZero(NodeImporter &node, Value scores) {
  Type f32 = node.getBuilder().getF32Type();
  Value most = node.reduce(ReduceKind::max, scores, 1, /*keepDims=*/true);
  Value isThere =
      node.compare(CompareKind::gt, node.unary(UnaryKind::abs, scores),
                   node.scalar(f32, 0.0000001f));
  Value power =
      node.unary(UnaryKind::exp, node.binary(BinaryKind::sub, scores, most));
  Value counted = node.create<SelectOp>(isThere, power, node.scalar(f32, 0));
  Value sum = node.reduce(ReduceKind::sum, counted, 1, /*keepDims=*/true);
  Value scale = node.unary(UnaryKind::exp, node.unary(UnaryKind::neg, most));
  Value small = node.binary(BinaryKind::mul, scores, scale);
  return node.binary(BinaryKind::div,
                     node.create<SelectOp>(isThere, power, small), sum);
}

Value lz::applyTransform(NodeImporter &node, Value scores,
                         PostTransform transform) {
  if (node.failed())
    return {};
  if (transform == PostTransform::Probit)
    return buildProbit(node, scores);
  if (transform == PostTransform::None ||
      node.getShape(scores)[1].isConstant(1))
    return scores;
  if (transform == PostTransform::Logistic)
    return node.unary(UnaryKind::sigmoid, scores);
  if (transform == PostTransform::Softmax)
    return node.create<SoftmaxOp>(SoftmaxKind::softmax, scores, 1);
  return buildSoftmaxZero(node, scores);
}

Value lz::buildBothScores(NodeImporter &node, Value score, bool isShare,
                          PostTransform transform) {
  if (node.failed())
    return {};
  if (transform == PostTransform::Probit) {
    node.error() << "attribute 'post_transform' is 'PROBIT', which leaves no "
                    "score for one of the two classes; state weights for both";
    return {};
  }
  if (transform == PostTransform::Logistic) {
    score = node.unary(UnaryKind::sigmoid, score);
    isShare = true;
  }
  Value one = node.scalar(node.getElement(score), 1);
  Value other = isShare ? node.binary(BinaryKind::sub, one, score)
                        : node.unary(UnaryKind::neg, score);
  return node.concat({other, score}, 1);
}

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

Value lz::chooseLabel(NodeImporter &node, Value score, double threshold,
                      int64_t onTrue, int64_t onFalse) {
  NumberList labels{node.getBuilder().getI64Type(), {onTrue, onFalse}, {}};
  Value isAbove = node.compare(CompareKind::gt, score,
                               node.scalar(node.getElement(score), threshold));
  return node.create<SelectOp>(isAbove, getNumber(node, labels, 0),
                               getNumber(node, labels, 1));
}

Value lz::getBestLabel(NodeImporter &node, Value scores,
                       ArrayRef<int64_t> labels) {
  Value best = node.create<ArgReduceOp>(ArgReduceKind::max, scores, 1,
                                        /*keep_dims=*/false,
                                        /*select_last=*/false);
  Value table = getConstant(node, labels, static_cast<int64_t>(labels.size()),
                            node.getBuilder().getI64Type(), "labels");
  return node.create<GatherOp>(table, best, 0);
}
