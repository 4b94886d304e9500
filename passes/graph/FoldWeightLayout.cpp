//===- FoldWeightLayout.cpp - movements of constants ----------------------===//
//
// A reshape of a constant is the same bytes under another type. A transpose, or
// a concat of constants and slices of them (exporters put the gates of LSTMs in
// order that way), is made once here instead of in every run; its memory is
// bounded.
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

namespace {
/// Elements in memory: `strides` apart along each dimension, from `first` on.
template <typename Bytes> struct Strided {
  Bytes bytes;
  int64_t first;
  SmallVector<int64_t> strides;
};
using Source = Strided<ArrayRef<char>>;
using Target = Strided<MutableArrayRef<char>>;
} // namespace

/// Copies the elements of `shape`.
static void copyStrided(const Source &source, const Target &target,
                        ArrayRef<int64_t> shape, int64_t elementBytes) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t from = source.first, to = target.first;
  for (size_t dim = 1; dim > 0;) {
    std::memcpy(target.bytes.data() + to * elementBytes,
                source.bytes.data() + from * elementBytes, elementBytes);
    // To the next element: the last dimension first.
    for (dim = shape.size(); dim > 0; --dim) {
      from += source.strides[dim - 1];
      to += target.strides[dim - 1];
      if (++index[dim - 1] != shape[dim - 1])
        break;
      from -= source.strides[dim - 1] * shape[dim - 1];
      to -= target.strides[dim - 1] * shape[dim - 1];
      index[dim - 1] = 0;
    }
  }
}

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The elements of `value`, if that is a constant of the model or a slice of
/// one.
static std::optional<Source> getSource(Value value) {
  auto slice = value.getDefiningOp<SliceOp>();
  Value whole = slice ? slice.getInput() : value;
  auto bytes = getResourceBytes(whole);
  if (!bytes)
    return std::nullopt;
  Source source = {*bytes, 0, getStrides(getShape(whole))};
  if (!slice)
    return source;
  for (auto [stride, offset, step] :
       llvm::zip_equal(source.strides, getExprs(slice.getOffsets()),
                       getExprs(slice.getStrides()))) {
    if (!offset.getConstant() || !step.getConstant())
      return std::nullopt;
    source.first += *offset.getConstant() * stride;
    stride *= *step.getConstant();
  }
  return source;
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
    SmallVector<int64_t> from = getStrides(getShape(op.getInput()));
    Source source = {*bytes, 0,
                     llvm::map_to_vector(op.getPermutation(), [&](int64_t dim) {
                       return from[dim];
                     })};
    auto value =
        maker.make(type, op.getInput(), [&](MutableArrayRef<char> target) {
          copyStrided(source, {target, 0, getStrides(type.getShape())},
                      type.getShape(), getElementBytes(type.getElementType()));
        });
    rewriter.replaceOpWithNewOp<ConstantOp>(op, type, value);
    return success();
  }

  ConstantMaker &maker;
};

/// concat(constants and slices of them) -> constant
struct FoldConcatOfConstants : OpRewritePattern<ConcatOp> {
  FoldConcatOfConstants(MLIRContext *context, ConstantMaker &maker)
      : OpRewritePattern(context), maker(maker) {}

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Source> sources;
    for (Value input : op.getInputs()) {
      auto source = getSource(input);
      if (!source)
        return rewriter.notifyMatchFailure(op, "an operand is no resource");
      sources.push_back(*source);
    }
    auto type = cast<RankedTensorType>(op.getType());
    if (!type.hasStaticShape() || !maker.hasRoomFor(type))
      return rewriter.notifyMatchFailure(
          op, "the new constant would exceed the bytes that folding may take");
    auto value = maker.make(
        type, getConstant(op.getInputs().front()),
        [&](MutableArrayRef<char> bytes) { fill(op, sources, bytes); });
    rewriter.replaceOpWithNewOp<ConstantOp>(op, type, value);
    return success();
  }

private:
  /// What gives the new constant its name.
  static Value getConstant(Value value) {
    auto slice = value.getDefiningOp<SliceOp>();
    return slice ? slice.getInput() : value;
  }

  static void fill(ConcatOp op, ArrayRef<Source> sources,
                   MutableArrayRef<char> bytes) {
    auto type = cast<RankedTensorType>(op.getType());
    Target target = {bytes, 0, getStrides(type.getShape())};
    for (auto [input, source] : llvm::zip_equal(op.getInputs(), sources)) {
      copyStrided(source, target, getShape(input),
                  getElementBytes(type.getElementType()));
      target.first +=
          getShape(input)[op.getAxis()] * target.strides[op.getAxis()];
    }
  }

  ConstantMaker &maker;
};

struct FoldWeightLayoutPass
    : lz::impl::FoldWeightLayoutPassBase<FoldWeightLayoutPass> {
  using FoldWeightLayoutPassBase::FoldWeightLayoutPassBase;

  void runOnOperation() override {
    ConstantMaker maker(".moved", maxBytes);
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldReshapeOfConstant>(&getContext());
    patterns.add<FoldTransposeOfConstant, FoldConcatOfConstants>(&getContext(),
                                                                 maker);
    if (failed(
            applyPatterns(getOperation(), std::move(patterns), getArgument())))
      signalPassFailure();
  }
};

} // namespace
