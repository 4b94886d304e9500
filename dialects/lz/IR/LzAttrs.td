//===- LzAttrs.td - size expressions, symbols and kinds ----*- tablegen -*-===//

#ifndef DIALECTS_LZ_IR_LZATTRS_TD
#define DIALECTS_LZ_IR_LZATTRS_TD

include "dialects/lz/IR/LzDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Lz_Attr<string name, string attrMnemonic> : AttrDef<Lz_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Lz_ExprAttr : Lz_Attr<"Expr", "expr"> {
  let summary = "An integer expression over size symbols";
  let description = [{
    Kept in normal form, so that equal attributes are equal expressions (not the
    other way round): a sum of products of atoms with integer coefficients, where
    an atom is a symbol or one of `floordiv(a, b)`, `mod(a, b)`, `max(a, b)`,
    `bcast(a, b)`. `min` is expressed by `max`. `bcast(a, b)` is the size of two
    broadcast dimensions: `b` if `a` is 1, else `a`.

    Build and combine them with `SymExpr`, never directly.

    ```mlir
    #lz.expr<batch * 3 + 1>
    #lz.expr<floordiv(height + 1, 2) * width>
    ```
  }];
  // kind 0: constant `value`; 1: symbol `name`; 2: sum of operands + value;
  // 3: value * product of operands; 4..7: the binary atoms.
  let parameters = (ins
    "unsigned":$kind, "int64_t":$value, StringRefParameter<>:$name,
    ArrayRefParameter<"::mlir::Attribute">:$operands);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 0;
}

def Lz_SymbolAttr : Lz_Attr<"Symbol", "symbol"> {
  let summary = "A size symbol and its inclusive range";
  let description = [{
    `source` says who binds it: `dim` (a dimension of an argument), `element` (an
    element of an integer argument) or `run` (an operation during the run).

    ```mlir
    #lz.symbol<batch, 0, 2147483647, dim>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$min,
                    "int64_t":$max, StringRefParameter<>:$source);
  let hasCustomAssemblyFormat = 1;
}

/// A list of size expressions, printed as `[batch, 3, height * 2]`.
def Lz_Exprs : TypedArrayAttrBase<Lz_ExprAttr, "size expressions">;

class Lz_Kind<string name, list<string> cases, string text>
    : I32EnumAttr<name, text,
        !foreach(i, !range(!size(cases)),
                 I32EnumAttrCase<cases[i], i>)> {
  let cppNamespace = "::lz";
  let genSpecializedAttr = 0;
}
class Lz_KindAttr<Lz_Kind kind> : EnumAttr<Lz_Dialect, kind, kind.summary> {
  let assemblyFormat = "`<` $value `>`";
}

def Lz_UnaryKind : Lz_Kind<"UnaryKind", [
  "identity", "abs", "neg", "sign", "reciprocal", "floor", "ceil", "round",
  "exp", "log", "sqrt", "rsqrt", "sin", "cos", "tan", "asin", "acos", "atan",
  "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf",
  "logical_not", "bit_not", "is_nan", "is_inf",
  "relu", "leaky_relu", "elu", "celu", "selu", "sigmoid", "hard_sigmoid",
  "hard_swish", "swish", "softplus", "softsign", "mish", "gelu", "gelu_tanh",
  "thresholded_relu", "shrink"], "unary"> {}
def Lz_UnaryKindAttr : Lz_KindAttr<Lz_UnaryKind>;

def Lz_BinaryKind : Lz_Kind<"BinaryKind", [
  "add", "sub", "mul", "div", "mod", "fmod", "pow", "max", "min", "prelu",
  "logical_and", "logical_or", "logical_xor", "bit_and", "bit_or", "bit_xor",
  "shift_left", "shift_right"], "binary">;
def Lz_BinaryKindAttr : Lz_KindAttr<Lz_BinaryKind>;

def Lz_CompareKind : Lz_Kind<"CompareKind", [
  "eq", "ne", "lt", "le", "gt", "ge"], "compare">;
def Lz_CompareKindAttr : Lz_KindAttr<Lz_CompareKind>;

def Lz_ReduceKind : Lz_Kind<"ReduceKind", [
  "sum", "mean", "prod", "max", "min", "l1", "l2", "log_sum", "log_sum_exp",
  "sum_square"], "reduce">;
def Lz_ReduceKindAttr : Lz_KindAttr<Lz_ReduceKind>;

def Lz_ArgReduceKind : Lz_Kind<"ArgReduceKind", ["max", "min"], "argreduce">;
def Lz_ArgReduceKindAttr : Lz_KindAttr<Lz_ArgReduceKind>;

def Lz_PoolKind : Lz_Kind<"PoolKind", ["max", "average", "lp"], "pool">;
def Lz_PoolKindAttr : Lz_KindAttr<Lz_PoolKind>;

def Lz_SoftmaxKind : Lz_Kind<"SoftmaxKind", [
  "softmax", "log_softmax", "hardmax"], "softmaxkind">;
def Lz_SoftmaxKindAttr : Lz_KindAttr<Lz_SoftmaxKind>;

def Lz_NormKind : Lz_Kind<"NormKind", ["layer", "rms"], "norm">;
def Lz_NormKindAttr : Lz_KindAttr<Lz_NormKind>;

def Lz_PadKind : Lz_Kind<"PadKind", [
  "constant", "reflect", "edge", "wrap"], "padkind">;
def Lz_PadKindAttr : Lz_KindAttr<Lz_PadKind>;

def Lz_ScatterKind : Lz_Kind<"ScatterKind", [
  "none", "add", "mul", "max", "min"], "scatter">;
def Lz_ScatterKindAttr : Lz_KindAttr<Lz_ScatterKind>;

def Lz_ResizeKind : Lz_Kind<"ResizeKind", [
  "nearest", "linear", "cubic"], "resizekind">;
def Lz_ResizeKindAttr : Lz_KindAttr<Lz_ResizeKind>;

def Lz_CoordinateKind : Lz_Kind<"CoordinateKind", [
  "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
  "asymmetric", "tf_crop_and_resize"], "coordinate">;
def Lz_CoordinateKindAttr : Lz_KindAttr<Lz_CoordinateKind>;

def Lz_NearestKind : Lz_Kind<"NearestKind", [
  "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"], "nearest">;
def Lz_NearestKindAttr : Lz_KindAttr<Lz_NearestKind>;

def Lz_DirectionKind : Lz_Kind<"DirectionKind", [
  "forward", "reverse", "bidirectional"], "direction">;
def Lz_DirectionKindAttr : Lz_KindAttr<Lz_DirectionKind>;

#endif // DIALECTS_LZ_IR_LZATTRS_TD
