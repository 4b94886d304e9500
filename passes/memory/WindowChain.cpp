//===- WindowChain.cpp - which rows of a value need which rows ------------===//

#include "passes/memory/WindowChain.h"

#include "dialects/lz/IR/LzOps.h"
#include "passes/memory/TensorSizes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lz;

RowRange WindowStep::getInputRows(RowRange range) const {
  int64_t first = range.first * stride - low;
  return {first, first + (range.size() - 1) * stride + extent};
}

/// Windows that reach further are left alone: sums and products of sizes may
/// not fit.
static constexpr int64_t kMaxReach = int64_t(1) << 31;

/// True if `type` has rows, and their number is known.
static bool hasRows(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() <= kRowDim)
    return false;
  int64_t count = countElements(tensor);
  return tensor.getDimSize(kRowDim) > 0 && count > 0 && count < kMaxElements;
}

/// Free sizes are 1.
static int64_t getRowElements(RankedTensorType type) {
  return countElements(type) / type.getDimSize(kRowDim);
}

static int64_t getRowBytes(RankedTensorType type) {
  return getBytes(type.getElementType(), getRowElements(type));
}

static std::optional<int64_t> getConstantAt(ArrayAttr exprs, size_t index) {
  return getExprs(exprs)[index].getConstant();
}

/// Fills in a window of `kernel` rows. False if its padding isn't known.
template <typename OpT>
static bool setWindow(OpT op, int64_t kernel, WindowStep &step) {
  auto low = getConstantAt(op.getLow(), 0);
  auto high = getConstantAt(op.getHigh(), 0);
  int64_t stride = op.getStrides()[0], dilation = op.getDilations()[0];
  for (std::optional<int64_t> reach :
       {low, high, {stride}, {dilation}, {kernel}})
    if (!reach || *reach < 0 || *reach > kMaxReach)
      return false;
  step.low = *low;
  step.high = *high;
  step.stride = stride;
  step.extent = (kernel - 1) * dilation + 1;
  step.isPointwise = false;
  // Else there were rows that no window reads.
  return stride <= step.extent;
}

static bool setConv(ConvOp op, WindowStep &step) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  if (step.operand != 0 || !hasRows(filter) || filter.getDimSize(0) <= 0)
    return false;
  return setWindow(op, filter.getDimSize(kRowDim), step);
}

static bool setPool(PoolOp op, WindowStep &step) {
  if (op.getWithIndices())
    return false;
  return setWindow(op, op.getKernel()[0], step);
}

static bool setPointwise(WindowStep &step) {
  int64_t rank = cast<RankedTensorType>(step.getResult().getType()).getRank();
  for (OpOperand &other : step.op->getOpOperands())
    if (other.getOperandNumber() != step.operand &&
        !isSameAlong(other.get(), rank, kRowDim))
      return false;
  return cast<RankedTensorType>(step.getInput().getType()).getRank() == rank &&
         step.inputRows == step.rows;
}

static std::optional<WindowStep> getStep(OpOperand &input) {
  WindowStep step;
  step.op = input.getOwner();
  step.operand = input.getOperandNumber();
  if (step.op->getNumResults() != 1 || !hasRows(step.getInput().getType()) ||
      !hasRows(step.getResult().getType()))
    return std::nullopt;
  auto from = cast<RankedTensorType>(step.getInput().getType());
  auto to = cast<RankedTensorType>(step.getResult().getType());
  step.inputRows = from.getDimSize(kRowDim);
  step.rows = to.getDimSize(kRowDim);
  step.inputRowBytes = getRowBytes(from);
  step.rowBytes = getRowBytes(to);
  bool known = llvm::TypeSwitch<Operation *, bool>(step.op)
                   .Case([&](ConvOp op) { return setConv(op, step); })
                   .Case([&](PoolOp op) { return setPool(op, step); })
                   .Case<UnaryOp, BinaryOp, CompareOp, SelectOp, CastOp>(
                       [&](auto) { return setPointwise(step); })
                   .Default([](Operation *) { return false; });
  return known ? std::optional(step) : std::nullopt;
}

WindowChain lz::getWindowChain(OpOperand &input) {
  WindowChain chain;
  OpOperand *next = &input;
  while (auto step = getStep(*next)) {
    chain.push_back(*step);
    Value result = step->getResult();
    if (!result.hasOneUse())
      break;
    next = &*result.use_begin();
    if (next->getOwner()->getBlock() != step->op->getBlock())
      break;
  }
  return chain;
}

std::optional<Band> lz::getBand(ArrayRef<WindowStep> chain, RowRange rows,
                                const Band *before) {
  Band band;
  band.steps.resize(chain.size());
  for (size_t index = chain.size(); index-- > 0;) {
    const WindowStep &step = chain[index];
    RowRange needed = step.getInputRows(rows);
    int64_t low = std::max<int64_t>(-needed.first, 0);
    int64_t high = std::max<int64_t>(needed.last - step.inputRows, 0);
    band.isInner &= low == 0 && high == 0;
    RowRange input = {std::max<int64_t>(needed.first, 0),
                      std::min(needed.last, step.inputRows)};
    if (rows.size() <= 0 || input.size() <= 0)
      return std::nullopt;
    // A pool's last window may reach beyond the padding.
    band.steps[index] = {input, rows, low, std::min(high, step.high)};
    if (index > 0)
      rows = {before ? before->steps[index - 1].rows.last : 0, input.last};
  }
  return band;
}
