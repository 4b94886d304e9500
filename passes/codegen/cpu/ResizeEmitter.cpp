//===- ResizeEmitter.cpp - resampling -------------------------------------===//
//
// Each resampled dimension reads one, two or four elements (taps) with weights;
// several dimensions multiply. Coordinates are computed in f64, so that ties in
// `nearest` fall as in the standard's own reference. With `antialias`, a
// dimension that shrinks has as many taps as its scale asks for: a loop.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/FloatMath.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

namespace {

struct Tap {
  Value index;  // into the input, within bounds
  Value weight; // of the result's compute type; null if it is 1
};

/// What one dimension reads: taps, or a loop over the positions [low, high)
/// around `base`, whose weights follow from the distance to `coordinate`.
struct Reads {
  SmallVector<Tap> taps;
  Value base, low, high, coordinate, scale;
};

/// One lz.resize at one element.
struct Resampler {
  ElementEmitter &e;
  ResizeOp op;
  FloatMath f;      // of coordinates, f64
  FloatMath result; // of weights and sums
  Value isOutside;  // of the region that is cropped; null if nothing can be

  bool isResampled(unsigned dim);
  Value getScale(unsigned dim);
  Value getCoordinate(unsigned dim, Value index);
  Reads getReads(unsigned dim, Value index);
  SmallVector<Tap> getTaps(unsigned dim, Value coordinate);
  Reads getWindow(unsigned dim, Value coordinate);
  Value sum(ArrayRef<Reads> reads, SmallVector<Value> &dims, unsigned dim);
  Value sumWindow(ArrayRef<Reads> reads, SmallVector<Value> &dims,
                  unsigned dim);
  Value run(ArrayRef<Value> dims);

private:
  Value toFloat(Value index);
  Value toFloat(SymExpr size) { return toFloat(e.kb.getSize(size)); }
  Value toInt(Value number) {
    return e.kb.create<arith::FPToSIOp>(e.kb.getBuilder().getI64Type(), number);
  }
  Value getElement(Value vector, unsigned position);
  Value clamp(unsigned dim, Value index);
  Value getWidth(unsigned dim);
  Value getRegion(unsigned position);
  Value getCropped(unsigned dim, Value index);
  Value keepInside(unsigned dim, Value coordinate);
  Value getKernelWeight(Value distance);
  Value roundNearest(Value coordinate);
  SmallVector<Value> getWeights(Value fraction);
  SmallVector<Value> getCubicWeights(Value t);
  void excludeOutside(SmallVectorImpl<Value> &weights, ArrayRef<Value> indices,
                      SymExpr size);
  SymExpr in(unsigned dim) { return e.getShape(op.getInput())[dim]; }
  SymExpr out(unsigned dim) { return e.getShape(op.getResult())[dim]; }
};

} // namespace

Value Resampler::toFloat(Value index) {
  return e.kb.create<arith::SIToFPOp>(f.type, index);
}

/// False if the dimension is copied.
bool Resampler::isResampled(unsigned dim) {
  if (op.getCoordinate() == CoordinateKind::tf_crop_and_resize)
    return true;
  float scale = op.getScales()[dim];
  return in(dim) != out(dim) || (scale != 0 && scale != 1) ||
         (scale == 0 && op.getFactors());
}

/// An element of a vector of floats.
Value Resampler::getElement(Value vector, unsigned position) {
  SmallVector<Value> at = {e.kb.getIndex(position)};
  return f.convert(e.emit(vector, at));
}

Value Resampler::getScale(unsigned dim) {
  if (float scale = op.getScales()[dim]; scale != 0)
    return f.number(scale);
  if (op.getFactors())
    return getElement(op.getFactors(), dim);
  return f.div(toFloat(out(dim)), toFloat(in(dim)));
}

/// The size of the result before it was rounded down.
Value Resampler::getWidth(unsigned dim) {
  if (op.getScales()[dim] == 0 && !op.getFactors())
    return toFloat(out(dim));
  return f.mul(getScale(dim), toFloat(in(dim)));
}

/// Element `position` of the region of interest.
Value Resampler::getRegion(unsigned position) {
  if (op.getRegion())
    return getElement(op.getRegion(), position);
  return f.number((*op.getRoi())[position]);
}

/// start and end of the region of interest, in input coordinates.
Value Resampler::getCropped(unsigned dim, Value index) {
  unsigned rank = op.getScales().size();
  Value start = getRegion(dim), end = getRegion(rank + dim);
  Value last = toFloat(in(dim)-1);
  Value steps = f.sub(getWidth(dim), f.number(1));
  Value slope = f.div(f.mul(f.sub(end, start), last), steps);
  Value inside = f.add(f.mul(start, last), f.mul(toFloat(index), slope));
  Value middle = f.mul(f.mul(f.number(0.5), f.add(start, end)), last);
  Value isMany = f.less(f.number(0), steps);
  return f.select(isMany, inside, middle);
}

Value Resampler::getCoordinate(unsigned dim, Value index) {
  Value half = f.number(0.5), zero = f.number(0);
  auto halfPixel = [&] {
    return f.sub(f.div(f.add(toFloat(index), half), getScale(dim)), half);
  };
  switch (op.getCoordinate()) {
  case CoordinateKind::half_pixel:
    return halfPixel();
  case CoordinateKind::half_pixel_symmetric: {
    Value exact = f.mul(getScale(dim), toFloat(in(dim)));
    Value adjustment = f.div(toFloat(out(dim)), exact);
    Value center = f.mul(toFloat(in(dim)), half);
    Value offset = f.mul(center, f.sub(f.number(1), adjustment));
    return f.add(offset, halfPixel());
  }
  case CoordinateKind::pytorch_half_pixel: {
    Value isMany = f.less(f.number(1), toFloat(out(dim)));
    return f.select(isMany, halfPixel(), zero);
  }
  case CoordinateKind::align_corners: {
    Value steps = f.sub(getWidth(dim), f.number(1));
    Value exact = f.div(f.mul(toFloat(index), toFloat(in(dim)-1)), steps);
    return f.select(f.less(zero, steps), exact, zero);
  }
  case CoordinateKind::asymmetric:
    return f.div(toFloat(index), getScale(dim));
  case CoordinateKind::tf_crop_and_resize:
    return getCropped(dim, index);
  }
  llvm_unreachable("unknown coordinates");
}

Value Resampler::roundNearest(Value x) {
  switch (op.getNearest()) {
  case NearestKind::round_prefer_floor:
    return f.ceil(f.sub(x, f.number(0.5)));
  case NearestKind::round_prefer_ceil:
    return f.floor(f.add(x, f.number(0.5)));
  case NearestKind::floor:
    return f.floor(x);
  case NearestKind::ceil:
    return f.ceil(x);
  }
  llvm_unreachable("unknown rounding");
}

/// Of the taps at -1, 0, 1 and 2 (Keys' cubic convolution).
SmallVector<Value> Resampler::getCubicWeights(Value t) {
  Value a = f.number(op.getCubicCoefficient().convertToDouble());
  auto polynomial = [&](Value x, Value c3, Value c2, Value c1, Value c0) {
    Value sum = f.add(f.mul(c3, x), c2);
    sum = f.add(f.mul(sum, x), c1);
    return f.add(f.mul(sum, x), c0);
  };
  auto times = [&](double factor) { return f.mul(a, f.number(factor)); };
  auto far = [&](Value x) {
    return polynomial(x, a, times(-5), times(8), times(-4));
  };
  auto near = [&](Value x) {
    return polynomial(x, f.add(a, f.number(2)), f.sub(times(-1), f.number(3)),
                      f.number(0), f.number(1));
  };
  Value one = f.number(1), two = f.number(2);
  return {far(f.add(t, one)), near(t), near(f.sub(one, t)), far(f.sub(two, t))};
}

SmallVector<Value> Resampler::getWeights(Value fraction) {
  if (op.getKind() == ResizeKind::cubic)
    return getCubicWeights(fraction);
  return {f.sub(f.number(1), fraction), fraction};
}

/// Taps outside the input weigh nothing; the others are scaled to sum 1.
void Resampler::excludeOutside(SmallVectorImpl<Value> &weights,
                               ArrayRef<Value> indices, SymExpr size) {
  Value total = f.number(0);
  for (auto [weight, index] : llvm::zip(weights, indices)) {
    Value isInside =
        e.kb.compare(arith::CmpIPredicate::ult, index, e.kb.getSize(size));
    weight = f.select(isInside, weight, f.number(0));
    total = f.add(total, weight);
  }
  for (Value &weight : weights)
    weight = f.div(weight, total);
}

/// The factor by which the dimension grows, if it is a whole number.
static std::optional<int64_t> getFactor(const KernelInfo &kernel, ResizeOp op,
                                        unsigned dim) {
  SymExpr in = kernel.getShape(op.getInput())[dim];
  SymExpr out = kernel.getShape(op.getResult())[dim];
  auto factor = static_cast<int64_t>(op.getScales()[dim]);
  if (factor == 0 && op.getFactors())
    return std::nullopt;
  std::optional<int64_t> from = in.getConstant(), to = out.getConstant();
  if (factor == 0 && from && to && *from != 0)
    factor = *to / *from;
  bool isExact = op.getScales()[dim] == 0 ||
                 op.getScales()[dim] == static_cast<float>(factor);
  return factor >= 1 && isExact && in * factor == out ? std::optional(factor)
                                                      : std::nullopt;
}

/// Where elements are repeated, the source of `index` is index / factor:
/// exactly so for `asymmetric` and `floor`; pixel centers lie at least half an
/// output pixel from where any rounding changes.
int64_t lz::getRepeat(const KernelInfo &kernel, ResizeOp op, unsigned dim) {
  if (op.getKind() != ResizeKind::nearest)
    return 0;
  bool isFloor = op.getCoordinate() == CoordinateKind::asymmetric &&
                 op.getNearest() == NearestKind::floor;
  bool isCentered = op.getCoordinate() == CoordinateKind::half_pixel &&
                    (op.getNearest() == NearestKind::round_prefer_floor ||
                     op.getNearest() == NearestKind::round_prefer_ceil);
  return isFloor || isCentered ? getFactor(kernel, op, dim).value_or(0) : 0;
}

bool lz::hasCostlyColumns(const KernelInfo &kernel, ResizeOp op) {
  unsigned last = op.getScales().size() - 1;
  bool isCopied = kernel.getShape(op.getInput())[last] ==
                      kernel.getShape(op.getResult())[last] &&
                  op.getCoordinate() != CoordinateKind::tf_crop_and_resize;
  return !isCopied && getRepeat(kernel, op, last) == 0;
}

SmallVector<Tap> Resampler::getTaps(unsigned dim, Value coordinate) {
  KernelBuilder &kb = e.kb;
  if (op.getKind() == ResizeKind::nearest)
    return {{clamp(dim, toInt(roundNearest(coordinate))), Value()}};
  Value floor = f.floor(coordinate);
  SmallVector<Value> weights = getWeights(f.sub(coordinate, floor));
  Value first = toInt(floor);
  if (op.getKind() == ResizeKind::cubic)
    first = kb.sub(first, kb.getIndex(1));
  SmallVector<Value> indices;
  for (size_t i = 0; i != weights.size(); ++i)
    indices.push_back(kb.add(first, kb.getIndex(static_cast<int64_t>(i))));
  if (op.getExcludeOutside())
    excludeOutside(weights, indices, in(dim));
  SmallVector<Tap> taps;
  for (auto [weight, index] : llvm::zip(weights, indices))
    taps.push_back({clamp(dim, index), result.convert(weight)});
  return taps;
}

/// The weight at `distance` in a kernel of the op's kind.
Value Resampler::getKernelWeight(Value distance) {
  Value x = f.abs(distance), one = f.number(1);
  if (op.getKind() == ResizeKind::linear)
    return f.max(f.sub(one, x), f.number(0));
  // Of the four weights at a fraction, the first two are far and near.
  Value isNear = f.less(x, one);
  Value near = getCubicWeights(x)[1];
  Value far = getCubicWeights(f.sub(x, one))[0];
  Value isFar = f.less(x, f.number(2));
  return f.select(isNear, near, f.select(isFar, far, f.number(0)));
}

/// The positions that a kernel stretched by the scale covers.
Reads Resampler::getWindow(unsigned dim, Value coordinate) {
  Reads reads;
  reads.scale = f.min(getScale(dim), f.number(1));
  Value width = f.number(op.getKind() == ResizeKind::linear ? 1 : 2);
  reads.low = e.kb.add(toInt(f.floor(f.neg(f.div(width, reads.scale)))),
                       e.kb.getIndex(1));
  reads.high = e.kb.sub(e.kb.getIndex(2), reads.low);
  reads.base = toInt(f.floor(coordinate));
  reads.coordinate = coordinate;
  return reads;
}

/// The weighted mean over the window of `dim`.
Value Resampler::sumWindow(ArrayRef<Reads> reads, SmallVector<Value> &dims,
                           unsigned dim) {
  KernelBuilder &kb = e.kb;
  const Reads &window = reads[dim];
  auto body = [&](Value step, ValueRange carried) -> SmallVector<Value> {
    Value position = kb.add(window.base, step);
    Value distance = f.sub(toFloat(position), window.coordinate);
    Value weight = getKernelWeight(f.mul(distance, window.scale));
    if (op.getExcludeOutside())
      weight = f.select(
          kb.compare(arith::CmpIPredicate::ult, position, kb.getSize(in(dim))),
          weight, f.number(0));
    dims[dim] = clamp(dim, position);
    Value part = sum(reads, dims, dim + 1);
    return {result.add(carried[0], result.mul(result.convert(weight), part)),
            f.add(carried[1], weight)};
  };
  SmallVector<Value> sums =
      kb.loop(window.low, window.high, {result.number(0), f.number(0)}, body);
  return result.div(sums[0], result.convert(sums[1]));
}

Value Resampler::sum(ArrayRef<Reads> reads, SmallVector<Value> &dims,
                     unsigned dim) {
  if (dim == dims.size()) {
    Value scalar = e.emit(op.getInput(), dims);
    if (op.getKind() == ResizeKind::nearest)
      return scalar;
    return emitCast(e.kb, scalar, getElementTypeOrSelf(op.getInput()),
                    result.type);
  }
  if (reads[dim].base)
    return sumWindow(reads, dims, dim);
  Value total;
  for (const Tap &tap : reads[dim].taps) {
    dims[dim] = tap.index;
    Value part = sum(reads, dims, dim + 1);
    if (tap.weight)
      part = result.mul(tap.weight, part);
    total = total ? result.add(total, part) : part;
  }
  return total;
}

Value Resampler::clamp(unsigned dim, Value index) {
  KernelBuilder &kb = e.kb;
  return kb.maximum(kb.minimum(index, kb.getSize(in(dim)-1)), kb.getIndex(0));
}

/// Notes whether `coordinate` is outside of the input. If so, it is replaced: a
/// run may give any region, so it may be no number that has an index.
Value Resampler::keepInside(unsigned dim, Value coordinate) {
  KernelBuilder &kb = e.kb;
  auto isLess = [&](Value a, Value b) { // or one of them is no number
    return kb.create<arith::CmpFOp>(arith::CmpFPredicate::ULT, a, b);
  };
  Value isHere = kb.create<arith::OrIOp>(
      isLess(coordinate, f.number(0)), isLess(toFloat(in(dim)-1), coordinate));
  isOutside = isOutside ? kb.create<arith::OrIOp>(isOutside, isHere) : isHere;
  return op.getRegion() ? f.select(isHere, f.number(0), coordinate)
                        : coordinate;
}

Reads Resampler::getReads(unsigned dim, Value index) {
  KernelBuilder &kb = e.kb;
  Reads reads;
  int64_t repeat = isResampled(dim) ? getRepeat(e.kernel, op, dim) : 1;
  if (repeat != 0) {
    reads.taps = {{kb.divide(index, kb.getIndex(repeat)), Value()}};
    return reads;
  }
  Value coordinate = getCoordinate(dim, index);
  if (op.getCoordinate() == CoordinateKind::tf_crop_and_resize)
    coordinate = keepInside(dim, coordinate);
  if (op.getAntialias() && op.getKind() != ResizeKind::nearest)
    return getWindow(dim, coordinate);
  reads.taps = getTaps(dim, coordinate);
  return reads;
}

Value Resampler::run(ArrayRef<Value> dims) {
  KernelBuilder &kb = e.kb;
  SmallVector<Reads> reads;
  for (auto [dim, index] : llvm::enumerate(dims))
    reads.push_back(getReads(dim, index));
  SmallVector<Value> at(dims);
  Value value = sum(reads, at, 0);
  Type element = getElementTypeOrSelf(op.getInput());
  if (op.getKind() != ResizeKind::nearest)
    value = emitClamped(kb, value, element);
  if (!isOutside)
    return value;
  double fill = op.getExtrapolationValue().convertToDouble();
  return kb.select(isOutside, kb.getScalar(value.getType(), fill), value);
}

static Value emitResize(ElementEmitter &e, ResizeOp op, OpResult result,
                        const Index &index) {
  KernelBuilder &kb = e.kb;
  Type type = getComputeType(getElementTypeOrSelf(result));
  Value zero = kb.getScalar(type, 0);
  bool isCropped = op.getCoordinate() == CoordinateKind::tf_crop_and_resize;
  if (isCropped && !op.getRoi() && !op.getRegion()) {
    kb.fail(op, "needs a roi or a region to crop by");
    return zero;
  }
  FloatMath f{kb, kb.getBuilder().getF64Type()};
  FloatMath sums{kb, isa<FloatType>(type) ? type
                                          : Type(kb.getBuilder().getF32Type())};
  Resampler resampler{e, op, f, sums, Value()};
  SmallVector<Value> dims = e.getDims(result, index);
  bool mayBeEmpty = llvm::any_of(e.getShape(op.getInput()), [](SymExpr size) {
    return !size.isAtLeast(1);
  });
  if (!mayBeEmpty)
    return resampler.run(dims);
  Value hasElements = kb.compare(
      arith::CmpIPredicate::sgt,
      kb.getSize(e.kernel.getNumElements(op.getInput())), kb.getIndex(0));
  return kb.choose(
      type, hasElements, [&] { return resampler.run(dims); },
      [&] { return zero; });
}

void lz::addResizeRules(ElementRules &rules) {
  rules.add<ResizeOp>(emitResize);
}
