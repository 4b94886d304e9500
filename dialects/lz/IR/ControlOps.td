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
    are scanned values. A dimension changes if its initial size is known and the
    body's argument leaves it open, or if it is among `changing`: their numbers,
    counted over the dimensions of all carried tensors.
  }];
  let arguments = (ins Optional<Lz_IndexTensor>:$trip_count,
    Optional<Lz_BoolTensor>:$condition, Variadic<Lz_AnyValue>:$initial,
    Lz_Exprs:$symbols, OptionalAttr<DenseI64ArrayAttr>:$changing);
  let results = (outs Variadic<Lz_AnyValue>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`trips` $trip_count^)? (`while` $condition^)? (`carry` $initial^)?
    `symbols` custom<Exprs>($symbols) (`changing` $changing^)? attr-dict `:`
    functional-type(operands, results) $body
  }];
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results,
    "::mlir::Value":$trips, "::mlir::Value":$condition,
    "::mlir::ValueRange":$initial, "::mlir::ArrayAttr":$symbols), [{
    build($_builder, $_state, results, trips, condition, initial, symbols,
          /*changing=*/nullptr);
  }]>];
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

// Sequences and optionals exist while a model is imported. What is left are the
// tensors in which their values lie; see `docs/sequences.md`.

def Lz_SequenceConstructOp : Lz_PureOp<"sequence_construct", "Opaque"> {
  let summary = "A sequence whose values are known one by one";
  let arguments = (ins Variadic<Lz_Tensor>:$inputs, TypeAttr:$element_type);
  let results = (outs Lz_SequenceType:$result);
  let assemblyFormat = [{
    $inputs `of` $element_type attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_SequencePackOp : Lz_PureOp<"sequence_pack", "Opaque"> {
  let summary = "A sequence whose length the run finds, or an optional tensor";
  let description = [{
    If all values have one shape, `dims`, then `data` is `[length, dims...]`.
    Otherwise `data` holds the elements of all values one after the other, and
    row `i` of `shapes` is the shape of value `i`; sizes that differ are
    undefined in `dims`. Without `dims` the ranks differ, and a row is the rank
    and 15 sizes, of which those beyond the rank are 0. An optional is a sequence
    of at most one value.

    ```mlir
    %1 = lz.sequence_pack %data shapes %shapes dims [1 floordiv 0, 3]
        : (tensor<?xf32>, tensor<?x2xi64>) -> !lz.sequence<tensor<?x3xf32>>
    ```
  }];
  let arguments = (ins Lz_Tensor:$data, Optional<Lz_Tensor>:$shapes,
                   OptionalAttr<Lz_Exprs>:$dims);
  let results = (outs AnyTypeOf<[Lz_SequenceType, Lz_OptionalType]>:$result);
  let assemblyFormat = [{
    $data (`shapes` $shapes^)? (`dims` custom<Exprs>($dims)^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Lz_OptionalMakeOp : Lz_PureOp<"optional_make", "Opaque",
    [AttrSizedOperandSegments]> {
  let summary = "An optional with a value, or an empty one";
  let description = [{
    Has the value `input` if `has` is true, or if there is no `has`. Without
    `input` it is empty.
  }];
  let arguments = (ins Optional<Lz_AnyValue>:$input,
                   Optional<Lz_BoolTensor>:$has, TypeAttr:$element_type);
  let results = (outs Lz_OptionalType:$result);
  let assemblyFormat = [{
    ($input^)? (`if` $has^)? `of` $element_type attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // DIALECTS_LZ_IR_CONTROLOPS_TD
