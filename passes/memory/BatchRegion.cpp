//===- BatchRegion.cpp - operations that treat samples alike --------------===//

#include "passes/memory/BatchRegion.h"

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/memory/TensorSizes.h"

using namespace mlir;
using namespace lz;

static constexpr unsigned kBatchDim = 0;

/// The part of the memory that makes streaming pay which an iteration should
/// take, so that its kernels have enough to do.
static constexpr int64_t kStepParts = 4;

static bool isPointwise(Operation *op) {
  return isa<UnaryOp, BinaryOp, CompareOp, SelectOp, CastOp>(op);
}

bool lz::hasSamples(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<ConcatOp>(op))
    return true;
  if (!isPointwise(op))
    return operand.getOperandNumber() == 0;
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  return !isSameAlong(operand.get(), rank, kBatchDim);
}

/// The size of the batch of `value`, if it is known.
static std::optional<int64_t> getSamples(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() == 0 || type.isDynamicDim(kBatchDim))
    return std::nullopt;
  return type.getDimSize(kBatchDim);
}

/// True if `op` treats each of `samples` samples alike.
static bool treatsAlike(Operation &op, int64_t samples) {
  auto concat = dyn_cast<ConcatOp>(op);
  auto pool = dyn_cast<PoolOp>(op);
  if (!isPointwise(&op) && !isa<ConvOp, ConvTransposeOp>(op) &&
      !(pool && !pool.getWithIndices()) &&
      !(concat && concat.getAxis() != kBatchDim))
    return false;
  return getSamples(op.getResult(0)) == samples &&
         llvm::all_of(op.getOpOperands(), [&](OpOperand &operand) {
           return !hasSamples(operand) || getSamples(operand.get()) == samples;
         });
}

/// True if `op`, or what is in its regions, reads a result of `ops`.
static bool reads(Operation &op, const llvm::SetVector<Operation *> &ops) {
  auto isOfOne = [&](Value value) {
    return ops.contains(value.getDefiningOp());
  };
  if (llvm::any_of(op.getOperands(), isOfOne))
    return true;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegions(), captured);
  return llvm::any_of(captured, isOfOne);
}

/// Collects operations from `first` to `last`.
static BatchRegion collect(Operation *first, Operation *last, int64_t samples) {
  BatchRegion region;
  region.samples = samples;
  llvm::SetVector<Operation *> &inside = region.ops, behind;
  SmallVector<Operation *> waiting; // not known yet to be before the last one
  for (Operation &op :
       llvm::make_range(first->getIterator(), std::next(last->getIterator()))) {
    bool isOf = treatsAlike(op, samples) && !reads(op, behind) &&
                llvm::none_of(op.getOpOperands(), [&](OpOperand &operand) {
                  return !hasSamples(operand) &&
                         region.contains(operand.get().getDefiningOp());
                });
    if (isOf) {
      inside.insert(&op);
      region.behind.append(waiting);
      waiting.clear();
    } else if (reads(op, inside) || reads(op, behind)) {
      behind.insert(&op);
      waiting.push_back(&op);
    }
  }
  return region;
}

/// The bytes of what `op` reads and computes that are not seen outside of
/// `region`: what a part of the batch makes smaller.
static int64_t getInnerBytes(const BatchRegion &region, Operation *op) {
  auto isInner = [&](Value value) {
    return region.contains(value.getDefiningOp()) &&
           llvm::all_of(value.getUsers(),
                        [&](Operation *user) { return region.contains(user); });
  };
  int64_t bytes = 0;
  SmallVector<Value> values(op->getOperands());
  values.append(op->getResults().begin(), op->getResults().end());
  for (Value value : values)
    if (isInner(value))
      bytes += getTensorBytes(cast<RankedTensorType>(value.getType()));
  return bytes;
}

/// The fewest samples, a divisor of all, that need `bytes` of the `wholeBytes`.
static int64_t getStep(int64_t samples, int64_t wholeBytes, int64_t bytes) {
  int64_t step = 1;
  while (step < samples &&
         (samples % step != 0 || wholeBytes / samples * step < bytes))
    ++step;
  return step;
}

/// The part of `all` from the first to the last that `ops`, which are some of
/// them, exchange values with.
static BatchRegion cutOut(const BatchRegion &all, ArrayRef<Operation *> ops) {
  llvm::SmallDenseSet<Operation *> near(ops.begin(), ops.end());
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      near.insert(operand.getDefiningOp());
    near.insert(op->user_begin(), op->user_end());
  }
  auto isNear = [&](Operation *op) { return near.contains(op); };
  auto first = llvm::find_if(all.ops, isNear);
  auto last = llvm::find_if(llvm::reverse(all.ops), isNear).base();
  // What is computed element by element stays with what it reads.
  while (last != all.ops.end() && isPointwise(*last))
    ++last;
  return collect(*first, *std::prev(last), all.samples);
}

std::optional<BatchRegion> lz::getBatchRegion(Block &block, int64_t samples,
                                              int64_t minBytes) {
  BatchRegion all = collect(&block.front(), &block.back(), samples);
  SmallVector<Operation *> large;
  int64_t most = 0;
  for (Operation *op : all.ops) {
    int64_t bytes = isPointwise(op) ? 0 : getInnerBytes(all, op);
    most = std::max(most, bytes);
    if (bytes >= minBytes)
      large.push_back(op);
  }
  if (large.empty())
    return std::nullopt;
  BatchRegion region = cutOut(all, large);
  region.step = getStep(samples, most, minBytes / kStepParts);
  bool isPure = llvm::all_of(region.behind, isMemoryEffectFree);
  return isPure && region.step * 2 <= samples ? std::optional(region)
                                              : std::nullopt;
}
