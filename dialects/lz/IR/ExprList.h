//===- ExprList.h - size expressions in op syntax ---------------*- C++ -*-===//
#ifndef DIALECTS_LZ_IR_EXPRLIST_H
#define DIALECTS_LZ_IR_EXPRLIST_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace lz {

/// The `custom<Exprs>` directive: `[batch, 3, height * 2]`.
mlir::ParseResult parseExprs(mlir::OpAsmParser &parser, mlir::ArrayAttr &exprs);
void printExprs(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                mlir::ArrayAttr exprs);

} // namespace lz

#endif // DIALECTS_LZ_IR_EXPRLIST_H
