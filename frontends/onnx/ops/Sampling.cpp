//===- Sampling.cpp - operators that read or write at computed places -----===//

#include "frontends/onnx/ops/Common.h"
#include "frontends/onnx/ops/Sampler.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace lz;

/// A tensor of zeros.
static Value getZeros(NodeImporter &node, Type element,
                      ArrayRef<SymExpr> shape) {
  return node.expand(node.scalar(element, 0), shape);
}

static SymExpr getProductOf(NodeImporter &node, ArrayRef<SymExpr> sizes) {
  return getProduct(node.getContext(), sizes);
}

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

static std::optional<Sampler::Mode> getSampleMode(NodeImporter &node) {
  using Mode = Sampler::Mode;
  std::string text = node.getString("mode", "linear");
  auto mode = llvm::StringSwitch<std::optional<Mode>>(text)
                  .Cases({"linear", "bilinear"}, Mode::Linear)
                  .Cases({"cubic", "bicubic"}, Mode::Cubic)
                  .Case("nearest", Mode::Nearest)
                  .Default(std::nullopt);
  if (!mode && !node.failed())
    node.error() << "attribute 'mode' is '" << text
                 << "', expected 'linear', 'nearest' or 'cubic'";
  return mode;
}

static std::optional<Sampler::Border> getSampleBorder(NodeImporter &node) {
  using Border = Sampler::Border;
  std::string text = node.getString("padding_mode", "zeros");
  auto border = llvm::StringSwitch<std::optional<Border>>(text)
                    .Case("zeros", Border::Zeros)
                    .Case("border", Border::Edge)
                    .Case("reflection", Border::Mirror)
                    .Default(std::nullopt);
  if (!border && !node.failed())
    node.error() << "attribute 'padding_mode' is '" << text
                 << "', expected 'zeros', 'border' or 'reflection'";
  return border;
}

/// Positions in elements, from those between -1 and 1: the centres of the
/// outermost elements if `aligned`, otherwise their outer borders.
static Value denormalize(NodeImporter &node, Sampler &sampler, Value position,
                         SymExpr size, bool aligned) {
  auto combine = [&](BinaryKind kind, Value lhs, double rhs) {
    return node.binary(kind, lhs, node.scalar(sampler.getType(), rhs));
  };
  Value length = sampler.number(aligned ? size - 1 : size);
  Value moved = node.binary(BinaryKind::mul,
                            combine(BinaryKind::add, position, 1), length);
  if (!aligned)
    moved = combine(BinaryKind::sub, moved, 1);
  return combine(BinaryKind::mul, moved, 0.5);
}

static LogicalResult importGridSample(NodeImporter &node) {
  SymShape shape = node.getShape(node.operand(0));
  SymShape target = node.getShape(node.operand(1));
  if (shape.size() < 3 || target.size() != shape.size())
    return node.error() << "needs an input and a grid of one rank, 3 or more, "
                        << "not " << shape.size() << " and " << target.size();
  auto mode = getSampleMode(node);
  auto border = getSampleBorder(node);
  bool aligned = node.getBool("align_corners", false);
  if (node.failed())
    return failure();
  Sampler sampler(node, node.operand(0), *mode, *border, aligned);
  auto rank = static_cast<int64_t>(shape.size()) - 2;
  target = SymShape(ArrayRef<SymExpr>(target).slice(1, rank));
  SymExpr count = getProductOf(node, target);
  Value grid = node.reshape(node.cast(node.operand(1), sampler.getType()),
                            {shape[0], count, node.size(rank)});
  SmallVector<Value> points;
  for (int64_t dim = 0; dim != rank; ++dim) {
    // The grid names the last dimension first.
    Value part =
        node.sliceAxis(grid, 2, node.size(rank - 1 - dim), node.size(1));
    points.push_back(denormalize(node, sampler,
                                 node.reshape(part, {shape[0], count}),
                                 shape[dim + 2], aligned));
  }
  SymShape result = {shape[0], shape[1]};
  result.append(target);
  return node.finish(node.reshape(sampler.sample(points), result));
}

//===----------------------------------------------------------------------===//
// Windows, element by element
//===----------------------------------------------------------------------===//

/// Where the elements of windows lie in dimension `dim` of a padded tensor, of
/// rank 2 n for n dimensions: sizes of the kernel, then counts of windows.
static Value getWindowPositions(NodeImporter &node, const Windows &windows,
                                ArrayRef<SymExpr> kernel, size_t dim) {
  size_t count = kernel.size();
  auto spread = [&](SymExpr size, int64_t step, size_t axis) {
    Type i64 = node.getBuilder().getI64Type();
    Value steps = node.binary(BinaryKind::mul, getPositions(node, size),
                              node.scalar(i64, step));
    SymShape shape(2 * count, node.size(1));
    shape[axis] = size;
    return node.reshape(steps, shape);
  };
  return node.binary(
      BinaryKind::add, spread(kernel[dim], windows.dilations[dim], dim),
      spread(windows.counts[dim], windows.strides[dim], count + dim));
}

/// An attribute that counts groups.
static int64_t getGroups(NodeImporter &node, StringRef name) {
  int64_t groups = node.getInt(name, 1);
  if (groups < 1 && !node.failed())
    node.error() << "attribute '" << name << "' is " << groups
                 << ", expected 1 or more";
  return std::max<int64_t>(groups, 1);
}

//===----------------------------------------------------------------------===//
// DeformConv
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of a deformable convolution.
struct DeformSizes {
  SymExpr batch, channels, offsetGroups;
  SymShape input, kernel;
  Windows windows;

  /// Elements of a window, and windows.
  SymExpr getTaps() const { return getProduct(batch.getContext(), kernel); }
  SymExpr getCount() const {
    return getProduct(batch.getContext(), windows.counts);
  }
};
} // namespace

/// The places that windows read, for each dimension [batch * offset groups,
/// elements of a window * windows].
static SmallVector<Value> getDeformedPoints(NodeImporter &node,
                                            const DeformSizes &sizes,
                                            Sampler &sampler) {
  auto rank = static_cast<int64_t>(sizes.kernel.size());
  SymExpr images = sizes.batch * sizes.offsetGroups;
  SymShape shape = {images};
  shape.append(sizes.kernel);
  SymShape placed = shape; // without the dimension that is sliced
  shape.push_back(node.size(rank));
  shape.append(sizes.windows.counts);
  placed.append(sizes.windows.counts);
  Value offsets =
      node.reshape(node.cast(node.operand(2), sampler.getType()), shape);
  SmallVector<Value> points;
  for (int64_t dim = 0; dim != rank; ++dim) {
    Value offset =
        node.sliceAxis(offsets, rank + 1, node.size(dim), node.size(1));
    Value start =
        node.cast(getWindowPositions(node, sizes.windows, sizes.kernel, dim),
                  sampler.getType());
    start = node.binary(BinaryKind::sub, start,
                        sampler.number(sizes.windows.low[dim]));
    Value point =
        node.binary(BinaryKind::add, start, node.reshape(offset, placed));
    points.push_back(
        node.reshape(point, {images, sizes.getTaps() * sizes.getCount()}));
  }
  return points;
}

/// What windows read, [batch, channels * elements of a window, windows].
static Value getDeformedColumns(NodeImporter &node, const DeformSizes &sizes) {
  SymExpr images = sizes.batch * sizes.offsetGroups;
  SymShape shape = {images, sizes.channels.floorDiv(sizes.offsetGroups)};
  shape.append(sizes.input);
  Sampler sampler(node, node.reshape(node.operand(0), shape),
                  Sampler::Mode::Linear, Sampler::Border::Zeros, true);
  Value columns = sampler.sample(getDeformedPoints(node, sizes, sampler));
  SymExpr points = sizes.getTaps() * sizes.getCount();
  if (Value mask = node.operand(4))
    columns = node.binary(BinaryKind::mul, columns,
                          node.reshape(mask, {images, node.size(1), points}));
  return node.reshape(columns, {sizes.batch, sizes.channels * sizes.getTaps(),
                                sizes.getCount()});
}

static LogicalResult importDeformConv(NodeImporter &node) {
  SymShape input = node.getShape(node.operand(0));
  SymShape filter = node.getShape(node.operand(1));
  if (input.size() < 3 || input.size() != filter.size())
    return node.error() << "needs input and filter of one rank, 3 or more, not "
                        << input.size() << " and " << filter.size();
  SymExpr groups = node.size(getGroups(node, "group"));
  DeformSizes sizes{input[0],
                    input[1],
                    node.size(getGroups(node, "offset_group")),
                    SymShape(ArrayRef<SymExpr>(input).drop_front(2)),
                    SymShape(ArrayRef<SymExpr>(filter).drop_front(2)),
                    {}};
  sizes.windows = getWindows(node, sizes.input, sizes.kernel, false);
  if (node.failed())
    return failure();
  SymExpr depth = sizes.channels.floorDiv(groups) * sizes.getTaps();
  SymExpr results = filter[0].floorDiv(groups);
  Value columns = node.reshape(getDeformedColumns(node, sizes),
                               {sizes.batch, groups, depth, sizes.getCount()});
  Value weights = node.reshape(node.operand(1), {groups, results, depth});
  SymShape shape = {sizes.batch, filter[0]};
  shape.append(sizes.windows.counts);
  Value sums = node.reshape(node.matmul(weights, columns, false, false), shape);
  if (Value bias = node.operand(3)) {
    SymShape spread(input.size() - 1, node.size(1));
    spread[0] = filter[0];
    sums = node.binary(BinaryKind::add, sums, node.reshape(bias, spread));
  }
  return node.finish(sums);
}

//===----------------------------------------------------------------------===//
// Col2Im, MaxUnpool
//===----------------------------------------------------------------------===//

/// Col2Im: columns are added up as rows of [elements, batch * channels].
static LogicalResult importCol2Im(NodeImporter &node) {
  SymShape shape = node.getShape(node.operand(0));
  SymShape image = node.getSizes(node.operand(1));
  SymShape block = node.getSizes(node.operand(2));
  if (!node.failed() && (shape.size() != 3 || image.size() != block.size()))
    return node.error() << "needs an input of rank 3 and as many sizes of the "
                           "block as of the image, not rank "
                        << shape.size() << ", " << block.size() << " and "
                        << image.size();
  Windows windows = getWindows(node, image, block, /*ceilMode=*/false);
  if (node.failed())
    return failure();
  SymShape padded;
  for (auto [size, low, high] :
       llvm::zip_equal(image, windows.low, windows.high))
    padded.push_back(size + low + high);
  Value places = node.scalar(node.getBuilder().getI64Type(), 0);
  for (size_t dim = 0; dim != image.size(); ++dim)
    places = node.binary(
        BinaryKind::add,
        node.binary(BinaryKind::mul, places, node.sizeTensor(padded[dim], {})),
        getWindowPositions(node, windows, block, dim));
  SymExpr taps = getProductOf(node, block);
  SymExpr channels = shape[1].floorDiv(taps), rows = shape[0] * channels;
  SymExpr count = taps * getProductOf(node, windows.counts);
  Value columns =
      node.transpose(node.reshape(node.operand(0), {rows, count}), {1, 0});
  Value sums = node.create<ScatterNdOp>(
      ScatterKind::add,
      getZeros(node, node.getElement(columns),
               {getProductOf(node, padded), rows}),
      node.reshape(places, {count, node.size(1)}), columns);
  SymShape target = {shape[0], channels}, offsets(2, node.size(0));
  target.append(padded);
  offsets.append(windows.low);
  SymShape kept = {shape[0], channels};
  kept.append(image);
  return node.finish(
      node.slice(node.reshape(node.transpose(sums, {1, 0}), target), offsets,
                 kept, SymShape(kept.size(), node.size(1))));
}

/// MaxUnpool: the indices are of the tensor that the pool had read, which is
/// the smallest that gives it; `output_shape` adds zeros at its end.
static LogicalResult importMaxUnpool(NodeImporter &node) {
  SymShape shape = node.getShape(node.operand(0));
  if (shape.size() < 3)
    return node.error() << "needs an input of rank 3 or more, not "
                        << shape.size();
  size_t count = shape.size() - 2;
  SmallVector<int64_t> kernel =
      getSpatialInts(node, "kernel_shape", count, 1, 1);
  SmallVector<int64_t> strides = getSpatialInts(node, "strides", count, 1, 1);
  SmallVector<int64_t> pads = getSpatialInts(node, "pads", 2 * count, 0, 0);
  SymShape pooled = {shape[0], shape[1]};
  for (size_t i = 0; i != count; ++i)
    pooled.push_back((shape[i + 2] - 1) * strides[i] + kernel[i] - pads[i] -
                     pads[i + count]);
  SymExpr size = node.getShapes().getNumElements(node.operand(0));
  Value updates = node.reshape(node.operand(0), size);
  Value flat = node.create<ScatterElementsOp>(
      ScatterKind::none,
      getZeros(node, node.getElement(updates), getProductOf(node, pooled)),
      node.reshape(node.operand(1), size), updates, 0);
  Value result = node.reshape(flat, pooled);
  if (!node.operand(2))
    return node.finish(result);
  SymShape wanted = node.getSizes(node.operand(2));
  if (!node.failed() && wanted.size() != pooled.size())
    return node.error() << "input 'output_shape' has " << wanted.size()
                        << " sizes, expected " << pooled.size();
  if (node.failed())
    return failure();
  SymShape low(wanted.size(), node.size(0)), high;
  for (auto [target, own] : llvm::zip_equal(wanted, pooled))
    high.push_back(target - own);
  return node.finish(node.create<PadOp>(PadKind::constant, result, Value(),
                                        node.exprs(low), node.exprs(high)));
}

//===----------------------------------------------------------------------===//
// TensorScatter
//===----------------------------------------------------------------------===//

/// TensorScatter: each element of the cache is taken from the update or kept.
static LogicalResult importTensorScatter(NodeImporter &node) {
  Value cache = node.operand(0), update = node.operand(1);
  SymShape shape = node.getShape(cache);
  int64_t axis = node.getAxis(node.getInt("axis", -2), shape.size());
  std::string mode = node.getString("mode", "linear");
  if (!node.failed() && mode != "linear" && mode != "circular")
    return node.error() << "attribute 'mode' is '" << mode
                        << "', expected 'linear' or 'circular'";
  if (!node.failed() &&
      (axis == 0 || node.getRank(update) != static_cast<int64_t>(shape.size())))
    return node.error() << "needs a cache and an update of one rank, and an "
                           "axis behind the batch";
  if (node.failed())
    return failure();
  SymShape along(shape.size(), node.size(1)), perBatch = along;
  along[axis] = shape[axis];
  perBatch[0] = shape[0];
  Type i64 = node.getBuilder().getI64Type();
  Value position = node.reshape(getPositions(node, shape[axis]), along);
  if (Value starts = node.operand(2))
    position = node.binary(BinaryKind::sub, position,
                           node.reshape(node.cast(starts, i64), perBatch));
  if (mode == "circular")
    position = node.binary(BinaryKind::mod, position,
                           node.sizeTensor(shape[axis], {}));
  SymExpr length = node.getShape(update)[axis];
  Value isNew = node.create<BinaryOp>(
      BinaryKind::logical_and,
      node.compare(CompareKind::ge, position, node.scalar(i64, 0)),
      node.compare(CompareKind::lt, position, node.sizeTensor(length, {})));
  Value taken =
      node.create<GatherElementsOp>(update, node.expand(position, shape), axis);
  return node.finish(node.create<SelectOp>(isNew, taken, cache));
}

void lz::registerSampling(HandlerTable &handlers) {
  handlers["GridSample"] = importGridSample;
  handlers["DeformConv"] = importDeformConv;
  handlers["Col2Im"] = importCol2Im;
  handlers["MaxUnpool"] = importMaxUnpool;
  handlers["TensorScatter"] = importTensorScatter;
}
