//===- RuleInterfaces.td - how ops are derived, cut, quantized -*- tablegen -*-//
//
// Apart from LzInterfaces.td because only the passes that differentiate, shard
// and quantize ask these questions: the dialect itself doesn't see them. The
// answers are attached to the ops from `dialects/lz/Rules/`.
//
// A rule speaks of an op's *sources* (`getSources`): its operands and then, for
// an op with regions, the values that these capture, in order of first use.
//
//===----------------------------------------------------------------------===//

#ifndef DIALECTS_LZ_IR_RULEINTERFACES_TD
#define DIALECTS_LZ_IR_RULEINTERFACES_TD

include "mlir/IR/OpBase.td"

def GradientOpInterface : OpInterface<"GradientOpInterface"> {
  let description = [{
    Reverse-mode differentiation: from the gradients of the results to those of
    the sources. See `buildReverse` for whole blocks.
  }];
  let cppNamespace = "::lz";
  let methods = [
    InterfaceMethod<[{
      Appends the gradient of each source: of the source's shape and element
      type, or null where none flows (an index, a condition, a function that is
      flat almost everywhere). `results` holds a gradient for each result, null
      for one that nothing depends on; not all are null. Sources and results of
      the op may be used, and their shapes are known to the builder.
    }], "::llvm::LogicalResult", "buildGradients",
    (ins "::lz::RuleBuilder &":$builder,
         "::llvm::ArrayRef<::mlir::Value>":$results,
         "::llvm::SmallVectorImpl<::mlir::Value> &":$gradients)>
  ];
}

def ShardingOpInterface : OpInterface<"ShardingOpInterface"> {
  let description = [{
    Cutting an op into equal parts that run apart. See `ShardingRule`.
  }];
  let cppNamespace = "::lz";
  let methods = [
    InterfaceMethod<[{
      The loops of the op and the dimensions that they run over. Shapes of
      sources and results are known to `shapes`.
    }], "::lz::ShardingRule", "getShardingRule",
    (ins "const ::lz::ShapeAnalysis &":$shapes)>,
    InterfaceMethod<[{
      Builds the op for one of `parts` equal parts along `factor` of its rule, a
      factor that may be cut, and appends the part's results. `sources` are the
      op's, cut where the rule says so. The default copies the op; one that
      states sizes in attributes, or has regions, adapts them.
    }], "::llvm::LogicalResult", "buildPart",
    (ins "::lz::RuleBuilder &":$builder, "unsigned":$factor, "int64_t":$parts,
         "::llvm::ArrayRef<::mlir::Value>":$sources,
         "::llvm::SmallVectorImpl<::mlir::Value> &":$results),
    /*methodBody=*/"", /*defaultImplementation=*/[{
      return ::lz::buildCopy(builder, $_op, sources, results);
    }]>
  ];
}

def QuantizationOpInterface : OpInterface<"QuantizationOpInterface"> {
  let description = [{
    The integer form of a float op. See `QuantizationRule`.
  }];
  let cppNamespace = "::lz";
  let methods = [
    InterfaceMethod<[{
      Which sources and results may be quantized, and along which dimensions.
    }], "::lz::QuantizationRule", "getQuantizationRule", (ins)>,
    InterfaceMethod<[{
      Builds the integer form and appends its results, integers of the given
      parameters. It computes what the float op would on the dequantized
      sources, to within half a step of the result. `sources` and `results` fit
      the rule (`buildQuantized` has checked it).
    }], "::llvm::LogicalResult", "buildIntegerForm",
    (ins "::lz::RuleBuilder &":$builder,
         "::llvm::ArrayRef<::lz::QuantizedValue>":$sources,
         "::llvm::ArrayRef<::lz::QuantizationParams>":$results,
         "::llvm::SmallVectorImpl<::mlir::Value> &":$integers)>
  ];
}

#endif // DIALECTS_LZ_IR_RULEINTERFACES_TD
