//===- Passes.h - graph passes ----------------------------------*- C++ -*-===//
#ifndef PASSES_GRAPH_PASSES_H
#define PASSES_GRAPH_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lz {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/graph/Passes.h.inc"
} // namespace lz

#endif // PASSES_GRAPH_PASSES_H
