//===- FreshSymbol.h - new symbols of the run -------------------*- C++ -*-===//
#ifndef PASSES_SUPPORT_FRESHSYMBOL_H
#define PASSES_SUPPORT_FRESHSYMBOL_H

#include "dialects/lz/Symbols/SymExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lz {

/// Adds a symbol of source `run`, from 0 to `max`, to `declared`, a list of
/// `#lz.symbol`. Its name is `stem`, or with a number if that is taken.
SymExpr declareRunSymbol(llvm::SmallVectorImpl<mlir::Attribute> &declared,
                         mlir::MLIRContext *context, llvm::StringRef stem,
                         int64_t max);

/// As above, to the symbols of `function`.
SymExpr declareRunSymbol(mlir::func::FuncOp function, llvm::StringRef stem,
                         int64_t max);

} // namespace lz

#endif // PASSES_SUPPORT_FRESHSYMBOL_H
