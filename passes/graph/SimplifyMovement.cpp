//===- SimplifyMovement.cpp - transposes, slices, decided branches --------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/graph/SimplifyPatterns.h"

using namespace mlir;
using namespace lz;

namespace {

/// transpose(transpose(x, p), q) -> transpose(x, p after q)
struct ComposeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp outer,
                                PatternRewriter &rewriter) const override {
    auto inner = outer.getInput().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> permutation =
        llvm::map_to_vector(outer.getPermutation(), [&](int64_t dim) {
          return inner.getPermutation()[dim];
        });
    bool identity =
        llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
    if (identity && inner.getInput().getType() == outer.getType()) {
      rewriter.replaceOp(outer, inner.getInput());
      return success();
    }
    rewriter.replaceOpWithNewOp<TransposeOp>(outer, outer.getType(),
                                             inner.getInput(), permutation);
    return success();
  }
};

/// slice(slice(x, o, s), p, t) -> slice(x, o + p * s, s * t)
struct ComposeSlices : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp outer,
                                PatternRewriter &rewriter) const override {
    auto inner = outer.getInput().getDefiningOp<SliceOp>();
    if (!inner)
      return failure();
    SymShape offsets, strides;
    for (auto [innerOffset, innerStride, offset, stride] : llvm::zip_equal(
             getExprs(inner.getOffsets()), getExprs(inner.getStrides()),
             getExprs(outer.getOffsets()), getExprs(outer.getStrides()))) {
      offsets.push_back(innerOffset + offset * innerStride);
      strides.push_back(innerStride * stride);
      if (offsets.back().isUndefined() || strides.back().isUndefined())
        return rewriter.notifyMatchFailure(outer, "positions exceed 64 bits");
    }
    rewriter.replaceOpWithNewOp<SliceOp>(
        outer, outer.getType(), inner.getInput(),
        getExprArray(getContext(), offsets), outer.getSizes(),
        getExprArray(getContext(), strides));
    return success();
  }
};

/// if(constant) -> the branch that is taken
struct InlineDecidedIf : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IfOp op,
                                PatternRewriter &rewriter) const override {
    auto constant = op.getCondition().getDefiningOp<ConstantOp>();
    auto value = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                          : DenseElementsAttr();
    if (!value || !value.isSplat())
      return rewriter.notifyMatchFailure(op, "condition is not a constant");
    Region &region =
        value.getSplatValue<bool>() ? op.getThenRegion() : op.getElseRegion();
    Operation *yield = region.front().getTerminator();
    if (yield->getOperandTypes() != op.getResultTypes() ||
        !op.getSymbols().empty())
      return rewriter.notifyMatchFailure(op, "branches differ in their sizes");
    SmallVector<Value> results(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&region.front(), op);
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void lz::populateSimplifyMovementPatterns(RewritePatternSet &patterns) {
  patterns.add<ComposeSlices, ComposeTransposes, InlineDecidedIf>(
      patterns.getContext());
}
