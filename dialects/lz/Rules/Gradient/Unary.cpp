//===- Unary.cpp - gradients of the functions of one element --------------===//
//
// The derivative D of a function f at x, by which the gradient is multiplied.
// Where y = f(x) tells it, no function is computed again. A function with a
// kink has there what it has on the side of ONNX's definition, as PyTorch does.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/Rules.h"
#include "dialects/lz/Rules/Gradient/Gradients.h"

#include <cmath>

using namespace mlir;
using namespace lz;

namespace {

/// Builds derivatives of one operation.
class Derivative {
public:
  Derivative(UnaryOp op, RuleBuilder &b)
      : op(op), b(b), x(op.getInput()), y(op.getResult()) {}

  /// The gradient by the input.
  Value apply(Value gradient);

private:
  Value number(double value) { return b.number(x, value); }
  Value apply(UnaryKind kind, Value value) { return b.unary(kind, value); }
  Value square(Value value) { return b.mul(value, value); }
  Value compare(CompareKind kind, double value) {
    return b.compare(kind, x, number(value));
  }
  double getAlpha(double fallback) {
    return op.getAlpha() ? op.getAlpha()->convertToDouble() : fallback;
  }
  double getBeta(double fallback) {
    return op.getBeta() ? op.getBeta()->convertToDouble() : fallback;
  }
  /// `1 - v` and `v + 1`.
  Value fromOne(Value value) { return b.sub(number(1), value); }
  Value plusOne(Value value) { return b.add(value, number(1)); }

  Value getTranscendental();
  Value getExponential(double factor, double slope, double alpha);
  Value getSmooth();
  Value getSwish();
  Value getMish();
  Value getGelu();
  Value getGeluTanh();
  Value getHardSwish();
  Value isLinear();

  UnaryOp op;
  RuleBuilder &b;
  Value x, y;
};

} // namespace

/// The derivatives of elementary functions; null if the kind is none.
Value Derivative::getTranscendental() {
  switch (op.getKind()) {
  case UnaryKind::reciprocal:
    return apply(UnaryKind::neg, square(y));
  case UnaryKind::exp:
    return y;
  case UnaryKind::log:
    return apply(UnaryKind::reciprocal, x);
  case UnaryKind::sqrt:
    return b.div(number(0.5), y);
  case UnaryKind::rsqrt:
    return b.scale(-0.5, b.mul(square(y), y));
  case UnaryKind::sin:
    return apply(UnaryKind::cos, x);
  case UnaryKind::cos:
    return apply(UnaryKind::neg, apply(UnaryKind::sin, x));
  case UnaryKind::tan:
    return plusOne(square(y));
  case UnaryKind::asin:
    return apply(UnaryKind::rsqrt, fromOne(square(x)));
  case UnaryKind::acos:
    return apply(UnaryKind::neg, apply(UnaryKind::rsqrt, fromOne(square(x))));
  case UnaryKind::atan:
    return apply(UnaryKind::reciprocal, plusOne(square(x)));
  case UnaryKind::sinh:
    return apply(UnaryKind::cosh, x);
  case UnaryKind::cosh:
    return apply(UnaryKind::sinh, x);
  case UnaryKind::tanh:
    return fromOne(square(y));
  case UnaryKind::asinh:
    return apply(UnaryKind::rsqrt, plusOne(square(x)));
  case UnaryKind::acosh:
    return apply(UnaryKind::rsqrt, b.sub(square(x), number(1)));
  case UnaryKind::atanh:
    return apply(UnaryKind::reciprocal, fromOne(square(x)));
  case UnaryKind::erf:
    return b.scale(M_2_SQRTPI,
                   apply(UnaryKind::exp, apply(UnaryKind::neg, square(x))));
  default:
    return {};
  }
}

/// `slope` above zero, below it `factor * exp(x / alpha)`. The exponential of
/// what is above zero is not used, and must not overflow.
Value Derivative::getExponential(double factor, double slope, double alpha) {
  Value below = b.binary(BinaryKind::min, x, number(0));
  Value decay = apply(UnaryKind::exp, b.scale(1 / alpha, below));
  return b.select(compare(CompareKind::ge, 0), number(slope),
                  b.scale(factor, decay));
}

/// s + a x s (1 - s) with s = sigmoid(a x).
Value Derivative::getSwish() {
  double alpha = getAlpha(1);
  Value inner = b.scale(alpha, x), s = apply(UnaryKind::sigmoid, inner);
  return b.add(s, b.mul(inner, b.mul(s, fromOne(s))));
}

/// t + x (1 - t^2) sigmoid(x) with t = tanh(softplus(x)).
Value Derivative::getMish() {
  Value t = apply(UnaryKind::tanh, apply(UnaryKind::softplus, x));
  Value slope = b.mul(fromOne(square(t)), apply(UnaryKind::sigmoid, x));
  return b.add(t, b.mul(x, slope));
}

/// (1 + erf(x / sqrt(2))) / 2 + x exp(-x^2 / 2) / sqrt(2 pi).
Value Derivative::getGelu() {
  Value below =
      b.scale(0.5, plusOne(apply(UnaryKind::erf, b.scale(M_SQRT1_2, x))));
  Value density = b.scale(M_2_SQRTPI * M_SQRT1_2 / 2,
                          apply(UnaryKind::exp, b.scale(-0.5, square(x))));
  return b.add(below, b.mul(x, density));
}

/// (1 + t) / 2 + x / 2 (1 - t^2) u' with t = tanh(u),
/// u = sqrt(2 / pi) (x + 0.044715 x^3).
Value Derivative::getGeluTanh() {
  constexpr double cubic = 0.044715;
  double root = std::sqrt(2 / M_PI);
  Value inner = b.mul(x, plusOne(b.scale(cubic, square(x))));
  Value t = apply(UnaryKind::tanh, b.scale(root, inner));
  Value slope = b.scale(root, plusOne(b.scale(3 * cubic, square(x))));
  Value half = b.scale(0.5, b.mul(x, b.mul(fromOne(square(t)), slope)));
  return b.add(b.scale(0.5, plusOne(t)), half);
}

/// 0 up to -3, 1 from 3 on, x / 3 + 1 / 2 between.
Value Derivative::getHardSwish() {
  Value between = b.add(b.scale(1.0 / 3, x), number(0.5));
  Value high = b.select(compare(CompareKind::ge, 3), number(1), between);
  return b.select(compare(CompareKind::le, -3), number(0), high);
}

/// The derivatives of activations that have no flat part; null otherwise.
Value Derivative::getSmooth() {
  switch (op.getKind()) {
  case UnaryKind::leaky_relu:
    return b.select(compare(CompareKind::lt, 0), number(getAlpha(0.01f)),
                    number(1));
  case UnaryKind::elu:
    return getExponential(getAlpha(1), 1, 1);
  case UnaryKind::celu:
    return getExponential(1, 1, getAlpha(1));
  case UnaryKind::selu: {
    double gamma = getBeta(1.05070102214813232421875);
    return getExponential(gamma * getAlpha(1.67326319217681884765625), gamma,
                          1);
  }
  case UnaryKind::sigmoid:
    return b.mul(y, fromOne(y));
  case UnaryKind::hard_swish:
    return getHardSwish();
  case UnaryKind::swish:
    return getSwish();
  case UnaryKind::softplus:
    return apply(UnaryKind::sigmoid, x);
  case UnaryKind::softsign:
    return apply(UnaryKind::reciprocal,
                 square(plusOne(apply(UnaryKind::abs, x))));
  case UnaryKind::mish:
    return getMish();
  case UnaryKind::gelu:
    return getGelu();
  case UnaryKind::gelu_tanh:
    return getGeluTanh();
  case UnaryKind::abs:
    return apply(UnaryKind::sign, x);
  default:
    return {};
  }
}

/// Where a function that is linear in parts and flat elsewhere is not flat;
/// null if the kind is none.
Value Derivative::isLinear() {
  switch (op.getKind()) {
  case UnaryKind::relu:
    return compare(CompareKind::gt, 0);
  case UnaryKind::hard_sigmoid:
    return b.binary(BinaryKind::logical_and,
                    b.compare(CompareKind::gt, y, number(0)),
                    b.compare(CompareKind::lt, y, number(1)));
  case UnaryKind::thresholded_relu:
    return compare(CompareKind::gt, getAlpha(1));
  case UnaryKind::shrink:
    return b.compare(CompareKind::gt, apply(UnaryKind::abs, x),
                     number(getAlpha(0.5)));
  default:
    return {};
  }
}

/// True for steps, which are flat wherever they have a derivative.
static bool isStep(UnaryKind kind) {
  return kind == UnaryKind::sign || kind == UnaryKind::floor ||
         kind == UnaryKind::ceil || kind == UnaryKind::round;
}

Value Derivative::apply(Value gradient) {
  if (op.getKind() == UnaryKind::identity)
    return gradient;
  if (op.getKind() == UnaryKind::neg)
    return apply(UnaryKind::neg, gradient);
  if (op.getKind() == UnaryKind::hard_sigmoid)
    gradient = b.scale(getAlpha(0.2f), gradient);
  if (Value condition = isLinear())
    return b.keepIf(condition, gradient);
  Value slope = getTranscendental();
  return b.mul(gradient, slope ? slope : getSmooth());
}

static LogicalResult buildUnaryGradients(UnaryOp op, RuleBuilder &b,
                                         ArrayRef<Value> results,
                                         Values &gradients) {
  if (isStep(op.getKind())) {
    gradients.push_back(Value());
    return success();
  }
  return giveGradients(Derivative(op, b).apply(results[0]), gradients);
}

void lz::attachUnaryGradients(MLIRContext &context) {
  attachGradient<UnaryOp, buildUnaryGradients>(context);
}
