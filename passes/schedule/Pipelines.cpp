//===- Pipelines.cpp - the stage `schedule` -------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "passes/schedule/Passes.h"

using namespace mlir;

void lz::buildSchedulePipeline(OpPassManager &pm, StringRef cpu,
                               StringRef features) {
  BuildProgramPassOptions options;
  options.cpu = cpu.str();
  options.features = features.str();
  pm.addPass(createBuildProgramPass(options));
  pm.addNestedPass<lzx::ProgramOp>(createPlanArenaPass());
  pm.addPass(createVerifyProgramPass());
}
