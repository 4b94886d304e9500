//===- LzDialect.td - the lz dialect -----------------------*- tablegen -*-===//

#ifndef DIALECTS_LZ_IR_LZDIALECT_TD
#define DIALECTS_LZ_IR_LZDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/lz/IR/LzInterfaces.td"

def Lz_Dialect : Dialect {
  let name = "lz";
  let summary = "The graph of a neural network";
  let description = [{
    `lz` holds a whole model from import to scheduling. Operations have value
    semantics on ranked tensors, numpy broadcasting, and the field's usual names.
    Every frontend builds these operations, so gradients, shardings, quantization
    rules, reference evaluation and kernels are written once.

    Sizes are never operands. A dynamic dimension is an expression (`#lz.expr`)
    over symbols declared on the function (`lz.symbols`), and operations that need
    a size (`lz.reshape`, `lz.slice`, `lz.expand` ...) carry expressions. A size
    that depends on data is bound to a new symbol by `lz.bind`.

    Signed integers and booleans are signless (`i8`, `i1`); unsigned integers are
    `ui8` and so on.
  }];
  let cppNamespace = "::lz";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// Names of the discardable attributes on functions and their arguments.
    static constexpr llvm::StringLiteral kSymbolsAttr = "lz.symbols";
    static constexpr llvm::StringLiteral kDimsAttr = "lz.dims";
    static constexpr llvm::StringLiteral kNameAttr = "lz.name";
    /// On the first of the tensors that a sequence or optional of the model's
    /// border lies in: its type, and the number of those tensors.
    static constexpr llvm::StringLiteral kValueAttr = "lz.value";
    static constexpr llvm::StringLiteral kPartsAttr = "lz.parts";

    void registerAttributes();
    void registerTypes();
  }];
}

/// Every lz operation infers its results from its operands: types, symbolic
/// shapes and, for small integer tensors, symbolic contents.
class Lz_Op<string mnemonic, list<Trait> traits = []>
    : Op<Lz_Dialect, mnemonic,
         !listconcat([DeclareOpInterfaceMethods<InferenceOpInterface>],
                     traits)>;

/// An operation without side effects, of one fusion kind.
class Lz_PureOp<string mnemonic, string kind, list<Trait> traits = []>
    : Lz_Op<mnemonic, !listconcat([Pure, FusionOpInterface], traits)> {
  let extraClassDeclaration = [{
    FusionKind getFusionKind() { return FusionKind::}] # kind # [{; }
  }];
}

#endif // DIALECTS_LZ_IR_LZDIALECT_TD
