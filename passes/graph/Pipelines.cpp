//===- Pipelines.cpp - the graph and freeze stages ------------------------===//

#include "passes/graph/Pipelines.h"

#include "dialects/lz/IR/LzDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/graph/Passes.h"

using namespace mlir;
using namespace lz;

/// Sizes and constants first: they decide branches, and show what moves
/// nothing.
static void addCleanUp(OpPassManager &function) {
  function.addPass(createRefineTypesPass());
  function.addPass(createFoldConstantsPass());
  function.addPass(createSimplifyPass());
  function.addPass(createSimplifyShapesPass());
  function.addPass(createCSEPass());
}

void lz::buildGraphPipeline(OpPassManager &pm,
                            const GraphPipelineOptions &options) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  addCleanUp(function);
  if (options.raise)
    function.addPass(createRaisePass());
  // Again, for what the first round and the raising have brought together.
  addCleanUp(function);
  function.addPass(createVerifyGraphPass());
}

void lz::buildFreezePipeline(OpPassManager &pm,
                             const FreezePipelineOptions &options) {
  pm.addPass(createFreezeParametersPass());
  if (options.fold) {
    pm.addPass(createFoldWeightLayoutPass());
    pm.addNestedPass<func::FuncOp>(createFoldConstantsPass());
    pm.addNestedPass<func::FuncOp>(createFoldBatchNormPass());
    pm.addPass(createFoldScalesPass());
  }
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addPass(createVerifyFreezePass());
}

void lz::registerGraphPipelines() {
  PassPipelineRegistration<GraphPipelineOptions>(
      "lz-graph", "The stage graph: neutral clean-up", buildGraphPipeline);
  PassPipelineRegistration<FreezePipelineOptions>(
      "lz-freeze", "The stage freeze: parameters to constants",
      buildFreezePipeline);
}
