//===- HostFunctions.h - the pieces of lzx-emit-host ------------*- C++ -*-===//
#ifndef PASSES_CODEGEN_HOST_HOSTFUNCTIONS_H
#define PASSES_CODEGEN_HOST_HOSTFUNCTIONS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/codegen/host/ProgramLayout.h"
#include "passes/codegen/host/WeightsLayout.h"

namespace lz {

/// Emits `prepare`: sizes, checks and, if needed, arena offsets into the state.
void emitPrepare(mlir::ModuleOp module, lzx::ProgramOp program,
                 const ProgramLayout &layout);

/// Emits `run`: the steps in order.
void emitRun(mlir::ModuleOp module, lzx::ProgramOp program,
             const ProgramLayout &layout, const WeightsLayout &weights);

/// The declaration of a function of the bitcode kernels, added if missing.
mlir::LLVM::LLVMFuncOp getHostFunction(mlir::ModuleOp module,
                                       llvm::StringRef name, mlir::Type result,
                                       llvm::ArrayRef<mlir::Type> arguments);

/// `base + offset` in bytes; element pointers of 8-byte slots.
mlir::Value emitBytePointer(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value base, mlir::Value offset);
mlir::Value emitSlotPointer(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value base, int64_t slot);

/// The i1 that two sizes fulfil a check of `kind`.
mlir::Value emitComparison(mlir::OpBuilder &builder, mlir::Location loc,
                           lzx::CheckKind kind, mlir::Value lhs,
                           mlir::Value rhs);

} // namespace lz

#endif // PASSES_CODEGEN_HOST_HOSTFUNCTIONS_H
