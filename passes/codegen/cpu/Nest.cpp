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

SymExpr Nest::getBlockCount() const {
  return sizes[*lanes].ceilDiv(SymExpr::constant(getContext(*this), kLanes));
}

SymShape Nest::getOuterSizes() const {
  SymShape counts;
  for (unsigned dim : outer)
    counts.push_back(dim == 1 && groupSize ? sizes[dim].floorDiv(groupSize)
                                           : sizes[dim]);
  if (lanes && !areLanesOutside)
    counts.push_back(getBlockCount());
  return counts;
}

SymExpr Nest::getIterations() const {
  return getProduct(getContext(*this), getOuterSizes());
}

SymExpr Nest::getInnerCount() const {
  SymExpr count = getProductOf(sizes, inner, getContext(*this));
  if (groupSize)
    count = count * groupSize;
  if (!lanes)
    return count;
  SymExpr block = SymExpr::constant(getContext(*this), kLanes);
  return count * (areLanesOutside ? sizes[*lanes] : sizes[*lanes].min(block));
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

/// Makes whole groups of channels iterations if there is a group norm.
static void chooseGroups(const KernelInfo &kernel, Nest &nest) {
  for (Operation &op : kernel.getBody()) {
    auto norm = dyn_cast<GroupNormOp>(op);
    if (!norm || !isShapeOf(kernel, norm.getResult(), nest.shape) ||
        !llvm::is_contained(nest.outer, 1u))
      continue;
    SymExpr size = getGroupSize(kernel, norm);
    if (!size.isConstant(1))
      nest.groupSize = size;
  }
}

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
  unsigned last = rank == 0 ? 0 : getLastLongDim(nest.sizes);
  nest.areLanesOutside = inner.empty() && hasCostlyColumns(kernel, nest, last);
  if (nest.areLanesOutside)
    nest.lanes = last;
  else if (rank > 0 && !inner.contains(last) &&
           canBeLanes(kernel, nest.sizes[last]))
    nest.lanes = last;
  else if (!isRow && rank > 0 && !hasLoopPerElement(kernel, nest.shape))
    inner.insert(last);
  if (!isRow && inner.contains(last))
    chooseSteps(kernel, last, nest);
  for (unsigned dim = 0; dim != rank; ++dim)
    if (dim != nest.lanes)
      (inner.contains(dim) ? nest.inner : nest.outer).push_back(dim);
  if (isRow)
    chooseGroups(kernel, nest);
  // A single row is split along itself.
  if (!isRow && !nest.lanes && nest.getIterations().isConstant(1)) {
    nest.outer = llvm::to_vector(llvm::seq(0u, rank));
    nest.inner.clear();
  }
}

/// Dimensions of at least this size are not made longer, so that there are more
/// rows to share between threads.
static constexpr int64_t kLongEnough = 256;

/// Runs trailing dimensions as one, as many as it takes to make long loops.
static void chooseSizes(const KernelInfo &kernel, Nest &nest) {
  nest.sizes = nest.shape;
  if (nest.shape.empty())
    return;
  size_t rank = nest.shape.size();
  size_t first = rank - countTrailingDims(kernel, nest.shape);
  SymExpr &last = nest.sizes.back();
  for (size_t dim = rank - 1; dim-- > first;) {
    if (last.getConstant().value_or(0) >= kLongEnough)
      return;
    last = nest.sizes[dim] * last;
    nest.sizes[dim] = kernel.constant(1);
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

/// True if `op` makes one value, or one row's statistics, for all iterations of
/// the inner loops.
static bool isShared(const KernelInfo &kernel, const Nest &nest,
                     Operation *op) {
  ArrayRef<SymExpr> shape = kernel.getShape(op->getResult(0));
  if (!isLoop(op) || !isPartOf(shape, nest.shape) || nest.inner.empty())
    return false;
  bool isRow = getKind(op) == FusionKind::Row;
  SmallVector<unsigned> rowDims;
  if (isRow)
    rowDims = getRowDims(op, shape.size());
  return llvm::all_of(nest.inner, [&](unsigned dim) {
    return isRow ? llvm::is_contained(rowDims, dim) : shape[dim].isConstant(1);
  });
}

FailureOr<Nest> lz::getNest(const KernelInfo &kernel) {
  Nest nest;
  if (kernel.getResults().empty())
    return kernel.getFunction()->emitError("a kernel has results");
  if (!chooseStored(kernel, true, nest) && !chooseStored(kernel, false, nest))
    return kernel.getFunction()->emitError(
        "the results of a kernel have different shapes");
  chooseSizes(kernel, nest);
  nest.isFlat = llvm::all_of(
      nest.stored, [&](Value stored) { return isFlat(kernel, stored); });
  if (nest.isFlat)
    nest.outer = llvm::to_vector(llvm::seq<unsigned>(0, nest.shape.size()));
  else
    chooseLoops(kernel, nest);
  for (Operation &op : kernel.getBody())
    if (isShared(kernel, nest, &op))
      nest.shared.push_back(&op);
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
