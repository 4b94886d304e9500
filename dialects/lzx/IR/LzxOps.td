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
    A program is launches and copies over buffers, in order, some of them in the
    branches of an `lzx.if` or the body of an `lzx.loop`. A buffer is an input, an
    output, a constant, a part of the arena that is live from one step to another,
    memory that the host gives during the run, or a view into one of these. All but
    views are declared before the first step.

    Sizes are `#lz.expr`s over the program's symbols. Those of the caller are known
    before the run; those of the run are set by `lzx.bind`, `lzx.set` and
    `lzx.loop`, and what is computed from them is computed again there. Parts of
    the arena are as large as they can ever need to be, by an expression over the
    caller's symbols. Arena offsets are numbers once `lzx-plan-arena` has run on a
    program whose parts all have known sizes, and are computed by `prepare`
    otherwise, by the same algorithm.

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

def Lzx_MemoryClassAttr : EnumAttr<Lzx_Dialect, Lzx_MemoryClass, "memory"> {
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

    `memory_class` is *exact* if absent; otherwise `memory_node` is the node of the
    model that set it.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$symbols,
                   OptionalAttr<Lzx_MemoryClassAttr>:$memory_class,
                   OptionalAttr<StrAttr>:$memory_node);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `symbols` $symbols (`memory` $memory_class^ `by` $memory_node)?
    attr-dict-with-keyword $body
  }];
}

// A buffer is what it is called by: an unused input is still an argument of the
// caller's, and two equal parts of the arena are two. So none of these is Pure.
def Lzx_InputOp : Lzx_Op<"input"> {
  let summary = "The caller's input";
  let description = [{
    `elements` are the symbols that the input's elements bind, if any. `value` is
    the type of a sequence or optional of which this is the data, and `parts` the
    number of inputs that it takes, this one included.
  }];
  let arguments = (ins I64Attr:$index, StrAttr:$name, TypeAttr:$type,
                   Lz_Exprs:$dims, OptionalAttr<Lz_Exprs>:$elements,
                   OptionalAttr<TypeAttr>:$value, OptionalAttr<I64Attr>:$parts);
  let results = (outs Lzx_BufferType:$buffer);
  let assemblyFormat = [{
    $index $name `:` $type custom<Exprs>($dims)
    (`elements` $elements^)? (`value` $value^ `parts` $parts)? attr-dict
  }];
}

def Lzx_OutputOp : Lzx_Op<"output"> {
  let summary = "The caller's memory for an output";
  let description = [{
    `limits` are the largest sizes, if only the run finds the true ones. An output
    that is `growing` has no limits: its memory is the host's, see `lzx.growing`.
    `value` and `parts` are as in `lzx.input`.
  }];
  let arguments = (ins I64Attr:$index, StrAttr:$name, TypeAttr:$type,
                   Lz_Exprs:$dims, OptionalAttr<Lz_Exprs>:$limits,
                   UnitAttr:$growing, OptionalAttr<TypeAttr>:$value,
                   OptionalAttr<I64Attr>:$parts);
  let results = (outs Lzx_BufferType:$buffer);
  let assemblyFormat = [{
    $index $name `:` $type custom<Exprs>($dims) (`limits` $limits^)?
    (`growing` $growing^)? (`value` $value^ `parts` $parts)? attr-dict
  }];
}

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
    copy, counted from 0 in the order of the text, so that the branches of an
    `lzx.if` come one after the other. What lives into an `lzx.loop` lives to its
    end. `bytes` is the most that is ever needed, over the caller's symbols.
    Aligned to 64 bytes.
  }];
  let arguments = (ins Lz_Exprs:$bytes, I64Attr:$first, I64Attr:$last,
                   OptionalAttr<I64Attr>:$offset);
  let results = (outs Lzx_BufferType:$buffer);
  let assemblyFormat = [{
    `bytes` custom<Exprs>($bytes) `live` $first `to` $last (`offset` $offset^)?
    attr-dict
  }];
}

def Lzx_GrowingOp : Lzx_Op<"growing"> {
  let summary = "Memory without a bound, which the host gives during the run";
  let description = [{
    Empty when the run starts; `lzx.grow` makes it larger.
  }];
  let results = (outs Lzx_BufferType:$buffer);
  let assemblyFormat = "attr-dict";
}

def Lzx_GrowOp : Lzx_Op<"grow"> {
  let summary = "Make a growing buffer large enough";
  let description = [{
    Keeps what the buffer holds. Memory comes from the host's `grow` in sizes that
    at least double, and goes when the run has ended. Without it the run ends with
    an error that names `node`.
  }];
  let arguments = (ins Lzx_BufferType:$target, Lz_Exprs:$bytes, StrAttr:$node);
  let assemblyFormat = [{
    $target `to` custom<Exprs>($bytes) $node attr-dict
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
  let description = [{
    Tested by `prepare`; during the run, where it stands, if it mentions symbols of
    the run or stands in a region.
  }];
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
    `width` is the integers' size in bits. `limits`, over the caller's symbols, are
    what was planned for; a value outside [0, limit] ends the run with an error
    that names `node`.
  }];
  let arguments = (ins Lzx_BufferType:$source, Lz_Exprs:$symbols,
                   Lz_Exprs:$limits, I64Attr:$width, StrAttr:$node);
  let assemblyFormat = [{
    $source `to` custom<Exprs>($symbols) `limits` custom<Exprs>($limits)
    `width` $width $node attr-dict
  }];
}

def Lzx_SetOp : Lzx_Op<"set"> {
  let summary = "Set run-time symbols to sizes";
  let description = [{
    All at once: `values` are those before. `limits` are as in `lzx.bind`.
  }];
  let arguments = (ins Lz_Exprs:$symbols, Lz_Exprs:$values, Lz_Exprs:$limits,
                   StrAttr:$node);
  let assemblyFormat = [{
    custom<Exprs>($symbols) `to` custom<Exprs>($values)
    `limits` custom<Exprs>($limits) $node attr-dict
  }];
}

def Lzx_IfOp : Lzx_Op<"if", [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "Do the steps of one of two regions";
  let description = [{
    The condition is one byte, read when the steps before are done. A symbol that
    both regions set is set afterwards.
  }];
  let arguments = (ins Lzx_BufferType:$condition);
  let regions = (region AnyRegion:$then_region, AnyRegion:$else_region);
  let assemblyFormat = "$condition attr-dict-with-keyword $then_region `else` $else_region";
}

def Lzx_LoopOp : Lzx_Op<"loop", [AttrSizedOperandSegments, SingleBlock,
    NoTerminator, NoRegionArguments]> {
  let summary = "Repeat the steps of a region";
  let description = [{
    The symbol in `iteration` counts from 0; after the loop it is the number of
    iterations. Before each, the loop ends if the symbol has reached the i64 in
    `trips`, or if the byte in `condition` is 0; then the count is written to
    `counter`, as i64. The body changes `condition`, and whatever else one
    iteration leaves to the next, by copies at its end.
  }];
  let arguments = (ins Lz_Exprs:$iteration, Optional<Lzx_BufferType>:$trips,
    Optional<Lzx_BufferType>:$condition, Optional<Lzx_BufferType>:$counter,
    StrAttr:$node);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    custom<Exprs>($iteration) (`trips` $trips^)? (`while` $condition^)?
    (`counter` $counter^)? $node attr-dict-with-keyword $body
  }];
}

#endif // DIALECTS_LZX_IR_LZXOPS_TD
