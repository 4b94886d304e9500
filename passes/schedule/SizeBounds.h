//===- SizeBounds.h - the most that sizes of the run can be -----*- C++ -*-===//
//
// Memory is planned before a run, so a size that only the run finds is planned
// by an expression over the caller's symbols that it never exceeds. Some have
// none: their memory comes from the host during the run.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_SCHEDULE_SIZEBOUNDS_H
#define PASSES_SCHEDULE_SIZEBOUNDS_H

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace lz {

/// What is known of a symbol that the run sets.
struct RunSymbol {
  SymExpr upper;      // null if there is none
  bool exact = false; // the symbol is `upper` whenever it is read outside
  int64_t declaredMax = 0;
  std::string node; // that sets it
};

class SizeBounds {
public:
  /// Finds the bounds of all run-time symbols of `function`.
  SizeBounds(mlir::func::FuncOp function, const ShapeAnalysis &shapes);

  /// Bounds of `expr`, over the caller's symbols; null if there is none.
  SymExpr getUpper(SymExpr expr) const;
  SymExpr getLower(SymExpr expr) const;

  /// The symbols of the run in `expr`.
  llvm::SmallVector<llvm::StringRef> getRunSymbols(SymExpr expr) const;
  bool dependsOnRun(SymExpr expr) const { return !getRunSymbols(expr).empty(); }

  /// What is known of a symbol; null if the run does not set it.
  const RunSymbol *find(llvm::StringRef name) const;

  /// The largest value that `symbol` may get: its bound, or what is declared.
  SymExpr getLimit(SymExpr symbol) const;

private:
  friend class BoundsFinder;
  /// `expr` with what is known of symbols that never differ from it.
  SymExpr replaceExact(SymExpr expr) const;

  llvm::StringMap<RunSymbol> symbols;
};

} // namespace lz

#endif // PASSES_SCHEDULE_SIZEBOUNDS_H
