//===- FoldBatchNorm.cpp - known statistics to a factor and an addend -----===//
//
// For inference a batch normalization is a factor and an addend per channel.
// lz-fold-scales then folds these into a convolution before them; elsewhere
// they are two cheap pointwise operations without a root and a division.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/Passes.h"
#include "passes/support/Rewrite.h"

#include <cmath>

namespace lz {
#define GEN_PASS_DEF_FOLDBATCHNORMPASS
#include "passes/graph/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

namespace {

/// The factor and the addend of each channel.
struct Affine {
  SmallVector<double> factors, addends;
};

} // namespace

/// `scale / sqrt(variance + epsilon)` and `bias - mean * factor`; none if an
/// operand is not a constant or a factor is not finite.
static std::optional<Affine> getAffine(BatchNormOp op) {
  auto scale = FloatConstant::get(op.getScale());
  auto bias = FloatConstant::get(op.getBias());
  auto mean = FloatConstant::get(op.getMean());
  auto variance = FloatConstant::get(op.getVariance());
  if (!scale || !bias || !mean || !variance)
    return std::nullopt;
  Affine affine;
  double epsilon = op.getEpsilon().convertToDouble();
  for (int64_t i = 0; i != scale->size(); ++i) {
    double factor = (*scale)[i] / std::sqrt((*variance)[i] + epsilon);
    if (!std::isfinite(factor))
      return std::nullopt;
    affine.factors.push_back(factor);
    affine.addends.push_back((*bias)[i] - (*mean)[i] * factor);
  }
  return affine;
}

namespace {

/// batch_norm(x, constants...) -> x * factor + addend
struct BatchNormToAffine : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    auto affine = getAffine(op);
    if (!affine)
      return rewriter.notifyMatchFailure(
          op, "statistics are not finite f32 or f64 constants");
    auto type = cast<RankedTensorType>(op.getType());
    Type elementType = type.getElementType();
    if (elementType != getElementTypeOrSelf(op.getScale()))
      return rewriter.notifyMatchFailure(op, "element types differ");
    SmallVector<int64_t> shape(std::max<int64_t>(type.getRank() - 1, 1), 1);
    shape.front() = affine->factors.size();
    auto channels = RankedTensorType::get(shape, elementType);
    auto makeConstant = [&](ArrayRef<double> values) {
      SmallVector<APFloat> numbers = llvm::map_to_vector(values, [&](double v) {
        APFloat number(v);
        bool inexact;
        number.convert(cast<FloatType>(elementType).getFloatSemantics(),
                       APFloat::rmNearestTiesToEven, &inexact);
        return number;
      });
      return ConstantOp::create(rewriter, op.getLoc(), channels,
                                DenseElementsAttr::get(channels, numbers));
    };
    auto scaled =
        BinaryOp::create(rewriter, op.getLoc(), type, BinaryKind::mul,
                         op.getInput(), makeConstant(affine->factors));
    rewriter.replaceOpWithNewOp<BinaryOp>(op, type, BinaryKind::add, scaled,
                                          makeConstant(affine->addends));
    return success();
  }
};

struct FoldBatchNormPass : lz::impl::FoldBatchNormPassBase<FoldBatchNormPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<BatchNormToAffine>(&getContext());
    if (failed(
            applyPatterns(getOperation(), std::move(patterns), getArgument())))
      signalPassFailure();
  }
};

} // namespace
