//===- Passes.h - how tensors lie in memory ---------------------*- C++ -*-===//
#ifndef PASSES_LAYOUT_PASSES_H
#define PASSES_LAYOUT_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lz {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/layout/Passes.h.inc"

} // namespace lz

#endif // PASSES_LAYOUT_PASSES_H
