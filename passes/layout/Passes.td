//===- Passes.td - how tensors lie in memory ---------------*- tablegen -*-===//

#ifndef PASSES_LAYOUT_PASSES_TD
#define PASSES_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def PackWeightsPass : Pass<"lz-pack-weights", "::mlir::ModuleOp"> {
  let summary = "Store constant matrices as kernels read them";
  let description = [{
    A constant that is the right operand of matrix products and nothing else is
    stored in panels of columns, zeros in the last one's place, so that no run has
    to pack it. The kernels read it through operations that undo the packing (see
    `PackedMatrix.h`), which code generation recognises.

    ```mlir
    %w = lz.constant dense_resource<w> : tensor<768x100xf32>
    %1 = lz.fusion %x, %w ... {
      %2 = lz.matmul %a, %b
    // becomes
    %w = lz.constant dense_resource<w.packed> : tensor<7x768x16xf32>
    %1 = lz.fusion %x, %w ... {
      %t = lz.transpose %b [1, 0, 2]
      %r = lz.reshape %t [768, 112]
      %s = lz.slice %r [0, 0] [768, 100] [1, 1]
      %2 = lz.matmul %a, %s
    ```

    The attribute `lz.layouts` of the module keeps for each packed constant its
    name, its shape and the name of the layout, from which its elements can be
    found again: `panels<W>` for a matrix [k, columns], `panels<W>-transposed` for
    one that was [columns, k].
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"x86-64-v3\"",
           "the CPU whose vectors give the panels' width, by LLVM's name">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "changes to the CPU's features: +avx512f,-fma">,
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"256 << 20",
           "bytes of packed constants at most: they are memory of the "
           "compiler, not mapped from the model">
  ];
  let dependentDialects = ["::lz::LzDialect"];
}

#endif // PASSES_LAYOUT_PASSES_TD
