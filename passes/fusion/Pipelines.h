//===- Pipelines.h - the fuse stage -----------------------------*- C++ -*-===//
#ifndef PASSES_FUSION_PIPELINES_H
#define PASSES_FUSION_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lz {

struct FusePipelineOptions : mlir::PassPipelineOptions<FusePipelineOptions> {
  Option<bool> single{
      *this, "single",
      llvm::cl::desc("give each operation a group of its own (O0)"),
      llvm::cl::init(false)};
};

/// The stage `fuse`: groups, then the contract.
void buildFusePipeline(mlir::OpPassManager &pm,
                       const FusePipelineOptions &options);

/// Registers `lz-fuse`.
void registerFusionPipelines();

} // namespace lz

#endif // PASSES_FUSION_PIPELINES_H
