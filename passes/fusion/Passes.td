//===- Passes.td - fusion passes ---------------------------*- tablegen -*-===//

#ifndef PASSES_FUSION_PASSES_TD
#define PASSES_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormFusionGroupsPass : Pass<"lz-form-fusion-groups", "::mlir::func::FuncOp"> {
  let summary = "Wrap operations into the lz.fusion regions that become kernels";
  let description = [{
    Every operation that computes or moves data goes into some `lz.fusion`;
    constants, views, `lz.bind` and control flow stay between them. The rules are
    in `docs/fusion.md`. Refused fusions are `missed` remarks.

    ```mlir
    %0 = lz.unary <exp> %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = lz.binary <add> %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %1 = lz.fusion %x : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %2 = lz.unary <exp> %a : (tensor<4xf32>) -> tensor<4xf32>
      %3 = lz.binary <add> %2, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      lz.yield %3 : tensor<4xf32>
    }
    ```

    See `test/lit/passes/fusion/form-fusion-groups.mlir`.
  }];
  let options = [
    Option<"single", "single", "bool", /*default=*/"false",
           "give each operation a group of its own, for finding out which one "
           "is wrong">,
    Option<"maxOps", "max-ops", "int64_t", /*default=*/"64",
           "operations in a group at most, so that no kernel takes long to "
           "compile">
  ];
  let dependentDialects = ["::lz::LzDialect"];
}

def OrientKeysPass : Pass<"lz-orient-keys", "::mlir::func::FuncOp"> {
  let summary = "Let attentions read their keys as rows";
  let description = [{
    Models transpose the keys of an attention for the product with the queries.
    Its kernel reads them key by key, and a transposition that moves no rows
    apart is cheaper, or none at all.

    ```mlir
    %0 = lz.transpose %k [0, 2, 3, 1] : (tensor<1x9x2x4xf32>) -> tensor<1x2x4x9xf32>
    %1 = lz.matmul %q, %0 : (tensor<1x2x9x4xf32>, tensor<1x2x4x9xf32>) -> tensor<1x2x9x9xf32>
    // becomes
    %0 = lz.transpose %k [0, 2, 1, 3] : (tensor<1x9x2x4xf32>) -> tensor<1x2x9x4xf32>
    %1 = lz.matmul %q, %0 {transpose_rhs} : (tensor<1x2x9x4xf32>, tensor<1x2x9x4xf32>) -> tensor<1x2x9x9xf32>
    ```

    See `test/lit/passes/fusion/orient-keys.mlir`.
  }];
  let dependentDialects = ["::lz::LzDialect"];
}

def PackNarrowPass : Pass<"lz-pack-narrow", "::mlir::func::FuncOp"> {
  let summary = "Compute elements of 2 and 4 bits as bytes, then pack them";
  let description = [{
    ```mlir
    %0 = lz.cast %x to i4 : (tensor<5xf32>) -> tensor<5xi4>
    return %0 : tensor<5xi4>
    // becomes
    %0 = lz.cast %x to i4 : (tensor<5xf32>) -> tensor<5xi4>
    %1 = lz.cast %0 to i8 {saturate = false} : (tensor<5xi4>) -> tensor<5xi8>
    %2 = lz.pack %1 to i4 : (tensor<5xi8>) -> tensor<5xi4>
    return %2 : tensor<5xi4>
    ```

    See `test/lit/passes/fusion/pack-narrow.mlir`.
  }];
  let dependentDialects = ["::lz::LzDialect"];
}

def VerifyFusePass : Pass<"lz-verify-fuse", "::mlir::func::FuncOp"> {
  let summary = "Check the contract of the fuse stage";
  let description = [{
    Outside `lz.fusion` there is nothing but `lz.fusion`, `lz.constant`, views,
    `lz.bind`, control flow and returns.
  }];
}

#endif // PASSES_FUSION_PASSES_TD
