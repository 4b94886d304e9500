//===- JUnit.h - comparisons as a report for CI ---------------------*- C++
//-*-===//
#pragma once

#include <string>
#include <vector>

namespace lz::run {

/// What became of one output, or of a run that gave none.
struct TestCase {
  enum Outcome { Passed, Failed, Skipped, Broken };

  std::string name;
  Outcome outcome;
  std::string message; // one line, for people
  double seconds;
};

/// The XML that CI servers read: one suite, named as the model is.
std::string junitReport(const std::string &model,
                        const std::vector<TestCase> &cases);

} // namespace lz::run
