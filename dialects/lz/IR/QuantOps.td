//===- QuantOps.td - quantization ---------------------------*- tablegen -*-===//

#ifndef DIALECTS_LZ_IR_QUANTOPS_TD
#define DIALECTS_LZ_IR_QUANTOPS_TD

include "dialects/lz/IR/LzAttrs.td"
include "dialects/lz/IR/LzTypes.td"

class Lz_QuantOp<string mnemonic> : Lz_PureOp<mnemonic, "Pointwise"> {
  let arguments = (ins Lz_Tensor:$input, Lz_FloatTensor:$scale,
    Optional<Lz_Tensor>:$zero_point, I64Attr:$axis,
    DefaultValuedAttr<I64Attr, "0">:$block, TypeAttr:$to);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $scale (`zero` $zero_point^)? `axis` $axis `to` $to attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_QuantizeOp : Lz_QuantOp<"quantize"> {
  let summary = "Real numbers to quantized ones";
  let description = [{
    `saturate(round_half_even(x / scale) + zero_point)`. A scalar scale serves the
    whole tensor; a vector, dimension `axis`; with `block`, blocks along it.
  }];
}

def Lz_DequantizeOp : Lz_QuantOp<"dequantize"> {
  let summary = "Quantized numbers to real ones";
  let description = [{`(x - zero_point) * scale`; see `lz.quantize`.}];
}

#endif // DIALECTS_LZ_IR_QUANTOPS_TD
