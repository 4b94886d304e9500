//===- Resize.cpp - Resize and Upsample -----------------------------------===//
//
// Scales, sizes and the region that are known become attributes. What only the
// run knows stays an operand, and the run binds the sizes that follow from it.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/Common.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace lz;

namespace {
/// What lz.resize needs, one element per dimension.
struct ResizeParts {
  SymShape sizes;
  SmallVector<float> scales;
  SmallVector<float> roi;
  Value factors, region; // scales and roi that only the run knows
  ResizeKind kind = ResizeKind::nearest;
  CoordinateKind coordinate = CoordinateKind::asymmetric;
  NearestKind nearest = NearestKind::floor;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sizes from scales
//===----------------------------------------------------------------------===//

/// `floor(size * scale)`. The scale is the simplest fraction that has its value
/// in f32, as exporters round 2 / 3 before they write it.
static SymExpr scaleSize(NodeImporter &node, SymExpr size, float scale) {
  if (std::optional<int64_t> known = size.getConstant())
    return node.size(std::floor(static_cast<float>(*known) * scale));
  for (int64_t divisor = 1; divisor <= 4096; ++divisor) {
    double dividend = std::round(double(scale) * divisor);
    if (static_cast<float>(dividend / divisor) == scale)
      return (size * static_cast<int64_t>(dividend))
          .floorDiv(node.size(divisor));
  }
  node.error() << "the scale " << scale << " of a dynamic dimension is not a "
               << "fraction with a divisor up to 4096";
  return size;
}

/// Sets sizes and scales from the model's `scales` of `axes`.
static void applyScales(NodeImporter &node, ArrayRef<double> scales,
                        ArrayRef<int64_t> axes, ResizeParts &parts) {
  if (scales.size() != axes.size()) {
    node.error() << "has " << scales.size() << " scales for " << axes.size()
                 << " dimensions";
    return;
  }
  for (auto [axis, scale] : llvm::zip_equal(axes, scales)) {
    if (!(scale > 0 && scale < 1e6)) {
      node.error() << "the scale " << scale << " of dimension " << axis
                   << " is not a positive number";
      return;
    }
    parts.sizes[axis] = scaleSize(node, parts.sizes[axis], scale);
    parts.scales[axis] = scale;
    if (node.failed())
      return;
  }
}

//===----------------------------------------------------------------------===//
// Scales that only the run knows
//===----------------------------------------------------------------------===//

/// More than any size; exact in f32.
static constexpr double kBeyond = 4294967296.0;

/// A vector of `rank` elements: element `i` of `given`, from `offset` on, for
/// dimension `axes[i]`, and `fallback` for others.
static Value placeByAxes(NodeImporter &node, Value given, int64_t offset,
                         ArrayRef<int64_t> axes, int64_t rank,
                         double fallback) {
  Value other =
      node.reshape(node.scalar(node.getElement(given), fallback), node.size(1));
  SmallVector<Value> elements(rank, other);
  for (auto [i, axis] : llvm::enumerate(axes))
    elements[axis] = node.sliceAxis(
        given, 0, node.size(offset + static_cast<int64_t>(i)), node.size(1));
  return node.failed() ? Value() : node.concat(elements, 0);
}

/// The sizes of `axes` in the input.
static Value getInputSizes(NodeImporter &node, ArrayRef<int64_t> axes,
                           const ResizeParts &parts, Type type) {
  auto sizes = llvm::map_to_vector(
      axes, [&](int64_t axis) { return parts.sizes[axis]; });
  return node.cast(node.sizeTensor(sizes, static_cast<int64_t>(axes.size())),
                   type);
}

/// Sizes, already rounded, as integers; -1, which the run refuses, where
/// `isSane` does not hold.
static Value getSaneSizes(NodeImporter &node, Value sizes, Value isSane) {
  auto number = [&](double value) {
    return node.scalar(node.getElement(sizes), value);
  };
  Value limited = node.binary(BinaryKind::min, sizes, number(kBeyond));
  return node.cast(node.create<SelectOp>(isSane, limited, number(-1)),
                   node.getBuilder().getI64Type());
}

/// The numbers of a vector, as far as they are known: parts of a concat may be.
static SmallVector<std::optional<double>> getKnownNumbers(NodeImporter &node,
                                                          Value vector) {
  if (auto numbers = node.getNumbers(vector))
    return SmallVector<std::optional<double>>(numbers->begin(), numbers->end());
  if (auto concat = vector.getDefiningOp<ConcatOp>()) {
    SmallVector<std::optional<double>> joined;
    for (Value input : concat.getInputs())
      joined.append(getKnownNumbers(node, input));
    return joined;
  }
  auto count = node.getShapes().getNumElements(vector).getConstant();
  return SmallVector<std::optional<double>>(
      count && *count <= ShapeAnalysis::kMaxContents ? *count : 0);
}

/// Sets sizes and scales from `scales` that only the run knows.
static void applyOpenScales(NodeImporter &node, Value scales,
                            ArrayRef<int64_t> axes, ResizeParts &parts) {
  auto known = getKnownNumbers(node, scales);
  if (node.getRank(scales) != 1 || known.size() != axes.size()) {
    node.error() << "has scales of type " << scales.getType() << ", expected "
                 << axes.size() << " numbers";
    return;
  }
  Type type = node.getElement(scales);
  Value exact = node.binary(BinaryKind::mul,
                            getInputSizes(node, axes, parts, type), scales);
  Value isSane = node.compare(CompareKind::gt, scales, node.scalar(type, 0));
  SymShape sizes = node.getSizes(
      getSaneSizes(node, node.unary(UnaryKind::floor, exact), isSane));
  for (size_t i = 0; i != axes.size() && !node.failed(); ++i) {
    if (known[i]) {
      applyScales(node, *known[i], axes[i], parts);
      continue;
    }
    parts.sizes[axes[i]] = sizes[i];
    parts.scales[axes[i]] = 0;
  }
  parts.factors = placeByAxes(node, scales, 0, axes, parts.sizes.size(), 1);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// keepAspect() of sizes that only the run knows.
static void keepOpenAspect(NodeImporter &node, ArrayRef<SymExpr> sizes,
                           ArrayRef<int64_t> axes, bool larger,
                           ResizeParts &parts) {
  auto count = static_cast<int64_t>(axes.size());
  Type f64 = node.getBuilder().getF64Type();
  Value from = getInputSizes(node, axes, parts, f64);
  Value to = node.cast(node.sizeTensor(sizes, count), f64);
  Value best = node.reduce(larger ? ReduceKind::max : ReduceKind::min,
                           node.binary(BinaryKind::div, to, from), 0,
                           /*keepDims=*/true);
  Value exact = node.binary(BinaryKind::mul, best, from);
  Value rounded =
      node.unary(UnaryKind::floor,
                 node.binary(BinaryKind::add, exact, node.scalar(f64, 0.5)));
  Value isSane = node.compare(CompareKind::ge, exact, node.scalar(f64, 0));
  Value results = getSaneSizes(node, rounded, isSane);
  if (node.failed())
    return;
  SymShape found;
  if (larger)
    found = node.getSizes(results);
  else
    for (auto [i, size] : llvm::enumerate(sizes))
      found.push_back(bindCount(
          node, node.sliceAxis(results, 0, node.size(i), node.size(1)), size));
  if (node.failed())
    return;
  for (auto [axis, size] : llvm::zip_equal(axes, found))
    parts.sizes[axis] = size;
  Value factors = node.expand(node.cast(best, node.getBuilder().getF32Type()),
                              node.size(count));
  parts.factors = placeByAxes(node, factors, 0, axes, parts.sizes.size(), 1);
}

/// One scale for all `axes`, such that `sizes` are not exceeded (or reached).
static void keepAspect(NodeImporter &node, ArrayRef<SymExpr> sizes,
                       ArrayRef<int64_t> axes, bool larger,
                       ResizeParts &parts) {
  std::optional<double> best;
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    auto from = parts.sizes[axis].getConstant(), to = size.getConstant();
    if (!from || !to || *from == 0)
      return keepOpenAspect(node, sizes, axes, larger, parts);
    double scale = double(*to) / *from;
    best = !best    ? scale
           : larger ? std::max(*best, scale)
                    : std::min(*best, scale);
  }
  for (int64_t axis : axes) {
    double exact = *best * *parts.sizes[axis].getConstant();
    parts.sizes[axis] = node.size(std::floor(exact + 0.5));
    parts.scales[axis] = *best;
  }
}

static void applySizes(NodeImporter &node, Value operand,
                       ArrayRef<int64_t> axes, ResizeParts &parts) {
  SymShape sizes = node.getSizes(operand);
  if (!node.failed() && sizes.size() != axes.size())
    node.error() << "has " << sizes.size() << " sizes for " << axes.size()
                 << " dimensions";
  if (node.failed())
    return;
  std::string policy = node.getString("keep_aspect_ratio_policy", "stretch");
  if (policy == "not_larger" || policy == "not_smaller")
    return keepAspect(node, sizes, axes, policy == "not_smaller", parts);
  if (policy != "stretch") {
    node.error() << "attribute 'keep_aspect_ratio_policy' is '" << policy
                 << "', expected 'stretch', 'not_larger' or 'not_smaller'";
    return;
  }
  for (auto [axis, size] : llvm::zip_equal(axes, sizes))
    parts.sizes[axis] = size;
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

/// The case of `name`'s string; an error that names the attribute otherwise.
template <typename T>
static void setMode(NodeImporter &node, const char *name,
                    const std::string &text, std::optional<T> found,
                    T &target) {
  if (found)
    target = *found;
  else if (!node.failed())
    node.error() << "attribute '" << name << "' is '" << text
                 << "', which is not one of its values";
}

static void setKind(NodeImporter &node, ResizeParts &parts) {
  std::string text = node.getString("mode", "nearest");
  setMode(node, "mode", text,
          llvm::StringSwitch<std::optional<ResizeKind>>(text)
              .Case("nearest", ResizeKind::nearest)
              .Cases({"linear", "bilinear", "trilinear"}, ResizeKind::linear)
              .Case("cubic", ResizeKind::cubic)
              .Default(std::nullopt),
          parts.kind);
}

static void setCoordinates(NodeImporter &node, ResizeParts &parts) {
  std::string text =
      node.getString("coordinate_transformation_mode", "half_pixel");
  std::string nearest = node.getString("nearest_mode", "round_prefer_floor");
  // (x + 0.5) / scale rounded down is half_pixel rounded up at halves.
  if (text == "tf_half_pixel_for_nn" && parts.kind == ResizeKind::nearest &&
      nearest == "floor") {
    text = "half_pixel";
    nearest = "round_prefer_ceil";
  }
  setMode(
      node, "coordinate_transformation_mode", text,
      llvm::StringSwitch<std::optional<CoordinateKind>>(text)
          .Case("half_pixel", CoordinateKind::half_pixel)
          .Case("half_pixel_symmetric", CoordinateKind::half_pixel_symmetric)
          .Case("pytorch_half_pixel", CoordinateKind::pytorch_half_pixel)
          .Case("align_corners", CoordinateKind::align_corners)
          .Case("asymmetric", CoordinateKind::asymmetric)
          .Case("tf_crop_and_resize", CoordinateKind::tf_crop_and_resize)
          .Default(std::nullopt),
      parts.coordinate);
  setMode(node, "nearest_mode", nearest,
          llvm::StringSwitch<std::optional<NearestKind>>(nearest)
              .Case("round_prefer_floor", NearestKind::round_prefer_floor)
              .Case("round_prefer_ceil", NearestKind::round_prefer_ceil)
              .Case("floor", NearestKind::floor)
              .Case("ceil", NearestKind::ceil)
              .Default(std::nullopt),
          parts.nearest);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The start: every dimension as it is.
static ResizeParts getParts(NodeImporter &node) {
  ResizeParts parts;
  parts.sizes = node.getShape(node.operand(0));
  parts.scales.assign(parts.sizes.size(), 1);
  setKind(node, parts);
  return parts;
}

static LogicalResult build(NodeImporter &node, const ResizeParts &parts) {
  if (node.failed())
    return failure();
  DenseF32ArrayAttr roi;
  if (!parts.roi.empty())
    roi = DenseF32ArrayAttr::get(node.getContext(), parts.roi);
  auto attr = [&](double value) { return APFloat(value); };
  return node.finish(node.create<ResizeOp>(
      parts.kind, node.operand(0), parts.factors, parts.region,
      node.exprs(parts.sizes), parts.scales, parts.coordinate, parts.nearest,
      attr(node.getFloat("cubic_coeff_a", -0.75)),
      node.getBool("exclude_outside", false), node.getBool("antialias", false),
      attr(node.getFloat("extrapolation_value", 0)), roi));
}

/// Sets sizes and scales from the operand `scales`.
static void applyScales(NodeImporter &node, Value scales,
                        ArrayRef<int64_t> axes, ResizeParts &parts) {
  if (auto numbers = node.getNumbers(scales))
    applyScales(node, *numbers, axes, parts);
  else if (scales)
    applyOpenScales(node, scales, axes, parts);
  else
    node.error() << "needs scales";
}

/// Upsample, and Resize-10, know one way to find a coordinate.
static LogicalResult importUpsample(NodeImporter &node) {
  ResizeParts parts = getParts(node);
  int64_t rank = parts.sizes.size();
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (node.failed())
    return failure();
  if (node.getVersion() >= 9)
    applyScales(node, node.operand(1), axes, parts);
  else if (auto attribute = node.getFloats("scales"))
    applyScales(node, *attribute, axes, parts);
  else
    applyScales(node,
                {1, 1, node.getFloat("height_scale", 0),
                 node.getFloat("width_scale", 0)},
                axes, parts);
  return build(node, parts);
}

/// The start and end of each dimension, for tf_crop_and_resize.
static void setRoi(NodeImporter &node, ArrayRef<int64_t> axes,
                   ResizeParts &parts) {
  int64_t rank = parts.sizes.size(), count = axes.size();
  Value operand = node.operand(1);
  auto roi = node.getNumbers(operand);
  auto size = operand ? node.getShapes().getNumElements(operand).getConstant()
                      : std::optional<int64_t>(0);
  if (size != 2 * count || node.getRank(operand) != 1) {
    node.error() << "input 'roi' must be a vector of " << 2 * count
                 << " elements";
    return;
  }
  if (!roi) {
    Value starts = placeByAxes(node, operand, 0, axes, rank, 0);
    Value ends = placeByAxes(node, operand, count, axes, rank, 1);
    parts.region = node.concat({starts, ends}, 0);
    return;
  }
  parts.roi.assign(rank, 0);
  parts.roi.append(rank, 1);
  for (int64_t i = 0; i != count; ++i) {
    parts.roi[axes[i]] = (*roi)[i];
    parts.roi[rank + axes[i]] = (*roi)[count + i];
  }
}

static LogicalResult importResize(NodeImporter &node) {
  if (node.getVersion() < 11)
    return importUpsample(node);
  ResizeParts parts = getParts(node);
  setCoordinates(node, parts);
  int64_t rank = parts.sizes.size();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (auto attribute = node.getInts("axes")) {
    axes = *attribute;
    for (int64_t &axis : axes)
      axis = node.getAxis(axis, rank);
  }
  if (parts.coordinate == CoordinateKind::tf_crop_and_resize)
    setRoi(node, axes, parts);
  if (node.failed())
    return failure();
  Value scales = node.operand(2), sizes = node.operand(3);
  bool bySizes = sizes && !node.getShape(sizes).empty() &&
                 !node.getShape(sizes)[0].isConstant(0);
  if (bySizes) {
    for (int64_t axis : axes)
      parts.scales[axis] = 0;
    applySizes(node, sizes, axes, parts);
  } else if (scales) {
    applyScales(node, scales, axes, parts);
  } else {
    node.error() << "needs either scales or sizes";
  }
  return build(node, parts);
}

void lz::registerResize(HandlerTable &handlers) {
  handlers["Resize"] = importResize;
  handlers["Upsample"] = importUpsample;
}
