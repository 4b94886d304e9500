//===- Passes.td - programs to host functions --------------*- tablegen -*-===//

#ifndef PASSES_CODEGEN_HOST_PASSES_TD
#define PASSES_CODEGEN_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmitHostPass : Pass<"lzx-emit-host", "::mlir::ModuleOp"> {
  let summary = "Write the functions `prepare` and `run` of programs";
  let description = [{
    Adds, for each `lzx.program @p` of a module whose kernels have been lowered to
    the LLVM dialect, `@p.prepare` and `@p.run` (see `lz_entry` in
    `lz_artifact.h`). The programs stay: the artifact's tables are made from them.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // PASSES_CODEGEN_HOST_PASSES_TD
