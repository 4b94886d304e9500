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

#endif // PASSES_CODEGEN_CPU_PASSES_TD
