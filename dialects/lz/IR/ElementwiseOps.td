//===- ElementwiseOps.td - one output element from its inputs' -*- tablegen -*-//

#ifndef DIALECTS_LZ_IR_ELEMENTWISEOPS_TD
#define DIALECTS_LZ_IR_ELEMENTWISEOPS_TD

include "dialects/lz/IR/LzAttrs.td"
include "dialects/lz/IR/LzTypes.td"

def Lz_UnaryOp : Lz_PureOp<"unary", "Pointwise"> {
  let summary = "Apply a function to each element";
  let description = [{
    `alpha` and `beta` parametrize `leaky_relu` (slope), `elu`, `celu`,
    `thresholded_relu` (alpha), `selu` (alpha, gamma), `hard_sigmoid` (alpha,
    beta), `swish` (alpha, 1 if absent), `shrink` (lambd, bias) and `is_inf`
    (alpha 1 detects negative, beta 1 detects positive infinity; both if absent).
    `round` rounds halves to even; `gelu` is the erf form. `is_nan` and `is_inf`
    give `i1`, all else the operand's element type.

    ```mlir
    %1 = lz.unary <relu> %0 : (tensor<?x8xf32>) -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Lz_UnaryKindAttr:$kind, Lz_Tensor:$input,
                   OptionalAttr<F64Attr>:$alpha, OptionalAttr<F64Attr>:$beta);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat =
    "$kind $input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Lz_BinaryOp : Lz_PureOp<"binary", "Pointwise"> {
  let summary = "Combine two tensors element by element";
  let description = [{
    Numpy broadcasting. Integers wrap; `div` of integers truncates, and division
    (or remainder) by an integer 0 gives 0; shifts by the width or more give 0.
    `mod` has the divisor's sign,
    `fmod` the dividend's; `max` and `min` give NaN if either is; in `pow` the
    exponent may have another element type, in all else both are equal; `prelu`
    is `x < 0 ? slope * x : x`.

    ```mlir
    %2 = lz.binary <add> %0, %1
        : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Lz_BinaryKindAttr:$kind, Lz_Tensor:$lhs, Lz_Tensor:$rhs);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat =
    "$kind $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Lz_CompareOp : Lz_PureOp<"compare", "Pointwise"> {
  let summary = "Compare two tensors element by element";
  let description = [{
    Numpy broadcasting; equal element types; every comparison with NaN is false,
    but `ne`.

    ```mlir
    %2 = lz.compare <lt> %0, %1 : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Lz_CompareKindAttr:$kind, Lz_Tensor:$lhs,
                   Lz_Tensor:$rhs);
  let results = (outs Lz_BoolTensor:$result);
  let assemblyFormat =
    "$kind $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Lz_SelectOp : Lz_PureOp<"select", "Pointwise"> {
  let summary = "Choose from two tensors element by element";
  let description = [{
    `condition ? on_true : on_false`, all three broadcast.

    ```mlir
    %3 = lz.select %c, %a, %b
        : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Lz_BoolTensor:$condition, Lz_Tensor:$on_true,
                   Lz_Tensor:$on_false);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $on_true `,` $on_false attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_CastOp : Lz_PureOp<"cast", "Pointwise"> {
  let summary = "Convert each element to another type";
  let description = [{
    ONNX `Cast`: float to integer truncates, to `i1` tests for non-zero, to a
    narrower float rounds to nearest even; `saturate` (the default) applies to the
    8-bit floats only.

    ```mlir
    %1 = lz.cast %0 to f32 : (tensor<4xi64>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Lz_Tensor:$input, TypeAttr:$to,
                   DefaultValuedAttr<BoolAttr, "true">:$saturate);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input `to` $to attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Lz_BitcastOp : Lz_PureOp<"bitcast", "Pointwise"> {
  let summary = "Read the bits of each element as another type";
  let description = [{
    ONNX `BitCast`: both types have the same number of bits; `i1` counts as 8 (0
    or 1), and any byte but 0 reads as true.

    ```mlir
    %1 = lz.bitcast %0 to i32 : (tensor<4xf32>) -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Lz_Tensor:$input, TypeAttr:$to);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input `to` $to attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_PackOp : Lz_PureOp<"pack", "Opaque"> {
  let summary = "Elements that share bytes, from one byte each";
  let description = [{
    Each element of a type of 2 or 4 bits has the low bits of one of the input's,
    `i8` or `ui8`. No other operation can leave such elements in memory.

    ```mlir
    %1 = lz.pack %0 to i4 : (tensor<5xi8>) -> tensor<5xi4>
    ```
  }];
  let arguments = (ins Lz_Tensor:$input, TypeAttr:$to);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input `to` $to attr-dict `:` functional-type(operands, results)
  }];
}

#endif // DIALECTS_LZ_IR_ELEMENTWISEOPS_TD
