//===- Nest.cpp - the loops over a kernel's results -----------------------===//

#include "passes/codegen/cpu/Nest.h"

#include "dialects/lz/IR/LzOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lz;

static SymExpr getProductOf(ArrayRef<SymExpr> shape, ArrayRef<unsigned> dims,
                            MLIRContext *context) {
  SymExpr product = SymExpr::constant(context, 1);
  for (unsigned dim : dims)
    product = product * shape[dim];
  return product;
}

static MLIRContext *getContext(const Nest &nest) {
  return nest.stored.front().getContext();
}

/// How many blocks the lanes' dimension has.
static SymExpr getBlockCount(const Nest &nest) {
  SymExpr most = SymExpr::constant(getContext(nest), kLanes);
  return nest.shape[*nest.lanes].ceilDiv(most);
}

SymExpr Nest::getIterations() const {
  SymExpr count = getProductOf(shape, outer, getContext(*this));
  return lanes && !areLanesOutside ? count * getBlockCount(*this) : count;
}

SymExpr Nest::getInnerCount() const {
  SymExpr count = getProductOf(shape, inner, getContext(*this));
  if (!lanes)
    return count;
  SymExpr block = SymExpr::constant(getContext(*this), kLanes);
  return count * (areLanesOutside ? shape[*lanes] : shape[*lanes].min(block));
}

//===----------------------------------------------------------------------===//
// Choosing the loops
//===----------------------------------------------------------------------===//

static FusionKind getKind(Operation *op) {
  return cast<FusionOpInterface>(op).getFusionKind();
}

/// True if one element of the op's result costs a loop.
static bool isLoop(Operation *op) {
  FusionKind kind = getKind(op);
  return kind == FusionKind::Reduction || kind == FusionKind::Contraction ||
         kind == FusionKind::Row;
}

/// The dimensions over which one row of a Row operation runs.
static SmallVector<unsigned> getRowDims(Operation *op, unsigned rank) {
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return {static_cast<unsigned>(softmax.getAxis())};
  unsigned first = isa<GroupNormOp>(op) ? 2 : 0;
  if (auto norm = dyn_cast<LayerNormOp>(op))
    first = norm.getAxis();
  return llvm::to_vector(llvm::seq(first, rank));
}

/// True if `shape` is `whole` but for dimensions of size 1.
static bool isPartOf(ArrayRef<SymExpr> shape, ArrayRef<SymExpr> whole) {
  if (shape.size() != whole.size())
    return false;
  return llvm::all_of(llvm::zip(shape, whole), [](auto sizes) {
    auto [size, full] = sizes;
    return size == full || size.isConstant(1);
  });
}

/// Adds to `inner` the dimensions along which `op` makes one value (or one row)
/// that elements of the results share.
static void addSharedDims(const KernelInfo &kernel, Operation *op,
                          ArrayRef<SymExpr> whole,
                          llvm::SmallSetVector<unsigned, 4> &inner) {
  ArrayRef<SymExpr> shape = kernel.getShape(op->getResult(0));
  if (!isLoop(op) || !isPartOf(shape, whole))
    return;
  if (getKind(op) == FusionKind::Row) {
    for (unsigned dim : getRowDims(op, shape.size()))
      inner.insert(dim);
    return;
  }
  for (auto [dim, size] : llvm::enumerate(whole))
    if (shape[dim].isConstant(1) && !size.isConstant(1))
      inner.insert(dim);
}

/// True if an element costs a loop even though rows share what they can.
static bool hasLoopPerElement(const KernelInfo &kernel,
                              ArrayRef<SymExpr> whole) {
  return llvm::any_of(kernel.getBody(), [&](Operation &op) {
    return isLoop(&op) && getKind(&op) != FusionKind::Row &&
           kernel.getShape(op.getResult(0)) == whole;
  });
}

/// The last dimension that isn't known to have size 1.
static unsigned getLastLongDim(ArrayRef<SymExpr> shape) {
  for (unsigned dim = shape.size(); dim-- > 0;)
    if (!shape[dim].isConstant(1))
      return dim;
  return shape.size() - 1;
}

/// True if elements of the op's result that lie side by side are made of
/// elements that do.
static bool keepsNeighbours(const KernelInfo &kernel, Operation *op) {
  if (isa<LrnOp>(op))
    return true;
  ArrayRef<SymExpr> shape = kernel.getShape(op->getOperand(0));
  int64_t last = shape.empty() ? 0 : getLastLongDim(shape);
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return static_cast<int64_t>(softmax.getAxis()) != last;
  if (auto reduce = dyn_cast<ArgReduceOp>(op))
    return static_cast<int64_t>(reduce.getAxis()) != last;
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && !llvm::is_contained(reduce.getAxes(), last);
}

/// Fewer elements side by side than this are not worth being lanes.
static constexpr int64_t kFewestLanes = 4;

/// True if elements cost loops that all read neighbours for neighbours along
/// the dimension `last`.
static bool canBeLanes(const KernelInfo &kernel, SymExpr size) {
  std::optional<int64_t> known = size.getConstant();
  if (known && *known < kFewestLanes)
    return false;
  bool hasLoops = false;
  for (Operation &op : kernel.getBody()) {
    if (!isLoop(&op) && !isa<LrnOp>(op))
      continue;
    hasLoops = true;
    if (!keepsNeighbours(kernel, &op))
      return false;
  }
  return hasLoops;
}

static bool isShapeOf(const KernelInfo &kernel, Value tensor,
                      ArrayRef<SymExpr> shape) {
  return kernel.getShape(tensor) == shape;
}

/// The kernel's resize, if it makes rows along the nest's dimension `last`.
static ResizeOp getResize(const KernelInfo &kernel, const Nest &nest,
                          unsigned last) {
  for (Operation &op : kernel.getBody()) {
    auto resize = dyn_cast<ResizeOp>(op);
    if (resize && isShapeOf(kernel, resize.getResult(), nest.shape) &&
        last + 1 == nest.shape.size())
      return resize;
  }
  return nullptr;
}

static bool hasCostlyColumns(const KernelInfo &kernel, const Nest &nest,
                             unsigned last) {
  ResizeOp resize = getResize(kernel, nest, last);
  return resize && lz::hasCostlyColumns(kernel, resize);
}

/// More neighbours than this make no vector loop.
static constexpr int64_t kMostRepeats = 8;

static int64_t getRepeat(const KernelInfo &kernel, const Nest &nest,
                         unsigned last) {
  ResizeOp resize = getResize(kernel, nest, last);
  int64_t repeat = resize ? lz::getRepeat(kernel, resize, last) : 1;
  return repeat >= 1 && repeat <= kMostRepeats ? repeat : 1;
}

/// Shorter tiles than this are not worth a loop each.
static constexpr int64_t kShortestPeriod = 16;

/// Chooses how the inner dimension `last` is walked.
static void chooseSteps(const KernelInfo &kernel, unsigned last, Nest &nest) {
  nest.repeat = getRepeat(kernel, nest, last);
  for (Operation &op : kernel.getBody()) {
    auto tile = dyn_cast<TileOp>(op);
    if (!tile || !isShapeOf(kernel, tile.getResult(), nest.shape))
      continue;
    SymExpr period = kernel.getShape(tile.getInput())[last];
    if (period != nest.shape[last] &&
        period.getConstant().value_or(kShortestPeriod) >= kShortestPeriod)
      nest.period = period;
  }
}

static void chooseLoops(const KernelInfo &kernel, Nest &nest) {
  unsigned rank = nest.shape.size();
  llvm::SmallSetVector<unsigned, 4> inner;
  for (Operation &op : kernel.getBody())
    addSharedDims(kernel, &op, nest.shape, inner);
  bool isRow = !inner.empty();
  unsigned last = rank == 0 ? 0 : getLastLongDim(nest.shape);
  nest.areLanesOutside = inner.empty() && hasCostlyColumns(kernel, nest, last);
  if (nest.areLanesOutside)
    nest.lanes = last;
  else if (rank > 0 && !inner.contains(last) &&
           canBeLanes(kernel, nest.shape[last]))
    nest.lanes = last;
  else if (!isRow && rank > 0 && !hasLoopPerElement(kernel, nest.shape))
    inner.insert(last);
  if (!isRow && inner.contains(last))
    chooseSteps(kernel, last, nest);
  for (unsigned dim = 0; dim != rank; ++dim)
    if (dim != nest.lanes)
      (inner.contains(dim) ? nest.inner : nest.outer).push_back(dim);
  // A single row is split along itself.
  if (!isRow && !nest.lanes && nest.getIterations().isConstant(1)) {
    nest.outer = llvm::to_vector(llvm::seq(0u, rank));
    nest.inner.clear();
  }
}

/// Sets what is stored: what final reshapes take, if that has one shape.
static bool chooseStored(const KernelInfo &kernel, bool throughReshapes,
                         Nest &nest) {
  nest.stored.assign(kernel.getResults().begin(), kernel.getResults().end());
  for (Value &stored : nest.stored)
    while (auto reshape = stored.getDefiningOp<ReshapeOp>()) {
      if (!throughReshapes)
        break;
      stored = reshape.getInput();
    }
  ArrayRef<SymExpr> shape = kernel.getShape(nest.stored.front());
  nest.shape.assign(shape.begin(), shape.end());
  return llvm::all_of(nest.stored, [&](Value stored) {
    return isShapeOf(kernel, stored, nest.shape);
  });
}

FailureOr<Nest> lz::getNest(const KernelInfo &kernel) {
  Nest nest;
  if (kernel.getResults().empty())
    return kernel.getFunction()->emitError("a kernel has results");
  if (!chooseStored(kernel, true, nest) && !chooseStored(kernel, false, nest))
    return kernel.getFunction()->emitError(
        "the results of a kernel have different shapes");
  nest.isFlat = llvm::all_of(
      nest.stored, [&](Value stored) { return isFlat(kernel, stored); });
  if (nest.isFlat)
    nest.outer = llvm::to_vector(llvm::seq<unsigned>(0, nest.shape.size()));
  else
    chooseLoops(kernel, nest);
  return nest;
}

bool lz::isMadeAround(const KernelInfo &kernel, Operation *anchor) {
  Value made = anchor->getResult(0);
  ArrayRef<SymExpr> shape = kernel.getShape(made);
  for (Operation &op : kernel.getBody()) {
    if (&op == anchor || op.isBeforeInBlock(anchor))
      continue;
    if (!isa<UnaryOp, BinaryOp, CompareOp, SelectOp, CastOp, ConstantOp,
             BatchNormOp>(op))
      return false;
    for (Value operand : op.getOperands())
      if (operand == made && kernel.getShape(op.getResult(0)) != shape)
        return false;
  }
  return kernel.getShape(kernel.getResults().front()) == shape;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Of one application of `op`, in additions.
static int64_t getOpCost(Operation *op) {
  if (getKind(op) == FusionKind::View || getKind(op) == FusionKind::Constant)
    return 0;
  if (auto unary = dyn_cast<UnaryOp>(op))
    return unary.getKind() < UnaryKind::exp ||
                   unary.getKind() == UnaryKind::relu
               ? 1
               : 12;
  return getKind(op) == FusionKind::Row ? 16 : 2;
}

/// How many elements of its operand one element of a loop operation reads.
static SymExpr getLoopLength(const KernelInfo &kernel, Operation *op) {
  if (auto pool = dyn_cast<PoolOp>(op)) {
    int64_t window = 1;
    for (int64_t size : pool.getKernel())
      window *= size;
    return kernel.constant(window);
  }
  SymExpr length = kernel.constant(1);
  ArrayRef<SymExpr> shape = kernel.getShape(op->getOperand(0));
  if (auto reduce = dyn_cast<ReduceOp>(op))
    for (int64_t axis : reduce.getAxes())
      length = length * shape[axis];
  else if (auto reduce = dyn_cast<ArgReduceOp>(op))
    length = shape[reduce.getAxis()];
  return length;
}

SymExpr lz::getElementCost(const KernelInfo &kernel) {
  SymExpr cost = kernel.constant(4); // a load and a store
  for (Operation &op : kernel.getBody()) {
    SymExpr own = kernel.constant(getOpCost(&op));
    if (getKind(&op) == FusionKind::Reduction)
      own = own * getLoopLength(kernel, &op);
    cost = cost + own;
  }
  return cost;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Computes before the inner loops what all their iterations share.
static void emitShared(ElementEmitter &emitter, const Nest &nest,
                       ArrayRef<Value> dims) {
  for (Operation &op : emitter.kernel.getBody()) {
    if (!isLoop(&op))
      continue;
    Value result = op.getResult(0);
    ArrayRef<SymExpr> shape = emitter.getShape(result);
    bool isRow = getKind(&op) == FusionKind::Row;
    SmallVector<unsigned> rowDims;
    if (isRow)
      rowDims = getRowDims(&op, shape.size());
    bool isShared = isPartOf(shape, nest.shape) &&
                    llvm::all_of(nest.inner, [&](unsigned dim) {
                      return isRow ? llvm::is_contained(rowDims, dim)
                                   : shape[dim].isConstant(1);
                    });
    if (!isShared)
      continue;
    if (isRow)
      emitRowStatistics(emitter, &op, dims);
    else
      emitter.emit(result, emitter.broadcast(result, dims, nest.shape));
  }
}

/// Loops over `size` indices in pieces of `period`.
static void emitPeriods(KernelBuilder &kb, SymExpr size, SymExpr period,
                        function_ref<void(Value)> body) {
  Value length = kb.getSize(period);
  SymExpr count =
      size.floorDiv(period.max(SymExpr::constant(kb.getContext(), 1)));
  kb.loop(kb.getIndex(0), kb.getSize(count), [&](Value piece) {
    kb.loop(kb.getIndex(0), length,
            [&](Value offset) { body(kb.join(piece, length, offset)); });
  });
}

static void emitInner(ElementEmitter &emitter, const Nest &nest,
                      SmallVector<Value> &dims, unsigned depth,
                      function_ref<void(const Index &)> body) {
  if (depth == nest.inner.size())
    return body(dims);
  unsigned dim = nest.inner[depth];
  KernelBuilder &kb = emitter.kb;
  bool isLast = depth + 1 == nest.inner.size();
  auto emitAt = [&](Value index) {
    dims[dim] = index;
    emitInner(emitter, nest, dims, depth + 1, body);
  };
  if (isLast && nest.period)
    return emitPeriods(kb, nest.shape[dim], nest.period, emitAt);
  int64_t repeat = isLast ? nest.repeat : 1;
  SymExpr steps = nest.shape[dim].floorDiv(emitter.kernel.constant(repeat));
  kb.loop(kb.getIndex(0), kb.getSize(steps), [&](Value step) {
    for (int64_t i = 0; i != repeat; ++i)
      emitAt(kb.join(step, kb.getIndex(repeat), kb.getIndex(i)));
  });
}

/// One iteration, whose indices `dims` are known but for the inner loops'.
static void emitIteration(ElementEmitter &emitter, const Nest &nest,
                          SmallVector<Value> dims,
                          function_ref<void(const Index &)> body) {
  if (!nest.inner.empty())
    emitShared(emitter, nest, dims);
  emitInner(emitter, nest, dims, 0, body);
}

/// Loops over the lanes of block `block`; `inLane` gets their index.
static void emitLanes(KernelBuilder &kb, const Nest &nest, Value block,
                      function_ref<void(Value)> inLane) {
  Value most = kb.getIndex(kLanes);
  Value start = kb.mul(block, most);
  Value rest = kb.sub(kb.getSize(nest.shape[*nest.lanes]), start);
  kb.loopOverLanes(kb.minimum(rest, most),
                   [&](Value lane) { inLane(kb.add(start, lane)); });
}

/// The iterations [lo, hi), in each of the lanes.
static void emitInLanes(ElementEmitter &emitter, const Nest &nest,
                        function_ref<void(const Index &)> body) {
  KernelBuilder &kb = emitter.kb;
  SymShape outer;
  for (unsigned dim : nest.outer)
    outer.push_back(nest.shape[dim]);
  kb.loop(kb.getIndex(0), kb.getSize(getBlockCount(nest)), [&](Value block) {
    emitLanes(kb, nest, block, [&](Value lane) {
      kb.loop(kb.getLo(), kb.getHi(), [&](Value iteration) {
        SmallVector<Value> dims(nest.shape.size(), kb.getIndex(0));
        SmallVector<Value> indices = kb.delinearize(iteration, outer);
        for (auto [dim, index] : llvm::zip(nest.outer, indices))
          dims[dim] = index;
        dims[*nest.lanes] = lane;
        emitIteration(emitter, nest, dims, body);
      });
    });
  });
}

void lz::emitNest(ElementEmitter &emitter, const Nest &nest,
                  function_ref<void(const Index &)> body) {
  KernelBuilder &kb = emitter.kb;
  if (nest.areLanesOutside)
    return emitInLanes(emitter, nest, body);
  SymShape outer;
  for (unsigned dim : nest.outer)
    outer.push_back(nest.shape[dim]);
  if (nest.lanes)
    outer.push_back(getBlockCount(nest));
  kb.loop(kb.getLo(), kb.getHi(), [&](Value iteration) {
    if (nest.isFlat)
      return body(Index::flat(iteration));
    SmallVector<Value> dims(nest.shape.size(), kb.getIndex(0));
    SmallVector<Value> indices = kb.delinearize(iteration, outer);
    for (auto [dim, index] : llvm::zip(nest.outer, indices))
      dims[dim] = index;
    if (!nest.lanes)
      return emitIteration(emitter, nest, dims, body);
    emitLanes(kb, nest, indices.back(), [&](Value lane) {
      dims[*nest.lanes] = lane;
      emitIteration(emitter, nest, dims, body);
    });
  });
}
