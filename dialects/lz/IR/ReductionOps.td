//===- ReductionOps.td - reductions, norms and pools --------*- tablegen -*-===//

#ifndef DIALECTS_LZ_IR_REDUCTIONOPS_TD
#define DIALECTS_LZ_IR_REDUCTIONOPS_TD

include "dialects/lz/IR/LzAttrs.td"
include "dialects/lz/IR/LzTypes.td"

def Lz_ReduceOp : Lz_PureOp<"reduce", "Reduction"> {
  let summary = "Reduce a tensor along dimensions";
  let description = [{
    `axes` are sorted, unique and non-negative; `keep_dims` leaves them with size
    1. The reduction of nothing is the kind's neutral element (for `max` and
    `min` the type's smallest and largest value). `mean` of integers truncates.

    ```mlir
    %1 = lz.reduce <mean> %0 axes [2, 3] keep_dims true
        : (tensor<?x8x4x4xf32>) -> tensor<?x8x1x1xf32>
    ```
  }];
  let arguments = (ins Lz_ReduceKindAttr:$kind, Lz_Tensor:$input,
                   DenseI64ArrayAttr:$axes, BoolAttr:$keep_dims);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $kind $input `axes` $axes `keep_dims` $keep_dims attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_ArgReduceOp : Lz_PureOp<"arg_reduce", "Reduction"> {
  let summary = "The index of the largest or smallest element";
  let description = [{
    Of equal elements the first counts, or the last with `select_last`.
  }];
  let arguments = (ins Lz_ArgReduceKindAttr:$kind, Lz_Tensor:$input,
                   I64Attr:$axis, BoolAttr:$keep_dims, BoolAttr:$select_last);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $kind $input `axis` $axis `keep_dims` $keep_dims `last` $select_last
    attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_CumsumOp : Lz_PureOp<"cumsum", "Opaque"> {
  let summary = "Running sums or products along a dimension";
  let description = [{
    ONNX `CumSum`, or with `product` ONNX `CumProd`.
  }];
  let arguments = (ins Lz_Tensor:$input, I64Attr:$axis, BoolAttr:$exclusive,
                   BoolAttr:$reverse, UnitAttr:$product);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input `axis` $axis `exclusive` $exclusive `reverse` $reverse attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_SoftmaxOp : Lz_PureOp<"softmax", "Row"> {
  let summary = "Softmax, its logarithm, or hardmax along a dimension";
  let description = [{
    `hardmax` is 1 at the first largest element, 0 elsewhere.

    ```mlir
    %1 = lz.softmax <softmax> %0 axis 1 : (tensor<?x8xf32>) -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Lz_SoftmaxKindAttr:$kind, Lz_Tensor:$input,
                   I64Attr:$axis);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $kind $input `axis` $axis attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_LayerNormOp : Lz_PureOp<"layer_norm", "Row"> {
  let summary = "Layer or RMS normalization over the trailing dimensions";
  let description = [{
    Over dimensions `axis` and later: `(x - mean) / sqrt(variance + epsilon) *
    scale + bias`; `rms` has no mean: `x / sqrt(mean(x^2) + epsilon) * scale`.
    `scale` and `bias` broadcast to the input. Computed in f32 at least.
  }];
  let arguments = (ins Lz_NormKindAttr:$kind, Lz_FloatTensor:$input,
    Lz_FloatTensor:$scale, Optional<Lz_FloatTensor>:$bias, I64Attr:$axis,
    F64Attr:$epsilon);
  let results = (outs Lz_FloatTensor:$result);
  let assemblyFormat = [{
    $kind $input `,` $scale (`bias` $bias^)? `axis` $axis `epsilon` $epsilon
    attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_BatchNormOp : Lz_PureOp<"batch_norm", "Pointwise"> {
  let summary = "Batch normalization with known statistics";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + bias` with one value per
    element of dimension 1 (of dimension 0 at rank 1).
  }];
  let arguments = (ins Lz_FloatTensor:$input, Lz_FloatTensor:$scale,
    Lz_FloatTensor:$bias, Lz_FloatTensor:$mean, Lz_FloatTensor:$variance,
    F64Attr:$epsilon);
  let results = (outs Lz_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $bias `,` $mean `,` $variance `epsilon` $epsilon
    attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_GroupNormOp : Lz_PureOp<"group_norm", "Row"> {
  let summary = "Normalization over groups of channels";
  let description = [{
    `input` is [N, C, D...]; the mean and variance are over one group of C /
    `groups` channels and all of D. `scale` and `bias` are [C]. Instance
    normalization has as many groups as channels; `groups` 0 stands for it.
  }];
  let arguments = (ins Lz_FloatTensor:$input, Lz_FloatTensor:$scale,
    Lz_FloatTensor:$bias, I64Attr:$groups, F64Attr:$epsilon);
  let results = (outs Lz_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $bias `groups` $groups `epsilon` $epsilon
    attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_LrnOp : Lz_PureOp<"lrn", "Pointwise"> {
  let summary = "Local response normalization across channels";
  let description = [{
    ONNX `LRN`: `x / (offset + alpha / size * sum(x^2))^beta`, the sum over the
    channels from `c - floor((size - 1) / 2)` to `c + ceil((size - 1) / 2)`.
  }];
  let arguments = (ins Lz_FloatTensor:$input, I64Attr:$size, F64Attr:$alpha,
                   F64Attr:$beta, F64Attr:$offset);
  let results = (outs Lz_FloatTensor:$result);
  let assemblyFormat = [{
    $input `size` $size `alpha` $alpha `beta` $beta `offset` $offset attr-dict
    `:` functional-type(operands, results)
  }];
}

def Lz_PoolOp : Lz_PureOp<"pool", "Reduction"> {
  let summary = "Reduce a sliding window";
  let description = [{
    `input` is [N, C, D...]; the windows of `kernel` lie as in `lz.conv`, with
    `sizes` giving the result's spatial dimensions (so that ONNX's `ceil_mode` is
    settled by the frontend). Padding counts in `average` only with
    `count_padding`, and then only positions inside `low` and `high`. `power` is
    the p of `lp`. The optional second result of `max` is ONNX's `Indices`: flat
    row-major positions in the whole input, or with spatial dimensions in
    column-major order if `column_major`.
  }];
  let arguments = (ins Lz_PoolKindAttr:$kind, Lz_Tensor:$input,
    DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides, Lz_Exprs:$low,
    Lz_Exprs:$high, DenseI64ArrayAttr:$dilations, Lz_Exprs:$sizes,
    DefaultValuedAttr<BoolAttr, "false">:$count_padding,
    DefaultValuedAttr<I64Attr, "2">:$power,
    DefaultValuedAttr<BoolAttr, "false">:$column_major,
    DefaultValuedAttr<BoolAttr, "false">:$with_indices);
  let results = (outs Lz_Tensor:$result, Optional<Lz_IndexTensor>:$indices);
  let assemblyFormat = [{
    $kind $input `kernel` $kernel `strides` $strides `low` custom<Exprs>($low)
    `high` custom<Exprs>($high) `dilations` $dilations
    `sizes` custom<Exprs>($sizes) attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_RoiAlignOp : Lz_PureOp<"roi_align", "Opaque"> {
  let summary = "Pool regions of pictures at interpolated points";
  let description = [{
    ONNX `RoiAlign`: `input` is [N, C, H, W], row r of `rois` [R, 4] is [x1, y1,
    x2, y2] in picture `batch[r]` (the nearest there is), the result [R, C] and
    `sizes`. A region, scaled by `scale`, is divided into bins, whose points lie
    on a grid of `samples` each way, or of one point for each pixel or less if
    that is 0. `average` is their mean, interpolated linearly; `max` is ONNX's: the
    largest of the four pixels around each point, times their weights. What lies
    more than a pixel outside is 0. `half_pixel` shifts regions by half a pixel;
    without it they are at least one pixel large.

    ```mlir
    %0 = lz.roi_align <average> %x, %rois, %batch sizes [7, 7] samples 2
        scale 0.25 half_pixel true
        : (tensor<1x8x?x?xf32>, tensor<?x4xf32>, tensor<?xi64>)
        -> tensor<?x8x7x7xf32>
    ```
  }];
  let arguments = (ins Lz_PoolKindAttr:$kind, Lz_FloatTensor:$input,
    Lz_FloatTensor:$rois, Lz_IndexTensor:$batch, DenseI64ArrayAttr:$sizes,
    I64Attr:$samples, F64Attr:$scale, BoolAttr:$half_pixel);
  let results = (outs Lz_FloatTensor:$result);
  let assemblyFormat = [{
    $kind $input `,` $rois `,` $batch `sizes` $sizes `samples` $samples
    `scale` $scale `half_pixel` $half_pixel attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // DIALECTS_LZ_IR_REDUCTIONOPS_TD
