//===- Session.h - run a model as the command line says -------------*- C++
//-*-===//
#pragma once

#include "Options.h"
#include "Tensors.h"

namespace lz::run {

/// Times of one launch in all timed runs. Outlives the model.
struct LaunchTime {
  std::string kernel, nodes;
  int64_t calls, ns;
};

/// What came of running a model.
struct Results {
  double loadMs = 0, firstMs = 0;
  std::vector<double> latencyMs; // sorted
  int64_t arenaBytes = 0;
  int32_t memoryClass = LZ_MEMORY_EXACT;
  int64_t threads = 0;
  std::vector<NamedTensor> outputs;
  std::vector<LaunchTime> profile;
};

/// Loads, feeds and runs the model.
Results runModel(const Options &options);

/// The entry that the options name.
int64_t findEntry(const Model &model, const Options &options);

} // namespace lz::run
