//===- ProgramBuilder.h - the program of one function -----------*- C++ -*-===//
//
// One walk over a fused function: every group that computes something becomes a
// step, control flow becomes regions of steps. Buffers are declared first, then
// the conditions on sizes, then the steps; lifetimes are filled in on the way.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_SCHEDULE_PROGRAMBUILDER_H
#define PASSES_SCHEDULE_PROGRAMBUILDER_H

#include "dialects/lz/IR/LzOps.h"
#include "dialects/lzx/IR/LzxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/schedule/BufferAssignment.h"
#include "passes/schedule/ControlSizes.h"
#include "passes/schedule/KernelOutline.h"
#include "passes/schedule/SizeBounds.h"
#include "targets/x86_64/X86Target.h"

namespace lz {

class ProgramBuilder {
public:
  ProgramBuilder(mlir::func::FuncOp function, KernelOutliner &outliner,
                 const targets::CpuTarget &target);

  mlir::LogicalResult build();

private:
  // Declarations (BuildProgram.cpp).
  void addInputs();
  void addOutputs();
  void sortChecks();
  void addCheck(const SizeCheck &check);
  void setMemoryClass();

  // Buffers (ProgramBuffers.cpp).
  mlir::Value getBuffer(mlir::Value value);
  mlir::Value getTarget(mlir::Value value);
  mlir::Value getRootBuffer(mlir::Value root);
  mlir::Value createTrue(mlir::Location loc);
  mlir::Value createMemory(mlir::Location loc, SymExpr bytes);
  mlir::Value getView(mlir::Location loc, mlir::Value buffer, SymExpr offset);
  void grow(mlir::Location loc, mlir::Value buffer, SymExpr bytes);
  void touch(mlir::Value buffer);
  void extendLives(int64_t first, int64_t last);
  void noteMemory(SymExpr bytes);
  void findLastUses();
  lzx::AllocOp getDyingBuffer(FusionOp fusion, mlir::Value input) const;
  mlir::Value createStackedPart(FusionOp fusion, mlir::Value result);
  void moveBuffer(lzx::AllocOp alloc, mlir::Value target);
  void computeInPlace(FusionOp fusion, llvm::ArrayRef<unsigned> operands);
  void addCopy(mlir::Location loc, mlir::Value source, mlir::Value target,
               SymExpr bytes);

  // Steps (ProgramSteps.cpp).
  mlir::LogicalResult addBlock(mlir::Block &block);
  mlir::LogicalResult addStep(mlir::Operation &op);
  mlir::LogicalResult addLaunch(FusionOp fusion);
  mlir::Value createScratch(mlir::Location loc, SymExpr bytes);
  void addConcatCopies(FusionOp fusion);
  mlir::LogicalResult addBind(BindOp bind);
  void addOutputCopies();

  // Control flow (ControlSteps.cpp).
  mlir::LogicalResult addIf(IfOp op);
  mlir::LogicalResult addBranch(IfOp op, mlir::Region &from, mlir::Region &to);
  mlir::LogicalResult addLoop(LoopOp op);
  void addInitialCopies(LoopOp op);
  void addNextCopies(LoopOp op);
  void addStacking(LoopOp op, SymExpr iteration);
  void moveCarried(mlir::Value source, mlir::Value argument,
                   mlir::Value saved = {});
  mlir::Value saveCarried(mlir::Location loc, mlir::Value value);
  llvm::SmallVector<mlir::Value> getLoopBuffers(LoopOp op);
  void addSet(mlir::Operation *op, llvm::ArrayRef<SizeChange> changes,
              bool first);
  SymExpr getIteration(LoopOp op);

  mlir::ArrayAttr getExpr(SymExpr expr) { return getExprArray(context, expr); }

  mlir::func::FuncOp function;
  KernelOutliner &outliner;
  const targets::CpuTarget &target;
  mlir::MLIRContext *context;
  ShapeAnalysis shapes;
  mlir::OpBuilder builder;
  mlir::Type bufferType;
  std::unique_ptr<SizeBounds> bounds;
  std::unique_ptr<BufferAssignment> assignment;
  lzx::ProgramOp program;
  mlir::Operation *lastDeclaration = nullptr;
  int64_t step = 0;
  int64_t numParts = 0; // of the arena, so far
  llvm::DenseMap<mlir::Value, mlir::Value> rootBuffers;
  llvm::SmallVector<mlir::Value> outputBuffers;
  /// For each root, the last operation of its block that reads it.
  llvm::DenseMap<mlir::Value, mlir::Operation *> lastUses;
  /// The conditions that the run tests, before the operation that needs them.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<SizeCheck>> runChecks;
  /// What makes the memory bound or open, if anything does.
  lzx::MemoryClass memoryClass = lzx::MemoryClass::exact;
  std::string memoryNode;
};

} // namespace lz

#endif // PASSES_SCHEDULE_PROGRAMBUILDER_H
