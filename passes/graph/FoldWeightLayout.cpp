//===- FoldWeightLayout.cpp - reshapes and transposes of constants --------===//
//
// A reshape of a constant is the same bytes under another type. A transpose is
// made once here instead of in every run; its memory is bounded.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/Passes.h"
#include "passes/support/Rewrite.h"

#include <cstring>

namespace lz {
#define GEN_PASS_DEF_FOLDWEIGHTLAYOUTPASS
#include "passes/graph/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

/// The distance in elements between neighbours along each dimension.
static SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  return strides;
}

/// Writes elements of `source`, which are `strides` apart along the dimensions
/// of `shape`, one after the other.
static void copyStrided(ArrayRef<char> source, MutableArrayRef<char> target,
                        ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                        int64_t elementBytes) {
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t position = 0;
  for (char *out = target.begin(); out != target.end(); out += elementBytes) {
    std::memcpy(out, source.data() + position * elementBytes, elementBytes);
    for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0;
         --dim) {
      position += strides[dim];
      if (++index[dim] != shape[dim])
        break;
      position -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
  }
}

namespace {

/// reshape(constant) -> constant
struct FoldReshapeOfConstant : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto constant = op.getInput().getDefiningOp<ConstantOp>();
    auto type = cast<RankedTensorType>(op.getType());
    if (!constant || !type.hasStaticShape())
      return failure();
    ElementsAttr value;
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
      value = dense.reshape(type);
    else if (auto resource =
                 dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
      value = DenseResourceElementsAttr::get(type, resource.getRawHandle());
    if (!value)
      return rewriter.notifyMatchFailure(op, "operand is no dense constant");
    rewriter.replaceOpWithNewOp<ConstantOp>(op, type, value);
    return success();
  }
};

/// transpose(constant) -> constant
struct FoldTransposeOfConstant : OpRewritePattern<TransposeOp> {
  FoldTransposeOfConstant(MLIRContext *context, ConstantMaker &maker)
      : OpRewritePattern(context), maker(maker) {}

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto bytes = getResourceBytes(op.getInput());
    if (!bytes)
      return rewriter.notifyMatchFailure(op, "operand is no resource");
    auto type = cast<RankedTensorType>(op.getType());
    if (!type.hasStaticShape() || !maker.hasRoomFor(type))
      return rewriter.notifyMatchFailure(
          op, "the new constant would exceed the bytes that folding may take");
    SmallVector<int64_t> from =
        getStrides(cast<RankedTensorType>(op.getInput().getType()).getShape());
    SmallVector<int64_t> strides = llvm::map_to_vector(
        op.getPermutation(), [&](int64_t dim) { return from[dim]; });
    auto value =
        maker.make(type, op.getInput(), [&](MutableArrayRef<char> target) {
          copyStrided(*bytes, target, type.getShape(), strides,
                      getElementBytes(type.getElementType()));
        });
    rewriter.replaceOpWithNewOp<ConstantOp>(op, type, value);
    return success();
  }

  ConstantMaker &maker;
};

struct FoldWeightLayoutPass
    : lz::impl::FoldWeightLayoutPassBase<FoldWeightLayoutPass> {
  using FoldWeightLayoutPassBase::FoldWeightLayoutPassBase;

  void runOnOperation() override {
    ConstantMaker maker(".transposed", maxBytes);
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldReshapeOfConstant>(&getContext());
    patterns.add<FoldTransposeOfConstant>(&getContext(), maker);
    if (failed(
            applyPatterns(getOperation(), std::move(patterns), getArgument())))
      signalPassFailure();
  }
};

} // namespace
