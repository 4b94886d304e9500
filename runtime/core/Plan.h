//===- Plan.h - from input shapes to sizes ----------------------*- C++ -*-===//
//
// The way from bound inputs to everything that a run must know: values of the
// symbols, the state that the artifact derives from them, shapes of the
// outputs. Nothing here allocates unless it fails.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lezero/lz.h"

namespace lz::rt {

/// An input as far as sizes depend on it. `data` may be null.
struct InputShape {
  const int64_t *shape = nullptr;
  const void *data = nullptr;
};

/// Reads the symbols' values from the inputs, and checks every dimension
/// against them. `inputs` and `symbols` have the entry's counts.
lz_status solveSymbols(const lz_entry &entry, const InputShape *inputs,
                       int64_t *symbols);

/// Lets the artifact derive its state and checks the result.
lz_status evaluateState(const lz_entry &entry, const int64_t *symbols,
                        int64_t workers, int64_t *state);

/// Fails with the text of the check that an entry's sizes do not pass.
lz_status failedCheck(const lz_entry &entry, const int64_t *symbols,
                      int64_t index);

/// Writes an output's shape to `shape`; -1 for sizes that only the run finds and
/// nothing bounds.
lz_status readOutputShape(const lz_entry &entry, const lz_value_desc &output,
                          const int64_t *state, int64_t *shape);

/// Resolves a number of threads: 0 is the default.
lz_status resolveThreads(int64_t asked, int64_t *threads);

} // namespace lz::rt
