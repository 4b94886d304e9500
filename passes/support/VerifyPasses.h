//===- VerifyPasses.h - does a pass keep the model's values? ----*- C++ -*-===//
//
// Runs the reference evaluator on every function that a pass may have changed,
// with the same seeded inputs before and after it. An error names the first
// pass that moved a result beyond its bound, and the first operation whose
// value it moved: ints and strings must stay equal, floats within a few
// roundings of the type, relative to the tensor's largest magnitude.
//
// Slow, and keeps every value of a run in memory: for finding a bug.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_SUPPORT_VERIFYPASSES_H
#define PASSES_SUPPORT_VERIFYPASSES_H

#include "mlir/Pass/PassInstrumentation.h"

namespace lz {

/// What one run of passes found. Outlives the pass manager; passes must not run
/// in parallel, so disable the context's multithreading.
class PassVerifier {
public:
  explicit PassVerifier(uint64_t seed = 0) : seed(seed) {}

  /// The instrumentation to add to a pass manager; it reports here.
  std::unique_ptr<mlir::PassInstrumentation> createInstrumentation();

  /// True if a pass has moved a value; an error has been emitted. Nothing is
  /// compared after the first.
  bool hasFailed() const { return failed; }
  void setFailed() { failed = true; }
  uint64_t getSeed() const { return seed; }

private:
  uint64_t seed;
  bool failed = false;
};

} // namespace lz

#endif // PASSES_SUPPORT_VERIFYPASSES_H
