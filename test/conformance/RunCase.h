//===- RunCase.h - put one model to the test --------------------*- C++ -*-===//
#ifndef TEST_CONFORMANCE_RUNCASE_H
#define TEST_CONFORMANCE_RUNCASE_H

#include "test/conformance/Cases.h"

namespace lz {

/// What runs the model.
enum class Mode {
  Eval,    // the importer and the reference evaluator
  Compiled // the compiler and the runtime
};

/// The outcome of one case in one form.
struct Outcome {
  enum Kind { Passed, Failed, Skipped };
  Kind kind = Passed;
  std::string reason;
};

/// The operator types of all nodes of the case's model, subgraphs included.
std::vector<std::string> listOperators(const Case &test);

/// Runs the case on all its data sets. Skips forms that the model can't have.
Outcome runCase(const Case &test, Form form, Mode mode);

} // namespace lz

#endif // TEST_CONFORMANCE_RUNCASE_H
