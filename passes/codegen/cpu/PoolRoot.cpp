//===- PoolRoot.cpp - pools that accumulate rows --------------------------===//
//
// A kernel around one max or average pool. Parallel iterations are rows of the
// result (all dimensions but the last); a row is accumulated in the result
// buffer, one position of the window after the other:
//
//   row[:] = lowest
//   for each step (kh, kw) of the window that lies inside the input
//     for ow where it does: row[ow] = max(row[ow], x[.., oh*s+kh, ow*s+kw])
//   for ow: row[ow] = whatever follows the pool (row[ow])
//
// so that the innermost loops are long and free of tests.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/FloatMath.h"
#include "passes/codegen/cpu/Nest.h"
#include "passes/codegen/cpu/Reduce.h"
#include "passes/codegen/cpu/RootEmitter.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

/// True if every element of the kernel's one result is made of the pool's
/// element at the same place.
static bool isAround(const KernelInfo &kernel, PoolOp pool) {
  Value stored = kernel.getResults().front();
  ArrayRef<SymExpr> shape = kernel.getShape(pool.getResult());
  for (Operation &op : kernel.getBody()) {
    if (&op == pool.getOperation() || op.isBeforeInBlock(pool))
      continue;
    if (!isa<UnaryOp, BinaryOp, CompareOp, SelectOp, CastOp, ConstantOp,
             BatchNormOp>(op))
      return false;
    for (Value operand : op.getOperands())
      if (operand == pool.getResult() &&
          kernel.getShape(op.getResult(0)) != shape)
        return false;
  }
  return kernel.getShape(stored) == shape;
}

static PoolOp getPool(const KernelInfo &kernel) {
  PoolOp found;
  if (kernel.getResults().size() != 1)
    return nullptr;
  for (Operation &op : kernel.getBody()) {
    FusionKind kind = cast<FusionOpInterface>(&op).getFusionKind();
    if (kind == FusionKind::Pointwise || kind == FusionKind::Constant ||
        kind == FusionKind::View)
      continue;
    auto pool = dyn_cast<PoolOp>(op);
    if (!pool || found)
      return nullptr;
    found = pool;
  }
  if (!found || found.getIndices() || found.getKind() == PoolKind::lp)
    return nullptr;
  Type element = getElementTypeOrSelf(found.getInput());
  bool isStored = element == getElementTypeOrSelf(kernel.getResults().front());
  bool isComputed = element.isF32() || element.isF64();
  return isStored && isComputed && isAround(kernel, found) ? found : nullptr;
}

static bool matches(const KernelInfo &kernel) {
  return static_cast<bool>(getPool(kernel));
}

static KernelPlan plan(const KernelInfo &kernel) {
  ArrayRef<SymExpr> shape = kernel.getShape(getPool(kernel).getResult());
  return makePlan(kernel, getProduct(kernel.getContext(), shape.drop_back()),
                  shape.back() * getElementCost(kernel));
}

namespace {

struct PoolRowEmitter {
  PoolRowEmitter(ElementEmitter &e, PoolOp pool)
      : e(e), kb(e.kb), pool(pool),
        element(getElementTypeOrSelf(pool.getInput())), buffer(kb.getResult(0)),
        low(getExprs(pool.getLow())), high(getExprs(pool.getHigh())) {}

  /// `dims` are those of a row, without the last.
  void emitRow(ArrayRef<Value> dims);

private:
  void clear();
  void emitSteps(unsigned dim, SmallVector<Value> &source);
  void accumulateAlong(ArrayRef<Value> source, Value step);
  void finish();
  /// The positions of the result's dimension where `step` of the window lies
  /// in [from, to) of the input.
  Interval getPlaces(unsigned dim, Value step, Value from, Value to);
  /// How many steps of the window at `place` count in an average.
  Value countSteps(unsigned dim, Value place);
  Value getCount(Value place);
  Value getOffset(unsigned dim, Value step);
  Value at(Value place) { return kb.add(start, place); }
  SymExpr in(unsigned dim) { return e.getShape(pool.getInput())[dim + 2]; }
  unsigned lastDim() { return pool.getKernel().size() - 1; }
  Value width() { return kb.getSize(e.getShape(pool.getResult()).back()); }

  ElementEmitter &e;
  KernelBuilder &kb;
  PoolOp pool;
  Type element;
  Buffer buffer;
  SymShape low, high;
  SmallVector<Value> row; // the dimensions but the last
  Value start;            // position of the row in the result
};

} // namespace

void PoolRowEmitter::clear() {
  Value initial = pool.getKind() == PoolKind::max ? getLowest(kb, element)
                                                  : kb.getFloat(element, 0);
  kb.loop(kb.getIndex(0), width(),
          [&](Value place) { kb.store(buffer, at(place), initial); });
}

/// Where in the input `step` is for the place 0.
Value PoolRowEmitter::getOffset(unsigned dim, Value step) {
  Value distance = kb.mul(step, kb.getIndex(pool.getDilations()[dim]));
  return kb.sub(distance, kb.getSize(low[dim]));
}

Interval PoolRowEmitter::getPlaces(unsigned dim, Value step, Value from,
                                   Value to) {
  Value zero = kb.getIndex(0), stride = kb.getIndex(pool.getStrides()[dim]);
  Value offset = getOffset(dim, step);
  auto divideUp = [&](Value distance) { // what is negative counts as 0
    Value positive = kb.maximum(distance, zero);
    return kb.divide(kb.add(positive, kb.getIndex(pool.getStrides()[dim] - 1)),
                     stride);
  };
  Value size = kb.getSize(e.getShape(pool.getResult())[dim + 2]);
  Value last = kb.minimum(divideUp(kb.sub(to, offset)), size);
  return {divideUp(kb.sub(from, offset)), last};
}

void PoolRowEmitter::accumulateAlong(ArrayRef<Value> source, Value step) {
  unsigned dim = lastDim();
  Interval places = getPlaces(dim, step, kb.getIndex(0), kb.getSize(in(dim)));
  Value offset = getOffset(dim, step);
  kb.loop(places.low, places.high, [&](Value place) {
    SmallVector<Value> indices(source);
    indices.push_back(
        kb.add(kb.mul(place, kb.getIndex(pool.getStrides()[dim])), offset));
    Value x = e.emit(pool.getInput(), indices);
    Value old = kb.load(buffer, at(place));
    Value next = pool.getKind() == PoolKind::max ? emitMax(kb, element, old, x)
                                                 : emitAdd(kb, old, x);
    kb.store(buffer, at(place), next);
  });
}

/// Loops over the steps of the window's dimensions from `dim` on.
void PoolRowEmitter::emitSteps(unsigned dim, SmallVector<Value> &source) {
  Value count = kb.getIndex(pool.getKernel()[dim]);
  kb.loop(kb.getIndex(0), count, [&](Value step) {
    if (dim == lastDim())
      return accumulateAlong(source, step);
    Value place = kb.mul(row[dim + 2], kb.getIndex(pool.getStrides()[dim]));
    Value index = kb.add(place, getOffset(dim, step));
    // One comparison, in which what is negative is large.
    Value isInside =
        kb.compare(arith::CmpIPredicate::ult, index, kb.getSize(in(dim)));
    kb.when(isInside, [&] {
      source.push_back(index);
      emitSteps(dim + 1, source);
      source.pop_back();
    });
  });
}

Value PoolRowEmitter::countSteps(unsigned dim, Value place) {
  Value zero = kb.getIndex(0);
  bool padded = pool.getCountPadding();
  Value from = padded ? kb.getSize(low[dim] * -1) : zero;
  Value to = kb.getSize(padded ? in(dim) + high[dim] : in(dim));
  int64_t dilation = pool.getDilations()[dim];
  Value first = kb.sub(kb.mul(place, kb.getIndex(pool.getStrides()[dim])),
                       kb.getSize(low[dim]));
  auto divideUp = [&](Value distance) {
    return kb.divide(
        kb.add(kb.maximum(distance, zero), kb.getIndex(dilation - 1)),
        kb.getIndex(dilation));
  };
  Value last = kb.minimum(divideUp(kb.sub(to, first)),
                          kb.getIndex(pool.getKernel()[dim]));
  return kb.sub(last, divideUp(kb.sub(from, first)));
}

Value PoolRowEmitter::getCount(Value place) {
  Value count = countSteps(lastDim(), place);
  for (unsigned dim = 0; dim != lastDim(); ++dim)
    count = kb.mul(count, countSteps(dim, row[dim + 2]));
  return count;
}

void PoolRowEmitter::finish() {
  kb.loop(kb.getIndex(0), width(), [&](Value place) {
    SmallVector<Value> indices(row);
    indices.push_back(place);
    Value pooled = kb.load(buffer, at(place));
    if (pool.getKind() == PoolKind::average) {
      Type i64 = kb.getBuilder().getI64Type();
      Value count = emitCast(kb, getCount(place), i64, element);
      pooled = FloatMath{kb, element}.div(pooled, count);
    }
    e.define(pool.getResult(), indices, pooled);
    Value scalar = e.emit(e.kernel.getResults().front(), indices);
    kb.store(buffer, at(place), scalar);
  });
}

void PoolRowEmitter::emitRow(ArrayRef<Value> dims) {
  ArrayRef<SymExpr> shape = e.getShape(pool.getResult());
  row.assign(dims.begin(), dims.end());
  start = kb.mul(kb.linearize(dims, shape.drop_back()), width());
  clear();
  SmallVector<Value> source(dims.take_front(2));
  emitSteps(0, source);
  bool isFinished = pool.getKind() == PoolKind::max &&
                    e.kernel.getResults().front() == pool.getResult();
  if (!isFinished)
    finish();
}

static void emit(ElementEmitter &e) {
  PoolOp pool = getPool(e.kernel);
  ArrayRef<SymExpr> shape = e.getShape(pool.getResult());
  PoolRowEmitter rows(e, pool);
  e.kb.loop(e.kb.getLo(), e.kb.getHi(), [&](Value iteration) {
    rows.emitRow(e.kb.delinearize(iteration, shape.drop_back()));
  });
}

RootEmitter lz::getPoolRoot() { return {"pool", matches, plan, emit}; }
