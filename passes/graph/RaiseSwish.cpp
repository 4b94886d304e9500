//===- RaiseSwish.cpp - swish, hard-sigmoid and hard-swish ----------------===//
//
//   x * sigmoid(a * x)                 swish (SiLU where a is 1)
//   min(max(x + 3, 0), 6) / 6          hard_sigmoid of slope 1/6 and offset 1/2
//   x * that                           hard_swish
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "passes/graph/RaiseMatchers.h"

using namespace mlir;
using namespace lz;

/// The slope a, if `value` is sigmoid(a * x).
static std::optional<double> getSigmoidSlope(Value value, Value x) {
  Value argument = matchUnary(value, UnaryKind::sigmoid);
  if (!argument)
    return std::nullopt;
  if (argument == x)
    return 1.0;
  Factors factors = getFactors(argument);
  if (!factors.take(x) || !factors.values.empty())
    return std::nullopt;
  return factors.number;
}

/// The other operand of a maximum or minimum with the constant `number`.
static Value matchLimit(Value value, BinaryKind kind, double number) {
  BinaryOp op = matchBinary(value, kind);
  // Zero has no relative error to be within.
  auto isLimit = [&](Value v) { return getSplatNumber(v) == number; };
  if (!op)
    return {};
  return isLimit(op.getRhs())   ? op.getLhs()
         : isLimit(op.getLhs()) ? op.getRhs()
                                : Value();
}

/// v, if `value` is max(v, 0) or relu(v).
static Value matchNotNegative(Value value) {
  Value relu = matchUnary(value, UnaryKind::relu);
  return relu ? relu : matchLimit(value, BinaryKind::max, 0);
}

/// x, if `value` is x + 3 clipped to [0, 6].
static Value matchShiftedClip(Value value) {
  if (Value inner = matchLimit(value, BinaryKind::min, 6))
    return matchPlus(matchNotNegative(inner), 3);
  return matchPlus(matchLimit(matchNotNegative(value), BinaryKind::min, 6), 3);
}

static bool isHardSigmoid(Value value, Value x) {
  auto op = value.getDefiningOp<UnaryOp>();
  Type type = getElementTypeOrSelf(value);
  return op && op.getKind() == UnaryKind::hard_sigmoid && op.getInput() == x &&
         op.getAlpha() && op.getBeta() &&
         isNumber(op.getAlpha()->convertToDouble(), 1.0 / 6, type) &&
         isNumber(op.getBeta()->convertToDouble(), 0.5, type);
}

namespace {

/// Rewrites products of x and a function of x.
struct RaiseSwish : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::mul && op.getKind() != BinaryKind::div)
      return failure();
    Factors factors = getFactors(op.getResult());
    Type type = getElementTypeOrSelf(op.getType());
    if (factors.values.size() == 1)
      return raiseHardSigmoid(op, factors, rewriter);
    if (factors.values.size() != 2)
      return failure();
    for (int i : {0, 1}) {
      Value x = factors.values[i], gate = factors.values[1 - i];
      auto slope = getSigmoidSlope(gate, x);
      if (slope && factors.number == 1)
        return replace(op, UnaryKind::swish, x, *slope, std::nullopt, rewriter);
      if (factors.number == 1 && isHardSigmoid(gate, x))
        return replace(op, UnaryKind::hard_swish, x, std::nullopt, std::nullopt,
                       rewriter);
      if (matchShiftedClip(gate) == x &&
          isNumber(factors.number, 1.0 / 6, type))
        return replace(op, UnaryKind::hard_swish, x, std::nullopt, std::nullopt,
                       rewriter);
    }
    return rewriter.notifyMatchFailure(op,
                                       "is no product of x and a gate of x");
  }

private:
  LogicalResult raiseHardSigmoid(BinaryOp op, const Factors &factors,
                                 PatternRewriter &rewriter) const {
    Value x = matchShiftedClip(factors.values[0]);
    if (!x || !isNumber(factors.number, 1.0 / 6, getElementTypeOrSelf(x)))
      return failure();
    return replace(op, UnaryKind::hard_sigmoid, x, 1.0 / 6, 0.5, rewriter);
  }

  LogicalResult replace(BinaryOp op, UnaryKind kind, Value x,
                        std::optional<double> alpha, std::optional<double> beta,
                        PatternRewriter &rewriter) const {
    if (x.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "has another shape than x");
    auto getAttr = [&](std::optional<double> value) {
      return value ? rewriter.getF64FloatAttr(*value) : FloatAttr();
    };
    if (kind == UnaryKind::swish && alpha == 1.0)
      alpha = std::nullopt;
    rewriter.replaceOpWithNewOp<UnaryOp>(op, op.getType(), kind, x,
                                         getAttr(alpha), getAttr(beta));
    return success();
  }
};

} // namespace

void lz::populateRaiseSwishPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseSwish>(patterns.getContext());
}
