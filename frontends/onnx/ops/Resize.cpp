//===- Resize.cpp - Resize and Upsample -----------------------------------===//

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
// Sizes
//===----------------------------------------------------------------------===//

/// One scale for all `axes`, such that `sizes` are not exceeded (or reached).
static void keepAspect(NodeImporter &node, ArrayRef<SymExpr> sizes,
                       ArrayRef<int64_t> axes, bool larger,
                       ResizeParts &parts) {
  std::optional<double> best;
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    auto from = parts.sizes[axis].getConstant(), to = size.getConstant();
    if (!from || !to || *from == 0) {
      node.error() << "attribute 'keep_aspect_ratio_policy' needs constant "
                      "sizes";
      return;
    }
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
  if (parts.coordinate == CoordinateKind::tf_crop_and_resize)
    roi = DenseF32ArrayAttr::get(node.getContext(), parts.roi);
  auto attr = [&](double value) { return APFloat(value); };
  return node.finish(node.create<ResizeOp>(
      parts.kind, node.operand(0), node.exprs(parts.sizes), parts.scales,
      parts.coordinate, parts.nearest,
      attr(node.getFloat("cubic_coeff_a", -0.75)),
      node.getBool("exclude_outside", false), node.getBool("antialias", false),
      attr(node.getFloat("extrapolation_value", 0)), roi));
}

/// The numbers of an operand that must be constant, none if it is empty.
static SmallVector<double> getFixed(NodeImporter &node, int index,
                                    const char *what) {
  Value operand = node.operand(index);
  if (!operand)
    return {};
  if (auto numbers = node.getNumbers(operand))
    return *numbers;
  if (node.getShape(operand).size() == 1 &&
      node.getShape(operand)[0].isConstant(0))
    return {};
  node.error() << "input '" << what << "' must be constant";
  return {};
}

/// Upsample, and Resize-10, know one way to find a coordinate.
static LogicalResult importUpsample(NodeImporter &node) {
  ResizeParts parts = getParts(node);
  int64_t rank = parts.sizes.size();
  SmallVector<double> scales;
  if (node.getVersion() >= 9)
    scales = getFixed(node, 1, "scales");
  else if (auto attribute = node.getFloats("scales"))
    scales = *attribute;
  else
    scales = {1, 1, node.getFloat("height_scale", 0),
              node.getFloat("width_scale", 0)};
  if (!node.failed())
    applyScales(node, scales, llvm::to_vector(llvm::seq<int64_t>(0, rank)),
                parts);
  return build(node, parts);
}

/// The start and end of each dimension, for tf_crop_and_resize.
static void setRoi(NodeImporter &node, ArrayRef<int64_t> axes,
                   ResizeParts &parts) {
  size_t rank = parts.sizes.size(), count = axes.size();
  parts.roi.assign(rank, 0);
  parts.roi.append(rank, 1);
  SmallVector<double> roi = getFixed(node, 1, "roi");
  if (!node.failed() && roi.size() != 2 * count) {
    node.error() << "input 'roi' has " << roi.size() << " elements, expected "
                 << 2 * count;
    return;
  }
  for (size_t i = 0; i != count && !node.failed(); ++i) {
    parts.roi[axes[i]] = roi[i];
    parts.roi[rank + axes[i]] = roi[count + i];
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
    SmallVector<double> numbers = getFixed(node, 2, "scales");
    if (!node.failed())
      applyScales(node, numbers, axes, parts);
  } else {
    node.error() << "needs either scales or sizes";
  }
  return build(node, parts);
}

void lz::registerResize(HandlerTable &handlers) {
  handlers["Resize"] = importResize;
  handlers["Upsample"] = importUpsample;
}
