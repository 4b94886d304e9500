//===- Passes.h - programs to host functions --------------------*- C++ -*-===//
#ifndef PASSES_CODEGEN_HOST_PASSES_H
#define PASSES_CODEGEN_HOST_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace lz {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/codegen/host/Passes.h.inc"

/// The names of the functions that `lzx-emit-host` makes for a program.
inline std::string getPrepareName(llvm::StringRef program) {
  return (program + ".prepare").str();
}
inline std::string getRunName(llvm::StringRef program) {
  return (program + ".run").str();
}
} // namespace lz

#endif // PASSES_CODEGEN_HOST_PASSES_H
