//===- LinearOps.td - transforms and functions of matrices --*- tablegen -*-===//

#ifndef DIALECTS_LZ_IR_LINEAROPS_TD
#define DIALECTS_LZ_IR_LINEAROPS_TD

include "dialects/lz/IR/LzAttrs.td"
include "dialects/lz/IR/LzTypes.td"

def Lz_DftOp : Lz_PureOp<"dft", "Opaque"> {
  let summary = "Discrete Fourier transform along a dimension";
  let description = [{
    ONNX `DFT`. The last dimension of `input` holds the parts of a number: one if
    it is real, else its real and its imaginary part. The signal along `axis` is
    cut or filled up with zeros to `length` elements. With `inverse` the
    exponents are positive and the result is divided by the length.

    `onesided` leaves out what follows from symmetry: the transform of a real
    signal has `length / 2 + 1` elements, and the inverse of those is real.

    ```mlir
    %1 = lz.dft %0 length [400] axis 1 inverse false onesided true
        : (tensor<?x400x1xf32>) -> tensor<?x201x2xf32>
    ```
  }];
  let arguments = (ins Lz_FloatTensor:$input, Lz_Exprs:$length, I64Attr:$axis,
                   BoolAttr:$inverse, BoolAttr:$onesided);
  let results = (outs Lz_FloatTensor:$result);
  let assemblyFormat = [{
    $input `length` custom<Exprs>($length) `axis` $axis `inverse` $inverse
    `onesided` $onesided attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_DetOp : Lz_PureOp<"det", "Opaque"> {
  let summary = "The determinants of square matrices";
  let description = [{
    Of the matrices in the last two dimensions; that of no rows is 1.

    ```mlir
    %1 = lz.det %0 : (tensor<?x3x3xf32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Lz_FloatTensor:$input);
  let results = (outs Lz_FloatTensor:$result);
  let assemblyFormat =
    "$input attr-dict `:` functional-type(operands, results)";
}

#endif // DIALECTS_LZ_IR_LINEAROPS_TD
