//===- Passes.td - kernels for CPUs ------------------------*- tablegen -*-===//

#ifndef PASSES_CODEGEN_CPU_PASSES_TD
#define PASSES_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmitKernelsPass : Pass<"lz-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn kernels of lz operations into loops for a CPU";
  let description = [{
    Replaces each function with the attribute `lzx.kernel` by one of the same
    name that computes the parallel iterations `[%lo, %hi)` in scf, arith and
    math, with loads and stores through pointers:

    ```mlir
    func.func private @k(%x: tensor<8xf32>) -> tensor<8xf32>
        attributes {lzx.kernel} { ... }
    // becomes
    func.func private @k(%args: !llvm.ptr, %lo: i64, %hi: i64)
        attributes {lzx.params = [], lzx.iterations = #lz.expr<8>, ...}
    ```

    `%args` points to 8-byte slots: the operands' pointers, the results'
    pointers, the scratch pointer, and the values of `lzx.params`. No result may
    overlap an operand. `lzx.iterations`, `lzx.grain` and `lzx.scratch` repeat
    the plan. See `docs/kernels.md`.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"x86-64-v3\"",
           "the CPU to make kernels for, by LLVM's name">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "changes to its features, as in LLVM: +avx512f,-fma">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def DistributeLanesPass : Pass<"lz-distribute-lanes", "::mlir::ModuleOp"> {
  let summary = "Move loops over lanes inside of the loops that they hold";
  let description = [{
    A loop marked `lzx.lanes` computes independent elements that lie side by
    side, at most as many as the attribute says. If it holds loops with bounds
    that all lanes share, it is split around them and repeated inside of them,
    where LLVM can vectorise it. Values that cross from one part to another lie
    in arrays on the stack.

    ```mlir
    scf.for %lane = %c0 to %n step %c1 {
      %sum = scf.for %k = %c0 to %m step %c1 iter_args(%s = %zero) -> f32 { ... }
      llvm.store %sum, ...
    } {lzx.lanes = 64 : i64}
    // becomes
    %slot = llvm.alloca %c64 x f32
    scf.for %lane = ... { llvm.store %zero, %slot[%lane] }
    scf.for %k = ... { scf.for %lane = ... { %slot[%lane] += ... } }
    scf.for %lane = ... { llvm.store (load %slot[%lane]), ... }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def LowerMathPass : Pass<"lz-lower-math", "::mlir::ModuleOp"> {
  let summary = "Turn math functions into calls";
  let description = [{
    The usual functions of f32 become calls of the bitcode kernels
    `lz_<function>_f32`, the rare ones and those of f64 calls of the C library;
    all are declared in the module. What is one instruction or an LLVM intrinsic
    (`sqrt`, `floor` ...) stays.

    ```mlir
    %1 = math.exp %0 : f32
    // becomes
    %1 = func.call @lz_exp_f32(%0) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def KeepLoopAnnotationsPass
    : Pass<"lz-keep-loop-annotations", "::mlir::ModuleOp"> {
  let summary = "Keep what loops say to LLVM's optimiser";
  let description = [{
    The lowering of `scf.for` leaves `llvm.loop_annotation` as an attribute beside
    those that a branch has of itself, where translation to LLVM IR doesn't look.

    ```mlir
    llvm.br ^bb1 {llvm.loop_annotation = #nounroll}
    // becomes
    llvm.br ^bb1 {loop_annotation = #nounroll}
    ```
  }];
}

#endif // PASSES_CODEGEN_CPU_PASSES_TD
