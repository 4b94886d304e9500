//===- RaiseSoftmax.cpp - softmax and its logarithm -----------------------===//
//
//   exp(x - max(x)) / sum(exp(x - max(x)))        softmax
//   (x - max(x)) - log(sum(exp(x - max(x))))      log_softmax
//
// Without the maximum the spelled-out form overflows where softmax does not, so
// that is left alone.
//
//===----------------------------------------------------------------------===//

#include "passes/graph/RaiseMatchers.h"

using namespace mlir;
using namespace lz;

namespace {

/// A tensor and the one dimension that it is shifted along by its maximum.
struct Shifted {
  Value x;
  int64_t axis;
};

} // namespace

/// x and its axis, if `value` is x - max(x).
static std::optional<Shifted> matchShifted(Value value) {
  BinaryOp difference = matchBinary(value, BinaryKind::sub);
  ReduceOp max = difference ? matchReduce(difference.getRhs(), ReduceKind::max)
                            : ReduceOp();
  if (!max || max.getInput() != difference.getLhs() ||
      max.getAxes().size() != 1)
    return std::nullopt;
  return Shifted{difference.getLhs(), max.getAxes().front()};
}

/// The shift, if `sum` sums `exponential` (an exp of it) along the same axis.
static std::optional<Shifted> matchSum(Value sum, Value exponential) {
  ReduceOp reduce = matchReduce(sum, ReduceKind::sum);
  if (!reduce || reduce.getInput() != exponential)
    return std::nullopt;
  auto shifted = matchShifted(matchUnary(exponential, UnaryKind::exp));
  if (!shifted || reduce.getAxes() != ArrayRef<int64_t>(shifted->axis))
    return std::nullopt;
  return shifted;
}

/// What `op` is the softmax or log-softmax of, by `kind`.
static std::optional<Shifted> matchSoftmax(BinaryOp op, SoftmaxKind &kind) {
  if (op.getKind() == BinaryKind::div) {
    kind = SoftmaxKind::softmax;
    return matchSum(op.getRhs(), op.getLhs());
  }
  kind = SoftmaxKind::log_softmax;
  ReduceOp sum =
      matchReduce(matchUnary(op.getRhs(), UnaryKind::log), ReduceKind::sum);
  if (!sum || matchUnary(sum.getInput(), UnaryKind::exp) != op.getLhs())
    return std::nullopt;
  return matchSum(sum.getResult(), sum.getInput());
}

namespace {

struct RaiseSoftmax : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::div && op.getKind() != BinaryKind::sub)
      return failure();
    SoftmaxKind kind;
    auto shifted = matchSoftmax(op, kind);
    if (!shifted)
      return rewriter.notifyMatchFailure(
          op, "is not exp(x - max(x)) by its sum along one dimension");
    if (shifted->x.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "has another shape than x");
    rewriter.replaceOpWithNewOp<SoftmaxOp>(op, op.getType(), kind, shifted->x,
                                           shifted->axis);
    return success();
  }
};

} // namespace

void lz::populateRaiseSoftmaxPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseSoftmax>(patterns.getContext());
}
