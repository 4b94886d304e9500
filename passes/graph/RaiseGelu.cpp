//===- RaiseGelu.cpp - GELU by erf and by tanh ----------------------------===//
//
//   x * 0.5 * (1 + erf(x / sqrt(2)))
//   x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "passes/graph/RaiseMatchers.h"

using namespace mlir;
using namespace lz;

static constexpr double kHalfRoot = 0.70710678118654752;  // 1 / sqrt(2)
static constexpr double kTanhScale = 0.79788456080286536; // sqrt(2 / pi)
static constexpr double kCubic = 0.044715;

/// True if `value` is `number * x * x ...` (x `power` times).
static bool isMonomial(Value value, Value x, double number, int power) {
  Factors factors = getFactors(value);
  for (int i = 0; i != power; ++i)
    if (!factors.take(x))
      return false;
  return factors.values.empty() &&
         isNumber(factors.number, number, getElementTypeOrSelf(x));
}

/// True if `value` is `a + b`, one of them `x` (or 1, if x is null) and the
/// other `0.044715 * y^power`.
static bool isCubicSum(Value value, Value x, Value y, int power) {
  BinaryOp sum = matchBinary(value, BinaryKind::add);
  if (!sum)
    return false;
  auto isFirst = [&](Value v) { return x ? v == x : isNumber(v, 1.0); };
  return (isFirst(sum.getLhs()) &&
          isMonomial(sum.getRhs(), y, kCubic, power)) ||
         (isFirst(sum.getRhs()) && isMonomial(sum.getLhs(), y, kCubic, power));
}

/// True if `value` is the argument of tanh in GELU: `c * (x + k * x^3)` or
/// `c * x * (1 + k * x^2)`.
static bool isTanhArgument(Value value, Value x) {
  Factors factors = getFactors(value);
  if (!isNumber(factors.number, kTanhScale, getElementTypeOrSelf(x)))
    return false;
  if (factors.values.size() == 1)
    return isCubicSum(factors.values[0], x, x, 3);
  return factors.values.size() == 2 && factors.take(x) &&
         isCubicSum(factors.values[0], Value(), x, 2);
}

/// The kind of GELU whose last factor `1 + f(x)` is; none if it is no such.
static std::optional<UnaryKind> getGeluKind(Value factor, Value x) {
  Value inner = matchPlus(factor, 1.0);
  if (Value argument = matchUnary(inner, UnaryKind::erf);
      argument && isMonomial(argument, x, kHalfRoot, 1))
    return UnaryKind::gelu;
  if (Value argument = matchUnary(inner, UnaryKind::tanh);
      argument && isTanhArgument(argument, x))
    return UnaryKind::gelu_tanh;
  return std::nullopt;
}

namespace {

/// x * 0.5 * (1 + f(x)) -> gelu(x)
struct RaiseGelu : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::mul && op.getKind() != BinaryKind::div)
      return failure();
    Factors factors = getFactors(op.getResult());
    if (factors.values.size() != 2 ||
        !isNumber(factors.number, 0.5, getElementTypeOrSelf(op.getType())))
      return failure();
    for (int i : {0, 1}) {
      Value x = factors.values[i];
      auto kind = getGeluKind(factors.values[1 - i], x);
      if (!kind)
        continue;
      if (x.getType() != op.getType())
        return rewriter.notifyMatchFailure(op, "has another shape than x");
      rewriter.replaceOpWithNewOp<UnaryOp>(op, op.getType(), *kind, x,
                                           FloatAttr(), FloatAttr());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "is half a product, but no GELU");
  }
};

} // namespace

void lz::populateRaiseGeluPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseGelu>(patterns.getContext());
}
