//===- ProgramLayout.h - the order of a program's facts ---------*- C++ -*-===//
//
// What stands where in a program's state array and in the artifact's tables.
// The functions `prepare` and `run` and the tables must agree, so all are made
// from this.
//
// State slots: arena bytes, one reserved, symbols, sizes, then, unless all
// arena offsets are numbers, the arena parts' sizes, their offsets, and the
// planner's scratch (two slots for each part).
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_HOST_PROGRAMLAYOUT_H
#define PASSES_CODEGEN_HOST_PROGRAMLAYOUT_H

#include "dialects/lzx/IR/LzxDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace lz {

struct ProgramLayout {
  /// Needs the kernels' parameters (`lzx.params`), that is, emitted kernels.
  explicit ProgramLayout(lzx::ProgramOp program);

  /// The slot of an expression that is not a number.
  int64_t getSlot(SymExpr expr) const;

  /// The values of a launch's argument slots after its pointers.
  static SymShape getArguments(lzx::LaunchOp launch);

  int64_t getFirstPartSlot() const;
  int64_t getNumSlots() const;
  /// True if `prepare` places the arena's parts.
  bool isPlannedLate() const { return !arenaBytes; }

  llvm::SmallVector<SymbolAttr> symbols; // those of the caller, then of the run
  llvm::SmallVector<SymExpr> sizes;      // distinct, not numbers, not symbols
  llvm::SmallVector<lzx::CheckOp> checks;
  llvm::SmallVector<mlir::Operation *> steps; // launches and copies
  llvm::SmallVector<lzx::AllocOp> parts;
  llvm::SmallVector<lzx::BindOp> binds;
  std::optional<int64_t> arenaBytes;

private:
  void addSize(SymExpr expr);
  void addSizes(mlir::ArrayAttr exprs);

  llvm::DenseMap<mlir::Attribute, int64_t> slots;
};

} // namespace lz

#endif // PASSES_CODEGEN_HOST_PROGRAMLAYOUT_H
