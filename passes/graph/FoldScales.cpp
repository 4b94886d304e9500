//===- FoldScales.cpp - constant factors and addends into convolutions ----===//
//
// conv(x, w, b) * s + t = conv(x, w * s, b * s + t), where s and t have a
// number per output channel. The new filter is new memory, of which there is a
// bound; beyond it the factor stays a pointwise operation behind the
// convolution.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/Passes.h"
#include "passes/support/Rewrite.h"

#include <cmath>

namespace lz {
#define GEN_PASS_DEF_FOLDSCALESPASS
#include "passes/graph/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

/// The number of output channels and which of them filter element `index` is
/// of.
static int64_t getChannels(ConvOp op) {
  return cast<RankedTensorType>(op.getFilter().getType()).getDimSize(0);
}
static int64_t getChannelOf(ConvOp op, ArrayRef<int64_t> filter,
                            int64_t index) {
  return index / ShapedType::getNumElements(filter.drop_front());
}

static int64_t getChannels(ConvTransposeOp op) {
  return cast<RankedTensorType>(op.getFilter().getType()).getDimSize(1) *
         op.getGroups();
}
static int64_t getChannelOf(ConvTransposeOp op, ArrayRef<int64_t> filter,
                            int64_t index) {
  int64_t window = ShapedType::getNumElements(filter.drop_front(2));
  int64_t input = index / window / filter[1];
  int64_t group = input / (filter[0] / static_cast<int64_t>(op.getGroups()));
  return group * filter[1] + index / window % filter[1];
}

/// The number per channel that `operand` broadcasts to a tensor of `type`; none
/// if it is not a constant or varies along another dimension.
static std::optional<SmallVector<double>>
getPerChannel(Value operand, RankedTensorType type, int64_t channels) {
  auto constant = FloatConstant::get(operand);
  if (!constant || constant->getType().getRank() > type.getRank())
    return std::nullopt;
  int64_t offset = type.getRank() - constant->getType().getRank();
  for (auto [dim, size] : llvm::enumerate(constant->getType().getShape()))
    if (size != 1 &&
        (static_cast<int64_t>(dim) + offset != 1 || size != channels))
      return std::nullopt;
  SmallVector<double> numbers;
  for (int64_t i = 0; i != channels; ++i)
    numbers.push_back((*constant)[constant->size() == 1 ? 0 : i]);
  return numbers;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Rewrites a multiplication or addition behind a convolution `Op`.
template <typename Op> struct FoldIntoConvolution : OpRewritePattern<BinaryOp> {
  FoldIntoConvolution(MLIRContext *context, ConstantMaker &maker)
      : OpRewritePattern<BinaryOp>(context), maker(maker) {}

  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override;

private:
  LogicalResult fold(BinaryOp op, Op conv, Value other,
                     PatternRewriter &rewriter) const;
  void replace(BinaryOp op, Op conv, Value newFilter, Value newBias,
               PatternRewriter &rewriter) const;
  Value makeBias(PatternRewriter &rewriter, Op conv, ArrayRef<double> factors,
                 ArrayRef<double> addends) const;
  Value makeFilter(PatternRewriter &rewriter, Op conv,
                   ArrayRef<double> factors) const;

  ConstantMaker &maker;
};

} // namespace

/// The bias `b * factor + addend`; an absent b is zero.
template <typename Op>
Value FoldIntoConvolution<Op>::makeBias(PatternRewriter &rewriter, Op conv,
                                        ArrayRef<double> factors,
                                        ArrayRef<double> addends) const {
  auto bias = FloatConstant::get(conv.getBias());
  auto type = RankedTensorType::get(factors.size(),
                                    getElementTypeOrSelf(conv.getType()));
  return ConstantOp::create(
      rewriter, conv.getLoc(), type,
      maker.makeFloats(type, conv.getFilter(), [&](int64_t i) {
        return (bias ? (*bias)[i] : 0.0) * factors[i] + addends[i];
      }));
}

template <typename Op>
Value FoldIntoConvolution<Op>::makeFilter(PatternRewriter &rewriter, Op conv,
                                          ArrayRef<double> factors) const {
  auto filter = FloatConstant::get(conv.getFilter());
  ArrayRef<int64_t> shape = filter->getType().getShape();
  return ConstantOp::create(
      rewriter, conv.getLoc(), filter->getType(),
      maker.makeFloats(filter->getType(), conv.getFilter(), [&](int64_t i) {
        return (*filter)[i] * factors[getChannelOf(conv, shape, i)];
      }));
}

template <typename Op>
LogicalResult
FoldIntoConvolution<Op>::matchAndRewrite(BinaryOp op,
                                         PatternRewriter &rewriter) const {
  bool isProduct = op.getKind() == BinaryKind::mul;
  if (!isProduct && op.getKind() != BinaryKind::add)
    return failure();
  Value other = op.getRhs();
  auto conv = op.getLhs().getDefiningOp<Op>();
  if (!conv) {
    conv = op.getRhs().getDefiningOp<Op>();
    other = op.getLhs();
  }
  if (!conv || conv.getType() != op.getType())
    return failure();
  return fold(op, conv, other, rewriter);
}

/// Makes the folded convolution, unless something is in the way.
template <typename Op>
LogicalResult FoldIntoConvolution<Op>::fold(BinaryOp op, Op conv, Value other,
                                            PatternRewriter &rewriter) const {
  bool isProduct = op.getKind() == BinaryKind::mul;
  if (!conv->hasOneUse())
    return rewriter.notifyMatchFailure(conv, "has other users");
  auto filter = FloatConstant::get(conv.getFilter());
  if (!filter || (conv.getBias() && !FloatConstant::get(conv.getBias())))
    return rewriter.notifyMatchFailure(
        conv, "filter or bias is not an f32 or f64 constant");
  int64_t channels = getChannels(conv);
  auto numbers =
      getPerChannel(other, cast<RankedTensorType>(conv.getType()), channels);
  if (!numbers)
    return rewriter.notifyMatchFailure(op, "is not by a number per channel");
  if (!llvm::all_of(*numbers, [](double v) { return std::isfinite(v); }))
    return rewriter.notifyMatchFailure(op, "is by a number that is not finite");
  if (isProduct && !maker.hasRoomFor(filter->getType()))
    return rewriter.notifyMatchFailure(
        conv, "the new filter would exceed the bytes that folding may take");
  SmallVector<double> ones(channels, 1.0), zeros(channels, 0.0);
  Value newFilter = conv.getFilter(), newBias;
  if (isProduct)
    newFilter = makeFilter(rewriter, conv, *numbers);
  if (!isProduct)
    newBias = makeBias(rewriter, conv, ones, *numbers);
  else if (conv.getBias())
    newBias = makeBias(rewriter, conv, *numbers, zeros);
  replace(op, conv, newFilter, newBias, rewriter);
  return success();
}

/// Replaces `op` by `conv` with other weights.
template <typename Op>
void FoldIntoConvolution<Op>::replace(BinaryOp op, Op conv, Value newFilter,
                                      Value newBias,
                                      PatternRewriter &rewriter) const {
  auto folded = cast<Op>(rewriter.clone(*conv));
  rewriter.modifyOpInPlace(folded, [&] {
    folded->setLoc(rewriter.getFusedLoc({conv.getLoc(), op.getLoc()}));
    folded.getFilterMutable().assign(newFilter);
    folded.getBiasMutable().assign(newBias ? ValueRange(newBias)
                                           : ValueRange());
  });
  rewriter.replaceOp(op, folded);
}

namespace {

struct FoldScalesPass : lz::impl::FoldScalesPassBase<FoldScalesPass> {
  using FoldScalesPassBase::FoldScalesPassBase;

  void runOnOperation() override {
    ConstantMaker maker(".scaled", maxBytes);
    RewritePatternSet patterns(&getContext());
    patterns
        .add<FoldIntoConvolution<ConvOp>, FoldIntoConvolution<ConvTransposeOp>>(
            &getContext(), maker);
    if (failed(
            applyPatterns(getOperation(), std::move(patterns), getArgument())))
      signalPassFailure();
  }
};

} // namespace
