//===- LzDialect.h - the lz dialect -----------------------------*- C++ -*-===//
#ifndef DIALECTS_LZ_IR_LZDIALECT_H
#define DIALECTS_LZ_IR_LZDIALECT_H

#include "dialects/lz/Symbols/ShapeAnalysis.h"
#include "dialects/lz/Symbols/SymExpr.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace lz {

/// An op's role in a fusion group.
enum class FusionKind {
  Pointwise,   // a result element from few operand elements at computed indices
  Reduction,   // a result element from a window or a slice of the operand
  Row,         // several passes over a slice, one result per operand element
  Contraction, // products summed
  View,        // no data moves
  Constant,    // no data is computed
  Opaque       // a library kernel of its own
};

/// The bits that a number takes in memory, as in ONNX's raw data: 8 for i1.
unsigned getStoredBits(mlir::Type element);

/// True for types of which several elements share a byte.
bool sharesBytes(mlir::Type element);

class Evaluator;
class RefValue;

} // namespace lz

#include "dialects/lz/IR/LzDialect.h.inc"
#include "dialects/lz/IR/LzEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/lz/IR/LzTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/lz/IR/LzAttrs.h.inc"
#include "dialects/lz/IR/LzInterfaces.h.inc"

#endif // DIALECTS_LZ_IR_LZDIALECT_H
