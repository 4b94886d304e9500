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

def SimplifyPass : Pass<"lz-simplify", "::mlir::func::FuncOp"> {
  let summary = "Remove what undoes, repeats or changes nothing";
  let description = [{
    Composes transposes, slices and casts, removes pairs that undo each other and
    operations that repeat themselves, and inlines `lz.if` of a constant. Results
    are the same to the last bit.

    See `test/lit/passes/graph/simplify.mlir`.
  }];
  let dependentDialects = ["::lz::LzDialect"];
}

def SimplifyShapesPass : Pass<"lz-simplify-shapes", "::mlir::func::FuncOp"> {
  let summary = "Remove movements of data that move nothing";
  let description = [{
    With the sizes that ShapeAnalysis derives: reshapes, expansions, slices, pads
    and tilings that change nothing go; transposes that move only dimensions of
    size 1 become reshapes; expansions that broadcasting would do anyway go.

    See `test/lit/passes/graph/simplify-shapes.mlir`.
  }];
  let dependentDialects = ["::lz::LzDialect"];
}

def FoldConstantsPass : Pass<"lz-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "Compute operations whose operands are small constants";
  let description = [{
    By the reference evaluator, so to the bit what the model says. Results that
    are larger than the operands are computed only if they are small.

    See `test/lit/passes/graph/fold-constants.mlir`.
  }];
  let options = [
    Option<"maxElements", "max-elements", "int64_t", /*default=*/"65536",
           "elements that an operation reads at most: the evaluator is slow">
  ];
}

def RaisePass : Pass<"lz-raise", "::mlir::func::FuncOp"> {
  let summary = "Find operations in the spelled-out form of exporters";
  let description = [{
    Layer and RMS norms, GELU (by erf and by tanh), softmax and log-softmax,
    swish (SiLU), hard-sigmoid and hard-swish. The result is the same function up
    to rounding.

    See `test/lit/passes/graph/raise-*.mlir`, one file per operation.
  }];
  let dependentDialects = ["::lz::LzDialect"];
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

def FoldBatchNormPass : Pass<"lz-fold-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "Turn batch norms with known statistics into factor and addend";
  let description = [{
    `batch_norm(x)` becomes `x * factor + addend` with a number per channel,
    computed in double precision; `lz-fold-scales` folds these further.

    See `test/lit/passes/graph/fold-batch-norm.mlir`.
  }];
  let dependentDialects = ["::lz::LzDialect"];
}

def FoldScalesPass : Pass<"lz-fold-scales", "::mlir::ModuleOp"> {
  let summary = "Fold factors and addends per channel into convolutions";
  let description = [{
    `conv(x, w, b) * s + t` becomes `conv(x, w * s, b * s + t)` where all are
    constants and nothing else reads the convolution.

    See `test/lit/passes/graph/fold-scales.mlir`.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"256 << 20",
           "bytes of new filters at most: they are memory of the compiler, not "
           "mapped from the model">
  ];
  let dependentDialects = ["::lz::LzDialect"];
}

def FoldWeightLayoutPass : Pass<"lz-fold-weight-layout", "::mlir::ModuleOp"> {
  let summary = "Fold reshapes, transposes and concats of constants";
  let description = [{
    A reshape of a constant shares its bytes. A transpose is computed now, and so is
    a concat of constants and slices of them.

    See `test/lit/passes/graph/fold-weight-layout.mlir`.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"256 << 20",
           "bytes of new constants at most: they are memory of the compiler, not "
           "mapped from the model">
  ];
  let dependentDialects = ["::lz::LzDialect"];
}

def VerifyFreezePass : Pass<"lz-verify-freeze", "::mlir::ModuleOp"> {
  let summary = "Check the contract of the freeze stage";
  let description = [{There is no `lz.parameter` and no `lz.param`.}];
}

#endif // PASSES_GRAPH_PASSES_TD
