//===- Unary.cpp - reference model of lz.unary ----------------------------===//
//
// Floats are computed in double and rounded once to the element type. Integers
// wrap.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include <cmath>

using namespace mlir;
using namespace lz;

namespace {
/// The parameters of a unary function.
struct UnaryParameters {
  double alpha, beta;
};
} // namespace

/// The given parameters, or the defaults of the ONNX operator.
static UnaryParameters getParameters(UnaryOp op) {
  UnaryParameters defaults = {1, 0};
  if (op.getKind() == UnaryKind::leaky_relu)
    defaults.alpha = 0.01f;
  if (op.getKind() == UnaryKind::selu)
    defaults = {1.67326319217681884765625, 1.05070102214813232421875};
  if (op.getKind() == UnaryKind::hard_sigmoid)
    defaults = {0.2f, 0.5};
  if (op.getKind() == UnaryKind::shrink)
    defaults = {0.5, 0};
  if (op.getKind() == UnaryKind::is_inf)
    defaults = {1, 1};
  auto value = [](std::optional<APFloat> given, double fallback) {
    return given ? given->convertToDouble() : fallback;
  };
  return {value(op.getAlpha(), defaults.alpha),
          value(op.getBeta(), defaults.beta)};
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

static double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

static double geluTanh(double x) {
  double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

/// The activations, of which some have parameters: ONNX Relu-14, LeakyRelu-16,
/// Elu-22, Celu-12, Selu-22, Sigmoid-13, HardSigmoid-22, HardSwish-22,
/// Swish-24, Softplus-22, Softsign-22, Mish-22, Gelu-20, ThresholdedRelu-22,
/// Shrink-9.
static double applyActivation(UnaryKind kind, double x, UnaryParameters p) {
  switch (kind) {
  case UnaryKind::relu:
    return x < 0 ? 0 : x;
  case UnaryKind::leaky_relu:
    return x < 0 ? p.alpha * x : x;
  case UnaryKind::elu:
    return x < 0 ? p.alpha * std::expm1(x) : x;
  case UnaryKind::celu:
    return x < 0 ? p.alpha * std::expm1(x / p.alpha) : x;
  case UnaryKind::selu:
    return p.beta * (x <= 0 ? p.alpha * std::expm1(x) : x);
  case UnaryKind::sigmoid:
    return sigmoid(x);
  case UnaryKind::hard_sigmoid:
    return std::max(0.0, std::min(1.0, p.alpha * x + p.beta));
  case UnaryKind::hard_swish:
    return x * std::max(0.0, std::min(1.0, x / 6 + 0.5));
  case UnaryKind::swish:
    return x * sigmoid(p.alpha * x);
  case UnaryKind::softplus:
    return softplus(x);
  case UnaryKind::softsign:
    return x / (1 + std::abs(x));
  case UnaryKind::mish:
    return x * std::tanh(softplus(x));
  case UnaryKind::gelu:
    return 0.5 * x * (1 + std::erf(x * M_SQRT1_2));
  case UnaryKind::gelu_tanh:
    return geluTanh(x);
  case UnaryKind::thresholded_relu:
    return x > p.alpha ? x : 0;
  default: // shrink
    return x < -p.alpha ? x + p.beta : x > p.alpha ? x - p.beta : 0;
  }
}

/// The functions of trigonometry and their like.
static double applyTranscendental(UnaryKind kind, double x) {
  switch (kind) {
  case UnaryKind::exp:
    return std::exp(x);
  case UnaryKind::log:
    return std::log(x);
  case UnaryKind::sqrt:
    return std::sqrt(x);
  case UnaryKind::rsqrt:
    return 1 / std::sqrt(x);
  case UnaryKind::sin:
    return std::sin(x);
  case UnaryKind::cos:
    return std::cos(x);
  case UnaryKind::tan:
    return std::tan(x);
  case UnaryKind::asin:
    return std::asin(x);
  case UnaryKind::acos:
    return std::acos(x);
  case UnaryKind::atan:
    return std::atan(x);
  case UnaryKind::sinh:
    return std::sinh(x);
  case UnaryKind::cosh:
    return std::cosh(x);
  case UnaryKind::tanh:
    return std::tanh(x);
  case UnaryKind::asinh:
    return std::asinh(x);
  case UnaryKind::acosh:
    return std::acosh(x);
  case UnaryKind::atanh:
    return std::atanh(x);
  default:
    return std::erf(x);
  }
}

static double getSign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

static double applyUnary(UnaryKind kind, double x, UnaryParameters p) {
  switch (kind) {
  case UnaryKind::identity:
    return x;
  case UnaryKind::abs:
    return std::abs(x);
  case UnaryKind::neg:
    return -x;
  case UnaryKind::sign:
    return getSign(x);
  case UnaryKind::reciprocal:
    return 1 / x;
  case UnaryKind::floor:
    return std::floor(x);
  case UnaryKind::ceil:
    return std::ceil(x);
  case UnaryKind::round:
    return std::nearbyint(x); // halves to even is the default mode
  case UnaryKind::is_nan:
    return std::isnan(x);
  case UnaryKind::is_inf:
    return std::isinf(x) && (x < 0 ? p.alpha : p.beta) != 0;
  default:
    return kind >= UnaryKind::relu ? applyActivation(kind, x, p)
                                   : applyTranscendental(kind, x);
  }
}

/// The functions that integers have of their own; none for the rest, which is
/// computed in double.
static std::optional<int64_t> applyIntegerUnary(UnaryKind kind, int64_t x,
                                                bool isSigned) {
  switch (kind) {
  case UnaryKind::identity:
  case UnaryKind::floor:
  case UnaryKind::ceil:
  case UnaryKind::round:
    return x;
  case UnaryKind::abs:
    return isSigned && x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x))
                             : x;
  case UnaryKind::neg:
    return static_cast<int64_t>(-static_cast<uint64_t>(x));
  case UnaryKind::sign:
    return x == 0 ? 0 : isSigned && x < 0 ? -1 : 1;
  case UnaryKind::relu:
    return isSigned && x < 0 ? 0 : x;
  case UnaryKind::logical_not:
    return x == 0;
  case UnaryKind::bit_not:
    return ~x;
  default:
    return std::nullopt;
  }
}

static LogicalResult evaluateUnary(UnaryOp op, Evaluation &e) {
  const RefTensor &x = e.get(op.getInput());
  ElementFormat::Kind format = x.getFormat().kind;
  if (op.getKind() == UnaryKind::identity)
    return e.give(x);
  if (format == ElementFormat::String || format == ElementFormat::Complex)
    return op.emitOpError() << "is not defined for " << x.getElementType();
  FailureOr<RefTensor> result = e.makeResult(x.getShape());
  if (failed(result))
    return failure();
  UnaryParameters parameters = getParameters(op);
  for (int64_t i = 0; i != x.getNumElements(); ++i) {
    std::optional<int64_t> integer;
    if (x.getFormat().isInteger())
      integer = applyIntegerUnary(op.getKind(), x.getInt(i),
                                  format == ElementFormat::Signed);
    if (integer)
      result->setInt(i, *integer);
    else
      result->setDouble(i,
                        applyUnary(op.getKind(), x.getDouble(i), parameters));
  }
  return e.give(*result);
}

void lz::attachUnaryModels(MLIRContext &context) {
  attachReference<UnaryOp, evaluateUnary>(context);
}
