//===- BatchRegion.h - operations that treat samples alike ------*- C++ -*-===//
//
// A sample is everything at one index of dimension 0, the batch.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_MEMORY_BATCHREGION_H
#define PASSES_MEMORY_BATCHREGION_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace lz {

/// Operations of one block of which each sample of the result comes from the
/// same sample of some operands, and from all of the others.
struct BatchRegion {
  int64_t samples = 0;                         // of each result
  int64_t step = 0;                            // samples to take at a time
  llvm::SetVector<mlir::Operation *> ops;      // as in the block
  llvm::SmallVector<mlir::Operation *> behind; // read results, before the last

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
};

/// True if `operand`, of an operation of a region, has samples too.
bool hasSamples(mlir::OpOperand &operand);

/// The operations of `block` between whose results of `samples` samples at
/// least `minBytes` are in memory at a time, and that can be computed in parts
/// that halve that. None if there are none.
std::optional<BatchRegion> getBatchRegion(mlir::Block &block, int64_t samples,
                                          int64_t minBytes);

} // namespace lz

#endif // PASSES_MEMORY_BATCHREGION_H
