//===- RaiseLayerNorm.cpp - layer and RMS norms ---------------------------===//
//
//   d / sqrt(mean(d^2) + epsilon) * scale + bias     where d = x - mean(x)
//   x / sqrt(mean(x^2) + epsilon) * scale            the RMS norm
//
// over the trailing dimensions. The quotient (or the product with a reciprocal)
// becomes a norm whose scale is 1; scale and bias then fold into it.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "passes/graph/RaiseMatchers.h"

using namespace mlir;
using namespace lz;

/// True if `axes` are the last dimensions of `input`.
static bool areTrailing(ArrayRef<int64_t> axes, Value input) {
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
  for (auto [offset, axis] : llvm::enumerate(llvm::reverse(axes)))
    if (axis != rank - 1 - static_cast<int64_t>(offset))
      return false;
  return !axes.empty();
}

/// True if `value` is x squared.
static bool isSquare(Value value, Value x) {
  Factors factors = getFactors(value);
  return factors.number == 1 && factors.values.size() == 2 && factors.take(x) &&
         factors.take(x);
}

namespace {

/// What a deviation `sqrt(mean(x^2) + epsilon)` is made of.
struct Deviation {
  ReduceOp meanOfSquares;
  double epsilon;
};

} // namespace

/// Matches `variance + epsilon`, `variance` being a mean that nothing else
/// reads.
static std::optional<Deviation> matchVariance(Value value) {
  BinaryOp sum = matchBinary(value, BinaryKind::add);
  if (!sum)
    return std::nullopt;
  for (auto [mean, constant] : {std::pair(sum.getLhs(), sum.getRhs()),
                                std::pair(sum.getRhs(), sum.getLhs())}) {
    auto epsilon = getSplatNumber(constant);
    ReduceOp reduce = matchReduce(mean, ReduceKind::mean);
    if (epsilon && reduce && reduce->hasOneUse())
      return Deviation{reduce, *epsilon};
  }
  return std::nullopt;
}

/// Matches the norm as `numerator / deviation`; gives the numerator.
static Value matchQuotient(BinaryOp op, std::optional<Deviation> &deviation) {
  if (op.getKind() == BinaryKind::div) {
    deviation = matchVariance(matchUnary(op.getRhs(), UnaryKind::sqrt));
    return op.getLhs();
  }
  if (op.getKind() != BinaryKind::mul)
    return {};
  for (auto [numerator, factor] : {std::pair(op.getLhs(), op.getRhs()),
                                   std::pair(op.getRhs(), op.getLhs())}) {
    Value root = matchUnary(factor, UnaryKind::rsqrt);
    if (!root)
      root = matchUnary(matchUnary(factor, UnaryKind::reciprocal),
                        UnaryKind::sqrt);
    BinaryOp inverse = matchBinary(factor, BinaryKind::div);
    if (!root && inverse && isNumber(inverse.getLhs(), 1.0))
      root = matchUnary(inverse.getRhs(), UnaryKind::sqrt);
    deviation = matchVariance(root);
    if (deviation)
      return numerator;
  }
  return {};
}

/// x, if `value` is x - mean(x) along `axes`.
static Value matchCentred(Value value, ArrayRef<int64_t> axes) {
  BinaryOp difference = matchBinary(value, BinaryKind::sub);
  ReduceOp mean = difference
                      ? matchReduce(difference.getRhs(), ReduceKind::mean)
                      : ReduceOp();
  return mean && mean.getInput() == difference.getLhs() &&
                 mean.getAxes() == axes
             ? difference.getLhs()
             : Value();
}

namespace {

/// d / sqrt(mean(d^2) + epsilon) -> layer_norm(x) with scale 1
struct RaiseNorm : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Deviation> deviation;
    Value numerator = matchQuotient(op, deviation);
    if (!numerator || !deviation)
      return failure();
    ReduceOp mean = deviation->meanOfSquares;
    if (!isSquare(mean.getInput(), numerator))
      return rewriter.notifyMatchFailure(
          op, "is not divided by the mean of its own squares");
    if (!areTrailing(mean.getAxes(), mean.getInput()))
      return rewriter.notifyMatchFailure(
          op, "is not normalized over the last dimensions");
    Value x = matchCentred(numerator, mean.getAxes());
    NormKind kind = x ? NormKind::layer : NormKind::rms;
    x = x ? x : numerator;
    if (x.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "has another shape than x");
    auto one = RankedTensorType::get({1}, getElementTypeOrSelf(op.getType()));
    Value scale = ConstantOp::create(
        rewriter, op.getLoc(), one,
        DenseElementsAttr::get(
            one, rewriter.getFloatAttr(one.getElementType(), 1.0)));
    rewriter.replaceOpWithNewOp<LayerNormOp>(
        op, op.getType(), NormKindAttr::get(getContext(), kind), x, scale,
        Value(), rewriter.getI64IntegerAttr(mean.getAxes().front()),
        rewriter.getF64FloatAttr(deviation->epsilon));
    return success();
  }
};

/// layer_norm(x) * scale + bias -> layer_norm(x, scale, bias)
struct FoldScaleOrBias : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    bool isProduct = op.getKind() == BinaryKind::mul;
    if (!isProduct && op.getKind() != BinaryKind::add)
      return failure();
    auto norm = op.getLhs().getDefiningOp<LayerNormOp>();
    Value other = norm ? op.getRhs() : op.getLhs();
    norm = norm ? norm : op.getRhs().getDefiningOp<LayerNormOp>();
    if (!norm || norm.getBias() || norm.getType() != op.getType())
      return failure();
    if (isProduct ? !isNumber(norm.getScale(), 1.0)
                  : norm.getKind() == NormKind::rms)
      return rewriter.notifyMatchFailure(norm, "has scale and bias already");
    if (!norm->hasOneUse())
      return rewriter.notifyMatchFailure(norm, "has other users");
    int64_t normalized =
        cast<RankedTensorType>(op.getType()).getRank() - norm.getAxis();
    if (cast<RankedTensorType>(other.getType()).getRank() > normalized)
      return rewriter.notifyMatchFailure(
          op, "varies along dimensions that are not normalized");
    rewriter.replaceOpWithNewOp<LayerNormOp>(
        op, op.getType(), norm.getKindAttr(), norm.getInput(),
        isProduct ? other : norm.getScale(), isProduct ? Value() : other,
        norm.getAxisAttr(), norm.getEpsilonAttr());
    return success();
  }
};

} // namespace

void lz::populateRaiseLayerNormPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldScaleOrBias, RaiseNorm>(patterns.getContext());
}
