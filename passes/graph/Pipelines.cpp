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

void lz::buildGraphPipeline(OpPassManager &pm, const GraphPipelineOptions &) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(createRefineTypesPass());
  function.addPass(createCSEPass());
  function.addPass(createVerifyGraphPass());
}

void lz::buildFreezePipeline(OpPassManager &pm, const FreezePipelineOptions &) {
  pm.addPass(createFreezeParametersPass());
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
