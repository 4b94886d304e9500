//===- KernelOutline.h - fusion groups to shared kernels --------*- C++ -*-===//
#ifndef PASSES_SCHEDULE_KERNELOUTLINE_H
#define PASSES_SCHEDULE_KERNELOUTLINE_H

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace lz {

/// Turns fusion groups into private kernel functions of a module, equal groups
/// into one. A kernel knows sizes only as symbols s0, s1, ... of its own, in
/// order of appearance, so that groups of the same form in different places are
/// equal.
class KernelOutliner {
public:
  explicit KernelOutliner(mlir::ModuleOp module) : module(module) {}

  /// The kernel of `fusion`. `symbols` are the sizes that its symbols stand
  /// for.
  mlir::func::FuncOp outline(FusionOp fusion, const ShapeAnalysis &shapes,
                             SymShape &symbols);

private:
  mlir::ModuleOp module;
  llvm::StringMap<mlir::func::FuncOp> kernels; // by their text without name
};

/// `expr`, over a kernel's symbols, with the sizes of a launch for them.
SymExpr substituteKernelSymbols(SymExpr expr, llvm::ArrayRef<SymExpr> symbols);

} // namespace lz

#endif // PASSES_SCHEDULE_KERNELOUTLINE_H
