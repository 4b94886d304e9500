//===- Resize.cpp - reference model of lz.resize --------------------------===//
//
// ONNX Resize-19. Every kind is separable, so dimensions are resampled one
// after another: each result position is a weighted sum of a few input
// positions.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace lz;

namespace {
/// One dimension that is resampled.
struct Axis {
  int64_t input, result;
  double scale, begin, end; // `begin` and `end` are of the region of interest
};

/// A result position: which input positions it sums, with which weights.
struct Taps {
  bool outside = false; // takes the extrapolation value instead
  std::vector<int64_t> positions;
  std::vector<double> weights;
};
} // namespace

/// Where result position `y` lies in the input.
static double getCoordinate(CoordinateKind kind, const Axis &axis, double y) {
  double width = axis.scale * static_cast<double>(axis.input);
  double last = static_cast<double>(axis.input - 1);
  double halfPixel = (y + 0.5) / axis.scale - 0.5;
  switch (kind) {
  case CoordinateKind::half_pixel:
    return halfPixel;
  case CoordinateKind::half_pixel_symmetric: {
    double adjustment = static_cast<double>(axis.result) / width;
    double center = static_cast<double>(axis.input) / 2;
    return center * (1 - adjustment) + halfPixel;
  }
  case CoordinateKind::pytorch_half_pixel:
    return width == 1 ? -0.5 : halfPixel;
  case CoordinateKind::align_corners:
    return width == 1 ? 0 : y * last / (width - 1);
  case CoordinateKind::asymmetric:
    return y / axis.scale;
  case CoordinateKind::tf_crop_and_resize:
    break;
  }
  double size = axis.end - axis.begin;
  return axis.begin * last +
         (width == 1 ? size * last / 2 : y * size * last / (width - 1));
}

static int64_t roundNearest(NearestKind kind, double x) {
  switch (kind) {
  case NearestKind::round_prefer_floor:
    return static_cast<int64_t>(std::ceil(x - 0.5));
  case NearestKind::round_prefer_ceil:
    return static_cast<int64_t>(std::floor(x + 0.5));
  case NearestKind::floor:
    return static_cast<int64_t>(std::floor(x));
  case NearestKind::ceil:
    break;
  }
  return static_cast<int64_t>(std::ceil(x));
}

/// The cubic convolution kernel of Keys with coefficient `a`.
static double cubicKernel(double x, double a) {
  x = std::abs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// The weight of an input position at distance `x`.
static double getWeight(ResizeOp op, double x) {
  if (op.getKind() == ResizeKind::linear)
    return std::max(0.0, 1 - std::abs(x));
  return cubicKernel(x, op.getCubicCoefficient().convertToDouble());
}

/// Scales `weights` to a sum of 1.
static void normalize(MutableArrayRef<double> weights) {
  double sum = 0;
  for (double weight : weights)
    sum += weight;
  for (double &weight : weights)
    weight /= sum == 0 ? 1 : sum;
}

/// The taps of a linear or cubic kernel around `x`. With `antialias` the kernel
/// is stretched when the dimension shrinks.
static Taps getKernelTaps(ResizeOp op, const Axis &axis, double x) {
  double scale = op.getAntialias() ? std::min(axis.scale, 1.0) : 1;
  double reach = (op.getKind() == ResizeKind::linear ? 1 : 2) / scale;
  auto base = static_cast<int64_t>(std::floor(x));
  auto first = static_cast<int64_t>(std::floor(-reach)) + 1;
  Taps taps;
  for (int64_t k = first; k != 2 - first; ++k) {
    int64_t position = base + k;
    double weight = getWeight(op, (static_cast<double>(position) - x) * scale);
    bool inside = position >= 0 && position < axis.input;
    taps.weights.push_back(inside || !op.getExcludeOutside() ? weight : 0);
    taps.positions.push_back(std::clamp<int64_t>(position, 0, axis.input - 1));
  }
  if (op.getAntialias() || op.getExcludeOutside())
    normalize(taps.weights);
  return taps;
}

static Taps getTaps(ResizeOp op, const Axis &axis, int64_t y) {
  double x = getCoordinate(op.getCoordinate(), axis, static_cast<double>(y));
  Taps taps;
  if (op.getCoordinate() == CoordinateKind::tf_crop_and_resize) {
    taps.outside = !(x >= 0 && x <= static_cast<double>(axis.input - 1));
    if (taps.outside)
      return taps;
  }
  if (op.getKind() != ResizeKind::nearest)
    return getKernelTaps(op, axis, x);
  int64_t nearest = roundNearest(op.getNearest(), x);
  taps.positions = {std::clamp<int64_t>(nearest, 0, axis.input - 1)};
  taps.weights = {1};
  return taps;
}

/// Resamples dimension `dim` of `values`, whose sizes are `shape`.
static std::vector<double> resample(ResizeOp op, ArrayRef<double> values,
                                    ArrayRef<int64_t> shape, int64_t dim,
                                    const Axis &axis) {
  AxisView from(shape, dim);
  std::vector<double> result(from.outer * axis.result * from.inner);
  for (int64_t y = 0; y != axis.result; ++y) {
    Taps taps = getTaps(op, axis, y);
    for (int64_t o = 0; o != from.outer; ++o)
      for (int64_t n = 0; n != from.inner; ++n) {
        double sum =
            taps.outside ? op.getExtrapolationValue().convertToDouble() : 0;
        for (auto [position, weight] :
             llvm::zip_equal(taps.positions, taps.weights))
          sum += weight * values[from.at(o, position, n)];
        result[(o * axis.result + y) * from.inner + n] = sum;
      }
  }
  return result;
}

/// Dimension `dim` as the op describes it.
static Axis getAxis(ResizeOp op, Evaluation &e, int64_t dim, int64_t input,
                    int64_t result) {
  double scale = op.getScales()[dim];
  const RefTensor *factors = e.find(op.getFactors());
  if (scale == 0)
    scale = factors ? factors->getDouble(dim)
                    : static_cast<double>(result) / static_cast<double>(input);
  Axis axis = {input, result, scale, 0, 1};
  if (auto roi = op.getRoi()) {
    axis.begin = (*roi)[dim];
    axis.end = (*roi)[dim + roi->size() / 2];
  }
  if (const RefTensor *region = e.find(op.getRegion())) {
    axis.begin = region->getDouble(dim);
    axis.end = region->getDouble(dim + region->getNumElements() / 2);
  }
  return axis;
}

/// True if the dimension stays as it is.
static bool isIdentity(const Axis &axis) {
  return axis.scale == 1 && axis.input == axis.result && axis.begin == 0 &&
         axis.end == 1;
}

/// Stores real numbers; integers are rounded and limited to their range.
static void storeRounded(RefTensor &result, ArrayRef<double> values) {
  const ElementFormat &format = result.getFormat();
  double low = format.kind == ElementFormat::Signed
                   ? -std::ldexp(1, format.bits - 1)
                   : 0;
  double high = std::ldexp(1, format.bits) + low - 1;
  for (auto [i, value] : llvm::enumerate(values))
    result.setDouble(i, format.isInteger()
                            ? std::clamp(std::nearbyint(value), low, high)
                            : value);
}

static LogicalResult evaluateResize(ResizeOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<Sizes> sizes = e.getSizes(op.getSizes());
  if (failed(sizes))
    return failure();
  FailureOr<RefTensor> result = e.makeResult(*sizes);
  if (failed(result))
    return failure();
  if (input.getNumElements() == 0 && result->getNumElements() != 0)
    return op.emitOpError() << "can't resample an empty tensor";
  std::vector<double> values = input.getDoubles();
  Sizes shape(input.getShape());
  for (int64_t dim = 0; dim != input.getRank(); ++dim) {
    Axis axis = getAxis(op, e, dim, shape[dim], (*sizes)[dim]);
    if (isIdentity(axis))
      continue;
    values = resample(op, values, shape, dim, axis);
    shape[dim] = axis.result;
  }
  storeRounded(*result, values);
  return e.give(*result);
}

void lz::attachResizeModels(MLIRContext &context) {
  attachReference<ResizeOp, evaluateResize>(context);
}
