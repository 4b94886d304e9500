//===- Passes.h - kernels for CPUs ------------------------------*- C++ -*-===//
#ifndef PASSES_CODEGEN_CPU_PASSES_H
#define PASSES_CODEGEN_CPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace lz {

namespace targets {
struct CpuTarget;
} // namespace targets

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/codegen/cpu/Passes.h.inc"

/// Replaces one kernel of lz operations by its loops; see `lz-emit-kernels`.
mlir::LogicalResult emitKernel(mlir::func::FuncOp kernel,
                               const targets::CpuTarget &target);

/// Lowers emitted kernels, and functions like them in scf, arith, math, memref,
/// cf and func, to the LLVM dialect (`lz-lower-kernels`).
void buildLowerKernelsPipeline(mlir::OpPassManager &pm);

/// Registers `lz-lower-kernels`.
void registerCpuCodegenPipelines();

} // namespace lz

#endif // PASSES_CODEGEN_CPU_PASSES_H
