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

SymExpr Nest::getIterations() const {
  return getProductOf(shape, outer, getContext(*this));
}

SymExpr Nest::getInnerCount() const {
  return getProductOf(shape, inner, getContext(*this));
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

static void chooseLoops(const KernelInfo &kernel, Nest &nest) {
  unsigned rank = nest.shape.size();
  llvm::SmallSetVector<unsigned, 4> inner;
  for (Operation &op : kernel.getBody())
    addSharedDims(kernel, &op, nest.shape, inner);
  bool isRow = !inner.empty();
  if (!isRow && rank > 0 && !hasLoopPerElement(kernel, nest.shape))
    inner.insert(getLastLongDim(nest.shape));
  for (unsigned dim = 0; dim != rank; ++dim)
    (inner.contains(dim) ? nest.inner : nest.outer).push_back(dim);
  // A single row is split along itself.
  if (!isRow && nest.getIterations().isConstant(1)) {
    nest.outer = llvm::to_vector(llvm::seq(0u, rank));
    nest.inner.clear();
  }
}

static bool isShapeOf(const KernelInfo &kernel, Value tensor,
                      ArrayRef<SymExpr> shape) {
  return kernel.getShape(tensor) == shape;
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

static void emitInner(ElementEmitter &emitter, const Nest &nest,
                      SmallVector<Value> &dims, unsigned depth,
                      function_ref<void(const Index &)> body) {
  if (depth == nest.inner.size())
    return body(dims);
  unsigned dim = nest.inner[depth];
  KernelBuilder &kb = emitter.kb;
  kb.loop(kb.getIndex(0), kb.getSize(nest.shape[dim]), [&](Value index) {
    dims[dim] = index;
    emitInner(emitter, nest, dims, depth + 1, body);
  });
}

void lz::emitNest(ElementEmitter &emitter, const Nest &nest,
                  function_ref<void(const Index &)> body) {
  KernelBuilder &kb = emitter.kb;
  SymShape outer;
  for (unsigned dim : nest.outer)
    outer.push_back(nest.shape[dim]);
  kb.loop(kb.getLo(), kb.getHi(), [&](Value iteration) {
    if (nest.isFlat)
      return body(Index::flat(iteration));
    SmallVector<Value> dims(nest.shape.size(), kb.getIndex(0));
    for (auto [dim, index] :
         llvm::zip(nest.outer, kb.delinearize(iteration, outer)))
      dims[dim] = index;
    if (!nest.inner.empty())
      emitShared(emitter, nest, dims);
    emitInner(emitter, nest, dims, 0, body);
  });
}
