//===- RoiAlign.cpp - reference model of lz.roi_align ---------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include <cmath>

using namespace mlir;
using namespace lz;

namespace {

/// The points of a region along one dimension.
struct GridLine {
  double start, bin; // of the first bin; of each
  int64_t samples;   // in each bin
  int64_t size;      // of the picture

  double getPoint(int64_t bin, int64_t sample) const;
};

/// Between which pixels a point lies, and how near to each.
struct Neighbours {
  int64_t low, high;
  double lowWeight, highWeight;
};

/// The points of one region.
struct RegionGrid {
  GridLine rows, columns;

  double getCount() const {
    return std::max<double>(static_cast<double>(rows.samples) *
                                static_cast<double>(columns.samples),
                            1);
  }
};

} // namespace

/// `value` as the element type `type` holds it, where that decides whether a
/// point lies inside: ONNX Runtime's positions are rounded at each step.
static double round(Type type, double value) {
  return type.isF64() ? value : static_cast<float>(value);
}

double GridLine::getPoint(int64_t number, int64_t sample) const {
  return start + static_cast<double>(number) * bin +
         (static_cast<double>(sample) + 0.5) * bin /
             static_cast<double>(samples);
}

/// The neighbours of a point; none more than a pixel outside.
static std::optional<Neighbours> locate(double point, int64_t size) {
  if (!(point >= -1 && point <= static_cast<double>(size)) || size == 0)
    return std::nullopt;
  point = std::max(point, 0.0);
  auto low = static_cast<int64_t>(point);
  if (low >= size - 1)
    return Neighbours{size - 1, size - 1, 1, 0};
  double high = point - static_cast<double>(low);
  return Neighbours{low, low + 1, 1 - high, high};
}

/// The points from `from` to `to` in `bins` bins of a dimension of `size`.
static GridLine makeLine(RoiAlignOp op, double from, double to, int64_t bins,
                         int64_t size) {
  Type type = cast<RankedTensorType>(op.getType()).getElementType();
  double offset = op.getHalfPixel() ? 0.5 : 0;
  double scale = round(type, op.getScale().convertToDouble());
  from = round(type, round(type, from * scale) - offset);
  to = round(type, round(type, to * scale) - offset);
  double length = round(type, to - from);
  if (!op.getHalfPixel())
    length = std::max(length, 1.0);
  double bin = round(type, length / static_cast<double>(bins));
  auto samples = static_cast<int64_t>(op.getSamples());
  if (samples == 0) // of a region beyond all pictures, the first are enough
    samples = static_cast<int64_t>(
        std::isnan(bin) ? 0 : std::clamp(std::ceil(bin), 0.0, 1e6));
  return {from, bin, samples, size};
}

/// The four weighted pixels around a point, added up or the largest of them.
static double samplePoint(RoiAlignOp op, const RefTensor &input, int64_t base,
                          int64_t width, std::optional<Neighbours> row,
                          std::optional<Neighbours> column) {
  if (!row || !column)
    return 0;
  auto pixel = [&](int64_t y, int64_t x) {
    return input.getDouble(base + y * width + x);
  };
  double a = row->lowWeight * column->lowWeight * pixel(row->low, column->low);
  double b =
      row->lowWeight * column->highWeight * pixel(row->low, column->high);
  double c =
      row->highWeight * column->lowWeight * pixel(row->high, column->low);
  double d =
      row->highWeight * column->highWeight * pixel(row->high, column->high);
  if (op.getKind() == PoolKind::max)
    return std::max(std::max(a, b), std::max(c, d));
  return a + b + c + d;
}

/// One element of the result: a bin of the picture's channel at `base`.
static double poolBin(RoiAlignOp op, const RefTensor &input, int64_t base,
                      const RegionGrid &region, int64_t y, int64_t x) {
  bool isMax = op.getKind() == PoolKind::max;
  double sum = 0;
  for (int64_t i = 0; i < region.rows.samples; ++i)
    for (int64_t j = 0; j < region.columns.samples; ++j) {
      auto row = locate(region.rows.getPoint(y, i), region.rows.size);
      auto column = locate(region.columns.getPoint(x, j), region.columns.size);
      double value =
          samplePoint(op, input, base, region.columns.size, row, column);
      bool isFirst = i == 0 && j == 0;
      sum = !isMax ? sum + value : isFirst ? value : std::max(sum, value);
    }
  return isMax ? sum : sum / region.getCount();
}

static LogicalResult verifySizes(RoiAlignOp op, Evaluation &e) {
  ArrayRef<int64_t> regions = e.get(op.getRois()).getShape();
  if (regions[1] == 4 && regions[0] == e.get(op.getBatch()).getNumElements())
    return success();
  return op.emitOpError() << "has regions of sizes [" << regions << "] in "
                          << e.get(op.getBatch()).getNumElements()
                          << " pictures";
}

/// ONNX RoiAlign-22. What is beyond the pictures of the batch is in the
/// nearest.
static LogicalResult evaluateRoiAlign(RoiAlignOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  const RefTensor &regions = e.get(op.getRois());
  ArrayRef<int64_t> shape = input.getShape();
  ArrayRef<int64_t> sizes = op.getSizes();
  int64_t channels = shape[1];
  FailureOr<RefTensor> result =
      e.makeResult({regions.getShape()[0], channels, sizes[0], sizes[1]});
  if (failed(result) || failed(verifySizes(op, e)))
    return failure();
  if (input.getNumElements() == 0)
    return e.give(*result);
  forEachIndex(result->getShape(), [&](ArrayRef<int64_t> index) {
    auto corner = [&](int64_t i) {
      return regions.getDouble(index[0] * 4 + i);
    };
    RegionGrid region = {
        makeLine(op, corner(1), corner(3), sizes[0], shape[2]),
        makeLine(op, corner(0), corner(2), sizes[1], shape[3])};
    int64_t picture = std::clamp<int64_t>(e.get(op.getBatch()).getInt(index[0]),
                                          0, shape[0] - 1);
    int64_t base = (picture * channels + index[1]) * shape[2] * shape[3];
    result->setDouble(getPosition(index, result->getShape()),
                      poolBin(op, input, base, region, index[2], index[3]));
  });
  return e.give(*result);
}

void lz::attachRoiAlignModels(MLIRContext &context) {
  attachReference<RoiAlignOp, evaluateRoiAlign>(context);
}
