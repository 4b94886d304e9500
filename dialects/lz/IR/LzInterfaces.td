//===- LzInterfaces.td - what the compiler may ask of an op -*- tablegen -*-===//

#ifndef DIALECTS_LZ_IR_LZINTERFACES_TD
#define DIALECTS_LZ_IR_LZINTERFACES_TD

include "mlir/IR/OpBase.td"

def InferenceOpInterface : OpInterface<"InferenceOpInterface"> {
  let description = [{
    The one rule from which result types, symbolic shapes and symbolic contents
    come. See `ShapeAnalysis`.
  }];
  let cppNamespace = "::lz";
  let methods = [
    InterfaceMethod<[{
      Appends one `ResultInfo` per result. Reads operand shapes and contents from
      `shapes`, records there what must hold of them (`require...`), and emits an
      error on the op where they can't fit. Result types of the op are not read.
    }], "::llvm::LogicalResult", "inferResults",
    (ins "::lz::ShapeAnalysis &":$shapes,
         "::llvm::SmallVectorImpl<::lz::ResultInfo> &":$results)>
  ];
}

def FusionOpInterface : OpInterface<"FusionOpInterface"> {
  let description = [{How an operation takes part in fusion groups.}];
  let cppNamespace = "::lz";
  let methods = [
    InterfaceMethod<"The op's role in a fusion group.",
      "::lz::FusionKind", "getFusionKind", (ins)>
  ];
}

def ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let description = [{
    Evaluation by the plainest loops that can be read against the standard's
    text. Attached to each op from `dialects/lz/Reference/`.
  }];
  let cppNamespace = "::lz";
  let methods = [
    InterfaceMethod<[{
      Appends the value of each result. `evaluator` gives the values of symbols
      and evaluates nested regions. Fails with an error on the op.
    }], "::llvm::LogicalResult", "evaluate",
    (ins "::lz::Evaluator &":$evaluator,
         "::llvm::ArrayRef<::lz::RefValue>":$operands,
         "::llvm::SmallVectorImpl<::lz::RefValue> &":$results)>
  ];
}

#endif // DIALECTS_LZ_IR_LZINTERFACES_TD
