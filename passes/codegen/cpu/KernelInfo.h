//===- KernelInfo.h - a kernel's body and the sizes in it -------*- C++ -*-===//
#ifndef PASSES_CODEGEN_CPU_KERNELINFO_H
#define PASSES_CODEGEN_CPU_KERNELINFO_H

#include "dialects/lz/Symbols/ShapeAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "targets/CpuTarget.h"

namespace lz {

/// A kernel before emission: one block of lz operations, and what planning and
/// emission ask of it.
class KernelInfo {
public:
  /// Checks the contract of a kernel body (one block, tensors only, lz
  /// operations without regions) and infers every shape. Emits an error on the
  /// operation at fault.
  static mlir::FailureOr<KernelInfo> get(mlir::func::FuncOp function,
                                         const targets::CpuTarget &target);

  mlir::func::FuncOp getFunction() const { return function; }
  const targets::CpuTarget &getTarget() const { return *target; }
  mlir::MLIRContext *getContext() const { return shapes.getContext(); }

  /// The values that the kernel returns.
  mlir::OperandRange getResults() const;
  /// The operations before the terminator, in order.
  llvm::iterator_range<mlir::Block::iterator> getBody() const;

  llvm::ArrayRef<SymExpr> getShape(mlir::Value tensor) const {
    return shapes.getShape(tensor);
  }
  SymExpr getNumElements(mlir::Value tensor) const {
    return shapes.getNumElements(tensor);
  }
  SymExpr constant(int64_t value) const { return shapes.constant(value); }
  const ShapeAnalysis &getShapes() const { return shapes; }

private:
  KernelInfo(mlir::func::FuncOp function, const targets::CpuTarget &target)
      : function(function), target(&target), shapes(function.getContext()) {}

  mlir::func::FuncOp function;
  const targets::CpuTarget *target;
  ShapeAnalysis shapes;
};

} // namespace lz

#endif // PASSES_CODEGEN_CPU_KERNELINFO_H
