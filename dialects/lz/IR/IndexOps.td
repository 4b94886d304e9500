//===- IndexOps.td - operations steered by index data -------*- tablegen -*-===//

#ifndef DIALECTS_LZ_IR_INDEXOPS_TD
#define DIALECTS_LZ_IR_INDEXOPS_TD

include "dialects/lz/IR/LzAttrs.td"
include "dialects/lz/IR/LzTypes.td"

def Lz_GatherOp : Lz_PureOp<"gather", "Pointwise"> {
  let summary = "Take slices along a dimension by index";
  let description = [{
    ONNX `Gather`: result shape is `input[:axis] + indices + input[axis+1:]`.
    Negative indices count from the end; an index out of range reads the nearest
    valid element, never outside the tensor.

    ```mlir
    %2 = lz.gather %table, %ids axis 0
        : (tensor<100x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Lz_Tensor:$input, Lz_IndexTensor:$indices,
                   I64Attr:$axis);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `axis` $axis attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_GatherElementsOp : Lz_PureOp<"gather_elements", "Pointwise"> {
  let summary = "Take elements along a dimension by index";
  let description = [{
    ONNX `GatherElements`; indices as in `lz.gather`.
  }];
  let arguments = (ins Lz_Tensor:$input, Lz_IndexTensor:$indices,
                   I64Attr:$axis);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `axis` $axis attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_GatherNdOp : Lz_PureOp<"gather_nd", "Pointwise"> {
  let summary = "Take slices by index tuples";
  let description = [{
    ONNX `GatherND`; indices as in `lz.gather`.
  }];
  let arguments = (ins Lz_Tensor:$input, Lz_IndexTensor:$indices,
                   I64Attr:$batch_dims);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `batch_dims` $batch_dims attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_ScatterElementsOp : Lz_PureOp<"scatter_elements", "Opaque"> {
  let summary = "Write elements along a dimension by index";
  let description = [{
    ONNX `ScatterElements`; updates apply in row-major order; one whose index is
    out of range is dropped.
  }];
  let arguments = (ins Lz_ScatterKindAttr:$kind, Lz_Tensor:$input,
    Lz_IndexTensor:$indices, Lz_Tensor:$updates, I64Attr:$axis);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $kind $input `,` $indices `,` $updates `axis` $axis attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_ScatterNdOp : Lz_PureOp<"scatter_nd", "Opaque"> {
  let summary = "Write slices by index tuples";
  let description = [{ONNX `ScatterND`; order and range as above.}];
  let arguments = (ins Lz_ScatterKindAttr:$kind, Lz_Tensor:$input,
    Lz_IndexTensor:$indices, Lz_Tensor:$updates);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $kind $input `,` $indices `,` $updates attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_OneHotOp : Lz_PureOp<"one_hot", "Pointwise"> {
  let summary = "Expand indices to rows with one set element";
  let description = [{
    ONNX `OneHot`: `values` is [off, on]; the new dimension of size `depth` stands
    at `axis` of the result. Negative indices count from the end; an index out of
    range gives a row of `off`.
  }];
  let arguments = (ins Lz_Tensor:$indices, Lz_Tensor:$values, Lz_Exprs:$depth,
                   I64Attr:$axis);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $indices `,` $values `depth` custom<Exprs>($depth) `axis` $axis attr-dict
    `:` functional-type(operands, results)
  }];
}

def Lz_TopKOp : Lz_PureOp<"top_k", "Opaque"> {
  let summary = "The k largest or smallest elements along a dimension";
  let description = [{
    Sorted, equal elements by index; `sorted` is always honoured as true.
  }];
  let arguments = (ins Lz_Tensor:$input, Lz_Exprs:$k, I64Attr:$axis,
                   BoolAttr:$largest);
  let results = (outs Lz_Tensor:$values, Lz_IndexTensor:$indices);
  let assemblyFormat = [{
    $input `k` custom<Exprs>($k) `axis` $axis `largest` $largest attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_NonZeroOp : Lz_PureOp<"non_zero", "Opaque"> {
  let summary = "The indices of the non-zero elements";
  let description = [{
    ONNX `NonZero`: result [rank, count], in row-major order of the elements.
    `count` must be their number: frontends count first (compare, cast, reduce),
    bind the sum to a symbol by `lz.bind`, and use that symbol here.
  }];
  let arguments = (ins Lz_Tensor:$input, Lz_Exprs:$count);
  let results = (outs Lz_IndexTensor:$result);
  let assemblyFormat = [{
    $input `count` custom<Exprs>($count) attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_NonMaxSuppressionOp : Lz_PureOp<"non_max_suppression", "Opaque"> {
  let summary = "Select boxes that overlap little with better ones";
  let description = [{
    ONNX `NonMaxSuppression` of `boxes` [batch, n, 4] and `scores` [batch,
    classes, n]. Of each batch and class, boxes are taken by falling score (equal
    scores by index, NaN last), but for those that overlap with one taken before
    by more than `overlap` (area of the intersection by area of the union), and
    for those whose score does not exceed `threshold`. At most `most` boxes are
    taken, and at most `limit`, a size. The three are tensors of one element.
    A box is two opposite corners [y, x, y, x], or with `center_point` [x, y,
    width, height].

    The first `count` rows of `indices` are [batch, class, box]; the others, of
    batch * classes * limit in all, are zeros. Frontends bind the count to a
    symbol and slice.

    ```mlir
    %i, %n = lz.non_max_suppression %boxes, %scores most %m overlap %o limit [3]
        center false
        : (tensor<1x?x4xf32>, tensor<1x2x?xf32>, tensor<i64>, tensor<f32>)
        -> (tensor<6x3xi64>, tensor<1xi64>)
    ```
  }];
  let arguments = (ins RankedTensorOf<[F32]>:$boxes,
    RankedTensorOf<[F32]>:$scores, RankedTensorOf<[I<64>]>:$most,
    RankedTensorOf<[F32]>:$overlap, Optional<RankedTensorOf<[F32]>>:$threshold,
    Lz_Exprs:$limit, BoolAttr:$center_point);
  let results = (outs RankedTensorOf<[I<64>]>:$indices,
                 RankedTensorOf<[I<64>]>:$count);
  let assemblyFormat = [{
    $boxes `,` $scores `most` $most `overlap` $overlap
    (`threshold` $threshold^)? `limit` custom<Exprs>($limit)
    `center` $center_point attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_UniqueOp : Lz_PureOp<"unique", "Opaque"> {
  let summary = "The different slices along a dimension";
  let description = [{
    ONNX `Unique`, whose flattened form is a reshape before. Slices are compared
    element by element in row-major order; NaN counts as the largest value and
    as equal to NaN. They are given in ascending order if `sorted`, else as they
    first occur: `values` holds them, `indices` where each occurs first, `counts`
    how often. Along `axis` all of these have the size of the input, of which the
    first `count` are set and the others are zeros. `inverse` says for each slice
    of the input which of the values it is.

    ```mlir
    %v, %i, %inverse, %c, %n = lz.unique %x axis 0 sorted true
        : (tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?xi64>, tensor<?xi64>,
                                tensor<?xi64>, tensor<1xi64>)
    ```
  }];
  let arguments = (ins RankedTensorOf<[Lz_Float, Lz_Int, I1]>:$input,
                   I64Attr:$axis, BoolAttr:$sorted);
  let results = (outs RankedTensorOf<[Lz_Float, Lz_Int, I1]>:$values,
    RankedTensorOf<[I<64>]>:$indices, RankedTensorOf<[I<64>]>:$inverse,
    RankedTensorOf<[I<64>]>:$counts, RankedTensorOf<[I<64>]>:$count);
  let assemblyFormat = [{
    $input `axis` $axis `sorted` $sorted attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_ReverseSequenceOp : Lz_PureOp<"reverse_sequence", "Pointwise"> {
  let summary = "Reverse the start of each sequence of a batch";
  let arguments = (ins Lz_Tensor:$input, Lz_IndexTensor:$lengths,
                   I64Attr:$batch_axis, I64Attr:$time_axis);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $lengths `batch` $batch_axis `time` $time_axis attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // DIALECTS_LZ_IR_INDEXOPS_TD
