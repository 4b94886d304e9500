//===- RowBands.h - how a chain is cut into bands ---------------*- C++ -*-===//
#ifndef PASSES_MEMORY_ROWBANDS_H
#define PASSES_MEMORY_ROWBANDS_H

#include "passes/memory/WindowChain.h"

namespace lz {

/// A part of a chain that is computed by bands of `rows` rows of its result.
struct RowBands {
  size_t first = 0, count = 0; // operations of the chain
  int64_t rows = 0;
  int64_t bandedBytes = 0; // memory at its largest
};

/// The bands that take the least memory; none if they don't halve it, or if it
/// takes less than `minBytes` without.
std::optional<RowBands> chooseBands(llvm::ArrayRef<WindowStep> chain,
                                    int64_t minBytes);

} // namespace lz

#endif // PASSES_MEMORY_ROWBANDS_H
