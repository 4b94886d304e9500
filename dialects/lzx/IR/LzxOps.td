//===- LzxOps.td - the executable program -------------------*- tablegen -*-===//

#ifndef DIALECTS_LZX_IR_LZXOPS_TD
#define DIALECTS_LZX_IR_LZXOPS_TD

include "dialects/lz/IR/LzAttrs.td"
include "dialects/lzx/IR/LzxEnums.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Lzx_Dialect : Dialect {
  let name = "lzx";
  let summary = "What runs, when, and where every byte lives";
  let description = [{
    A program is a straight line of launches over buffers. A buffer is an input,
    an output, a constant, a part of the arena that is live from one launch to
    another, or a view into one of these. Sizes are `#lz.expr`s over the program's
    symbols; arena offsets are numbers once `lzx-plan-arena` has run on a program
    whose sizes are all known, and are computed by `prepare` otherwise, by the same
    algorithm.

    Kernels are functions of the module with the attribute `lzx.kernel`, over
    symbols of their own (`s0`, `s1` ...), so that equal ones are shared; a launch
    says what those symbols stand for.
  }];
  let cppNamespace = "::lz::lzx";
  let dependentDialects = ["::lz::LzDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Marks a function as a kernel.
    static constexpr llvm::StringLiteral kKernelAttr = "lzx.kernel";
    /// On an emitted kernel: the expressions over its symbols that its argument
    /// slots after the pointers hold.
    static constexpr llvm::StringLiteral kParamsAttr = "lzx.params";
  }];
}

def Lzx_BufferType : TypeDef<Lzx_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "Bytes somewhere";
  let builderCall = "::lz::lzx::BufferType::get($_builder.getContext())";
}

class Lzx_Op<string mnemonic, list<Trait> traits = []>
    : Op<Lzx_Dialect, mnemonic, traits>;

def Lzx_CheckKindAttr : EnumAttr<Lzx_Dialect, Lzx_CheckKind, "check"> {
  let assemblyFormat = "`<` $value `>`";
}

def Lzx_ProgramOp : Lzx_Op<"program", [Symbol, IsolatedFromAbove, SingleBlock,
    NoTerminator, NoRegionArguments]> {
  let summary = "One entry point of the artifact";
  let description = [{
    ```mlir
    lzx.program @main symbols [#lz.symbol<batch, 0, 2147483647, dim>] {
      %x = lzx.input 0 "x" : tensor<?x4xf32> [batch, 4]
      %y = lzx.output 0 "y" : tensor<?x4xf32> [batch, 4]
      lzx.launch @k0(%x) -> (%y) symbols [batch] iterations [batch] grain [64]
          nodes ["Relu_0"]
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$symbols);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `symbols` $symbols attr-dict-with-keyword $body
  }];
}

// A buffer is what it is called by: an unused input is still an argument of the
// caller's, and two equal parts of the arena are two. So none of these is Pure.
class Lzx_PortOp<string mnemonic, string text> : Lzx_Op<mnemonic> {
  let summary = text;
  let arguments = (ins I64Attr:$index, StrAttr:$name, TypeAttr:$type,
                   Lz_Exprs:$dims, OptionalAttr<Lz_Exprs>:$elements);
  let results = (outs Lzx_BufferType:$buffer);
  let assemblyFormat = [{
    $index $name `:` $type custom<Exprs>($dims)
    (`elements` $elements^)? attr-dict
  }];
}

def Lzx_InputOp : Lzx_PortOp<"input", "The caller's input"> {
  let description = [{
    `elements` are the symbols that the input's elements bind, if any.
  }];
}
def Lzx_OutputOp : Lzx_PortOp<"output", "The caller's memory for an output">;

def Lzx_ConstantOp : Lzx_Op<"constant"> {
  let summary = "Bytes of the weights section";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Lzx_BufferType:$buffer);
  let assemblyFormat = "$value attr-dict";
}

def Lzx_AllocOp : Lzx_Op<"alloc"> {
  let summary = "A part of the arena";
  let description = [{
    Live during the steps `first` to `last`, both included; a step is a launch or
    copy, counted from 0 in program order. Aligned to 64 bytes.
  }];
  let arguments = (ins Lz_Exprs:$bytes, I64Attr:$first, I64Attr:$last,
                   OptionalAttr<I64Attr>:$offset);
  let results = (outs Lzx_BufferType:$buffer);
  let assemblyFormat = [{
    `bytes` custom<Exprs>($bytes) `live` $first `to` $last (`offset` $offset^)?
    attr-dict
  }];
}

def Lzx_ViewOp : Lzx_Op<"view", [Pure]> {
  let summary = "A buffer from an offset on";
  let arguments = (ins Lzx_BufferType:$source, Lz_Exprs:$offset);
  let results = (outs Lzx_BufferType:$buffer);
  let assemblyFormat = "$source `at` custom<Exprs>($offset) attr-dict";
}

def Lzx_CheckOp : Lzx_Op<"check"> {
  let summary = "A condition on sizes that a call must fulfil";
  let arguments = (ins Lzx_CheckKindAttr:$kind, Lz_Exprs:$sides, StrAttr:$node,
                   StrAttr:$message);
  let assemblyFormat = [{
    $kind custom<Exprs>($sides) $node $message attr-dict
  }];
}

def Lzx_LaunchOp : Lzx_Op<"launch", [AttrSizedOperandSegments]> {
  let summary = "Run a kernel";
  let description = [{
    `symbols` are what the kernel's symbols stand for, in their order. The parallel
    iterations are split into chunks of `grain`. An output may be an input's buffer
    where the kernel's plan allows it.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
    Variadic<Lzx_BufferType>:$inputs, Variadic<Lzx_BufferType>:$outputs,
    Optional<Lzx_BufferType>:$scratch, Lz_Exprs:$symbols, Lz_Exprs:$iterations,
    Lz_Exprs:$grain, StrArrayAttr:$nodes);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` `->` `(` $outputs `)` (`scratch` $scratch^)?
    `symbols` custom<Exprs>($symbols) `iterations` custom<Exprs>($iterations)
    `grain` custom<Exprs>($grain) `nodes` $nodes attr-dict
  }];
}

def Lzx_CopyOp : Lzx_Op<"copy"> {
  let summary = "Copy bytes from one buffer to another";
  let arguments = (ins Lzx_BufferType:$source, Lzx_BufferType:$target,
                   Lz_Exprs:$bytes, StrArrayAttr:$nodes);
  let assemblyFormat = [{
    $source `to` $target `bytes` custom<Exprs>($bytes) `nodes` $nodes attr-dict
  }];
}

def Lzx_BindOp : Lzx_Op<"bind"> {
  let summary = "Set run-time symbols from the integers in a buffer";
  let description = [{
    `width` is the integers' size in bits. `limits` are what `prepare` planned for;
    a value outside [0, limit] ends the run with an error that names `node`.
  }];
  let arguments = (ins Lzx_BufferType:$source, Lz_Exprs:$symbols,
                   Lz_Exprs:$limits, I64Attr:$width, StrAttr:$node);
  let assemblyFormat = [{
    $source `to` custom<Exprs>($symbols) `limits` custom<Exprs>($limits)
    `width` $width $node attr-dict
  }];
}

#endif // DIALECTS_LZX_IR_LZXOPS_TD
