//===- Pipelines.cpp - the fuse stage -------------------------------------===//

#include "passes/fusion/Pipelines.h"

#include "dialects/lz/IR/LzDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/fusion/Passes.h"
#include "passes/layout/Passes.h"

using namespace mlir;
using namespace lz;

void lz::buildFusePipeline(OpPassManager &pm,
                           const FusePipelineOptions &options) {
  if (!options.single)
    pm.addNestedPass<func::FuncOp>(createOrientKeysPass());
  pm.addNestedPass<func::FuncOp>(createPackNarrowPass());
  FormFusionGroupsPassOptions groups;
  groups.single = options.single;
  pm.addNestedPass<func::FuncOp>(createFormFusionGroupsPass(groups));
  if (!options.single) {
    PackWeightsPassOptions packing;
    packing.cpu = options.cpu;
    packing.features = options.features;
    pm.addPass(createPackWeightsPass(packing));
  }
  pm.addNestedPass<func::FuncOp>(createVerifyFusePass());
}

void lz::registerFusionPipelines() {
  PassPipelineRegistration<FusePipelineOptions>(
      "lz-fuse", "The stage fuse: operations to lz.fusion regions",
      buildFusePipeline);
}
