//===- DistributeLanes.cpp - reductions of many neighbours at once --------===//
//
// A loop over lanes (neighbouring elements of a result) that holds other loops
// is not what LLVM vectorises, and walks memory in large steps. It is split
// around the loops that it holds, and goes inside of them:
//
//   for lane                     for lane { sum[lane] = 0 }
//     s = for k (a = 0)          for k
//       yield a + x[k, lane]       for lane { sum[lane] += x[k, lane] }
//     y[lane] = sqrt(s)          for lane { y[lane] = sqrt(sum[lane]) }
//
// What one part needs of another lies in small arrays on the stack, one element
// per lane. Index arithmetic is repeated instead, so that LLVM sees contiguous
// accesses. Each lane still does the same operations in the same order.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace lz {
#define GEN_PASS_DEF_DISTRIBUTELANESPASS
#include "passes/codegen/cpu/Passes.h.inc"
} // namespace lz

using namespace mlir;

/// How many steps of a reduction pass over the accumulators together.
static constexpr int64_t kStepsAtOnce = 4;
/// Index arithmetic of more operations than this is stored, not repeated.
static constexpr int kMostRepeated = 12;

namespace {

/// A value of each lane, to be stored in a slot.
struct SlotStore {
  Value value, slot;
};

class Distributor {
public:
  Distributor(scf::ForOp lanes, int64_t most)
      : lanes(lanes), most(most), builder(lanes), loc(lanes.getLoc()) {}

  void run();

private:
  /// Operations of one block that stay together in one loop over lanes.
  using Segment = SmallVector<Operation *>;

  void emitBlock(Block &block, ArrayRef<SlotStore> last);
  void emitSegment(const Segment &segment, ArrayRef<SlotStore> last);
  void emitNested(scf::ForOp nested);
  void emitSteps(scf::ForOp nested, Value low, Value high, int64_t count,
                 ArrayRef<Value> slots);
  void emitUnrolled(scf::ForOp nested, ArrayRef<Value> inductions,
                    ArrayRef<Value> slots);
  SmallVector<Value> getSlots(scf::ForOp nested);
  void shareOutputs(const Segment &segment, SmallVectorImpl<SlotStore> &stores);

  bool isDistributable(scf::ForOp nested);
  bool isUniform(Value value);
  int countRepeated(Value value);
  bool isRepeated(Value value) { return countRepeated(value) <= kMostRepeated; }
  bool isInside(Value value);

  Value getUniform(Value value);
  Value resolve(Value value, IRMapping &lane);
  void clone(Operation *op, IRMapping &lane);
  template <typename Body> void emitLanes(Body body);

  Value createSlot(Type type);
  Value getAddress(Value slot, Value lane, Type type);
  Value load(Value slot, Value lane, Type type);
  void store(const SlotStore &what, IRMapping &lane);

  scf::ForOp lanes;
  int64_t most;
  OpBuilder builder;
  Location loc;
  IRMapping uniform;            // values that are the same for all lanes
  DenseMap<Value, Value> slots; // values that lie in memory, by lane
  DenseMap<Value, int> repeated;
};

} // namespace

//===----------------------------------------------------------------------===//
// What values are
//===----------------------------------------------------------------------===//

bool Distributor::isInside(Value value) {
  return lanes.getRegion().isAncestor(value.getParentRegion());
}

/// True if `value` is the same for all lanes and can be made outside of them.
bool Distributor::isUniform(Value value) {
  if (!isInside(value) || uniform.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return value != lanes.getInductionVar() &&
           isa<scf::ForOp>(value.getParentBlock()->getParentOp()) &&
           cast<BlockArgument>(value).getArgNumber() == 0;
  return isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value v) { return isUniform(v); });
}

bool Distributor::isDistributable(scf::ForOp nested) {
  return isUniform(nested.getLowerBound()) &&
         isUniform(nested.getUpperBound()) && isUniform(nested.getStep());
}

/// The operations to make `value` again from the lane and what is uniform; many
/// if that takes more than index arithmetic.
int Distributor::countRepeated(Value value) {
  if (isUniform(value) || value == lanes.getInductionVar())
    return 0;
  auto known = repeated.find(value);
  if (known != repeated.end())
    return known->second;
  int count = kMostRepeated + 1;
  Operation *op = value.getDefiningOp();
  bool isAddress = isa_and_nonnull<LLVM::GEPOp>(op);
  bool isIndex = isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                                 arith::MinSIOp, arith::MaxSIOp>(op) &&
                 value.getType().isInteger(64);
  if (isAddress || isIndex) {
    count = 1;
    for (Value operand : op->getOperands())
      count = std::min(count + countRepeated(operand), kMostRepeated + 1);
  }
  return repeated[value] = count;
}

//===----------------------------------------------------------------------===//
// Values in the new loops
//===----------------------------------------------------------------------===//

/// `value`, which is uniform, at the current place.
Value Distributor::getUniform(Value value) {
  if (!isInside(value))
    return value;
  if (Value known = uniform.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, getUniform(operand));
  Operation *copy = builder.clone(*op, operands);
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

/// `value` inside of a new loop over lanes, whose values `lane` knows.
Value Distributor::resolve(Value value, IRMapping &lane) {
  if (Value known = lane.lookupOrNull(value))
    return known;
  Value made;
  if (isUniform(value)) {
    made = getUniform(value);
  } else if (Value slot = slots.lookup(value)) {
    Value index = lane.lookup(lanes.getInductionVar());
    made = load(slot, index, value.getType());
  } else {
    assert(isRepeated(value) && "the value was not stored");
    clone(value.getDefiningOp(), lane);
    return lane.lookup(value);
  }
  lane.map(value, made);
  return made;
}

/// Copies `op` into the current loop over lanes.
void Distributor::clone(Operation *op, IRMapping &lane) {
  for (Value operand : op->getOperands())
    resolve(operand, lane);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    resolve(value, lane);
  builder.clone(*op, lane);
}

template <typename Body> void Distributor::emitLanes(Body body) {
  auto loop = scf::ForOp::create(builder, loc, lanes.getLowerBound(),
                                 lanes.getUpperBound(), lanes.getStep());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  IRMapping lane;
  lane.map(lanes.getInductionVar(), loop.getInductionVar());
  body(lane);
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

static Type getSlotType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

Value Distributor::createSlot(Type type) {
  auto function = lanes->getParentOfType<func::FuncOp>();
  OpBuilder entry = OpBuilder::atBlockBegin(&function.front());
  Value count =
      arith::ConstantOp::create(entry, loc, entry.getI64IntegerAttr(most));
  return LLVM::AllocaOp::create(entry, loc,
                                LLVM::LLVMPointerType::get(entry.getContext()),
                                getSlotType(type), count, /*alignment=*/64);
}

Value Distributor::getAddress(Value slot, Value lane, Type type) {
  return LLVM::GEPOp::create(builder, loc, slot.getType(), getSlotType(type),
                             slot, ArrayRef<LLVM::GEPArg>{lane},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value Distributor::load(Value slot, Value lane, Type type) {
  Value value = LLVM::LoadOp::create(builder, loc, getSlotType(type),
                                     getAddress(slot, lane, type));
  return type.isInteger(1) ? arith::TruncIOp::create(builder, loc, type, value)
                           : value;
}

void Distributor::store(const SlotStore &what, IRMapping &lane) {
  Type type = what.value.getType();
  Value value = resolve(what.value, lane);
  if (type.isInteger(1))
    value = arith::ExtUIOp::create(builder, loc, getSlotType(type), value);
  Value index = lane.lookup(lanes.getInductionVar());
  LLVM::StoreOp::create(builder, loc, value,
                        getAddress(what.slot, index, type));
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

/// Adds stores of what `segment` makes and others need.
void Distributor::shareOutputs(const Segment &segment,
                               SmallVectorImpl<SlotStore> &stores) {
  llvm::SmallPtrSet<Operation *, 32> own(segment.begin(), segment.end());
  Block *block = segment.empty() ? nullptr : segment.front()->getBlock();
  for (Operation *op : segment)
    for (Value result : op->getResults()) {
      bool isNeeded = llvm::any_of(result.getUsers(), [&](Operation *user) {
        Operation *ancestor = block->findAncestorOpInBlock(*user);
        return ancestor != block->getTerminator() && !own.contains(ancestor);
      });
      if (!isNeeded || isRepeated(result))
        continue;
      Value slot = createSlot(result.getType());
      slots[result] = slot;
      stores.push_back({result, slot});
    }
}

/// One loop over lanes that does `segment` and then stores `last`.
void Distributor::emitSegment(const Segment &segment,
                              ArrayRef<SlotStore> last) {
  SmallVector<SlotStore> stores;
  shareOutputs(segment, stores);
  stores.append(last.begin(), last.end());
  bool hasEffect = llvm::any_of(
      segment, [](Operation *op) { return !isMemoryEffectFree(op); });
  if (stores.empty() && !hasEffect)
    return;
  // Inside of the loop all that this segment makes is at hand.
  SmallVector<std::pair<Value, Value>> hidden;
  for (const SlotStore &what : ArrayRef(stores).drop_back(last.size())) {
    hidden.push_back({what.value, what.slot});
    slots.erase(what.value);
  }
  emitLanes([&](IRMapping &lane) {
    for (Operation *op : segment)
      if (!lane.contains(op->getNumResults() ? op->getResult(0) : Value()) &&
          !(op->getNumResults() == 1 && isRepeated(op->getResult(0))))
        clone(op, lane);
    for (const SlotStore &what : stores) // before a store changes a slot
      resolve(what.value, lane);
    for (const SlotStore &what : stores)
      store(what, lane);
  });
  for (auto [value, slot] : hidden)
    slots[value] = slot;
}

/// The segments of `block` and the loops between them; `last` is stored at the
/// end of the last segment.
void Distributor::emitBlock(Block &block, ArrayRef<SlotStore> last) {
  Segment segment;
  for (Operation &op : block.without_terminator()) {
    auto nested = dyn_cast<scf::ForOp>(op);
    if (!nested || !isDistributable(nested)) {
      segment.push_back(&op);
      continue;
    }
    emitSegment(segment, {});
    segment.clear();
    emitNested(nested);
  }
  // What a nested loop left in the slot where it belongs stays there.
  SmallVector<SlotStore> stores;
  for (const SlotStore &what : last)
    if (slots.lookup(what.value) != what.slot)
      stores.push_back(what);
  emitSegment(segment, stores);
}

/// Where the values that `nested` carries lie. The innermost of several loops
/// that hand on one accumulator uses the slot of the outermost.
SmallVector<Value> Distributor::getSlots(scf::ForOp nested) {
  SmallVector<Value> carried;
  SmallVector<SlotStore> initial;
  for (Value init : nested.getInitArgs()) {
    bool isHandedOn = isa<BlockArgument>(init) && init.hasOneUse();
    if (Value slot = slots.lookup(init); slot && isHandedOn) {
      carried.push_back(slot);
      continue;
    }
    carried.push_back(createSlot(init.getType()));
    initial.push_back({init, carried.back()});
  }
  emitSegment({}, initial);
  return carried;
}

/// The body of `nested` in one loop over lanes for several of its steps, with
/// what it carries in registers between them.
void Distributor::emitUnrolled(scf::ForOp nested, ArrayRef<Value> inductions,
                               ArrayRef<Value> carried) {
  emitLanes([&](IRMapping &lane) {
    Value index = lane.lookup(lanes.getInductionVar());
    SmallVector<Value> values;
    for (auto [argument, slot] : llvm::zip(nested.getRegionIterArgs(), carried))
      values.push_back(load(slot, index, argument.getType()));
    for (Value induction : inductions) {
      IRMapping step = lane;
      uniform.map(nested.getInductionVar(), induction);
      step.map(nested.getRegionIterArgs(), values);
      for (Operation &op : nested.getBody()->without_terminator())
        clone(&op, step);
      for (auto [value, yielded] : llvm::zip(values, nested.getYieldedValues()))
        value = resolve(yielded, step);
    }
    for (auto [value, slot] : llvm::zip(values, carried)) {
      IRMapping step = lane;
      step.map(value, value);
      store({value, slot}, step);
    }
  });
}

/// Steps [low, high) of `nested`, `count` at a time.
void Distributor::emitSteps(scf::ForOp nested, Value low, Value high,
                            int64_t count, ArrayRef<Value> carried) {
  Value step =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(count));
  auto loop = scf::ForOp::create(builder, loc, low, high, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> inductions{loop.getInductionVar()};
  for (int64_t i = 1; i != count; ++i) {
    Value offset =
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(i));
    inductions.push_back(
        arith::AddIOp::create(builder, loc, inductions.front(), offset));
  }
  emitUnrolled(nested, inductions, carried);
}

static bool holdsLoops(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](scf::ForOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void Distributor::emitNested(scf::ForOp nested) {
  Value low = getUniform(nested.getLowerBound());
  Value high = getUniform(nested.getUpperBound());
  SmallVector<Value> carried = getSlots(nested);
  for (auto [result, argument, slot] :
       llvm::zip(nested.getResults(), nested.getRegionIterArgs(), carried))
    slots[result] = slots[argument] = slot;
  bool isReduction = nested.getNumResults() != 0 && !holdsLoops(nested);
  if (isReduction) {
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI64IntegerAttr(value));
    };
    Value count = arith::SubIOp::create(builder, loc, high, low);
    Value at = number(kStepsAtOnce);
    Value whole = arith::MulIOp::create(
        builder, loc, arith::DivSIOp::create(builder, loc, count, at), at);
    Value middle = arith::AddIOp::create(builder, loc, low, whole);
    emitSteps(nested, low, middle, kStepsAtOnce, carried);
    return emitSteps(nested, middle, high, 1, carried);
  }
  auto loop =
      scf::ForOp::create(builder, loc, low, high, getUniform(nested.getStep()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  uniform.map(nested.getInductionVar(), loop.getInductionVar());
  SmallVector<SlotStore> last;
  for (auto [value, slot] : llvm::zip(nested.getYieldedValues(), carried))
    last.push_back({value, slot});
  emitBlock(*nested.getBody(), last);
}

void Distributor::run() {
  lanes.walk([](scf::ForOp loop) {
    moveLoopInvariantCode(cast<LoopLikeOpInterface>(loop.getOperation()));
  });
  bool hasNested =
      llvm::any_of(lanes.getBody()->without_terminator(), [&](Operation &op) {
        auto nested = dyn_cast<scf::ForOp>(op);
        return nested && isDistributable(nested);
      });
  if (!hasNested)
    return;
  builder.setInsertionPoint(lanes);
  emitBlock(*lanes.getBody(), {});
  lanes.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct DistributeLanesPass
    : lz::impl::DistributeLanesPassBase<DistributeLanesPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> marked;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr("lzx.lanes"))
        marked.push_back(loop);
    });
    for (scf::ForOp loop : marked) {
      auto most = cast<IntegerAttr>(loop->removeAttr("lzx.lanes")).getInt();
      Distributor(loop, most).run();
    }
  }
};

} // namespace
