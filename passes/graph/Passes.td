//===- Passes.td - graph passes ----------------------------*- tablegen -*-===//

#ifndef PASSES_GRAPH_PASSES_TD
#define PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Stage graph: neutral clean-up
//===----------------------------------------------------------------------===//

def RefineTypesPass : Pass<"lz-refine-types", "::mlir::func::FuncOp"> {
  let summary = "Give values the static sizes and contents that are proved";
  let description = [{
    Sets every dimension that ShapeAnalysis proves constant, in results, in
    arguments and in the function's type. Integer tensors whose elements are known
    become `lz.constant`, or `lz.sizes` where they are expressions, so that the
    shape arithmetic which led to them is dead.

    ```mlir
    %0 = lz.sizes [batch, 3] shape [2] : () -> tensor<2xi64>
    %1 = lz.gather %0, %one axis 0 : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
    // %1 becomes lz.constant dense<3> : tensor<i64>
    ```

    See `test/lit/passes/graph/refine-types.mlir`.
  }];
  let dependentDialects = ["::lz::LzDialect"];
}

def VerifyGraphPass : Pass<"lz-verify-graph", "::mlir::func::FuncOp"> {
  let summary = "Check the contract of the graph stage";
  let description = [{
    Every size is derived, every dimension that is a constant is static in its
    type, and no integer tensor with known elements is computed.
  }];
}

//===----------------------------------------------------------------------===//
// Stage freeze: inference only
//===----------------------------------------------------------------------===//

def FreezeParametersPass : Pass<"lz-freeze-parameters", "::mlir::ModuleOp"> {
  let summary = "Turn parameters into constants";
  let description = [{
    Each `lz.param` becomes an `lz.constant` that shares the parameter's bytes;
    then no `lz.parameter` is left.

    ```mlir
    lz.parameter @w = dense_resource<w> : tensor<10x64xf32>
    %0 = lz.param @w : tensor<10x64xf32>
    // becomes
    %0 = lz.constant dense_resource<w> : tensor<10x64xf32>
    ```

    See `test/lit/passes/graph/freeze-parameters.mlir`.
  }];
  let dependentDialects = ["::lz::LzDialect"];
}

def VerifyFreezePass : Pass<"lz-verify-freeze", "::mlir::ModuleOp"> {
  let summary = "Check the contract of the freeze stage";
  let description = [{There is no `lz.parameter` and no `lz.param`.}];
}

#endif // PASSES_GRAPH_PASSES_TD
