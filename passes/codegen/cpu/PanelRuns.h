//===- PanelRuns.h - runs of memory in a panel's row ------------*- C++ -*-===//
//
// The columns of a panel are output positions of a convolution, and what a tap
// reads for them lies in memory in a few runs: one for each row of outputs that
// the panel touches, cut off by padding. Most vectors of columns are one run,
// and nearly all are two at most: one load, or two under masks. Which lanes
// belong to which run is found once for a tap and used for every channel.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_CPU_PANELRUNS_H
#define PASSES_CODEGEN_CPU_PANELRUNS_H

#include "passes/codegen/cpu/Contraction.h"
#include "passes/codegen/cpu/VectorBuilder.h"

namespace lz {

class PanelRuns {
public:
  /// Reads row 0 of the table `panel.offsets`: positions within a channel, or
  /// -1 for zero. Those of neighbouring columns are `stride` apart in a run.
  PanelRuns(KernelBuilder &kb, const Panel &panel, int64_t lanes,
            int64_t stride);

  /// True if two runs suffice for every vector.
  mlir::Value getSuffices() const { return suffices; }
  /// True if every vector is one run of neighbours.
  mlir::Value getIsPlain() const { return isPlain; }
  /// Writes the columns of a channel that starts at `start` of `input` to the
  /// panel from `to` on. Two runs suffice.
  void copy(const Buffer &input, mlir::Value start, mlir::Value to);
  /// The same, if every vector is one run of neighbours.
  void copyPlain(const Buffer &input, mlir::Value start, mlir::Value to);

private:
  /// Lane i of a run reads position `base + i * stride` if its mask is set.
  struct Run {
    mlir::Value base, mask;
  };
  struct Lanes;
  Run findRun(const Lanes &lanes, bool fromEnd);
  void addVector(int64_t first);
  mlir::Value spread(mlir::Value mask);

  KernelBuilder &kb;
  const Panel &panel;
  VectorBuilder vectors;
  int64_t stride;
  llvm::SmallVector<std::pair<Run, Run>> runs; // of each vector
  mlir::Value suffices, isPlain;
};

} // namespace lz

#endif // PASSES_CODEGEN_CPU_PANELRUNS_H
