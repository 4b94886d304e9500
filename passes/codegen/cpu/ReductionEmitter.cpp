//===- ReductionEmitter.cpp - reductions along dimensions -----------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/FloatMath.h"
#include "passes/codegen/cpu/Reduce.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

/// The result's indices with a place for each reduced dimension.
static SmallVector<Value> getInputDims(KernelBuilder &kb, ArrayRef<Value> dims,
                                       ArrayRef<int64_t> axes, bool keepDims,
                                       size_t rank) {
  if (keepDims)
    return SmallVector<Value>(dims);
  SmallVector<Value> input;
  for (size_t dim = 0; dim != rank; ++dim) {
    bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(dim));
    input.push_back(isReduced ? kb.getIndex(0) : dims.front());
    if (!isReduced)
      dims = dims.drop_front();
  }
  return input;
}

namespace {

/// One lz.reduce at one element of its result.
struct Reducer {
  ElementEmitter &e;
  ReduceOp op;
  Type element;            // of the input
  Type type;               // of the accumulator
  SmallVector<Value> dims; // of the input

  Value run();

private:
  /// `step` folds one scalar into the accumulator.
  Value fold(Value initial, function_ref<Value(Value, Value)> step);
  Value sum(function_ref<Value(Value)> map);
  Value getCount();
  Value divideByCount(Value sum);
  Value logSumExp();
  FloatMath math() { return {e.kb, type}; }
};

} // namespace

Value Reducer::fold(Value initial, function_ref<Value(Value, Value)> step) {
  auto body = [&](Value scalar, ValueRange carried) {
    Value value =
        isa<FloatType>(type) ? emitCast(e.kb, scalar, element, type) : scalar;
    return SmallVector<Value>{step(carried.front(), value)};
  };
  return emitSliceLoops(e, op.getInput(), dims, op.getAxes(), initial, body)
      .front();
}

Value Reducer::sum(function_ref<Value(Value)> map) {
  return fold(e.kb.getScalar(type, 0), [&](Value total, Value scalar) {
    return accumulate(e.kb, total, map(scalar));
  });
}

Value Reducer::getCount() {
  SymExpr count = e.kernel.constant(1);
  for (int64_t axis : op.getAxes())
    count = count * e.getShape(op.getInput())[axis];
  return e.kb.getSize(count);
}

Value Reducer::divideByCount(Value total) {
  Type i64 = e.kb.getBuilder().getI64Type();
  if (isa<FloatType>(type))
    return math().div(total, emitCast(e.kb, getCount(), i64, type));
  // The count may not fit the element type: divide in 64 bits.
  Value wide = emitCast(e.kb, total, element, i64);
  Value quotient = emitIntDivide(e.kb, i64, wide, getCount());
  return emitCast(e.kb, quotient, i64, element);
}

/// max + log(sum(exp(x - max))); with an infinite maximum, as if it were 0.
Value Reducer::logSumExp() {
  FloatMath f = math();
  Value max =
      fold(f.number(-INFINITY), [&](Value a, Value b) { return f.max(a, b); });
  Value isFinite = f.less(f.abs(max), f.number(INFINITY));
  max = f.select(isFinite, max, f.number(0));
  Value total = sum([&](Value x) { return f.exp(f.sub(x, max)); });
  return f.add(max, f.log(total));
}

Value Reducer::run() {
  KernelBuilder &kb = e.kb;
  auto square = [&](Value x) { return emitMul(kb, x, x); };
  auto absolute = [&](Value x) -> Value {
    if (isa<FloatType>(type))
      return math().abs(x);
    Value zero = kb.getInt(type, 0);
    return kb.select(emitLess(kb, element, x, zero),
                     kb.create<arith::SubIOp>(zero, x), x);
  };
  auto same = [](Value x) { return x; };
  switch (op.getKind()) {
  case ReduceKind::sum:
    return sum(same);
  case ReduceKind::mean:
    return divideByCount(sum(same));
  case ReduceKind::prod:
    return fold(kb.getScalar(type, 1), [&](Value product, Value x) {
      return accumulateProduct(kb, product, x);
    });
  case ReduceKind::max:
    return fold(getLowest(kb, element),
                [&](Value a, Value b) { return emitMax(kb, element, a, b); });
  case ReduceKind::min:
    return fold(getHighest(kb, element),
                [&](Value a, Value b) { return emitMin(kb, element, a, b); });
  case ReduceKind::l1:
    return sum(absolute);
  case ReduceKind::sum_square:
    return sum(square);
  case ReduceKind::l2:
    return math().sqrt(sum(square));
  case ReduceKind::log_sum:
    return math().log(sum(same));
  case ReduceKind::log_sum_exp:
    return logSumExp();
  }
  llvm_unreachable("unknown reduction");
}

/// Roots and logarithms of integers go through f64.
static Type getAccumulator(KernelBuilder &kb, ReduceKind kind, Type element) {
  bool isReal = kind == ReduceKind::l2 || kind == ReduceKind::log_sum ||
                kind == ReduceKind::log_sum_exp;
  if (isReal && !isa<FloatType>(element))
    return kb.getBuilder().getF64Type();
  return getComputeType(element);
}

static Value emitReduce(ElementEmitter &e, ReduceOp op, OpResult result,
                        const Index &index) {
  Type element = getElementTypeOrSelf(op.getInput());
  Type type = getAccumulator(e.kb, op.getKind(), element);
  Reducer reducer{e, op, element, type,
                  getInputDims(e.kb, e.getDims(result, index), op.getAxes(),
                               op.getKeepDims(),
                               e.getShape(op.getInput()).size())};
  Value reduced = reducer.run();
  bool isConverted = isa<FloatType>(type) && !isa<FloatType>(element);
  return isConverted ? emitCast(e.kb, reduced, type, element) : reduced;
}

static Value emitArgReduce(ElementEmitter &e, ArgReduceOp op, OpResult result,
                           const Index &index) {
  KernelBuilder &kb = e.kb;
  Type element = getElementTypeOrSelf(op.getInput());
  int64_t axis = op.getAxis();
  SmallVector<Value> dims =
      getInputDims(kb, e.getDims(result, index), axis, op.getKeepDims(),
                   e.getShape(op.getInput()).size());
  bool isMax = op.getKind() == ArgReduceKind::max;
  Value worst = isMax ? getLowest(kb, element) : getHighest(kb, element);
  Value length = kb.getSize(e.getShape(op.getInput())[axis]);
  auto step = [&](Value at, ValueRange best) -> SmallVector<Value> {
    dims[axis] = at;
    Value scalar = e.emit(op.getInput(), dims);
    Value a = isMax ? best[0] : scalar, b = isMax ? scalar : best[0];
    Value isBetter = emitLess(kb, element, a, b);
    if (op.getSelectLast()) { // equal counts too
      Value isWorse = emitLess(kb, element, b, a);
      isBetter = kb.create<arith::XOrIOp>(
          isWorse, kb.getInt(kb.getBuilder().getI1Type(), 1));
    }
    return {kb.select(isBetter, scalar, best[0]),
            kb.select(isBetter, at, best[1])};
  };
  Value zero = kb.getIndex(0);
  Value position = kb.loop(zero, length, {worst, zero}, step)[1];
  return emitCast(kb, position, kb.getBuilder().getI64Type(),
                  getElementTypeOrSelf(result));
}

void lz::addReductionRules(ElementRules &rules) {
  rules.add<ReduceOp>(emitReduce);
  rules.add<ArgReduceOp>(emitArgReduce);
}
