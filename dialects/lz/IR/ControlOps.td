//===- ControlOps.td - constants, control flow, fusion, sequences -*- tablegen -*//

#ifndef DIALECTS_LZ_IR_CONTROLOPS_TD
#define DIALECTS_LZ_IR_CONTROLOPS_TD

include "dialects/lz/IR/LzAttrs.td"
include "dialects/lz/IR/LzTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"

def Lz_ConstantOp : Lz_PureOp<"constant", "Constant", [ConstantLike,
    AllTypesMatch<["value", "result"]>]> {
  let summary = "A tensor known when compiling";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Lz_ParameterOp : Op<Lz_Dialect, "parameter", [Symbol]> {
  let summary = "A trained tensor of the model";
  let description = [{
    Keeps its name, logical type and shape to the end. Several functions may read
    it. Its bytes are a resource that is never printed; see `docs/weights.md`.

    ```mlir
    lz.parameter @fc.weight = dense_resource<fc.weight> : tensor<10x64xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$value);
  let assemblyFormat = "$sym_name `=` $value attr-dict";
}

def Lz_ParamOp : Lz_PureOp<"param", "Constant",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The value of a parameter";
  let arguments = (ins FlatSymbolRefAttr:$parameter);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = "$parameter attr-dict `:` type($result)";
}

def Lz_YieldOp : Op<Lz_Dialect, "yield", [Pure, Terminator,
    ParentOneOf<["IfOp", "LoopOp", "FusionOp"]>]> {
  let summary = "The results of a region";
  let arguments = (ins Variadic<Lz_AnyValue>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

def Lz_IfOp : Lz_Op<"if", [RecursiveMemoryEffects,
    SingleBlock, NoRegionArguments]> {
  let summary = "Run one of two regions";
  let description = [{
    `symbols` names fresh run-time symbols, one for each result dimension in which
    the branches differ, in order.

    ```mlir
    %1 = lz.if %c symbols [] : (tensor<i1>) -> tensor<4xf32> {
      lz.yield %a : tensor<4xf32>
    } else {
      lz.yield %b : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Lz_BoolTensor:$condition, Lz_Exprs:$symbols);
  let results = (outs Variadic<Lz_AnyValue>:$results);
  let regions = (region SizedRegion<1>:$then_region,
                 SizedRegion<1>:$else_region);
  let assemblyFormat = [{
    $condition `symbols` custom<Exprs>($symbols) attr-dict `:`
    functional-type(operands, results) $then_region `else` $else_region
  }];
}

def Lz_LoopOp : Lz_Op<"loop", [RecursiveMemoryEffects, AttrSizedOperandSegments,
    SingleBlock]> {
  let summary = "Repeat a region while a condition holds";
  let description = [{
    ONNX `Loop`: the body takes (iteration, condition, carried...) and yields
    (condition, carried..., scanned...); results are the last carried values, then
    the scanned values stacked along a new first dimension. An absent trip count
    or condition doesn't bound. `symbols` names fresh run-time symbols: one for
    each carried dimension that changes, then the number of iterations if there
    are scanned values.
  }];
  let arguments = (ins Optional<Lz_IndexTensor>:$trip_count,
    Optional<Lz_BoolTensor>:$condition, Variadic<Lz_AnyValue>:$initial,
    Lz_Exprs:$symbols);
  let results = (outs Variadic<Lz_AnyValue>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`trips` $trip_count^)? (`while` $condition^)? (`carry` $initial^)?
    `symbols` custom<Exprs>($symbols) attr-dict `:`
    functional-type(operands, results) $body
  }];
}

def Lz_FusionOp : Lz_Op<"fusion", [IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlock]> {
  let summary = "Operations that become one kernel";
  let description = [{
    One iteration space, any number of results. Block arguments are the operands.

    ```mlir
    %1 = lz.fusion %0 : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %b = lz.unary <relu> %a : (tensor<4xf32>) -> tensor<4xf32>
      lz.yield %b : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Lz_AnyValue>:$inputs);
  let results = (outs Variadic<Lz_AnyValue>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $inputs attr-dict `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
}

def Lz_SequenceConstructOp : Lz_PureOp<"sequence_construct", "Opaque"> {
  let summary = "A sequence of the given values";
  let arguments = (ins Variadic<Lz_Tensor>:$inputs, TypeAttr:$element_type);
  let results = (outs Lz_SequenceType:$result);
  let assemblyFormat = [{
    $inputs `of` $element_type attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_SequenceAtOp : Lz_PureOp<"sequence_at", "Opaque"> {
  let summary = "One value of a sequence";
  let arguments = (ins Lz_SequenceType:$sequence, Lz_IndexTensor:$position);
  let results = (outs Lz_Tensor:$result);
  let assemblyFormat = [{
    $sequence `,` $position attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_SequenceLengthOp : Lz_PureOp<"sequence_length", "Opaque"> {
  let summary = "The number of values of a sequence";
  let arguments = (ins Lz_SequenceType:$sequence);
  let results = (outs Lz_IndexTensor:$result);
  let assemblyFormat = [{
    $sequence attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_OptionalMakeOp : Lz_PureOp<"optional_make", "Opaque"> {
  let summary = "An optional with a value, or an empty one";
  let arguments = (ins Optional<Lz_AnyValue>:$input, TypeAttr:$element_type);
  let results = (outs Lz_OptionalType:$result);
  let assemblyFormat = [{
    ($input^)? `of` $element_type attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_OptionalHasOp : Lz_PureOp<"optional_has", "Opaque"> {
  let summary = "Whether an optional has a value";
  let arguments = (ins Lz_OptionalType:$input);
  let results = (outs Lz_BoolTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Lz_OptionalGetOp : Lz_PureOp<"optional_get", "Opaque"> {
  let summary = "The value of an optional";
  let arguments = (ins Lz_OptionalType:$input);
  let results = (outs Lz_AnyValue:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

#endif // DIALECTS_LZ_IR_CONTROLOPS_TD
