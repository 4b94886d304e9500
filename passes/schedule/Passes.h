//===- Passes.h - from fused graphs to programs -----------------*- C++ -*-===//
#ifndef PASSES_SCHEDULE_PASSES_H
#define PASSES_SCHEDULE_PASSES_H

#include "dialects/lzx/IR/LzxDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lz {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/schedule/Passes.h.inc"

/// The stage `schedule`: programs with planned arenas, for a CPU by LLVM's name
/// and changes to its features.
void buildSchedulePipeline(mlir::OpPassManager &pm, llvm::StringRef cpu,
                           llvm::StringRef features);
} // namespace lz

#endif // PASSES_SCHEDULE_PASSES_H
