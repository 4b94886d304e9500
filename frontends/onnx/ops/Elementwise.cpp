//===- Elementwise.cpp - arithmetic, activations, casts -------------------===//

#include "frontends/onnx/Types.h"
#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Unary operators
//===----------------------------------------------------------------------===//

template <UnaryKind kind> static LogicalResult importUnary(NodeImporter &node) {
  return node.finish(node.unary(kind, node.operand(0)));
}

/// Operators whose parameter `alpha` has a default.
template <UnaryKind kind>
static LogicalResult importAlpha(NodeImporter &node, double alpha) {
  return node.finish(
      node.unary(kind, node.operand(0), node.getFloat("alpha", alpha)));
}

static LogicalResult importLeakyRelu(NodeImporter &node) {
  return importAlpha<UnaryKind::leaky_relu>(node, 0.01f);
}
static LogicalResult importElu(NodeImporter &node) {
  return importAlpha<UnaryKind::elu>(node, 1);
}
static LogicalResult importCelu(NodeImporter &node) {
  return importAlpha<UnaryKind::celu>(node, 1);
}
static LogicalResult importThresholdedRelu(NodeImporter &node) {
  return importAlpha<UnaryKind::thresholded_relu>(node, 1);
}
static LogicalResult importSwish(NodeImporter &node) {
  return importAlpha<UnaryKind::swish>(node, 1);
}

static LogicalResult importSelu(NodeImporter &node) {
  bool old = node.getVersion() < 6; // fewer digits
  double alpha =
      node.getFloat("alpha", old ? 1.6732f : 1.67326319217681884765f);
  double gamma =
      node.getFloat("gamma", old ? 1.0507f : 1.05070102214813232421f);
  return node.finish(
      node.unary(UnaryKind::selu, node.operand(0), alpha, gamma));
}

static LogicalResult importHardSigmoid(NodeImporter &node) {
  double alpha = node.getFloat("alpha", 0.2f),
         beta = node.getFloat("beta", 0.5);
  return node.finish(
      node.unary(UnaryKind::hard_sigmoid, node.operand(0), alpha, beta));
}

static LogicalResult importShrink(NodeImporter &node) {
  double lambd = node.getFloat("lambd", 0.5), bias = node.getFloat("bias", 0);
  return node.finish(
      node.unary(UnaryKind::shrink, node.operand(0), lambd, bias));
}

static LogicalResult importGelu(NodeImporter &node) {
  std::string form = node.getString("approximate", "none");
  if (form != "none" && form != "tanh")
    return node.error() << "attribute 'approximate' is '" << form
                        << "', expected 'none' or 'tanh'";
  return node.finish(
      node.unary(form == "tanh" ? UnaryKind::gelu_tanh : UnaryKind::gelu,
                 node.operand(0)));
}

static LogicalResult importIsInf(NodeImporter &node) {
  bool negative = node.getBool("detect_negative", true);
  bool positive = node.getBool("detect_positive", true);
  return node.finish(
      node.unary(UnaryKind::is_inf, node.operand(0), negative, positive));
}

/// Identity, whatever the type.
static LogicalResult importIdentity(NodeImporter &node) {
  return node.finish(node.operand(0));
}

Value lz::getTrue(NodeImporter &node, ArrayRef<SymExpr> shape) {
  return node.expand(node.scalar(node.getBuilder().getI1Type(), 1), shape);
}

//===----------------------------------------------------------------------===//
// Binary and variadic operators
//===----------------------------------------------------------------------===//

Value lz::alignOperand(NodeImporter &node, Value lhs, Value rhs) {
  if (node.getVersion() >= 7 || node.failed())
    return rhs;
  SymShape shape = node.getShape(lhs), other = node.getShape(rhs);
  if (!node.getBool("broadcast", false)) {
    if (shape != other)
      node.error() << "operands have different shapes, which in opset 6 and "
                      "before needs attribute 'broadcast'";
    return rhs;
  }
  int64_t rank = shape.size(), rest = rank - static_cast<int64_t>(other.size());
  int64_t axis = node.getInt("axis", rest);
  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis > rest) {
    node.error() << "attribute 'axis' is " << axis << ", but ranks are " << rank
                 << " and " << other.size();
    return rhs;
  }
  other.append(rest - axis, node.size(1));
  return node.reshape(rhs, other);
}

template <BinaryKind kind>
static LogicalResult importBinary(NodeImporter &node) {
  Value lhs = node.operand(0);
  return node.finish(
      node.binary(kind, lhs, alignOperand(node, lhs, node.operand(1))));
}

static LogicalResult importMod(NodeImporter &node) {
  bool isFmod = node.getBool("fmod", false);
  if (!isFmod && isa<FloatType>(node.getElement(node.operand(0))))
    return node.error() << "attribute 'fmod' must be 1 for floats";
  return node.finish(node.binary(isFmod ? BinaryKind::fmod : BinaryKind::mod,
                                 node.operand(0), node.operand(1)));
}

static LogicalResult importPRelu(NodeImporter &node) {
  Value input = node.operand(0), slope = node.operand(1);
  int64_t rank = node.getRank(input);
  SymShape shape = node.getShape(slope);
  if (node.getVersion() < 7 && shape.size() == 1 && rank > 2 &&
      !shape[0].isConstant(1)) { // one slope per channel
    shape.append(rank - 2, node.size(1));
    slope = node.reshape(slope, shape);
  }
  return node.finish(node.binary(BinaryKind::prelu, input, slope));
}

/// The operands joined by `kind`, from the left.
static Value fold(NodeImporter &node, BinaryKind kind) {
  Value result = node.operand(0);
  for (Value operand : node.getOperands().drop_front())
    result = node.binary(kind, result, operand);
  return result;
}

template <BinaryKind kind>
static LogicalResult importVariadic(NodeImporter &node) {
  return node.finish(fold(node, kind));
}

static LogicalResult importMean(NodeImporter &node) {
  Value sum = fold(node, BinaryKind::add);
  Value count = node.scalar(node.getElement(sum), node.getNumOperands());
  return node.finish(node.binary(BinaryKind::div, sum, count));
}

/// One bound of Clip: an attribute before opset 11, then an operand.
static Value getBound(NodeImporter &node, const char *name, int index) {
  if (node.getVersion() >= 11)
    return node.operand(index);
  if (!node.has(name))
    return {};
  return node.scalar(node.getElement(node.operand(0)), node.getFloat(name, 0));
}

static LogicalResult importClip(NodeImporter &node) {
  Value result = node.operand(0);
  if (Value low = getBound(node, "min", 1))
    result = node.binary(BinaryKind::max, result, low);
  if (Value high = getBound(node, "max", 2))
    result = node.binary(BinaryKind::min, result, high);
  return node.finish(result);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// The type that attribute `to` names; version 1 spells it.
static Type getTarget(NodeImporter &node) {
  int number = node.getVersion() == 1 ? 0 : node.getInt("to", 0);
  onnx::TensorProto::DataType named;
  if (node.getVersion() == 1 &&
      onnx::TensorProto::DataType_Parse(
          StringRef(node.getString("to", "")).upper(), &named))
    number = named;
  Type type = getElementType(node.getContext(), number);
  if (!type && !node.failed())
    node.error() << "attribute 'to' names no element type";
  return type;
}

static LogicalResult importCastTo(NodeImporter &node, Type type) {
  if (node.failed())
    return failure();
  if (isa<Float8E8M0FNUType>(type) &&
      node.getString("round_mode", "up") != "up")
    return node.error() << "attribute 'round_mode' is '"
                        << node.getString("round_mode", "up")
                        << "'; only 'up' is supported";
  return node.finish(
      node.cast(node.operand(0), type, node.getBool("saturate", true)));
}

static LogicalResult importCast(NodeImporter &node) {
  return importCastTo(node, getTarget(node));
}

static LogicalResult importCastLike(NodeImporter &node) {
  return importCastTo(node, node.getElement(node.operand(1)));
}

static LogicalResult importBitCast(NodeImporter &node) {
  Type type = getTarget(node);
  return node.finish(node.create<BitcastOp>(node.operand(0), type));
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

static void registerFunctions(HandlerTable &handlers) {
  handlers["Abs"] = importUnary<UnaryKind::abs>;
  handlers["Neg"] = importUnary<UnaryKind::neg>;
  handlers["Sign"] = importUnary<UnaryKind::sign>;
  handlers["Reciprocal"] = importUnary<UnaryKind::reciprocal>;
  handlers["Floor"] = importUnary<UnaryKind::floor>;
  handlers["Ceil"] = importUnary<UnaryKind::ceil>;
  handlers["Round"] = importUnary<UnaryKind::round>;
  handlers["Exp"] = importUnary<UnaryKind::exp>;
  handlers["Log"] = importUnary<UnaryKind::log>;
  handlers["Sqrt"] = importUnary<UnaryKind::sqrt>;
  handlers["Sin"] = importUnary<UnaryKind::sin>;
  handlers["Cos"] = importUnary<UnaryKind::cos>;
  handlers["Tan"] = importUnary<UnaryKind::tan>;
  handlers["Asin"] = importUnary<UnaryKind::asin>;
  handlers["Acos"] = importUnary<UnaryKind::acos>;
  handlers["Atan"] = importUnary<UnaryKind::atan>;
  handlers["Sinh"] = importUnary<UnaryKind::sinh>;
  handlers["Cosh"] = importUnary<UnaryKind::cosh>;
  handlers["Tanh"] = importUnary<UnaryKind::tanh>;
  handlers["Asinh"] = importUnary<UnaryKind::asinh>;
  handlers["Acosh"] = importUnary<UnaryKind::acosh>;
  handlers["Atanh"] = importUnary<UnaryKind::atanh>;
  handlers["Erf"] = importUnary<UnaryKind::erf>;
  handlers["IsNaN"] = importUnary<UnaryKind::is_nan>;
  handlers["IsInf"] = importIsInf;
}

static void registerActivations(HandlerTable &handlers) {
  handlers["Relu"] = importUnary<UnaryKind::relu>;
  handlers["Sigmoid"] = importUnary<UnaryKind::sigmoid>;
  handlers["HardSwish"] = importUnary<UnaryKind::hard_swish>;
  handlers["Softplus"] = importUnary<UnaryKind::softplus>;
  handlers["Softsign"] = importUnary<UnaryKind::softsign>;
  handlers["Mish"] = importUnary<UnaryKind::mish>;
  handlers["LeakyRelu"] = importLeakyRelu;
  handlers["Elu"] = importElu;
  handlers["Celu"] = importCelu;
  handlers["Selu"] = importSelu;
  handlers["ThresholdedRelu"] = importThresholdedRelu;
  handlers["Swish"] = importSwish;
  handlers["HardSigmoid"] = importHardSigmoid;
  handlers["Shrink"] = importShrink;
  handlers["Gelu"] = importGelu;
  handlers["PRelu"] = importPRelu;
}

void lz::registerElementwise(HandlerTable &handlers) {
  registerFunctions(handlers);
  registerActivations(handlers);
  handlers["Identity"] = importIdentity;
  handlers["Add"] = importBinary<BinaryKind::add>;
  handlers["Sub"] = importBinary<BinaryKind::sub>;
  handlers["Mul"] = importBinary<BinaryKind::mul>;
  handlers["Div"] = importBinary<BinaryKind::div>;
  handlers["Pow"] = importBinary<BinaryKind::pow>;
  handlers["Mod"] = importMod;
  handlers["Sum"] = importVariadic<BinaryKind::add>;
  handlers["Max"] = importVariadic<BinaryKind::max>;
  handlers["Min"] = importVariadic<BinaryKind::min>;
  handlers["Mean"] = importMean;
  handlers["Clip"] = importClip;
  handlers["Cast"] = importCast;
  handlers["CastLike"] = importCastLike;
  handlers["BitCast"] = importBitCast;
}
