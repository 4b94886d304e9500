//===- RowBands.cpp - how a chain is cut into bands -----------------------===//

#include "passes/memory/RowBands.h"

#include "llvm/Support/MathExtras.h"

using namespace lz;

/// The first and the last band meet borders; fewer in between are no loop.
static constexpr int64_t kMinBands = 4;
/// More bands make a step as small as its overhead.
static constexpr int64_t kMaxBands = 64;
/// What is done twice included, of the work without bands.
static constexpr double kMaxWork = 1.125;

namespace {

/// What a chain takes if it is computed by bands of some number of rows.
struct Cost {
  int64_t bytes = 0; // two values beside each other
  double work = 0;   // of one band
};

} // namespace

/// The cost of `rows` rows of the chain's result.
static Cost getCost(llvm::ArrayRef<WindowStep> chain, int64_t rows) {
  Cost cost;
  for (const WindowStep &step : llvm::reverse(chain)) {
    int64_t inputRows =
        std::min(step.getInputRows({0, rows}).size(), step.inputRows);
    cost.work += static_cast<double>(rows) * step.rowWork;
    if (!step.isPointwise)
      cost.bytes = std::max(cost.bytes, rows * step.rowBytes +
                                            inputRows * step.inputRowBytes);
    rows = inputRows;
  }
  return cost;
}

/// Considers to cut `chain` into `count` bands.
static std::optional<RowBands> tryBands(llvm::ArrayRef<WindowStep> chain,
                                        int64_t count) {
  const WindowStep &last = chain.back();
  RowBands bands;
  bands.count = chain.size();
  bands.rows = llvm::divideCeil(last.rows, count);
  Cost whole = getCost(chain, last.rows);
  Cost band = getCost(chain, bands.rows);
  auto numBands = static_cast<double>(llvm::divideCeil(last.rows, bands.rows));
  if (band.work * numBands > whole.work * kMaxWork)
    return std::nullopt;
  const WindowStep &head = chain.front();
  int64_t input = head.inputRows * head.inputRowBytes;
  int64_t result = last.rows * last.rowBytes;
  bands.wholeBytes = whole.bytes;
  // The loop's result and the chain's own are there at the same time.
  bands.bandedBytes = std::max(input + result + band.bytes, 2 * result);
  return bands;
}

std::optional<RowBands> lz::chooseBands(llvm::ArrayRef<WindowStep> chain,
                                        int64_t minBytes) {
  std::optional<RowBands> best;
  auto consider = [&](size_t first, size_t last, int64_t number) {
    auto bands = tryBands(chain.slice(first, last - first), number);
    if (!bands || bands->wholeBytes < minBytes ||
        bands->bandedBytes * 2 > bands->wholeBytes ||
        (best && bands->bandedBytes >= best->bandedBytes))
      return;
    bands->first = first;
    best = bands;
  };
  // What is computed element by element stays with the window before it.
  auto startsAt = [&](size_t index) {
    return index == chain.size() || !chain[index].isPointwise;
  };
  for (size_t first = 0; first != chain.size(); ++first)
    for (size_t last = first + 2; last <= chain.size(); ++last)
      if (startsAt(first) && startsAt(last))
        for (int64_t number = kMinBands; number <= kMaxBands; ++number)
          consider(first, last, number);
  return best;
}
