//===- DepthwiseRoot.cpp - convolutions of few channels -------------------===//
//
// Depthwise convolutions, and others whose groups have so few channels that to
// pack panels for matrix products costs as much as the products. For each
// batch, group, plane of outputs and band of rows:
//
//   copy the band's input to a padded window (DepthwiseWindow.h)
//   for each tile of the group's filters:
//     for a tile of rows and vectors of columns:
//       sums = bias; for each tap: sums += weight * window   (in registers)
//       store the sums
//     for each output of the band: what follows in the kernel, and the store
//
// Sums lie row after row without gaps, so the last loop is one long one.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/cpu/ChunkScratch.h"
#include "passes/codegen/cpu/Contraction.h"
#include "passes/codegen/cpu/DepthwiseWindow.h"
#include "passes/codegen/cpu/Nest.h"
#include "passes/codegen/cpu/RootEmitter.h"

using namespace mlir;
using namespace lz;

/// Taps up to which the filter is unrolled whole, and a row of it.
static constexpr int64_t kUnrolledTaps = 25, kUnrolledRow = 12;
/// Channels of a lone group from which on a matrix product is the better way.
static constexpr int64_t kManyChannels = 17;
/// Filters of one of several groups of several channels from which on it is.
static constexpr int64_t kManyFilters = 17;
/// The filters of a tile, if there are enough of them: each has an address of
/// its own.
static constexpr int64_t kTileFilters = 4, kMostTileFilters = 12;

namespace {

/// What is planned of a depthwise convolution.
struct DepthwisePlan {
  DepthwisePlan(const KernelInfo &kernel, ConvOp conv);

  ConvOp conv;
  WindowSizes window;
  SymExpr filters;                        // of a group
  SymShape space;                         // batch, group, depth, band
  int64_t tileFilters, tileRows, vectors; // of sums in registers
  SymExpr windowBytes, chunkBytes;        // the sums lie behind the window
  SymExpr filterSums;                     // elements, of a filter and a band
};

} // namespace

/// The filters of a tile, of `count` and at most `most`: what leaves fewest to
/// do twice.
static int64_t chooseFilters(std::optional<int64_t> count, int64_t most) {
  if (!count || *count < kTileFilters)
    return 1;
  int64_t best = kTileFilters;
  for (int64_t tile = kTileFilters; tile <= most; ++tile)
    if (llvm::alignTo(*count, tile) <= llvm::alignTo(*count, best))
      best = tile;
  return best;
}

/// Filters, rows and vectors that divide the outputs well.
static void chooseTile(const targets::CpuTarget &target, DepthwisePlan &plan) {
  plan.vectors = 2;
  if (std::optional<int64_t> columns = plan.window.dims[2].output.getConstant())
    if (llvm::divideCeil(*columns, plan.window.lanes) % 2 == 1)
      plan.vectors = 1;
  int64_t sums = target.vectorRegisters - 4;
  plan.tileFilters =
      chooseFilters(plan.filters.getConstant(),
                    std::min(sums / plan.vectors, kMostTileFilters));
  // One filter reads a vector for each sum: more sums than that don't pay.
  if (plan.tileFilters == 1)
    sums = target.vectorRegisters / 4;
  plan.tileRows =
      std::max<int64_t>(sums / (plan.tileFilters * plan.vectors), 1);
  if (std::optional<int64_t> rows = plan.window.bandRows.getConstant())
    plan.tileRows = std::min(plan.tileRows, *rows);
}

DepthwisePlan::DepthwisePlan(const KernelInfo &kernel, ConvOp conv)
    : conv(conv), window(kernel, conv) {
  ArrayRef<SymExpr> out = kernel.getShape(conv.getResult());
  SymExpr groups = kernel.constant(conv.getGroups());
  filters = out[1].floorDiv(groups);
  space = {out[0], groups, window.dims[0].output, window.bands};
  chooseTile(kernel.getTarget(), *this);
  int64_t bytes = (window.type.getIntOrFloatBitWidth() + 7) / 8;
  // Vectors are written beyond the last row if they are longer. Those that are
  // read beyond the window's last row end in the sums.
  SymExpr width = window.dims[2].output;
  SymExpr lastRow = width.max(kernel.constant(vectors * window.lanes));
  filterSums = (window.bandRows - 1) * width + lastRow;
  windowBytes = roundToLines(window.elements * bytes);
  chunkBytes = windowBytes + roundToLines(filterSums * (tileFilters * bytes));
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// True if the groups of `conv` have few channels.
static bool isDepthwise(const KernelInfo &kernel, ConvOp conv) {
  ArrayRef<SymExpr> filter = kernel.getShape(conv.getFilter());
  size_t rank = filter.size() - 2;
  if (rank < 1 || rank > 3)
    return false;
  bool isSingle = filter[1].isConstant(1);
  if (conv.getGroups() != 1) {
    SymExpr groups = kernel.constant(conv.getGroups());
    std::optional<int64_t> filters = filter[0].floorDiv(groups).getConstant();
    return isSingle || (filters && *filters < kManyFilters);
  }
  std::optional<int64_t> taps =
      getProduct(kernel.getContext(), filter.drop_front(2)).getConstant();
  std::optional<int64_t> channels = filter[1].getConstant();
  return taps && *taps > 1 && channels && *channels < kManyChannels;
}

/// The convolution that the kernel is made around; null if there is none.
static ConvOp find(const KernelInfo &kernel) {
  auto found = dyn_cast_or_null<ConvOp>(getOnlyContraction(kernel));
  bool isRoot = found && isDepthwise(kernel, found) &&
                isNestShape(kernel, found.getResult());
  return isRoot ? found : nullptr;
}

static bool matches(const KernelInfo &kernel) {
  return static_cast<bool>(find(kernel));
}

static KernelPlan plan(const KernelInfo &kernel) {
  DepthwisePlan depthwise(kernel, find(kernel));
  const WindowSizes &window = depthwise.window;
  SymExpr taps = window.channels * window.dims[0].taps * window.dims[1].taps *
                 window.dims[2].taps;
  SymExpr outputs = window.bandRows * window.dims[2].output;
  SymExpr cost = outputs * depthwise.filters *
                 (taps.floorDiv(kernel.constant(8)) + getElementCost(kernel));
  KernelPlan plan =
      makePlan(kernel, getProduct(kernel.getContext(), depthwise.space), cost);
  setChunkScratch(kernel, plan, depthwise.chunkBytes);
  return plan;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {

class DepthwiseEmitter {
public:
  DepthwiseEmitter(ElementEmitter &e, const DepthwisePlan &plan,
                   const Nest &nest, const ChunkScratch &scratch)
      : e(e), kb(e.kb), plan(plan), conv(plan.conv), nest(nest),
        vectors(kb, plan.window.type, plan.window.lanes),
        sums(scratch.getPart(plan.window.type, plan.windowBytes)),
        window(e, plan.conv, plan.window,
               scratch.getPart(plan.window.type, e.kernel.constant(0))) {}

  void emitIteration(Value iteration);

private:
  /// A band, and the filters that are applied to it.
  struct Band {
    Value batch, depth, firstRow, rows;
    SmallVector<Value> filters; // channels of the result
    Value skipped;              // sums: those of fewer rows lie at the end
  };
  using Sums = SmallVector<Value>;

  void computeBand(const Band &band);
  void computeTile(const Band &band, ArrayRef<Value> rows, Value column);
  Sums addTap(const Band &band, ArrayRef<Value> rows, Value column,
              ArrayRef<Value> tap, ValueRange sums);
  Sums addTaps(const Band &band, ArrayRef<Value> rows, Value column,
               SmallVector<Value> &tap, ValueRange sums);
  Value getSumsOf(const Band &band, Value filter);
  SymExpr getCount(size_t dim) const;
  bool isUnrolled(size_t dim) const;
  void finishBand(const Band &band, Value filter, Value start);
  void emitFilters(Band &band, Value first, Value end);

  ElementEmitter &e;
  KernelBuilder &kb;
  const DepthwisePlan &plan;
  ConvOp conv;
  const Nest &nest;
  VectorBuilder vectors;
  Buffer sums;
  DepthwiseWindow window;
};

} // namespace

/// One tap, for all sums of a tile.
DepthwiseEmitter::Sums
DepthwiseEmitter::addTap(const Band &band, ArrayRef<Value> rows, Value column,
                         ArrayRef<Value> tap, ValueRange sums) {
  Sums reads, next;
  for (Value row : rows) {
    Value position = window.getPosition(tap, row, column);
    for (int64_t v = 0; v != plan.vectors; ++v)
      reads.push_back(
          vectors.load(window.getBuffer(),
                       kb.add(position, kb.getIndex(v * vectors.getLanes()))));
  }
  for (Value filter : band.filters) {
    SmallVector<Value> index = {filter, tap[0]};
    llvm::append_range(index, tap.take_back(plan.window.rank));
    Value weight = vectors.splat(e.emit(conv.getFilter(), index));
    for (Value read : reads)
      next.push_back(vectors.multiplyAdd(weight, read, sums[next.size()]));
  }
  return next;
}

/// What a filter runs over in dimension `dim`: channels, then taps.
SymExpr DepthwiseEmitter::getCount(size_t dim) const {
  return dim == 0 ? plan.window.channels : plan.window.dims[dim - 1].taps;
}

/// True if the taps of dimension `dim` are emitted one by one.
bool DepthwiseEmitter::isUnrolled(size_t dim) const {
  SymExpr all = getCount(0) * getCount(1) * getCount(2) * getCount(3);
  if (std::optional<int64_t> count = all.getConstant())
    if (*count <= kUnrolledTaps)
      return true;
  std::optional<int64_t> own = getCount(dim).getConstant();
  return own && (dim == 3 ? *own <= kUnrolledRow : *own == 1);
}

/// Loops over the taps of the dimensions from tap.size() on.
DepthwiseEmitter::Sums
DepthwiseEmitter::addTaps(const Band &band, ArrayRef<Value> rows, Value column,
                          SmallVector<Value> &tap, ValueRange sums) {
  size_t dim = tap.size();
  if (dim == 4)
    return addTap(band, rows, column, tap, sums);
  auto addOne = [&](Value index, ValueRange carried) {
    tap.push_back(index);
    Sums next = addTaps(band, rows, column, tap, carried);
    tap.pop_back();
    return next;
  };
  SymExpr count = getCount(dim);
  if (!isUnrolled(dim))
    return kb.rolledLoop(kb.getIndex(0), kb.getSize(count), sums, addOne);
  Sums next(sums);
  for (int64_t index = 0; index != *count.getConstant(); ++index)
    next = addOne(kb.getIndex(index), next);
  return next;
}

/// Where the sums of filter `filter` of the tile begin.
Value DepthwiseEmitter::getSumsOf(const Band &band, Value filter) {
  return kb.add(kb.mul(filter, kb.getSize(plan.filterSums)), band.skipped);
}

void DepthwiseEmitter::computeTile(const Band &band, ArrayRef<Value> rows,
                                   Value column) {
  Sums starts;
  for (Value filter : band.filters) {
    Value start = vectors.getZero();
    if (Value bias = conv.getBias())
      start = vectors.splat(e.emit(bias, SmallVector<Value>{filter}));
    starts.append(rows.size() * plan.vectors, start);
  }
  SmallVector<Value> tap;
  Sums results = addTaps(band, rows, column, tap, starts);
  Value width = kb.getSize(plan.window.dims[2].output);
  auto next = results.begin();
  for (size_t filter = 0; filter != band.filters.size(); ++filter)
    for (Value row : rows)
      for (int64_t v = 0; v != plan.vectors; ++v) {
        Value at = kb.add(kb.mul(row, width), column);
        at = kb.add(at, getSumsOf(band, kb.getIndex(filter)));
        at = kb.add(at, kb.getIndex(v * vectors.getLanes()));
        vectors.store(sums, at, *next++);
      }
}

/// Tiles of rows; tiles of columns, of which the last ends with the row. Where
/// one is wider than the row, it is overwritten by the rows behind.
void DepthwiseEmitter::computeBand(const Band &band) {
  Value zero = kb.getIndex(0), width = kb.getSize(plan.window.dims[2].output);
  Value tileRows = kb.getIndex(plan.tileRows);
  Value tileWidth = kb.getIndex(plan.vectors * vectors.getLanes());
  Value lastRow = kb.sub(band.rows, kb.getIndex(1));
  Value lastColumn = kb.maximum(kb.sub(width, tileWidth), zero);
  auto countTiles = [&](Value size, Value tile) {
    return kb.divide(kb.add(size, kb.sub(tile, kb.getIndex(1))), tile);
  };
  kb.loop(zero, countTiles(band.rows, tileRows), [&](Value tile) {
    SmallVector<Value> rows;
    for (int64_t r = 0; r != plan.tileRows; ++r)
      rows.push_back(
          kb.minimum(kb.add(kb.mul(tile, tileRows), kb.getIndex(r)), lastRow));
    kb.loop(zero, countTiles(width, tileWidth), [&](Value block) {
      computeTile(band, rows, kb.minimum(kb.mul(block, tileWidth), lastColumn));
    });
  });
}

/// What follows the convolution, for the outputs of a band and a filter whose
/// sums begin at `start`.
void DepthwiseEmitter::finishBand(const Band &band, Value filter, Value start) {
  const auto &dims = plan.window.dims;
  SymShape plane = {dims[1].output, dims[2].output};
  Value first = kb.mul(band.firstRow, kb.getSize(dims[2].output));
  Value count = kb.mul(band.rows, kb.getSize(dims[2].output));
  kb.loop(first, kb.add(first, count), [&](Value position) {
    SmallVector<Value> indices = {band.batch, filter};
    if (plan.window.rank == 3)
      indices.push_back(band.depth);
    SmallVector<Value> places = kb.delinearize(position, plane);
    llvm::append_range(indices, ArrayRef(places).take_back(
                                    std::min<size_t>(plan.window.rank, 2)));
    Value at = kb.add(start, kb.sub(position, first));
    e.define(conv.getResult(), indices, kb.load(sums, at));
    for (auto [number, stored] : llvm::enumerate(nest.stored))
      kb.store(kb.getResult(number), kb.linearize(indices, nest.shape),
               e.emit(stored, indices));
  });
}

void DepthwiseEmitter::emitIteration(Value iteration) {
  SmallVector<Value> indices = kb.delinearize(iteration, plan.space);
  Value group = indices[1];
  Band band;
  band.batch = indices[0];
  band.depth = indices[2];
  band.firstRow = kb.mul(indices[3], kb.getSize(plan.window.bandRows));
  band.rows = kb.getSize(plan.window.bandRows);
  if (!plan.window.bands.isConstant(1))
    band.rows =
        kb.minimum(band.rows, kb.sub(kb.getSize(plan.window.dims[1].output),
                                     band.firstRow));
  band.skipped = kb.mul(kb.sub(kb.getSize(plan.window.bandRows), band.rows),
                        kb.getSize(plan.window.dims[2].output));
  window.fill(band.batch, group, band.depth, band.firstRow);
  Value filters = kb.getSize(plan.filters);
  Value begin = kb.mul(group, filters), end = kb.add(begin, filters);
  SymExpr tiles = plan.filters.ceilDiv(e.kernel.constant(plan.tileFilters));
  kb.loop(kb.getIndex(0), kb.getSize(tiles), [&](Value tile) {
    Value first = kb.mul(tile, kb.getIndex(plan.tileFilters));
    emitFilters(band, kb.add(begin, first), end);
  });
}

/// A tile of filters. Those beyond the last repeat it, and are not stored.
void DepthwiseEmitter::emitFilters(Band &band, Value first, Value end) {
  Value last = kb.sub(end, kb.getIndex(1));
  band.filters.clear();
  for (int64_t filter = 0; filter != plan.tileFilters; ++filter)
    band.filters.push_back(
        kb.minimum(kb.add(first, kb.getIndex(filter)), last));
  computeBand(band);
  Value count = kb.minimum(kb.sub(end, first), kb.getIndex(plan.tileFilters));
  kb.loop(kb.getIndex(0), count, [&](Value filter) {
    finishBand(band, kb.add(first, filter), getSumsOf(band, filter));
  });
}

static void emit(ElementEmitter &e) {
  DepthwisePlan depthwise(e.kernel, find(e.kernel));
  Nest nest = *getNest(e.kernel);
  ChunkScratch scratch(e.kb, plan(e.kernel), depthwise.chunkBytes);
  DepthwiseEmitter emitter(e, depthwise, nest, scratch);
  e.kb.loop(e.kb.getLo(), e.kb.getHi(),
            [&](Value iteration) { emitter.emitIteration(iteration); });
}

RootEmitter lz::getDepthwiseRoot() {
  return {"depthwise", matches, plan, emit, /*storesOnce=*/true};
}
