//===- LzTypes.td - types beyond tensors -------------------*- tablegen -*-===//

#ifndef DIALECTS_LZ_IR_LZTYPES_TD
#define DIALECTS_LZ_IR_LZTYPES_TD

include "dialects/lz/IR/LzDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class Lz_Type<string name, string typeMnemonic> : TypeDef<Lz_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Lz_StringType : Lz_Type<"String", "string"> {
  let summary = "A UTF-8 string, as an element of a tensor";
}

def Lz_SequenceType : Lz_Type<"Sequence", "sequence"> {
  let summary = "A list of values of one type";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def Lz_OptionalType : Lz_Type<"Optional", "optional"> {
  let summary = "A value or nothing";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

// The element types of ONNX up to IR version 13.
def Lz_Float : AnyTypeOf<[
  F64, F32, F16, BF16, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU,
  F4E2M1FN
], "float">;
def Lz_Int : AnyTypeOf<[
  I<2>, I<4>, I<8>, I<16>, I<32>, I<64>,
  UI<2>, UI<4>, UI8, UI16, UI32, UI64
], "integer">;
def Lz_Element : AnyTypeOf<[
  Lz_Float, Lz_Int, I1, Complex<F32>, Complex<F64>, Lz_StringType
], "element">;

def Lz_Tensor : RankedTensorOf<[Lz_Element]>;
def Lz_FloatTensor : RankedTensorOf<[Lz_Float]>;
def Lz_IntTensor : RankedTensorOf<[Lz_Int]>;
def Lz_BoolTensor : RankedTensorOf<[I1]>;
def Lz_IndexTensor : RankedTensorOf<[I<32>, I<64>]>;
def Lz_AnyValue : AnyTypeOf<[Lz_Tensor, Lz_SequenceType, Lz_OptionalType]>;

#endif // DIALECTS_LZ_IR_LZTYPES_TD
