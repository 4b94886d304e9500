//===- KernelPlan.h - what a launch of a kernel needs -----------*- C++ -*-===//
#ifndef PASSES_CODEGEN_CPU_KERNELPLAN_H
#define PASSES_CODEGEN_CPU_KERNELPLAN_H

#include "dialects/lz/Symbols/SymExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

namespace lz {

namespace targets {
struct CpuTarget;
} // namespace targets
class KernelInfo;

/// Expressions over the kernel's symbols.
struct KernelPlan {
  /// The size of the parallel space; 1 if the kernel is not split.
  SymExpr iterations;
  /// Iterations of one chunk, at least 1. Depends on shapes, never on threads.
  SymExpr grain;
  /// One block for the whole launch, 64-byte aligned; 0 if none is needed.
  SymExpr scratchBytes;
  /// Operands whose memory the result may take; see getInPlaceOperands.
  llvm::SmallVector<unsigned, 2> inPlace = {};
};

/// Plans a kernel (see docs/kernels.md) before any code for it exists. Emits an
/// error on the operation that no kernel can be made of.
mlir::FailureOr<KernelPlan> planKernel(mlir::func::FuncOp kernel,
                                       const targets::CpuTarget &target);

/// A plan without scratch whose chunks are worth about the cost of starting
/// them: `cost` is that of one iteration, in simple operations on one element.
KernelPlan makePlan(const KernelInfo &kernel, SymExpr iterations, SymExpr cost);

} // namespace lz

#endif // PASSES_CODEGEN_CPU_KERNELPLAN_H
