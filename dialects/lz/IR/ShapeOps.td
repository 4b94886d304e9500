//===- ShapeOps.td - operations that move data --------------*- tablegen -*-===//

#ifndef DIALECTS_LZ_IR_SHAPEOPS_TD
#define DIALECTS_LZ_IR_SHAPEOPS_TD

include "dialects/lz/IR/LzAttrs.td"
include "dialects/lz/IR/LzTypes.td"

def Lz_TransposeOp : Lz_PureOp<"transpose", "Pointwise"> {
  let summary = "Permute the dimensions of a tensor";
  let description = [{
    Result dimension `i` is input dimension `permutation[i]`.

    ```mlir
    %1 = lz.transpose %0 [0, 2, 1] : (tensor<8x4x?xf32>) -> tensor<8x?x4xf32>
    ```
  }];
  let arguments = (ins Lz_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Lz_ReshapeOp : Lz_PureOp<"reshape", "View"> {
  let summary = "Give the same elements another shape";
  let description = [{
    Row-major order is kept; the element counts must be equal.

    ```mlir
    %1 = lz.reshape %0 [batch, 32] : (tensor<?x4x8xf32>) -> tensor<?x32xf32>
    ```
  }];
  let arguments = (ins Lz_Tensor:$input, Lz_Exprs:$sizes);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input custom<Exprs>($sizes) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Lz_ExpandOp : Lz_PureOp<"expand", "Pointwise"> {
  let summary = "Broadcast a tensor to a shape";
  let description = [{
    The result's shape is the input's broadcast with `sizes` in both directions,
    as in ONNX: a size of 1 keeps the input's.

    ```mlir
    %1 = lz.expand %0 [batch, 8] : (tensor<8xf32>) -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Lz_Tensor:$input, Lz_Exprs:$sizes);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input custom<Exprs>($sizes) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Lz_SizesOp : Lz_PureOp<"sizes", "Pointwise"> {
  let summary = "Make an integer tensor of size expressions";
  let description = [{
    A tensor of the given elements in row-major order; what `Shape` and `Size`
    become. Only materialized if something reads it as data.

    ```mlir
    %0 = lz.sizes [batch, 3] : () -> tensor<2xi64>
    ```
  }];
  let arguments = (ins Lz_Exprs:$elements, DenseI64ArrayAttr:$shape);
  let results = (outs Lz_IntTensor:$result);
  let assemblyFormat = [{
    custom<Exprs>($elements) `shape` $shape attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_BindOp : Lz_Op<"bind"> {
  let summary = "Bind the elements of an integer tensor to new size symbols";
  let description = [{
    The only way by which a size may depend on data that the run computes. The
    symbols are declared on the function with source `run`; elements outside a
    symbol's range are a run-time error that names this operation.

    ```mlir
    lz.bind %count [n] : tensor<1xi64>
    ```
  }];
  let arguments = (ins Lz_IndexTensor:$input, Lz_Exprs:$symbols);
  let assemblyFormat =
    "$input custom<Exprs>($symbols) attr-dict `:` type($input)";
}

def Lz_SliceOp : Lz_PureOp<"slice", "Pointwise"> {
  let summary = "Take a strided part of a tensor";
  let description = [{
    Element `i` of dimension `d` is element `offsets[d] + i * strides[d]` of the
    input, for `i` in `[0, sizes[d])`. Every dimension is given; nothing is
    clamped here, frontends have done it. Strides may be negative.

    ```mlir
    %1 = lz.slice %0 [0, 1] [batch, 2] [1, 3]
        : (tensor<?x8xf32>) -> tensor<?x2xf32>
    ```
  }];
  let arguments = (ins Lz_Tensor:$input, Lz_Exprs:$offsets, Lz_Exprs:$sizes,
                   Lz_Exprs:$strides);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input custom<Exprs>($offsets) custom<Exprs>($sizes) custom<Exprs>($strides)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Lz_ConcatOp : Lz_PureOp<"concat", "Pointwise"> {
  let summary = "Join tensors along a dimension";
  let description = [{
    ```mlir
    %2 = lz.concat %0, %1 axis 1
        : (tensor<?x4xf32>, tensor<?x8xf32>) -> tensor<?x12xf32>
    ```
  }];
  let arguments = (ins Variadic<Lz_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $inputs `axis` $axis attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Lz_PadOp : Lz_PureOp<"pad", "Pointwise"> {
  let summary = "Surround a tensor with more elements";
  let description = [{
    `low[d]` elements before and `high[d]` after dimension `d`; negative counts
    crop. `value` (a scalar, zero if absent) fills `constant` padding; `reflect`
    mirrors without repeating the edge, `edge` repeats it, `wrap` continues at
    the other end.

    ```mlir
    %1 = lz.pad <edge> %0 [0, 1] [0, 1] : (tensor<?x8xf32>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Lz_PadKindAttr:$kind, Lz_Tensor:$input,
                   Optional<Lz_Tensor>:$value, Lz_Exprs:$low, Lz_Exprs:$high);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $kind $input (`value` $value^)? custom<Exprs>($low) custom<Exprs>($high)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_TileOp : Lz_PureOp<"tile", "Pointwise"> {
  let summary = "Repeat a tensor along each dimension";
  let arguments = (ins Lz_Tensor:$input, Lz_Exprs:$repeats);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input custom<Exprs>($repeats) attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_RangeOp : Lz_PureOp<"range", "Pointwise"> {
  let summary = "Count from a start by a step";
  let description = [{
    Element `i` of the `size` elements is `start + i * delta`; both are scalars.

    ```mlir
    %2 = lz.range %start, %delta size [seq]
        : (tensor<i64>, tensor<i64>) -> tensor<?xi64>
    ```
  }];
  let arguments = (ins Lz_Tensor:$start, Lz_Tensor:$delta, Lz_Exprs:$size);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $start `,` $delta `size` custom<Exprs>($size) attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_TriluOp : Lz_PureOp<"trilu", "Pointwise"> {
  let summary = "Keep the upper or lower triangle of matrices";
  let description = [{
    `upper`: keeps elements of the last two dimensions with `column >= row + k`;
    otherwise with `column <= row + k`. The rest is zero.
  }];
  let arguments = (ins Lz_Tensor:$input, Lz_Exprs:$k, BoolAttr:$upper);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input `k` custom<Exprs>($k) attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_ResizeOp : Lz_PureOp<"resize", "Pointwise", [AttrSizedOperandSegments]> {
  let summary = "Resample a tensor";
  let description = [{
    ONNX `Resize`. Every dimension is given: `sizes` of the result and `scales`,
    as far as the model states them (an element is 0 where the scale is to be
    derived as `size / input size`). `roi` (two per dimension: starts, then ends)
    serves `tf_crop_and_resize`. `cubic_coefficient` is ONNX's `cubic_coeff_a`.

    What only the run knows are operands: `factors`, an element per dimension, is
    the scale of each dimension whose element of `scales` is 0; `region` stands
    for `roi`.
  }];
  let arguments = (ins Lz_ResizeKindAttr:$kind, Lz_Tensor:$input,
    Optional<Lz_FloatTensor>:$factors, Optional<Lz_FloatTensor>:$region,
    Lz_Exprs:$sizes, DenseF32ArrayAttr:$scales,
    Lz_CoordinateKindAttr:$coordinate, Lz_NearestKindAttr:$nearest,
    DefaultValuedAttr<F64Attr, "-0.75">:$cubic_coefficient,
    DefaultValuedAttr<BoolAttr, "false">:$exclude_outside,
    DefaultValuedAttr<BoolAttr, "false">:$antialias,
    DefaultValuedAttr<F64Attr, "0.0">:$extrapolation_value,
    OptionalAttr<DenseF32ArrayAttr>:$roi);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $kind $input (`by` $factors^)? (`within` $region^)? custom<Exprs>($sizes)
    `scales` $scales `coordinate` $coordinate `nearest` $nearest attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // DIALECTS_LZ_IR_SHAPEOPS_TD
