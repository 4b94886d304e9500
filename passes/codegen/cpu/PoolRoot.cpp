//===- PoolRoot.cpp - pools that reduce down, then along ------------------===//
//
// A kernel around one max or average pool. Parallel iterations are rows of the
// result (all dimensions but the last). The window is reduced in two passes, so
// that no input is combined more than once for each row of the window:
//
//   for each row (kh) of the window that lies inside the input
//     for iw: column[iw] = max(column[iw], x[.., oh*s+kh, iw])
//   for ow: y[ow] = f(max(column[ow*s+0], column[ow*s+1], ...))
//
// where f is whatever follows the pool. The columns of a piece of the row lie
// on the stack. Only near the borders does a loop over the window's steps along
// the row have to ask which lie inside.
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
/// The columns on the stack, which stay in the first cache, and the most of
/// them that one window may span.
static constexpr int64_t kColumns = 1024, kMostSpan = 512;

/// The columns that a window spans; too many if any number is large.
static int64_t getSpan(PoolOp pool) {
  int64_t steps = pool.getKernel().back(),
          dilation = pool.getDilations().back();
  if (steps > kMostSpan || dilation > kMostSpan)
    return kMostSpan + 1;
  return (steps - 1) * dilation + 1;
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
  if (!found || found.getIndices() || found.getKind() == PoolKind::lp ||
      getSpan(found) > kMostSpan)
    return nullptr;
  Type element = getElementTypeOrSelf(found.getInput());
  bool isComputed = element.isF32() || element.isF64();
  return isComputed && isMadeAround(kernel, found) ? found : nullptr;
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
        element(getElementTypeOrSelf(pool.getInput())),
        columns(kb.getStack(element, kColumns)), low(getExprs(pool.getLow())),
        high(getExprs(pool.getHigh())) {}

  /// `dims` are those of a row, without the last.
  void emitRow(ArrayRef<Value> dims);

private:
  void emitPiece(Value first, Value last);
  void reduceDown(unsigned dim, SmallVector<Value> &source, Interval inside);
  void reduceColumns(ArrayRef<Value> source, Interval inside);
  void reduceAlong(Interval places, bool areInterior);
  /// Of all steps along the row, or of those that lie inside.
  Value reduceAll(Value place);
  Value reduceInside(Value place);
  Value loadColumn(Value place, Value step);
  Value combine(Value a, Value b);
  Value getInitial();
  /// The places whose windows lie inside the input along the last dimension.
  Interval getInterior();
  /// The steps of the window at `place` that lie in [from, to) of the input.
  Interval getSteps(unsigned dim, Value place, Value from, Value to);
  /// How many steps of the window at `place` count in an average.
  Value countSteps(unsigned dim, Value place);
  Value getCount(Value place, bool isInterior);
  /// Where in the input `step` is for `place`.
  Value locate(unsigned dim, Value place, Value step);
  SymExpr in(unsigned dim) { return e.getShape(pool.getInput())[dim + 2]; }
  unsigned lastDim() { return pool.getKernel().size() - 1; }
  Value width() { return kb.getSize(e.getShape(pool.getResult()).back()); }

  ElementEmitter &e;
  KernelBuilder &kb;
  PoolOp pool;
  Type element;
  Buffer columns;
  SymShape low, high;
  SmallVector<Value> row; // the dimensions but the last
  Value start;            // position of the row in the result
  Value origin;           // the input's index of the first column
};

} // namespace

Value PoolRowEmitter::getInitial() {
  return pool.getKind() == PoolKind::max ? getLowest(kb, element)
                                         : kb.getFloat(element, 0);
}

/// What is NaN stays so. Zeros are not told apart, unlike arith.maximumf, which
/// takes twice the instructions.
Value PoolRowEmitter::combine(Value a, Value b) {
  if (pool.getKind() != PoolKind::max)
    return emitAdd(kb, a, b);
  FloatMath f{kb, element};
  return f.select(f.isNan(b), b, f.select(f.less(a, b), b, a));
}

Value PoolRowEmitter::locate(unsigned dim, Value place, Value step) {
  Value first = kb.mul(place, kb.getIndex(pool.getStrides()[dim]));
  Value distance = kb.mul(step, kb.getIndex(pool.getDilations()[dim]));
  return kb.add(first, kb.sub(distance, kb.getSize(low[dim])));
}

/// `distance` / `by`, rounded up; what is negative counts as 0.
static Value divideUp(KernelBuilder &kb, Value distance, int64_t by) {
  Value positive = kb.maximum(distance, kb.getIndex(0));
  return kb.divide(kb.add(positive, kb.getIndex(by - 1)), kb.getIndex(by));
}

Interval PoolRowEmitter::getSteps(unsigned dim, Value place, Value from,
                                  Value to) {
  int64_t dilation = pool.getDilations()[dim];
  Value first = locate(dim, place, kb.getIndex(0));
  Value last = divideUp(kb, kb.sub(to, first), dilation);
  return {divideUp(kb, kb.sub(from, first), dilation),
          kb.minimum(last, kb.getIndex(pool.getKernel()[dim]))};
}

Interval PoolRowEmitter::getInterior() {
  unsigned dim = lastDim();
  int64_t stride = pool.getStrides()[dim];
  Value zero = kb.getIndex(0), end = kb.getSize(in(dim));
  Value first = locate(dim, zero, zero);
  Value last = locate(dim, zero, kb.getIndex(pool.getKernel()[dim] - 1));
  Value from = kb.minimum(divideUp(kb, kb.sub(zero, first), stride), width());
  Value to = kb.minimum(divideUp(kb, kb.sub(end, last), stride), width());
  return {from, kb.maximum(from, to)};
}

//===----------------------------------------------------------------------===//
// Down
//===----------------------------------------------------------------------===//

void PoolRowEmitter::reduceColumns(ArrayRef<Value> source, Interval inside) {
  kb.loop(inside.low, inside.high, [&](Value index) {
    SmallVector<Value> indices(source);
    indices.push_back(index);
    Value at = kb.sub(index, origin);
    Value x = e.emit(pool.getInput(), indices);
    kb.store(columns, at, combine(kb.load(columns, at), x));
  });
}

/// Loops over the steps of the window's dimensions from `dim` to the last but
/// one; `inside` are the columns.
void PoolRowEmitter::reduceDown(unsigned dim, SmallVector<Value> &source,
                                Interval inside) {
  if (dim == lastDim())
    return reduceColumns(source, inside);
  Value zero = kb.getIndex(0);
  Interval steps = getSteps(dim, row[dim + 2], zero, kb.getSize(in(dim)));
  kb.loop(steps.low, steps.high, [&](Value step) {
    source.push_back(locate(dim, row[dim + 2], step));
    reduceDown(dim + 1, source, inside);
    source.pop_back();
  });
}

//===----------------------------------------------------------------------===//
// Along
//===----------------------------------------------------------------------===//

Value PoolRowEmitter::loadColumn(Value place, Value step) {
  return kb.load(columns, kb.sub(locate(lastDim(), place, step), origin));
}

Value PoolRowEmitter::reduceAll(Value place) {
  Value value = loadColumn(place, kb.getIndex(0));
  for (int64_t step = 1; step != pool.getKernel()[lastDim()]; ++step)
    value = combine(value, loadColumn(place, kb.getIndex(step)));
  return value;
}

Value PoolRowEmitter::reduceInside(Value place) {
  unsigned dim = lastDim();
  Interval steps = getSteps(dim, place, kb.getIndex(0), kb.getSize(in(dim)));
  return kb
      .loop(steps.low, steps.high, getInitial(),
            [&](Value step, ValueRange carried) {
              return SmallVector<Value>{
                  combine(carried[0], loadColumn(place, step))};
            })
      .front();
}

Value PoolRowEmitter::countSteps(unsigned dim, Value place) {
  bool padded = pool.getCountPadding();
  Value from = padded ? kb.getSize(low[dim] * -1) : kb.getIndex(0);
  Value to = kb.getSize(padded ? in(dim) + high[dim] : in(dim));
  Interval steps = getSteps(dim, place, from, to);
  return kb.sub(steps.high, steps.low);
}

Value PoolRowEmitter::getCount(Value place, bool isInterior) {
  Value count = isInterior ? kb.getIndex(pool.getKernel()[lastDim()])
                           : countSteps(lastDim(), place);
  for (unsigned dim = 0; dim != lastDim(); ++dim)
    count = kb.mul(count, countSteps(dim, row[dim + 2]));
  return count;
}

/// Computes and stores the results at `places`.
void PoolRowEmitter::reduceAlong(Interval places, bool areInterior) {
  kb.loop(places.low, places.high, [&](Value place) {
    SmallVector<Value> indices(row);
    indices.push_back(place);
    Value pooled = areInterior ? reduceAll(place) : reduceInside(place);
    if (pool.getKind() == PoolKind::average) {
      Type i64 = kb.getBuilder().getI64Type();
      Value count = emitCast(kb, getCount(place, areInterior), i64, element);
      pooled = FloatMath{kb, element}.div(pooled, count);
    }
    e.define(pool.getResult(), indices, pooled);
    Value scalar = e.emit(e.kernel.getResults().front(), indices);
    kb.store(kb.getResult(0), kb.add(start, place), scalar);
  });
}

/// The places [first, last) of the row, whose columns fit on the stack.
void PoolRowEmitter::emitPiece(Value first, Value last) {
  unsigned dim = lastDim();
  Value zero = kb.getIndex(0), one = kb.getIndex(1);
  origin = locate(dim, first, zero);
  Value step = kb.getIndex(pool.getKernel()[dim] - 1);
  Value end = kb.add(locate(dim, kb.sub(last, one), step), one);
  Interval inside{kb.maximum(origin, zero),
                  kb.minimum(end, kb.getSize(in(dim)))};
  kb.loop(inside.low, inside.high, [&](Value index) {
    kb.store(columns, kb.sub(index, origin), getInitial());
  });
  SmallVector<Value> source(ArrayRef<Value>(row).take_front(2));
  reduceDown(0, source, inside);
  Interval interior = getInterior();
  if (pool.getKernel()[dim] > kMostSteps)
    interior = {last, last};
  Value from = kb.clamp(interior.low, first, last);
  Value to = kb.clamp(interior.high, from, last);
  reduceAlong({first, from}, false);
  reduceAlong({from, to}, true);
  reduceAlong({to, last}, false);
}

void PoolRowEmitter::emitRow(ArrayRef<Value> dims) {
  ArrayRef<SymExpr> shape = e.getShape(pool.getResult());
  row.assign(dims.begin(), dims.end());
  start = kb.mul(kb.linearize(dims, shape.drop_back()), width());
  int64_t most = (kColumns - getSpan(pool)) / pool.getStrides().back() + 1;
  Value piece = kb.getIndex(most);
  SymExpr pieces = shape.back().ceilDiv(e.kernel.constant(most));
  kb.loop(kb.getIndex(0), kb.getSize(pieces), [&](Value number) {
    Value first = kb.mul(number, piece);
    emitPiece(first, kb.minimum(kb.add(first, piece), width()));
  });
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
