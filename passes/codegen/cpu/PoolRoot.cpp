//===- PoolRoot.cpp - pools that accumulate rows --------------------------===//
//
// A kernel around one max or average pool. Parallel iterations are rows of the
// result (all dimensions but the last); a row is accumulated in the result
// buffer, one row of the window after the other:
//
//   row[:] = lowest
//   for each row (kh) of the window that lies inside the input
//     for ow where all of it does:
//       row[ow] = max(row[ow], x[.., oh*s+kh, ow*s+0], x[.., ow*s+1] ...)
//     for each kw, for ow near the borders where it does:
//       row[ow] = max(row[ow], x[.., oh*s+kh, ow*s+kw])
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

/// Windows of more steps along the last dimension are not unrolled.
static constexpr int64_t kMostSteps = 16;

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
  return isStored && isComputed && isMadeAround(kernel, found) ? found : nullptr;
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
  void accumulateRow(ArrayRef<Value> source);
  void accumulateStep(ArrayRef<Value> source, Value step, Interval places);
  Value load(ArrayRef<Value> source, Value place, Value offset);
  Value combine(Value a, Value b);
  void finish();
  void finishPlaces(Interval places, bool areInterior);
  /// The places whose windows lie inside the input along the last dimension.
  Interval getInterior();
  /// The positions of the result's dimension where `step` of the window lies
  /// in [from, to) of the input.
  Interval getPlaces(unsigned dim, Value step, Value from, Value to);
  /// How many steps of the window at `place` count in an average.
  Value countSteps(unsigned dim, Value place);
  Value getCount(Value place, bool isInterior);
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

Interval PoolRowEmitter::getInterior() {
  unsigned dim = lastDim();
  Value zero = kb.getIndex(0), end = kb.getSize(in(dim));
  Value last = kb.getIndex(pool.getKernel()[dim] - 1);
  Value low = kb.minimum(getPlaces(dim, zero, zero, end).low, width());
  return {low, kb.maximum(getPlaces(dim, last, zero, end).high, low)};
}

/// The input's element for `place`, `offset` after that of the first step.
Value PoolRowEmitter::load(ArrayRef<Value> source, Value place, Value offset) {
  Value stride = kb.getIndex(pool.getStrides()[lastDim()]);
  SmallVector<Value> indices(source);
  indices.push_back(kb.add(kb.mul(place, stride), offset));
  return e.emit(pool.getInput(), indices);
}

/// What is NaN stays so. Zeros are not told apart, unlike arith.maximumf, which
/// takes twice the instructions.
Value PoolRowEmitter::combine(Value a, Value b) {
  if (pool.getKind() != PoolKind::max)
    return emitAdd(kb, a, b);
  FloatMath f{kb, element};
  return f.select(f.isNan(b), b, f.select(f.less(a, b), b, a));
}

/// One step of the window at the places that `places` allows.
void PoolRowEmitter::accumulateStep(ArrayRef<Value> source, Value step,
                                    Interval allowed) {
  unsigned dim = lastDim();
  Interval places = getPlaces(dim, step, kb.getIndex(0), kb.getSize(in(dim)));
  Value offset = getOffset(dim, step);
  kb.loop(kb.maximum(places.low, allowed.low),
          kb.minimum(places.high, allowed.high), [&](Value place) {
            Value old = kb.load(buffer, at(place));
            kb.store(buffer, at(place),
                     combine(old, load(source, place, offset)));
          });
}

/// One row of the window: where it lies inside, all of its steps at once.
void PoolRowEmitter::accumulateRow(ArrayRef<Value> source) {
  int64_t count = pool.getKernel()[lastDim()];
  Interval interior{kb.getIndex(0), kb.getIndex(0)};
  if (count <= kMostSteps) {
    interior = getInterior();
    kb.loop(interior.low, interior.high, [&](Value place) {
      Value value = kb.load(buffer, at(place));
      for (int64_t step = 0; step != count; ++step)
        value = combine(value, load(source, place,
                                    getOffset(lastDim(), kb.getIndex(step))));
      kb.store(buffer, at(place), value);
    });
  }
  kb.loop(kb.getIndex(0), kb.getIndex(count), [&](Value step) {
    accumulateStep(source, step, {kb.getIndex(0), interior.low});
    accumulateStep(source, step, {interior.high, width()});
  });
}

/// Loops over the steps of the window's dimensions from `dim` on.
void PoolRowEmitter::emitSteps(unsigned dim, SmallVector<Value> &source) {
  if (dim == lastDim())
    return accumulateRow(source);
  Value count = kb.getIndex(pool.getKernel()[dim]);
  kb.loop(kb.getIndex(0), count, [&](Value step) {
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

Value PoolRowEmitter::getCount(Value place, bool isInterior) {
  Value count = isInterior ? kb.getIndex(pool.getKernel()[lastDim()])
                           : countSteps(lastDim(), place);
  for (unsigned dim = 0; dim != lastDim(); ++dim)
    count = kb.mul(count, countSteps(dim, row[dim + 2]));
  return count;
}

void PoolRowEmitter::finishPlaces(Interval places, bool areInterior) {
  kb.loop(places.low, places.high, [&](Value place) {
    SmallVector<Value> indices(row);
    indices.push_back(place);
    Value pooled = kb.load(buffer, at(place));
    if (pool.getKind() == PoolKind::average) {
      Type i64 = kb.getBuilder().getI64Type();
      Value count = emitCast(kb, getCount(place, areInterior), i64, element);
      pooled = FloatMath{kb, element}.div(pooled, count);
    }
    e.define(pool.getResult(), indices, pooled);
    Value scalar = e.emit(e.kernel.getResults().front(), indices);
    kb.store(buffer, at(place), scalar);
  });
}

/// What follows the pool. In the interior an average divides by one number.
void PoolRowEmitter::finish() {
  if (pool.getKind() == PoolKind::max)
    return finishPlaces({kb.getIndex(0), width()}, false);
  Interval interior = getInterior();
  finishPlaces({kb.getIndex(0), interior.low}, false);
  finishPlaces(interior, true);
  finishPlaces({interior.high, width()}, false);
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
