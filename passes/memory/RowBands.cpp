//===- RowBands.cpp - how a chain is cut into bands -----------------------===//

#include "passes/memory/RowBands.h"

#include "llvm/Support/MathExtras.h"

using namespace lz;

/// The first and the last band meet borders; fewer in between are no loop.
static constexpr int64_t kMinBands = 4;
/// More bands make a step as small as its overhead.
static constexpr int64_t kMaxBands = 64;

/// The memory of two values beside each other, without bands.
static int64_t getWholeBytes(llvm::ArrayRef<WindowStep> chain) {
  int64_t most = 0;
  for (const WindowStep &step : chain)
    if (!step.isPointwise)
      most = std::max(most, step.inputRows * step.inputRowBytes +
                                step.rows * step.rowBytes);
  return most;
}

/// The memory of a band of `rows` rows of the chain's result: the rows kept for
/// the next band, and, for one operation, what is new of its input, all of it,
/// and its result.
static int64_t getBandBytes(llvm::ArrayRef<WindowStep> chain, int64_t rows) {
  int64_t most = 0, kept = 0;
  for (const WindowStep &step : llvm::reverse(chain)) {
    int64_t added = rows * step.stride, again = step.extent - step.stride;
    if (!step.isPointwise)
      most = std::max(most, (2 * added + again) * step.inputRowBytes +
                                rows * step.rowBytes);
    kept += again * step.inputRowBytes;
    rows = added;
  }
  return most + kept;
}

/// Considers to cut `chain` into `count` bands.
static RowBands cut(llvm::ArrayRef<WindowStep> chain, int64_t count) {
  const WindowStep &head = chain.front(), &last = chain.back();
  RowBands bands;
  bands.count = chain.size();
  bands.rows = static_cast<int64_t>(llvm::divideCeil(last.rows, count));
  int64_t input = head.inputRows * head.inputRowBytes;
  int64_t result = last.rows * last.rowBytes;
  // The loop's result and the chain's own are there at the same time.
  bands.bandedBytes =
      std::max(input + result + getBandBytes(chain, bands.rows), 2 * result);
  return bands;
}

std::optional<RowBands> lz::chooseBands(llvm::ArrayRef<WindowStep> chain,
                                        int64_t minBytes) {
  std::optional<RowBands> best;
  // No part of a chain takes more than all of it: most chains end here.
  if (getWholeBytes(chain) < minBytes)
    return best;
  auto consider = [&](size_t first, size_t last) {
    auto part = chain.slice(first, last - first);
    int64_t wholeBytes = getWholeBytes(part);
    if (wholeBytes < minBytes)
      return;
    for (int64_t number = kMinBands; number <= kMaxBands; ++number) {
      RowBands bands = cut(part, number);
      if (bands.bandedBytes * 2 > wholeBytes ||
          (best && bands.bandedBytes >= best->bandedBytes))
        continue;
      bands.first = first;
      best = bands;
    }
  };
  // What is computed element by element stays with the window before it.
  auto startsAt = [&](size_t index) {
    return index == chain.size() || !chain[index].isPointwise;
  };
  for (size_t first = 0; first != chain.size(); ++first)
    for (size_t last = first + 2; last <= chain.size(); ++last)
      if (startsAt(first) && startsAt(last))
        consider(first, last);
  return best;
}
