//===- RoiAlign.cpp - pools of regions at interpolated points -------------===//
//
// A channel of a region is one iteration. Where its points lie follows from
// their row and their column, which are found once for all channels of a region
// that one call does, unless there are very many.
//
//===----------------------------------------------------------------------===//

#include "kernels/Elements.h"
#include "kernels/Kernels.h"

#include <algorithm>
#include <cmath>

using namespace lz;

// Whether a point lies inside, a rounding may decide: every CPU is to decide
// alike.
#ifdef __clang__
#pragma clang fp contract(off)
#endif

namespace {

/// Between which pixels a point lies along one dimension, and the weight of
/// each.
template <typename C> struct Neighbours {
  int64_t low, high;
  C lowWeight, highWeight;
  bool isInside;
};

/// The points of a region along one dimension.
template <typename C> class GridLine {
public:
  GridLine() = default;
  GridLine(C from, C to, int64_t bins, int64_t size, const LzRoiAlign &how);

  int64_t getSamples() const { return samples; }
  /// The samples of a bin that may lie inside: from `first` to before `last`.
  void getRange(int64_t bin, int64_t &first, int64_t &last) const;
  Neighbours<C> get(int64_t bin, int64_t sample) const {
    int64_t point = bin * samples + sample;
    return point < count ? known[point] : locate(getPoint(bin, sample));
  }

private:
  C getPoint(int64_t bin, int64_t sample) const {
    return start + static_cast<C>(bin) * length +
           (static_cast<C>(sample) + C(0.5)) * length / static_cast<C>(samples);
  }
  Neighbours<C> locate(C point) const;
  template <typename Test> int64_t findSample(int64_t bin, Test test) const;

  static constexpr int64_t kKnown = 64;
  C start, length; // of the first bin; of each
  int64_t samples, size;
  int64_t count; // of the points that are known
  Neighbours<C> known[kKnown];
};

} // namespace

template <typename C>
GridLine<C>::GridLine(C from, C to, int64_t bins, int64_t pixels,
                      const LzRoiAlign &how)
    : samples(how.samples), size(pixels) {
  C scale = static_cast<C>(how.scale), offset = how.half_pixel ? C(0.5) : C(0);
  C scaled = from * scale, end = to * scale;
  start = scaled - offset;
  end = end - offset;
  length = end - start;
  if (!how.half_pixel)
    length = std::max(length, C(1));
  length = length / static_cast<C>(bins);
  if (samples == 0 && length > 0) // no picture has as many pixels as the limit
    samples = static_cast<int64_t>(std::min(std::ceil(length), C(1e6)));
  count = bins * samples <= kKnown ? bins * samples : 0;
  for (int64_t point = 0; point < count; ++point)
    known[point] = locate(getPoint(point / samples, point % samples));
}

template <typename C> Neighbours<C> GridLine<C>::locate(C point) const {
  if (!(point >= -1 && point <= static_cast<C>(size)))
    return {0, 0, 0, 0, false};
  point = std::max(point, C(0));
  int64_t low = static_cast<int64_t>(point);
  if (low >= size - 1)
    return {size - 1, size - 1, 1, 0, true};
  C high = point - static_cast<C>(low);
  return {low, low + 1, 1 - high, high, true};
}

/// The first sample of a bin whose point passes `test`, as all after it do.
template <typename C>
template <typename Test>
int64_t GridLine<C>::findSample(int64_t bin, Test test) const {
  int64_t low = 0, high = samples;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (test(getPoint(bin, middle)))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

template <typename C>
void GridLine<C>::getRange(int64_t bin, int64_t &first, int64_t &last) const {
  first = 0;
  last = samples;
  if (count != 0 || !(length > 0))
    return;
  first = findSample(bin, [](C point) { return point >= -1; });
  last = findSample(bin, [&](C point) { return point > static_cast<C>(size); });
}

namespace {

/// The grid of one region.
template <typename C> struct Grid {
  GridLine<C> rows, columns;
};

} // namespace

template <typename T, typename C = ComputeType<T>>
static Grid<C> makeGrid(const LzRoiAlign &how, const T *region) {
  return {
      GridLine<C>(load(region[1]), load(region[3]), how.rows, how.height, how),
      GridLine<C>(load(region[0]), load(region[2]), how.columns, how.width,
                  how)};
}

/// The sum, or the largest, of the four weighted pixels around a point.
template <typename T, typename C>
static C samplePoint(const T *channel, int64_t width, bool isMax,
                     const Neighbours<C> &row, const Neighbours<C> &column) {
  const T *above = channel + row.low * width;
  const T *below = channel + row.high * width;
  C a = row.lowWeight * column.lowWeight * load(above[column.low]);
  C b = row.lowWeight * column.highWeight * load(above[column.high]);
  C c = row.highWeight * column.lowWeight * load(below[column.low]);
  C d = row.highWeight * column.highWeight * load(below[column.high]);
  return isMax ? std::max(std::max(a, b), std::max(c, d)) : a + b + c + d;
}

/// One bin of a channel. Points outside are zeros.
template <typename T, typename C>
static C poolBin(const T *channel, const LzRoiAlign &how, const Grid<C> &grid,
                 int64_t y, int64_t x) {
  int64_t top, bottom, left, right, inside = 0;
  grid.rows.getRange(y, top, bottom);
  grid.columns.getRange(x, left, right);
  C sum = 0, largest = -std::numeric_limits<C>::infinity();
  for (int64_t i = top; i < bottom; ++i) {
    Neighbours<C> row = grid.rows.get(y, i);
    for (int64_t j = left; row.isInside && j < right; ++j) {
      Neighbours<C> column = grid.columns.get(x, j);
      if (!column.isInside)
        continue;
      C value = samplePoint(channel, how.width, how.is_max != 0, row, column);
      sum += value;
      largest = std::max(largest, value);
      ++inside;
    }
  }
  int64_t all = grid.rows.getSamples() * grid.columns.getSamples();
  if (how.is_max)
    return inside == all && all > 0 ? largest : std::max(largest, C(0));
  return sum / static_cast<C>(std::max<int64_t>(all, 1));
}

/// The first element of a region's picture.
template <typename T>
static const T *findPicture(const LzRoiAlign &how, const T *input,
                            const void *batch, int64_t region) {
  int64_t picture = loadIndex(batch, how.batch_bytes, region);
  picture = std::min(std::max<int64_t>(picture, 0), how.pictures - 1);
  return input + picture * how.channels * how.height * how.width;
}

template <typename T>
static void roiAlign(const LzRoiAlign &how, const T *input, const T *regions,
                     const void *batch, T *result, int64_t lo, int64_t hi) {
  int64_t pixels = how.height * how.width, bins = how.rows * how.columns;
  if (how.pictures * pixels == 0) {
    std::fill(result + lo * bins, result + hi * bins, T(0.0f));
    return;
  }
  Grid<ComputeType<T>> grid;
  for (int64_t item = lo; item < hi; ++item) {
    int64_t region = item / how.channels, channel = item % how.channels;
    if (item == lo || channel == 0)
      grid = makeGrid(how, regions + region * 4);
    const T *source = findPicture(how, input, batch, region) + channel * pixels;
    T *target = result + item * bins;
    for (int64_t y = 0; y != how.rows; ++y)
      for (int64_t x = 0; x != how.columns; ++x)
        *target++ = store<T>(poolBin(source, how, grid, y, x));
  }
}

#define LZ_ROI_ALIGN(name, type)                                               \
  void lz_roi_align_##name(const LzRoiAlign *how, const type *input,           \
                           const type *regions, const void *batch,             \
                           type *result, int64_t lo, int64_t hi) {             \
    roiAlign(*how, input, regions, batch, result, lo, hi);                     \
  }
LZ_FLOAT_TYPES(LZ_ROI_ALIGN)
