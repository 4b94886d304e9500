//===- SeededInputs.h - inputs for a function, from its symbols -*- C++ -*-===//
#ifndef PASSES_SUPPORT_SEEDEDINPUTS_H
#define PASSES_SUPPORT_SEEDEDINPUTS_H

#include "dialects/lz/Reference/RefValue.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mlir {
class FunctionOpInterface;
} // namespace mlir

namespace lz {

/// One tensor per argument: floats in [-1, 1), integers in [0, 4), the elements
/// that are sizes as their symbols say. Every symbol has the value `size`,
/// moved into its range. None if an argument has no such tensor (sequences, or
/// sizes that come out negative or huge).
std::optional<llvm::SmallVector<RefValue>>
makeSeededInputs(mlir::FunctionOpInterface function, uint64_t seed,
                 int64_t size);

} // namespace lz

#endif // PASSES_SUPPORT_SEEDEDINPUTS_H
