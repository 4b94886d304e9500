//===- Pipelines.h - the graph and freeze stages ----------------*- C++ -*-===//
#ifndef PASSES_GRAPH_PIPELINES_H
#define PASSES_GRAPH_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lz {

struct GraphPipelineOptions : mlir::PassPipelineOptions<GraphPipelineOptions> {
  Option<bool> raise{
      *this, "raise",
      llvm::cl::desc("find layer norms, GELUs and so on in their spelled-out "
                     "form (off at O0)"),
      llvm::cl::init(true)};
};

struct FreezePipelineOptions
    : mlir::PassPipelineOptions<FreezePipelineOptions> {
  Option<bool> fold{
      *this, "fold",
      llvm::cl::desc("fold batch norms, scales and constant weights into their "
                     "neighbours (off at O0)"),
      llvm::cl::init(true)};
};

/// The stage `graph`: clean-up that holds for training too, then the contract.
void buildGraphPipeline(mlir::OpPassManager &pm,
                        const GraphPipelineOptions &options);

/// The stage `freeze`: parameters to constants, then the contract.
void buildFreezePipeline(mlir::OpPassManager &pm,
                         const FreezePipelineOptions &options);

/// Registers `lz-graph` and `lz-freeze`.
void registerGraphPipelines();

} // namespace lz

#endif // PASSES_GRAPH_PIPELINES_H
