//===- LowerKernels.cpp - emitted kernels to the LLVM dialect -------------===//

#include "passes/codegen/cpu/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void lz::buildLowerKernelsPipeline(OpPassManager &pm) {
  pm.addPass(createDistributeLanesPass());
  // Emission repeats itself where that is simpler; LLVM gets less to read.
  pm.addPass(createCSEPass());
  pm.addPass(createLowerMathPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createKeepLoopAnnotationsPass());
}

void lz::registerCpuCodegenPipelines() {
  PassPipelineRegistration<>(
      "lz-lower-kernels", "Lower emitted CPU kernels to the LLVM dialect",
      [](OpPassManager &pm) { buildLowerKernelsPipeline(pm); });
}
