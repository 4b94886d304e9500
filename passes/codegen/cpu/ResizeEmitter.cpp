//===- ResizeEmitter.cpp - resampling -------------------------------------===//
//
// Each resampled dimension reads one, two or four elements (taps) with weights;
// several dimensions multiply. Coordinates are computed in f64, so that ties in
// `nearest` fall as in the standard's own reference.
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

/// One lz.resize at one element.
struct Resampler {
  ElementEmitter &e;
  ResizeOp op;
  FloatMath f;      // of coordinates, f64
  FloatMath result; // of weights and sums

  bool isResampled(unsigned dim);
  Value getScale(unsigned dim);
  Value getCoordinate(unsigned dim, Value index);
  SmallVector<Tap> getTaps(unsigned dim, Value coordinate);
  Value sum(ArrayRef<SmallVector<Tap>> taps, SmallVector<Value> &dims,
            unsigned dim);
  Value run(ArrayRef<Value> dims);

private:
  Value toFloat(Value index);
  Value toFloat(SymExpr size) { return toFloat(e.kb.getSize(size)); }
  Value getCropped(unsigned dim, Value index);
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
  return in(dim) != out(dim) || (scale != 0 && scale != 1);
}

Value Resampler::getScale(unsigned dim) {
  if (float scale = op.getScales()[dim]; scale != 0)
    return f.number(scale);
  return f.div(toFloat(out(dim)), toFloat(in(dim)));
}

/// start and end of the region of interest, in input coordinates.
Value Resampler::getCropped(unsigned dim, Value index) {
  ArrayRef<float> roi = *op.getRoi();
  Value start = f.number(roi[dim]), end = f.number(roi[roi.size() / 2 + dim]);
  Value last = toFloat(in(dim)-1);
  Value steps = toFloat(out(dim) - 1);
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
    Value steps = toFloat(out(dim) - 1);
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
  Type i64 = kb.getBuilder().getI64Type();
  auto clamp = [&](Value index) {
    return kb.maximum(kb.minimum(index, kb.getSize(in(dim)-1)), kb.getIndex(0));
  };
  if (op.getKind() == ResizeKind::nearest) {
    Value nearest = roundNearest(coordinate);
    return {{clamp(kb.create<arith::FPToSIOp>(i64, nearest)), Value()}};
  }
  Value floor = f.floor(coordinate);
  SmallVector<Value> weights = getWeights(f.sub(coordinate, floor));
  Value first = kb.create<arith::FPToSIOp>(i64, floor);
  if (op.getKind() == ResizeKind::cubic)
    first = kb.sub(first, kb.getIndex(1));
  SmallVector<Value> indices;
  for (size_t i = 0; i != weights.size(); ++i)
    indices.push_back(kb.add(first, kb.getIndex(static_cast<int64_t>(i))));
  if (op.getExcludeOutside())
    excludeOutside(weights, indices, in(dim));
  SmallVector<Tap> taps;
  for (auto [weight, index] : llvm::zip(weights, indices))
    taps.push_back({clamp(index), result.convert(weight)});
  return taps;
}

Value Resampler::sum(ArrayRef<SmallVector<Tap>> taps, SmallVector<Value> &dims,
                     unsigned dim) {
  if (dim == dims.size()) {
    Value scalar = e.emit(op.getInput(), dims);
    if (op.getKind() == ResizeKind::nearest)
      return scalar;
    return emitCast(e.kb, scalar, getElementTypeOrSelf(op.getInput()),
                    result.type);
  }
  Value total;
  for (const Tap &tap : taps[dim]) {
    dims[dim] = tap.index;
    Value part = sum(taps, dims, dim + 1);
    if (tap.weight)
      part = result.mul(tap.weight, part);
    total = total ? result.add(total, part) : part;
  }
  return total;
}

Value Resampler::run(ArrayRef<Value> dims) {
  KernelBuilder &kb = e.kb;
  SmallVector<SmallVector<Tap>> taps;
  Value isOutside;
  for (auto [dim, index] : llvm::enumerate(dims)) {
    if (!isResampled(dim)) {
      taps.push_back({{index, Value()}});
      continue;
    }
    if (int64_t repeat = getRepeat(e.kernel, op, dim)) {
      taps.push_back({{kb.divide(index, kb.getIndex(repeat)), Value()}});
      continue;
    }
    Value coordinate = getCoordinate(dim, index);
    taps.push_back(getTaps(dim, coordinate));
    if (op.getCoordinate() != CoordinateKind::tf_crop_and_resize)
      continue;
    Value isHere =
        kb.create<arith::OrIOp>(f.less(coordinate, f.number(0)),
                                f.less(toFloat(in(dim)-1), coordinate));
    isOutside = isOutside ? kb.create<arith::OrIOp>(isOutside, isHere) : isHere;
  }
  SmallVector<Value> at(dims);
  Value value = sum(taps, at, 0);
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
  if (op.getAntialias() || (isCropped && !op.getRoi())) {
    kb.fail(op, op.getAntialias()
                    ? "with antialias is not supported on CPUs; export the "
                      "model with antialias 0"
                    : "needs a constant roi to crop by");
    return zero;
  }
  FloatMath f{kb, kb.getBuilder().getF64Type()};
  FloatMath sums{kb, isa<FloatType>(type) ? type
                                          : Type(kb.getBuilder().getF32Type())};
  Resampler resampler{e, op, f, sums};
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
