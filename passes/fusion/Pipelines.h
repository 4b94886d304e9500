//===- Pipelines.h - the fuse stage -----------------------------*- C++ -*-===//
#ifndef PASSES_FUSION_PIPELINES_H
#define PASSES_FUSION_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lz {

struct FusePipelineOptions : mlir::PassPipelineOptions<FusePipelineOptions> {
  Option<std::string> cpu{
      *this, "cpu",
      llvm::cl::desc("the CPU that weights are packed for, by LLVM's name"),
      llvm::cl::init("x86-64-v3")};
  Option<std::string> features{
      *this, "features",
      llvm::cl::desc("changes to its features: +avx512f,-fma"),
      llvm::cl::init("")};
  Option<bool> single{
      *this, "single",
      llvm::cl::desc("give each operation a group of its own (O0)"),
      llvm::cl::init(false)};
};

/// The stage `fuse`: groups, packed weights (unless `single`), the contract.
void buildFusePipeline(mlir::OpPassManager &pm,
                       const FusePipelineOptions &options);

/// Registers `lz-fuse`.
void registerFusionPipelines();

} // namespace lz

#endif // PASSES_FUSION_PIPELINES_H
