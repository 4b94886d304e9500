//===- Options.h - lz-run's command line ----------------------------*- C++
//-*-===//
#pragma once

#include "Compare.h"
#include "Random.h"

#include <map>

namespace lz::run {

/// The command line makes no sense: exit 2 with the text.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string model;
  std::string entry; // empty: the first
  std::vector<std::string> inputs;
  std::string outputs;
  std::vector<std::string> references;
  std::string junit; // a file; empty: none
  Tolerance tolerance;
  std::map<std::string, int64_t> dims;
  std::map<std::string, Range> ranges;
  int64_t threads = 0; // the default
  int64_t repeat = 0;
  uint64_t seed = 0;
  bool json = false, time = false, profile = false, info = false;
  bool verifyWeights = false, help = false, version = false;
};

/// Parses the arguments after the program's name.
Options parseOptions(const std::vector<std::string> &arguments);

/// The text of --help.
const char *helpText();

} // namespace lz::run
