//===- PoolEmitter.cpp - reductions of sliding windows --------------------===//
//
// The loops over a window run only where it lies inside the input, so no
// element has to be tested.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/FloatMath.h"
#include "passes/codegen/cpu/Reduce.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

namespace {

/// One lz.pool at one window.
struct Window {
  Window(ElementEmitter &e, PoolOp op, ArrayRef<Value> dims);

  /// The steps of dimension `dim`'s window at positions in [low, high).
  Interval getSteps(unsigned dim, Value low, Value high);
  /// The input's indices at the given steps.
  SmallVector<Value> getIndices(ArrayRef<Value> steps);
  Value reduce(Value initial, function_ref<Value(Value, Value)> step);
  /// The number of positions that count in an average.
  Value getCount();
  SmallVector<Value> runMax();
  Value runAverage();
  Value runPower();
  Value getFlatPosition(ArrayRef<Value> indices);

  ElementEmitter &e;
  KernelBuilder &kb;
  PoolOp op;
  Type element;
  SmallVector<Value> dims, starts; // of the first step, may be negative
  SmallVector<Interval> steps;
  SymShape low, high;
};

} // namespace

Window::Window(ElementEmitter &e, PoolOp op, ArrayRef<Value> dims)
    : e(e), kb(e.kb), op(op), element(getElementTypeOrSelf(op.getInput())),
      dims(dims), low(getExprs(op.getLow())), high(getExprs(op.getHigh())) {
  for (auto [dim, stride] : llvm::enumerate(op.getStrides())) {
    Value start = kb.mul(dims[dim + 2], kb.getIndex(stride));
    starts.push_back(kb.sub(start, kb.getSize(low[dim])));
    steps.push_back(getSteps(dim, kb.getIndex(0),
                             kb.getSize(e.getShape(op.getInput())[dim + 2])));
  }
}

Interval Window::getSteps(unsigned dim, Value from, Value to) {
  Value dilation = kb.getIndex(op.getDilations()[dim]);
  Value zero = kb.getIndex(0);
  // Rounded up, of what is made non-negative first.
  auto divide = [&](Value distance) {
    Value positive = kb.maximum(distance, zero);
    return kb.divide(kb.add(positive, kb.getIndex(op.getDilations()[dim] - 1)),
                     dilation);
  };
  Value first = divide(kb.sub(from, starts[dim]));
  Value last = divide(kb.sub(to, starts[dim]));
  return {first, kb.minimum(last, kb.getIndex(op.getKernel()[dim]))};
}

SmallVector<Value> Window::getIndices(ArrayRef<Value> at) {
  SmallVector<Value> indices(ArrayRef<Value>(dims).take_front(2));
  for (auto [dim, step] : llvm::enumerate(at))
    indices.push_back(
        kb.add(starts[dim], kb.mul(step, kb.getIndex(op.getDilations()[dim]))));
  return indices;
}

Value Window::reduce(Value initial, function_ref<Value(Value, Value)> step) {
  return emitReduceLoops(kb, steps, initial,
                         [&](ArrayRef<Value> at, ValueRange carried) {
                           Value x = e.emit(op.getInput(), getIndices(at));
                           return SmallVector<Value>{step(carried[0], x)};
                         })[0];
}

Value Window::getCount() {
  Value count = kb.getIndex(1);
  for (auto [dim, range] : llvm::enumerate(steps)) {
    if (op.getCountPadding()) {
      SymExpr size = e.getShape(op.getInput())[dim + 2];
      range = getSteps(dim, kb.getSize(low[dim] * -1),
                       kb.getSize(size + high[dim]));
    }
    count = kb.mul(count, kb.sub(range.high, range.low));
  }
  return count;
}

Value Window::runAverage() {
  FloatMath f{kb, getComputeType(element)};
  // Before getCount, which changes the ranges.
  Value sum = reduce(f.number(0), [&](Value total, Value x) {
    return accumulate(kb, total, x);
  });
  Type i64 = kb.getBuilder().getI64Type();
  return f.div(sum, emitCast(kb, getCount(), i64, f.type));
}

Value Window::runPower() {
  FloatMath f{kb, getComputeType(element)};
  auto power = static_cast<double>(op.getPower());
  Value sum = reduce(f.number(0), [&](Value total, Value x) {
    Value magnitude = f.abs(x);
    Value term = power == 1   ? magnitude
                 : power == 2 ? f.mul(x, x)
                              : f.pow(magnitude, f.number(power));
    return accumulate(kb, total, term);
  });
  if (power == 1)
    return sum;
  return power == 2 ? f.sqrt(sum) : f.pow(sum, f.number(1 / power));
}

/// ONNX's `Indices`: the position in the whole input, the spatial dimensions
/// in row- or column-major order.
Value Window::getFlatPosition(ArrayRef<Value> indices) {
  ArrayRef<SymExpr> shape = e.getShape(op.getInput());
  if (!op.getColumnMajor())
    return kb.linearize(indices, shape);
  SmallVector<Value> at(indices.take_front(2));
  SymShape sizes(shape.take_front(2));
  at.append(indices.rbegin(), indices.rend() - 2);
  sizes.append(shape.rbegin(), shape.rend() - 2);
  return kb.linearize(at, sizes);
}

SmallVector<Value> Window::runMax() {
  Value worst = getLowest(kb, element);
  if (!op.getIndices())
    return {reduce(worst, [&](Value best, Value x) {
      return emitMax(kb, element, best, x);
    })};
  Value none = kb.getIndex(-1);
  auto step = [&](ArrayRef<Value> at, ValueRange best) -> SmallVector<Value> {
    SmallVector<Value> indices = getIndices(at);
    Value x = e.emit(op.getInput(), indices);
    Value isFirst = kb.compare(arith::CmpIPredicate::eq, best[1], none);
    Value isBetter =
        kb.create<arith::OrIOp>(isFirst, emitLess(kb, element, best[0], x));
    return {kb.select(isBetter, x, best[0]),
            kb.select(isBetter, getFlatPosition(indices), best[1])};
  };
  return emitReduceLoops(kb, steps, {worst, none}, step);
}

static Value emitPool(ElementEmitter &e, PoolOp op, OpResult result,
                      const Index &index) {
  SmallVector<Value> dims = e.getDims(result, index);
  Type element = getElementTypeOrSelf(op.getInput());
  if (op.getKind() != PoolKind::max && !isa<FloatType>(element)) {
    e.kb.fail(op, "averages floating point elements only");
    return e.kb.getScalar(getComputeType(element), 0);
  }
  SmallVector<Value> values =
      e.getShared(op, dims, [&]() -> SmallVector<Value> {
        Window window(e, op, dims);
        switch (op.getKind()) {
        case PoolKind::max:
          return window.runMax();
        case PoolKind::average:
          return {window.runAverage()};
        case PoolKind::lp:
          return {window.runPower()};
        }
        llvm_unreachable("unknown pool");
      });
  if (result.getResultNumber() == 0)
    return values[0];
  return emitCast(e.kb, values[1], e.kb.getBuilder().getI64Type(),
                  getElementTypeOrSelf(result));
}

void lz::addPoolRules(ElementRules &rules) { rules.add<PoolOp>(emitPool); }
