//===- Pipelines.cpp - the stage `remat` ----------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/graph/Passes.h"
#include "passes/memory/Passes.h"

using namespace mlir;

void lz::buildRematPipeline(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createStreamBatchPass());
  pm.addNestedPass<func::FuncOp>(createStreamRowsPass());
  pm.addPass(createVerifyFreezePass());
}
