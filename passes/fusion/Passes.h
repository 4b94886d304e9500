//===- Passes.h - fusion passes ---------------------------------*- C++ -*-===//
#ifndef PASSES_FUSION_PASSES_H
#define PASSES_FUSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lz {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/fusion/Passes.h.inc"
} // namespace lz

#endif // PASSES_FUSION_PASSES_H
