//===- Passes.td - from fused graphs to programs -----------*- tablegen -*-===//

#ifndef PASSES_SCHEDULE_PASSES_TD
#define PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def BuildProgramPass : Pass<"lz-build-program", "::mlir::ModuleOp"> {
  let summary = "Turn fused functions into programs of kernel launches";
  let description = [{
    Each function of `lz` operations that is not a kernel becomes an
    `lzx.program`: its fusion groups become launches of kernels, equal groups of
    the same kernel, in the order they stand; its values get buffers with their
    lifetimes (see `BufferAssignment`); its size conditions become checks. Offsets
    in the arena come later, from `lzx-plan-arena`.

    Needs what `lz-verify-fuse` checks.
  }];
  let dependentDialects = ["::lz::lzx::LzxDialect"];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"x86-64-v3\"",
           "the CPU that kernels are planned for, by LLVM's name">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "changes to the CPU's features: +avx512f,-fma">
  ];
}

def PlanArenaPass : Pass<"lzx-plan-arena", "::lz::lzx::ProgramOp"> {
  let summary = "Give the parts of the arena their offsets";
  let description = [{
    If the sizes of all `lzx.alloc`s are numbers, sets their offsets. Otherwise
    leaves them to `prepare`, which runs the same algorithm (`PlaceBuffers.h`).
  }];
}

def VerifyProgramPass : Pass<"lzx-verify-program", "::mlir::ModuleOp"> {
  let summary = "Check what the kernel stage expects of programs";
  let description = [{
    No function of the module but kernels is left; every launch names a kernel and
    gives it as many buffers and symbols as it takes; lifetimes cover all uses; and
    planned offsets of buffers that live together do not overlap.
  }];
}

#endif // PASSES_SCHEDULE_PASSES_TD
