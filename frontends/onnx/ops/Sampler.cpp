//===- Sampler.cpp - reading tensors between their elements ---------------===//

#include "frontends/onnx/ops/Sampler.h"

using namespace mlir;
using namespace lz;

/// The free coefficient of cubic interpolation that ONNX's GridSample fixes.
static constexpr double kCubicAlpha = -0.75;

/// Floats below f32 are computed in f32.
static Type getComputeType(NodeImporter &node, Value source) {
  Type element = node.getElement(source);
  return element.isF64() ? element : node.getBuilder().getF32Type();
}

Sampler::Sampler(NodeImporter &node, Value source, Mode mode, Border border,
                 bool mirrorsAtCentres)
    : node(node), batch(node.size(0)), channels(node.size(0)), mode(mode),
      border(border), mirrorsAtCentres(mirrorsAtCentres),
      type(getComputeType(node, source)) {
  SymShape shape = node.getShape(source);
  if (shape.size() < 2)
    return;
  batch = shape[0];
  channels = shape[1];
  sizes.assign(shape.begin() + 2, shape.end());
  elements = node.reshape(
      source, {batch, channels, getProduct(node.getContext(), sizes)});
}

Value Sampler::number(SymExpr size) {
  return node.cast(node.sizeTensor(size, {}), type);
}

Value Sampler::combine(BinaryKind kind, Value lhs, double rhs) {
  return node.binary(kind, lhs, node.scalar(type, rhs));
}

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

/// The nearest position from the first to the last element.
Value Sampler::clamp(Value position, SymExpr size) {
  Value last = number(size - 1);
  return combine(BinaryKind::max, node.binary(BinaryKind::min, position, last),
                 0);
}

/// Folds a position at the mirrors before the first and after the last element.
Value Sampler::mirror(Value position, SymExpr size) {
  double low = mirrorsAtCentres ? 0 : -0.5;
  Value length = number(mirrorsAtCentres ? size - 1 : size);
  // One element between mirrors at its centre leaves no length to fold.
  length = combine(BinaryKind::max, length, 1);
  Value distance =
      node.unary(UnaryKind::abs, combine(BinaryKind::sub, position, low));
  Value folds = node.unary(UnaryKind::floor,
                           node.binary(BinaryKind::div, distance, length));
  Value rest = node.binary(BinaryKind::sub, distance,
                           node.binary(BinaryKind::mul, folds, length));
  Value half =
      node.unary(UnaryKind::floor, combine(BinaryKind::mul, folds, 0.5));
  Value odd =
      node.binary(BinaryKind::sub, folds, combine(BinaryKind::mul, half, 2));
  Value back = node.binary(BinaryKind::sub, length, rest);
  Value isOdd = node.compare(CompareKind::ne, odd, node.scalar(type, 0));
  rest = node.create<SelectOp>(isOdd, back, rest);
  return combine(BinaryKind::add, rest, low);
}

/// The element at `position`, a whole number.
Sampler::Tap Sampler::getTap(Value position, Value weight, SymExpr size) {
  Value inside;
  if (border == Border::Zeros)
    inside = node.create<BinaryOp>(
        BinaryKind::logical_and,
        node.compare(CompareKind::ge, position, node.scalar(type, 0)),
        node.compare(CompareKind::lt, position, number(size)));
  if (border == Border::Mirror)
    position = mirror(position, size);
  // Mirrored positions are clamped as well: NaN and rounding end somewhere.
  Value index = clamp(position, size);
  return {node.cast(index, node.getBuilder().getI64Type()), inside, weight};
}

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

/// The weights of the four elements around a point that lies `fraction` beyond
/// the second (Keys, 1981).
SmallVector<Value> Sampler::getCubicWeights(Value fraction) {
  const double a = kCubicAlpha;
  auto add = [&](Value lhs, double rhs) {
    return combine(BinaryKind::add, lhs, rhs);
  };
  auto times = [&](Value lhs, Value rhs) {
    return node.binary(BinaryKind::mul, lhs, rhs);
  };
  auto scaled = [&](Value lhs, double rhs) {
    return combine(BinaryKind::mul, lhs, rhs);
  };
  // Of an element within one element of the point, and of one beyond.
  auto near = [&](Value x) {
    Value inner = add(scaled(x, a + 2), -(a + 3));
    return add(times(times(inner, x), x), 1);
  };
  auto far = [&](Value x) {
    Value inner = times(add(scaled(x, a), -5 * a), x);
    return add(times(add(inner, 8 * a), x), -4 * a);
  };
  Value rest = add(node.unary(UnaryKind::neg, fraction), 1);
  return {far(add(fraction, 1)), near(fraction), near(rest), far(add(rest, 1))};
}

/// The elements that a point reads in a dimension of `size` elements.
Sampler::Taps Sampler::getTaps(Value position, SymExpr size) {
  if (mode == Mode::Nearest)
    return {getTap(node.unary(UnaryKind::round, position), {}, size)};
  Value first = node.unary(UnaryKind::floor, position);
  Value fraction = node.binary(BinaryKind::sub, position, first);
  SmallVector<Value> weights;
  double offset = 0;
  if (mode == Mode::Linear) {
    Value rest =
        combine(BinaryKind::add, node.unary(UnaryKind::neg, fraction), 1);
    weights = {rest, fraction};
  } else {
    weights = getCubicWeights(fraction);
    offset = -1;
  }
  Taps taps;
  for (Value weight : weights)
    taps.push_back(
        getTap(combine(BinaryKind::add, first, offset++), weight, size));
  return taps;
}

/// The elements, [batch, channels, points], at one tap for each dimension.
Value Sampler::read(ArrayRef<Tap> taps) {
  Value index, inside;
  for (auto [tap, size] : llvm::zip_equal(taps, sizes)) {
    if (!index) {
      index = tap.index;
      inside = tap.inside;
      continue;
    }
    Value scaled =
        node.binary(BinaryKind::mul, index, node.sizeTensor(size, {}));
    index = node.binary(BinaryKind::add, scaled, tap.index);
    if (inside)
      inside = node.binary(BinaryKind::logical_and, inside, tap.inside);
  }
  if (node.failed())
    return {};
  SymExpr points = node.getShape(index)[1];
  Value all = node.expand(node.reshape(index, {batch, node.size(1), points}),
                          {batch, channels, points});
  Value read = node.create<GatherElementsOp>(elements, all, 2);
  if (!inside)
    return read;
  return node.create<SelectOp>(
      node.reshape(inside, {batch, node.size(1), points}), read,
      node.scalar(node.getElement(read), 0));
}

/// Adds to `sum` what each choice of one of `taps` for each dimension that is
/// not `chosen` yet contributes.
void Sampler::addProducts(ArrayRef<Taps> taps, SmallVectorImpl<Tap> &chosen,
                          Value &sum) {
  if (node.failed())
    return;
  if (chosen.size() != taps.size()) {
    for (const Tap &tap : taps[chosen.size()]) {
      chosen.push_back(tap);
      addProducts(taps, chosen, sum);
      chosen.pop_back();
    }
    return;
  }
  Value weight;
  for (const Tap &tap : chosen)
    weight =
        weight ? node.binary(BinaryKind::mul, weight, tap.weight) : tap.weight;
  SymExpr points = node.getShape(weight)[1];
  Value product =
      node.binary(BinaryKind::mul, node.cast(read(chosen), type),
                  node.reshape(weight, {batch, node.size(1), points}));
  sum = sum ? node.binary(BinaryKind::add, sum, product) : product;
}

Value Sampler::sample(ArrayRef<Value> points) {
  if (node.failed())
    return {};
  SmallVector<Taps> taps;
  for (auto [position, size] : llvm::zip_equal(points, sizes))
    taps.push_back(getTaps(position, size));
  SmallVector<Tap> chosen;
  if (mode == Mode::Nearest) {
    for (const Taps &only : taps)
      chosen.push_back(only.front());
    return read(chosen);
  }
  Value sum;
  addProducts(taps, chosen, sum);
  return node.cast(sum, node.getElement(elements));
}
