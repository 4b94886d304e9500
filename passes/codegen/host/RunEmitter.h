//===- RunEmitter.h - the function `run` of a program -----------*- C++ -*-===//
//
// The steps in order, each over one block of argument slots that all launches
// share. Sizes come from the state; buffers are pointers.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_HOST_RUNEMITTER_H
#define PASSES_CODEGEN_HOST_RUNEMITTER_H

#include "passes/codegen/host/HostFunctions.h"
#include "passes/codegen/host/SizeEmitter.h"

namespace lz {

class RunEmitter {
public:
  RunEmitter(mlir::ModuleOp module, lzx::ProgramOp program,
             const ProgramLayout &layout, const WeightsLayout &weights)
      : module(module), program(program), layout(layout), weights(weights),
        builder(module.getContext()), loc(program.getLoc()),
        pointer(mlir::LLVM::LLVMPointerType::get(builder.getContext())),
        i64(builder.getI64Type()) {}

  void emit();

private:
  enum Argument { Host, State, Arena, Weights, Inputs, Outputs };

  // Buffers and steps (EmitRun.cpp).
  void createFunction();
  int64_t getMaxSlots();
  mlir::Value emitDeclaration(mlir::Operation *op);
  mlir::Value emitPart(lzx::AllocOp part);
  mlir::Value getBuffer(mlir::Value buffer);
  void clearGrowing();
  void emitOp(mlir::Operation *op);
  void emitLaunch(lzx::LaunchOp launch);
  void emitCopy(lzx::CopyOp copy);

  // Sizes and control flow (EmitControl.cpp).
  void emitSteps(mlir::Region &region);
  void emitCheck(lzx::CheckOp check);
  void emitBind(lzx::BindOp bind);
  void emitSet(lzx::SetOp set);
  void emitGrow(lzx::GrowOp grow);
  void emitIf(lzx::IfOp branch);
  void emitLoop(lzx::LoopOp loop);
  mlir::Value emitGoesOn(lzx::LoopOp loop, mlir::Value iteration);
  void setSymbols(llvm::ArrayRef<SymExpr> symbols,
                  llvm::ArrayRef<mlir::Value> values, mlir::Operation *op);
  void setLimited(llvm::ArrayRef<SymExpr> symbols,
                  llvm::ArrayRef<mlir::Value> values, mlir::ArrayAttr limits,
                  mlir::Operation *op);
  void updateSizes(llvm::ArrayRef<SymExpr> changed, mlir::Operation *op);
  bool isCurrent(SymExpr expr, llvm::ArrayRef<SymExpr> changed) const;
  void failUnless(mlir::Value holds, mlir::Operation *op);
  mlir::Block *branchTo(mlir::Block *block);

  mlir::Value constant(int64_t value) {
    return mlir::LLVM::ConstantOp::create(builder, loc, i64, value);
  }
  mlir::Value load(mlir::Type type, mlir::Value base, int64_t slot) {
    return mlir::LLVM::LoadOp::create(
        builder, loc, type, emitSlotPointer(builder, loc, base, slot));
  }
  void store(mlir::Value value, int64_t slot) {
    mlir::LLVM::StoreOp::create(
        builder, loc, value,
        emitSlotPointer(builder, loc, function.getArgument(State), slot));
  }
  mlir::Value size(SymExpr expr) {
    if (std::optional<int64_t> value = expr.getConstant())
      return constant(*value);
    return load(i64, function.getArgument(State), layout.getSlot(expr));
  }

  mlir::ModuleOp module;
  lzx::ProgramOp program;
  const ProgramLayout &layout;
  const WeightsLayout &weights;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Type pointer, i64;
  mlir::LLVM::LLVMFuncOp function;
  mlir::Value arguments; // the slots that launches share
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::StringSet<> current; // the run's symbols that have been set
  llvm::StringSet<> outside; // those set before the innermost loop
  int64_t step = 0;
};

} // namespace lz

#endif // PASSES_CODEGEN_HOST_RUNEMITTER_H
