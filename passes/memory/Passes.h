//===- Passes.h - what a program keeps in memory ----------------*- C++ -*-===//
#ifndef PASSES_MEMORY_PASSES_H
#define PASSES_MEMORY_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lz {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/memory/Passes.h.inc"

/// The stage `remat`: large values by bands of rows. What holds before it holds
/// after it.
void buildRematPipeline(mlir::OpPassManager &pm);
} // namespace lz

#endif // PASSES_MEMORY_PASSES_H
