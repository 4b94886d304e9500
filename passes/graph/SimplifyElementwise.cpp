//===- SimplifyElementwise.cpp - casts, unary and binary operations -------===//
//
// Only what is the same to the last bit, -0 and NaN included.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/graph/SimplifyPatterns.h"

using namespace mlir;
using namespace lz;

/// True if every number of type `from` is one of type `to`.
static bool isExactCast(Type from, Type to) {
  if (from == to)
    return true;
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat)
    return (from.isF16() || from.isBF16() || from.isF32()) &&
           (to.isF64() || (to.isF32() && fromFloat.getWidth() < 32));
  auto fromInt = dyn_cast<IntegerType>(from), toInt = dyn_cast<IntegerType>(to);
  if (!fromInt || !toInt)
    return false;
  // Booleans are 0 and 1 in every integer type.
  bool isUnsigned = fromInt.isUnsigned() || fromInt.getWidth() == 1;
  if (toInt.getWidth() == 1 || (toInt.isUnsigned() && !isUnsigned))
    return false;
  return toInt.getWidth() > fromInt.getWidth() ||
         (toInt.getWidth() == fromInt.getWidth() &&
          toInt.isUnsigned() == isUnsigned);
}

namespace {

/// cast(cast(x, exactly)) -> cast(x), or x if its type is reached again
struct ComposeCasts : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp outer,
                                PatternRewriter &rewriter) const override {
    auto inner = outer.getInput().getDefiningOp<CastOp>();
    if (!inner)
      return failure();
    Type source = getElementTypeOrSelf(inner.getInput());
    if (!isExactCast(source, inner.getTo()))
      return rewriter.notifyMatchFailure(inner, "may round or wrap");
    if (inner.getInput().getType() == outer.getType()) {
      rewriter.replaceOp(outer, inner.getInput());
      return success();
    }
    rewriter.modifyOpInPlace(
        outer, [&] { outer.getInputMutable().assign(inner.getInput()); });
    return success();
  }
};

/// neg(neg(x)) -> x, abs(abs(x)) -> abs(x), and their like
struct SimplifyUnaryPair : OpRewritePattern<UnaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(UnaryOp outer,
                                PatternRewriter &rewriter) const override {
    auto inner = outer.getInput().getDefiningOp<UnaryOp>();
    if (!inner || inner.getKind() != outer.getKind() ||
        inner.getType() != outer.getType())
      return failure();
    switch (outer.getKind()) {
    case UnaryKind::neg:
    case UnaryKind::logical_not:
    case UnaryKind::bit_not:
      rewriter.replaceOp(outer, inner.getInput());
      return success();
    case UnaryKind::abs:
    case UnaryKind::relu:
    case UnaryKind::sign:
    case UnaryKind::floor:
    case UnaryKind::ceil:
    case UnaryKind::round:
      rewriter.replaceOp(outer, inner.getResult());
      return success();
    default:
      return rewriter.notifyMatchFailure(outer, "neither undoes nor repeats");
    }
  }
};

} // namespace

/// True if `value` is a constant that leaves every x as it is in `x + value`.
static bool isNeutralAddend(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                        : DenseElementsAttr();
  if (!dense || !dense.isSplat())
    return false;
  if (isa<FloatType>(dense.getElementType())) {
    // x + 0 makes 0 of -0.
    APFloat number = dense.getSplatValue<APFloat>();
    return number.isZero() && number.isNegative();
  }
  return isa<IntegerType>(dense.getElementType()) &&
         dense.getSplatValue<APInt>().isZero();
}

namespace {

/// x + 0 -> x, 0 + x -> x
struct RemoveNeutralOperand : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::add)
      return failure();
    for (auto [kept, other] : {std::pair(op.getLhs(), op.getRhs()),
                               std::pair(op.getRhs(), op.getLhs())}) {
      if (!isNeutralAddend(other))
        continue;
      if (kept.getType() != op.getType())
        return rewriter.notifyMatchFailure(op, "broadcasts its operand");
      rewriter.replaceOp(op, kept);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is exactly neutral");
  }
};

} // namespace

void lz::populateSimplifyElementwisePatterns(RewritePatternSet &patterns) {
  patterns.add<ComposeCasts, RemoveNeutralOperand, SimplifyUnaryPair>(
      patterns.getContext());
}
