//===- ProgramLayout.h - the order of a program's facts ---------*- C++ -*-===//
//
// What stands where in a program's state array and in the artifact's tables.
// The functions `prepare` and `run` and the tables must agree, so all are made
// from this.
//
// State slots: arena bytes, one reserved, symbols, sizes, then, unless all
// arena offsets are numbers, the arena parts' sizes, their offsets, and the
// planner's scratch (two slots for each part), then address and capacity of
// each growing buffer.
//
// Conditions: those that `prepare` tests, one for sizes that overflow, and
// those that the run tests.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_HOST_PROGRAMLAYOUT_H
#define PASSES_CODEGEN_HOST_PROGRAMLAYOUT_H

#include "dialects/lzx/IR/LzxDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

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

  /// The slot of a growing buffer's address; its capacity is in the next. None
  /// for buffers that are planned.
  std::optional<int64_t> getGrowthSlot(mlir::Value buffer) const;

  /// True if the run, not the caller, sets a symbol of `expr`.
  bool dependsOnRun(SymExpr expr) const;

  /// What `run` returns when `op`, one of `runChecks`, fails.
  int64_t getFailure(mlir::Operation *op) const;

  llvm::SmallVector<SymbolAttr> symbols; // those of the caller, then of the run
  llvm::SmallVector<SymExpr> sizes;      // distinct, not numbers, not symbols
  llvm::SmallVector<lzx::CheckOp> checks; // that `prepare` tests
  /// What may end a run: checks, binds, sets, loops and grows.
  llvm::SmallVector<mlir::Operation *> runChecks;
  llvm::SmallVector<mlir::Operation *> steps; // launches and copies
  llvm::SmallVector<lzx::AllocOp> parts;
  llvm::SmallVector<lzx::OutputOp> outputs;
  llvm::SmallVector<mlir::Value> growing;
  std::optional<int64_t> arenaBytes;

private:
  void add(mlir::Operation *op);
  void addCheck(lzx::CheckOp check);
  void addOutput(lzx::OutputOp output);
  void addLaunch(lzx::LaunchOp launch);
  void addSize(SymExpr expr);
  void addSizes(mlir::ArrayAttr exprs);

  llvm::DenseMap<mlir::Attribute, int64_t> slots;
  llvm::StringSet<> runNames;
};

} // namespace lz

#endif // PASSES_CODEGEN_HOST_PROGRAMLAYOUT_H
