//===- WindowChain.h - which rows of a value need which rows ----*- C++ -*-===//
//
// A row is everything at one index of dimension 2, the first spatial dimension
// of the channels-first layout.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_MEMORY_WINDOWCHAIN_H
#define PASSES_MEMORY_WINDOWCHAIN_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace lz {

inline constexpr int64_t kRowDim = 2;

/// The rows from `first` to before `last`.
struct RowRange {
  int64_t first = 0, last = 0;

  int64_t size() const { return last - first; }
};

/// An operation of which each row of the result comes from a window of rows of
/// one operand. Of its other operands it reads the same for each row.
struct WindowStep {
  mlir::Operation *op = nullptr;
  unsigned operand = 0;
  int64_t extent = 1; // rows between the first and the last of a window, plus 1
  int64_t stride = 1;
  int64_t low = 0, high = 0; // padding
  int64_t inputRows = 0, rows = 0;
  int64_t inputRowBytes = 0, rowBytes = 0; // at batch size 1, if it is free
  bool isPointwise = true; // in place: the result needs no memory of its own

  mlir::Value getInput() const { return op->getOperand(operand); }
  mlir::Value getResult() const { return op->getResult(0); }
  /// The rows that `range` of the result needs, beyond the borders too.
  RowRange getInputRows(RowRange range) const;
};

using WindowChain = llvm::SmallVector<WindowStep>;

/// The longest chain that starts with the operation of `input`: each further
/// operation is the only reader of the one before. Empty if there is none.
WindowChain getWindowChain(mlir::OpOperand &input);

/// What one operation of a chain computes for a band of the chain's result.
struct BandStep {
  RowRange input; // what it reads, some of it computed for the band before
  RowRange rows;  // what it adds to its result
  int64_t low = 0, high = 0; // the rows of padding that it meets
};

/// What a chain computes for a band of rows of its result.
struct Band {
  llvm::SmallVector<BandStep> steps;
  bool isInner = true; // it meets no border

  /// The rows of its input that the operation at `index`, which isn't the first
  /// one, reads again.
  int64_t getKeptRows(size_t index) const {
    return steps[index - 1].rows.first - steps[index].input.first;
  }
};

/// The band of `rows`, after `before` if that isn't null. None if an operation
/// would read nothing but padding, or had nothing to add.
std::optional<Band> getBand(llvm::ArrayRef<WindowStep> chain, RowRange rows,
                            const Band *before);

} // namespace lz

#endif // PASSES_MEMORY_WINDOWCHAIN_H
