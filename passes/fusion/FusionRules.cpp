//===- FusionRules.cpp - which operations may share a kernel --------------===//

#include "passes/fusion/FusionRules.h"

#include "dialects/lz/IR/LzOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

bool lz::isConstantOrView(Operation *op) {
  auto fusion = dyn_cast<FusionOpInterface>(op);
  return fusion && (fusion.getFusionKind() == FusionKind::Constant ||
                    fusion.getFusionKind() == FusionKind::View);
}

/// The role of an operation of kind Pointwise.
static GroupRole getPointwiseRole(Operation *op) {
  // A join is one copy per operand, or none where the operands are computed in
  // place; a list of sizes has no rule from index to element.
  if (isa<ConcatOp, SizesOp>(op))
    return GroupRole::Alone;
  // A window of channels per element.
  if (isa<LrnOp>(op))
    return GroupRole::Anchor;
  if (isa<UnaryOp, BinaryOp, CompareOp, SelectOp, CastOp, BitcastOp,
          BatchNormOp, QuantizeOp, DequantizeOp>(op))
    return GroupRole::Elementwise;
  return GroupRole::Mapped;
}

GroupRole lz::getGroupRole(Operation *op) {
  auto fusion = dyn_cast<FusionOpInterface>(op);
  if (!fusion)
    return GroupRole::Bare;
  switch (fusion.getFusionKind()) {
  case FusionKind::Constant:
  case FusionKind::View:
    return GroupRole::Bare;
  case FusionKind::Opaque:
    return GroupRole::Alone;
  case FusionKind::Pointwise:
    return getPointwiseRole(op);
  case FusionKind::Reduction:
  case FusionKind::Row:
  case FusionKind::Contraction:
    return GroupRole::Anchor;
  }
  return GroupRole::Alone;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

static constexpr int64_t kFunctionCost = 10; // a polynomial or a library call
static constexpr int64_t kLoopCost = 40;     // a loop for each element
static constexpr int64_t kUnlimited = 1 << 20;

static int64_t getUnaryCost(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::identity:
  case UnaryKind::abs:
  case UnaryKind::neg:
  case UnaryKind::sign:
  case UnaryKind::floor:
  case UnaryKind::ceil:
  case UnaryKind::round:
  case UnaryKind::logical_not:
  case UnaryKind::bit_not:
  case UnaryKind::is_nan:
  case UnaryKind::is_inf:
  case UnaryKind::relu:
  case UnaryKind::leaky_relu:
  case UnaryKind::thresholded_relu:
  case UnaryKind::shrink:
    return 1;
  case UnaryKind::hard_sigmoid:
  case UnaryKind::hard_swish:
  case UnaryKind::reciprocal:
  case UnaryKind::sqrt:
  case UnaryKind::softsign:
    return 3;
  default:
    return kFunctionCost;
  }
}

int64_t lz::getElementCost(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](UnaryOp unary) { return getUnaryCost(unary.getKind()); })
      .Case([](BinaryOp binary) {
        return binary.getKind() == BinaryKind::pow ? kFunctionCost : 1;
      })
      .Case<BatchNormOp, QuantizeOp, DequantizeOp>([](auto) { return 4; })
      .Case([](ResizeOp resize) {
        if (resize.getKind() == ResizeKind::nearest)
          return int64_t(4);
        return resize.getAntialias() ? kLoopCost : kFunctionCost;
      })
      .Case<GatherOp, GatherElementsOp, GatherNdOp>([](auto) { return 3; })
      .Default([](Operation *) { return 1; });
}

/// True if no two windows of `pool` share an element.
static bool hasSeparateWindows(PoolOp pool) {
  return llvm::all_of(
      llvm::zip_equal(pool.getKernel(), pool.getStrides(), pool.getDilations()),
      [](auto dimension) {
        auto [kernel, stride, dilation] = dimension;
        return stride >= (kernel - 1) * dilation + 1;
      });
}

std::optional<int64_t> lz::getProducerBudget(Operation *op) {
  using Budget = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Budget>(op)
      // Each element is read once.
      .Case<TransposeOp, PadOp, TriluOp>([](auto) { return kUnlimited; })
      .Case([](ReduceOp reduce) {
        // The largest element, then the sum.
        return reduce.getKind() == ReduceKind::log_sum_exp ? 4 : kUnlimited;
      })
      .Case<ArgReduceOp>([](auto) { return kUnlimited; })
      // Two or three passes over a row.
      .Case<SoftmaxOp, LayerNormOp, GroupNormOp>([](auto) { return 4; })
      .Case(
          [](PoolOp pool) { return hasSeparateWindows(pool) ? kUnlimited : 2; })
      .Case<LrnOp>([](auto) { return 1; })
      .Default([](Operation *) { return Budget(); });
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool lz::isInlineConstant(Value value, Operation *user) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || !isa<DenseElementsAttr>(constant.getValue()))
    return false;
  auto elements = cast<DenseElementsAttr>(constant.getValue());
  if (!elements.isSplat() || isa<StringType>(elements.getElementType()))
    return false;
  return isa<UnaryOp, BinaryOp, CompareOp, SelectOp, CastOp, ExpandOp, RangeOp>(
             user) ||
         (isa<PadOp>(user) && user->getOperand(0) != value);
}
