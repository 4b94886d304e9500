//===- ContractionOps.td - products and convolutions --------*- tablegen -*-===//

#ifndef DIALECTS_LZ_IR_CONTRACTIONOPS_TD
#define DIALECTS_LZ_IR_CONTRACTIONOPS_TD

include "dialects/lz/IR/LzAttrs.td"
include "dialects/lz/IR/LzTypes.td"

def Lz_MatmulOp : Lz_PureOp<"matmul", "Contraction"> {
  let summary = "Multiply matrices, batched as in numpy";
  let description = [{
    `numpy.matmul`: rank 1 operands are vectors, leading dimensions broadcast.
    `transpose_lhs` and `transpose_rhs` swap the last two dimensions of an operand
    of rank 2 or more first.

    ```mlir
    %2 = lz.matmul %0, %1 : (tensor<?x4x8xf32>, tensor<8x2xf32>) -> tensor<?x4x2xf32>
    ```
  }];
  let arguments = (ins Lz_Tensor:$lhs, Lz_Tensor:$rhs,
                   UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_ConvOp : Lz_PureOp<"conv", "Contraction"> {
  let summary = "Convolve over any number of spatial dimensions";
  let description = [{
    `input` is [N, C, D...], `filter` [M, C / groups, K...], `bias` [M], the result
    [N, M, O...] with `O = floor((D + low + high - dilation * (K - 1) - 1) / stride)
    + 1`. `low` and `high` pad each spatial dimension with zeros.

    ```mlir
    %2 = lz.conv %x, %w bias %b strides [2, 2] low [1, 1] high [1, 1]
        dilations [1, 1] groups 1
        : (tensor<?x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>)
        -> tensor<?x4x4x4xf32>
    ```
  }];
  let arguments = (ins Lz_Tensor:$input, Lz_Tensor:$filter,
    Optional<Lz_Tensor>:$bias, DenseI64ArrayAttr:$strides, Lz_Exprs:$low,
    Lz_Exprs:$high, DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $filter (`bias` $bias^)? `strides` $strides
    `low` custom<Exprs>($low) `high` custom<Exprs>($high)
    `dilations` $dilations `groups` $groups attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_ConvTransposeOp : Lz_PureOp<"conv_transpose", "Contraction"> {
  let summary = "The gradient of a convolution by its input";
  let description = [{
    `input` is [N, C, D...], `filter` [C, M / groups, K...], the result
    [N, M, O...] with `O = stride * (D - 1) + extra + dilation * (K - 1) + 1 - low
    - high`, where `extra` is ONNX's output_padding.
  }];
  let arguments = (ins Lz_Tensor:$input, Lz_Tensor:$filter,
    Optional<Lz_Tensor>:$bias, DenseI64ArrayAttr:$strides, Lz_Exprs:$low,
    Lz_Exprs:$high, DenseI64ArrayAttr:$extra, DenseI64ArrayAttr:$dilations,
    I64Attr:$groups);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $filter (`bias` $bias^)? `strides` $strides
    `low` custom<Exprs>($low) `high` custom<Exprs>($high) `extra` $extra
    `dilations` $dilations `groups` $groups attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // DIALECTS_LZ_IR_CONTRACTIONOPS_TD
