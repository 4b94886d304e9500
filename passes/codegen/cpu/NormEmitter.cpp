//===- NormEmitter.cpp - softmax and normalizations -----------------------===//
//
// Each has statistics that the elements of a row share. They are computed once
// for a row if the loop nest asks for them before the row's loop
// (emitRowStatistics), else where an element is pulled.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/codegen/cpu/FloatMath.h"
#include "passes/codegen/cpu/Nest.h"
#include "passes/codegen/cpu/Reduce.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

static FloatMath getMath(ElementEmitter &e, Value tensor) {
  return {e.kb, getComputeType(getElementTypeOrSelf(tensor))};
}

/// `dims` without those of the row, which the statistics don't depend on.
static SmallVector<Value> getKey(KernelBuilder &kb, ArrayRef<Value> dims,
                                 ArrayRef<int64_t> axes) {
  SmallVector<Value> key(dims);
  for (int64_t axis : axes)
    key[axis] = kb.getIndex(0);
  return key;
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// The position of the first largest element along the axis.
static Value findLargest(ElementEmitter &e, SoftmaxOp op,
                         SmallVector<Value> dims) {
  KernelBuilder &kb = e.kb;
  Type element = getElementTypeOrSelf(op.getInput());
  Value zero = kb.getIndex(0);
  Value length = kb.getSize(e.getShape(op.getInput())[op.getAxis()]);
  auto step = [&](Value at, ValueRange best) -> SmallVector<Value> {
    dims[op.getAxis()] = at;
    Value scalar = e.emit(op.getInput(), dims);
    Value isBetter = emitLess(kb, element, best[0], scalar);
    return {kb.select(isBetter, scalar, best[0]),
            kb.select(isBetter, at, best[1])};
  };
  return kb.loop(zero, length, {getLowest(kb, element), zero}, step)[1];
}

namespace {

/// The passes of one softmax over one row.
struct SoftmaxRow {
  ElementEmitter &e;
  SoftmaxOp op;
  FloatMath f;
  ArrayRef<Value> key;

  Value getMax();
  Value sumExp(Value max);

private:
  bool isKept() { return e.row.softmax == op.getOperation(); }
  /// Inputs that have to be computed are kept as well.
  bool areInputsKept() {
    return isKept() && !isa<BlockArgument>(op.getInput());
  }
  Value pass(double initial,
             function_ref<Value(const Index &at, Value carried)> body);
  void keep(const Index &at, Value scalar) {
    e.kb.store(e.row.buffer, e.getPosition(op.getResult(), at), scalar);
  }
};

} // namespace

Value SoftmaxRow::pass(
    double initial, function_ref<Value(const Index &at, Value carried)> body) {
  auto step = [&](const Index &at, ValueRange carried) {
    return SmallVector<Value>{body(at, carried[0])};
  };
  return emitSliceIndexLoops(e, op.getInput(), key, op.getAxis(),
                             f.number(initial), step)[0];
}

/// The maximum of what is no NaN, by the plain instruction: a row with a NaN
/// sums to NaN whatever is subtracted, if only it is some number for all.
Value SoftmaxRow::getMax() {
  auto flags = arith::FastMathFlags::nnan | arith::FastMathFlags::nsz;
  Value largest = pass(-INFINITY, [&](const Index &at, Value max) -> Value {
    Value x = e.emit(op.getInput(), at);
    if (areInputsKept())
      keep(at, x);
    return arith::MaxNumFOp::create(e.kb.getBuilder(), e.kb.getLoc(), max, x,
                                    flags);
  });
  return LLVM::FreezeOp::create(e.kb.getBuilder(), e.kb.getLoc(), largest);
}

Value SoftmaxRow::sumExp(Value max) {
  return pass(0, [&](const Index &at, Value sum) {
    Value x = areInputsKept()
                  ? e.kb.load(e.row.buffer, e.getPosition(op.getResult(), at))
                  : e.emit(op.getInput(), at);
    Value exponential = f.exp(f.sub(x, max));
    if (isKept())
      keep(at, exponential);
    return accumulate(e.kb, sum, exponential);
  });
}

/// The maximum, and the sum of exponentials (softmax: its reciprocal; log
/// softmax: its logarithm); hardmax: the position of the maximum.
static SmallVector<Value> getStatistics(ElementEmitter &e, SoftmaxOp op,
                                        ArrayRef<Value> dims) {
  SmallVector<Value> key = getKey(e.kb, dims, op.getAxis());
  return e.getShared(op, key, [&]() -> SmallVector<Value> {
    if (op.getKind() == SoftmaxKind::hardmax)
      return {findLargest(e, op, key)};
    FloatMath f = getMath(e, op.getInput());
    SoftmaxRow row{e, op, f, key};
    Value max = row.getMax(), sum = row.sumExp(max);
    if (op.getKind() == SoftmaxKind::log_softmax)
      return {max, f.log(sum)};
    return {max, f.div(f.number(1), sum)};
  });
}

static Value emitSoftmax(ElementEmitter &e, SoftmaxOp op, OpResult result,
                         const Index &index) {
  Type element = getElementTypeOrSelf(op.getInput());
  if (!isa<FloatType>(element)) {
    e.kb.fail(op, "needs floating point elements");
    return e.kb.getScalar(getComputeType(element), 0);
  }
  SmallVector<Value> dims = e.getDims(result, index);
  SmallVector<Value> statistics = getStatistics(e, op, dims);
  FloatMath f = getMath(e, op.getInput());
  if (op.getKind() == SoftmaxKind::hardmax) {
    Value isLargest = e.kb.compare(arith::CmpIPredicate::eq, dims[op.getAxis()],
                                   statistics[0]);
    return f.select(isLargest, e.kb.getScalar(f.type, 1),
                    e.kb.getScalar(f.type, 0));
  }
  if (e.row.softmax == op.getOperation())
    return f.mul(e.kb.load(e.row.buffer, e.getPosition(result, dims)),
                 statistics[1]);
  Value shifted = f.sub(e.emit(op.getInput(), dims), statistics[0]);
  if (op.getKind() == SoftmaxKind::log_softmax)
    return f.sub(shifted, statistics[1]);
  return f.mul(f.exp(shifted), statistics[1]);
}

//===----------------------------------------------------------------------===//
// Layer and group normalization
//===----------------------------------------------------------------------===//

/// Loops over the elements that share statistics.
using SumLoops = function_ref<Value(function_ref<Value(Value)> map)>;

/// The mean and 1 / sqrt(variance + epsilon) of `count` elements.
static SmallVector<Value> getMoments(FloatMath f, SumLoops sum, Value count,
                                     double epsilon, bool hasMean) {
  Type i64 = f.kb.getBuilder().getI64Type();
  Value number = emitCast(f.kb, count, i64, f.type);
  Value mean = f.number(0);
  if (hasMean)
    mean = f.div(sum([](Value x) { return x; }), number);
  Value squares = sum([&](Value x) {
    Value difference = hasMean ? f.sub(x, mean) : x;
    return f.mul(difference, difference);
  });
  Value variance = f.div(squares, number);
  Value deviation = f.sqrt(f.add(variance, f.number(epsilon)));
  return {mean, f.div(f.number(1), deviation)};
}

static SmallVector<Value> getStatistics(ElementEmitter &e, LayerNormOp op,
                                        ArrayRef<Value> dims) {
  ArrayRef<SymExpr> shape = e.getShape(op.getInput());
  SmallVector<int64_t> axes = llvm::to_vector(
      llvm::seq<int64_t>(op.getAxis(), static_cast<int64_t>(shape.size())));
  SmallVector<Value> key = getKey(e.kb, dims, axes);
  return e.getShared(op, key, [&] {
    FloatMath f = getMath(e, op.getInput());
    auto sum = [&](function_ref<Value(Value)> map) -> Value {
      auto add = [&](Value x, ValueRange total) {
        return SmallVector<Value>{accumulate(e.kb, total[0], map(x))};
      };
      return emitSliceLoops(e, op.getInput(), key, axes, f.number(0), add)[0];
    };
    return getMoments(f, sum, e.kb.getSize(shape.drop_front(op.getAxis())),
                      op.getEpsilon().convertToDouble(),
                      op.getKind() == NormKind::layer);
  });
}

static Value emitLayerNorm(ElementEmitter &e, LayerNormOp op, OpResult result,
                           const Index &index) {
  SmallVector<Value> dims = e.getDims(result, index);
  SmallVector<Value> statistics = getStatistics(e, op, dims);
  FloatMath f = getMath(e, op.getInput());
  Value x = e.emit(op.getInput(), dims);
  if (op.getKind() == NormKind::layer)
    x = f.sub(x, statistics[0]);
  Value scale = f.convert(e.emitBroadcast(op.getScale(), result, dims));
  Value scaled = f.mul(f.mul(x, statistics[1]), scale);
  if (!op.getBias())
    return scaled;
  return f.add(scaled, f.convert(e.emitBroadcast(op.getBias(), result, dims)));
}

SymExpr lz::getGroupSize(const KernelInfo &kernel, GroupNormOp op) {
  if (op.getGroups() == 0)
    return kernel.constant(1);
  return kernel.getShape(op.getInput())[1].floorDiv(
      kernel.constant(op.getGroups()));
}

static SmallVector<Value> getStatistics(ElementEmitter &e, GroupNormOp op,
                                        ArrayRef<Value> dims) {
  KernelBuilder &kb = e.kb;
  ArrayRef<SymExpr> shape = e.getShape(op.getInput());
  SymExpr groupSize = getGroupSize(e.kernel, op);
  Value group = kb.divide(dims[1], kb.getSize(groupSize));
  return e.getShared(op, {dims[0], group}, [&] {
    FloatMath f = getMath(e, op.getInput());
    SmallVector<int64_t> axes = llvm::to_vector(
        llvm::seq<int64_t>(2, static_cast<int64_t>(shape.size())));
    auto sum = [&](function_ref<Value(Value)> map) -> Value {
      auto addChannel = [&](Value channel, ValueRange total) {
        SmallVector<Value> at(dims.size(), kb.getIndex(0));
        at[0] = dims[0];
        at[1] = kb.add(kb.mul(group, kb.getSize(groupSize)), channel);
        auto add = [&](Value x, ValueRange inner) {
          return SmallVector<Value>{accumulate(kb, inner[0], map(x))};
        };
        return emitSliceLoops(e, op.getInput(), at, axes, total, add);
      };
      return kb.loop(kb.getIndex(0), kb.getSize(groupSize), f.number(0),
                     addChannel)[0];
    };
    SymExpr count =
        groupSize * getProduct(kb.getContext(), shape.drop_front(2));
    return getMoments(f, sum, kb.getSize(count),
                      op.getEpsilon().convertToDouble(), /*hasMean=*/true);
  });
}

/// Element `channel` of a tensor with one element per channel.
static Value emitChannel(ElementEmitter &e, FloatMath f, Value tensor,
                         Value channel) {
  return f.convert(e.emit(tensor, Index(channel)));
}

static Value emitGroupNorm(ElementEmitter &e, GroupNormOp op, OpResult result,
                           const Index &index) {
  SmallVector<Value> dims = e.getDims(result, index);
  SmallVector<Value> statistics = getStatistics(e, op, dims);
  FloatMath f = getMath(e, op.getInput());
  Value x = f.sub(e.emit(op.getInput(), dims), statistics[0]);
  Value scale = emitChannel(e, f, op.getScale(), dims[1]);
  Value bias = emitChannel(e, f, op.getBias(), dims[1]);
  return f.add(f.mul(f.mul(x, statistics[1]), scale), bias);
}

//===----------------------------------------------------------------------===//
// Batch and local response normalization
//===----------------------------------------------------------------------===//

static Value emitBatchNorm(ElementEmitter &e, BatchNormOp op, OpResult result,
                           const Index &index) {
  SmallVector<Value> dims = e.getDims(result, index);
  Value channel = dims[dims.size() == 1 ? 0 : 1];
  FloatMath f = getMath(e, op.getInput());
  Value variance = emitChannel(e, f, op.getVariance(), channel);
  Value epsilon = f.number(op.getEpsilon().convertToDouble());
  Value factor = f.div(emitChannel(e, f, op.getScale(), channel),
                       f.sqrt(f.add(variance, epsilon)));
  Value x = f.sub(e.emit(op.getInput(), dims),
                  emitChannel(e, f, op.getMean(), channel));
  return f.add(f.mul(x, factor), emitChannel(e, f, op.getBias(), channel));
}

static Value emitLrn(ElementEmitter &e, LrnOp op, OpResult result,
                     const Index &index) {
  KernelBuilder &kb = e.kb;
  FloatMath f = getMath(e, op.getInput());
  SmallVector<Value> dims = e.getDims(result, index);
  Value x = e.emit(op.getInput(), dims);
  int64_t size = op.getSize(), before = (size - 1) / 2, after = size / 2;
  Value channels = kb.getSize(e.getShape(op.getInput())[1]);
  Value low = kb.maximum(kb.sub(dims[1], kb.getIndex(before)), kb.getIndex(0));
  Value high = kb.minimum(kb.add(dims[1], kb.getIndex(after + 1)), channels);
  auto addSquare = [&](Value channel, ValueRange sum) {
    SmallVector<Value> at(dims);
    at[1] = channel;
    Value other = e.emit(op.getInput(), at);
    return SmallVector<Value>{accumulate(kb, sum[0], f.mul(other, other))};
  };
  Value sum = kb.loop(low, high, f.number(0), addSquare)[0];
  double alpha = op.getAlpha().convertToDouble() / static_cast<double>(size);
  Value base = f.add(f.number(op.getOffset().convertToDouble()),
                     f.mul(f.number(alpha), sum));
  return f.div(x, f.pow(base, f.number(op.getBeta().convertToDouble())));
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

void lz::emitRowStatistics(ElementEmitter &e, Operation *op,
                           ArrayRef<Value> dims) {
  auto softmax = dyn_cast<SoftmaxOp>(op);
  if (softmax && isa<FloatType>(getElementTypeOrSelf(softmax.getInput())))
    getStatistics(e, softmax, dims);
  else if (auto norm = dyn_cast<LayerNormOp>(op))
    getStatistics(e, norm, dims);
  else if (auto norm = dyn_cast<GroupNormOp>(op))
    getStatistics(e, norm, dims);
}

void lz::addNormRules(ElementRules &rules) {
  rules.add<SoftmaxOp>(emitSoftmax);
  rules.add<LayerNormOp>(emitLayerNorm);
  rules.add<GroupNormOp>(emitGroupNorm);
  rules.add<BatchNormOp>(emitBatchNorm);
  rules.add<LrnOp>(emitLrn);
}
