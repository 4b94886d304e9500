//===- Elementwise.cpp - gradients of functions of several elements -------===//
//
// Operands broadcast: what is computed in the result's shape is summed to each
// operand's.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/Rules.h"
#include "dialects/lz/Rules/Gradient/Gradients.h"
#include "dialects/lz/Rules/Gradient/Reverse.h"

using namespace mlir;
using namespace lz;

namespace {
/// What the operands get, in the result's shape and the left one's type.
struct Sides {
  Value lhs, rhs;
};
} // namespace

/// a / b: G / b and -(G y) / b.
static Sides getQuotientSides(BinaryOp op, RuleBuilder &b, Value gradient) {
  Value part = b.div(gradient, op.getRhs());
  return {part, b.unary(UnaryKind::neg, b.mul(part, op.getResult()))};
}

/// a ^ n: G n a^(n - 1), 0 for n = 0 even if a is; and G y log(a), 0 if a is.
static Sides getPowerSides(BinaryOp op, RuleBuilder &b, Value gradient) {
  Value base = op.getLhs(), zero = b.number(base, 0);
  Value exponent = b.cast(op.getRhs(), getElementType(base));
  Value lower = b.sub(exponent, b.number(base, 1));
  Value power = b.mul(exponent, b.binary(BinaryKind::pow, base, lower));
  Value isFlat = b.compare(CompareKind::eq, exponent, zero);
  Value lhs = b.mul(gradient, b.select(isFlat, zero, power));
  if (!isDifferentiable(op.getRhs()))
    return {lhs, Value()};
  Value growth = b.mul(op.getResult(), b.unary(UnaryKind::log, base));
  Value isZero = b.compare(CompareKind::eq, base, zero);
  return {lhs, b.mul(gradient, b.select(isZero, zero, growth))};
}

/// The greater or smaller operand gets all; of equal ones each gets half.
static Sides getChosenSides(BinaryOp op, RuleBuilder &b, Value gradient) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  CompareKind wins =
      op.getKind() == BinaryKind::max ? CompareKind::gt : CompareKind::lt;
  Value shared =
      b.keepIf(b.compare(CompareKind::eq, lhs, rhs), b.scale(0.5, gradient));
  return {b.select(b.compare(wins, lhs, rhs), gradient, shared),
          b.select(b.compare(wins, rhs, lhs), gradient, shared)};
}

/// a - b * floor(a / b), with truncation for fmod: G and -G times the quotient.
static Sides getRemainderSides(BinaryOp op, RuleBuilder &b, Value gradient) {
  Value quotient = b.div(b.sub(op.getLhs(), op.getResult()), op.getRhs());
  Value whole = b.unary(UnaryKind::round, quotient);
  return {gradient, b.unary(UnaryKind::neg, b.mul(gradient, whole))};
}

/// x < 0 ? slope * x : x.
static Sides getPreluSides(BinaryOp op, RuleBuilder &b, Value gradient) {
  Value x = op.getLhs();
  Value isBelow = b.compare(CompareKind::lt, x, b.number(x, 0));
  return {b.select(isBelow, b.mul(gradient, op.getRhs()), gradient),
          b.keepIf(isBelow, b.mul(gradient, x))};
}

static Sides getSides(BinaryOp op, RuleBuilder &b, Value gradient) {
  switch (op.getKind()) {
  case BinaryKind::add:
    return {gradient, gradient};
  case BinaryKind::sub:
    return {gradient, b.unary(UnaryKind::neg, gradient)};
  case BinaryKind::mul:
    return {b.mul(gradient, op.getRhs()), b.mul(gradient, op.getLhs())};
  case BinaryKind::div:
    return getQuotientSides(op, b, gradient);
  case BinaryKind::pow:
    return getPowerSides(op, b, gradient);
  case BinaryKind::max:
  case BinaryKind::min:
    return getChosenSides(op, b, gradient);
  case BinaryKind::mod:
  case BinaryKind::fmod:
    return getRemainderSides(op, b, gradient);
  case BinaryKind::prelu:
    return getPreluSides(op, b, gradient);
  default: // operations on bits, whose results have no gradient
    return {};
  }
}

static LogicalResult buildBinaryGradients(BinaryOp op, RuleBuilder &b,
                                          ArrayRef<Value> results,
                                          Values &gradients) {
  Sides sides = getSides(op, b, results[0]);
  SymShape lhs(b.getShapes().getShape(op.getLhs()));
  SymShape rhs(b.getShapes().getShape(op.getRhs()));
  gradients.push_back(sumTo(b, sides.lhs, lhs));
  if (!isDifferentiable(op.getRhs())) {
    gradients.push_back(Value());
    return success(!!gradients[0]);
  }
  Value cast = b.cast(sides.rhs, getElementType(op.getRhs()));
  gradients.push_back(sumTo(b, cast, rhs));
  return success(gradients[0] && gradients[1]);
}

static LogicalResult buildSelectGradients(SelectOp op, RuleBuilder &b,
                                          ArrayRef<Value> results,
                                          Values &gradients) {
  SymShape onTrue(b.getShapes().getShape(op.getOnTrue()));
  SymShape onFalse(b.getShapes().getShape(op.getOnFalse()));
  Value zero = b.number(results[0], 0), condition = op.getCondition();
  Value taken = sumTo(b, b.select(condition, results[0], zero), onTrue);
  Value other = sumTo(b, b.select(condition, zero, results[0]), onFalse);
  gradients.append({Value(), taken, other});
  return success(taken && other);
}

static LogicalResult buildCastGradients(CastOp op, RuleBuilder &b,
                                        ArrayRef<Value> results,
                                        Values &gradients) {
  if (!isDifferentiable(op.getInput())) {
    gradients.push_back(Value());
    return success();
  }
  return giveGradients(b.cast(results[0], getElementType(op.getInput())),
                       gradients);
}

void lz::attachElementwiseGradients(MLIRContext &context) {
  attachGradient<BinaryOp, buildBinaryGradients>(context);
  attachGradient<SelectOp, buildSelectGradients>(context);
  attachGradient<CastOp, buildCastGradients>(context);
}
