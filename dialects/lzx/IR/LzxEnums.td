//===- LzxEnums.td - kinds of the lzx dialect ---------------*- tablegen -*-===//
//
// Apart from the operations, which include the kinds of lz: the enum generator
// emits everything it sees.
//
//===----------------------------------------------------------------------===//

#ifndef DIALECTS_LZX_IR_LZXENUMS_TD
#define DIALECTS_LZX_IR_LZXENUMS_TD

include "mlir/IR/EnumAttr.td"

def Lzx_CheckKind : I32EnumAttr<"CheckKind", "check", [
    I32EnumAttrCase<"equal", 0>, I32EnumAttrCase<"broadcastable", 1>,
    I32EnumAttrCase<"not_less", 2>]> {
  let cppNamespace = "::lz::lzx";
  let genSpecializedAttr = 0;
}

/// How well the memory of a run is known before it; numbered as in
/// lz_artifact.h.
def Lzx_MemoryClass : I32EnumAttr<"MemoryClass", "memory", [
    I32EnumAttrCase<"exact", 0>, I32EnumAttrCase<"bound", 1>,
    I32EnumAttrCase<"open", 2>]> {
  let cppNamespace = "::lz::lzx";
  let genSpecializedAttr = 0;
}
#endif // DIALECTS_LZX_IR_LZXENUMS_TD
