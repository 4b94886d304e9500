//===- EmitRun.cpp - buffers and steps of the function `run` --------------===//

#include "passes/codegen/host/Passes.h"
#include "passes/codegen/host/RunEmitter.h"
#include "runtime/include/lezero/lz_artifact.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lz;

/// The slots that the largest launch takes.
int64_t RunEmitter::getMaxSlots() {
  int64_t most = 1;
  for (Operation *op : layout.steps)
    if (auto launch = dyn_cast<lzx::LaunchOp>(op))
      most = std::max<int64_t>(
          most, launch.getInputs().size() + launch.getOutputs().size() + 1 +
                    ProgramLayout::getArguments(launch).size());
  return most;
}

void RunEmitter::createFunction() {
  auto type = LLVM::LLVMFunctionType::get(i64, SmallVector<Type>(6, pointer));
  builder.setInsertionPointToEnd(module.getBody());
  function = LLVM::LLVMFuncOp::create(builder, loc,
                                      getRunName(program.getSymName()), type);
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  arguments = LLVM::AllocaOp::create(builder, loc, pointer, i64,
                                     constant(getMaxSlots()), 8);
}

Value RunEmitter::emitPart(lzx::AllocOp part) {
  Value offset;
  if (!layout.isPlannedLate()) {
    offset = constant(*part.getOffset());
  } else {
    int64_t index =
        std::distance(layout.parts.begin(), llvm::find(layout.parts, part));
    offset = load(i64, function.getArgument(State),
                  layout.getFirstPartSlot() + layout.parts.size() + index);
  }
  return emitBytePointer(builder, loc, function.getArgument(Arena), offset);
}

/// The pointer of a buffer that `op` declares; null for anything else.
Value RunEmitter::emitDeclaration(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](lzx::InputOp input) {
        return load(pointer, function.getArgument(Inputs), input.getIndex());
      })
      .Case([&](lzx::OutputOp output) {
        return output.getGrowing()
                   ? Value()
                   : load(pointer, function.getArgument(Outputs),
                          output.getIndex());
      })
      .Case([&](lzx::ConstantOp op) {
        return emitBytePointer(builder, loc, function.getArgument(Weights),
                               constant(weights.getOffset(op.getValue())));
      })
      .Case([&](lzx::AllocOp part) { return emitPart(part); })
      .Default(Value());
}

/// The pointer of a buffer, as it is here: one that grows may have moved since
/// it was used, and the offset of a view may have changed.
Value RunEmitter::getBuffer(Value buffer) {
  if (auto view = buffer.getDefiningOp<lzx::ViewOp>())
    return emitBytePointer(builder, loc, getBuffer(view.getSource()),
                           size(getExprs(view.getOffset())[0]));
  if (std::optional<int64_t> slot = layout.getGrowthSlot(buffer))
    return load(pointer, function.getArgument(State), *slot);
  return buffers.lookup(buffer);
}

/// Forgets the memory of the last run.
void RunEmitter::clearGrowing() {
  for (Value buffer : layout.growing) {
    int64_t slot = *layout.getGrowthSlot(buffer);
    store(constant(0), slot);
    store(constant(0), slot + 1);
  }
}

void RunEmitter::emitLaunch(lzx::LaunchOp launch) {
  SmallVector<Value> slots;
  for (Value buffer : launch.getInputs())
    slots.push_back(getBuffer(buffer));
  for (Value buffer : launch.getOutputs())
    slots.push_back(getBuffer(buffer));
  slots.push_back(launch.getScratch()
                      ? getBuffer(launch.getScratch())
                      : LLVM::ZeroOp::create(builder, loc, pointer));
  for (SymExpr argument : ProgramLayout::getArguments(launch))
    slots.push_back(size(argument));
  for (auto [index, value] : llvm::enumerate(slots))
    LLVM::StoreOp::create(builder, loc, value,
                          emitSlotPointer(builder, loc, arguments, index));
  auto callee = getHostFunction(module, "lz_launch",
                                LLVM::LLVMVoidType::get(builder.getContext()),
                                {pointer, pointer, pointer, i64, i64, i64});
  Value kernel =
      LLVM::AddressOfOp::create(builder, loc, pointer, launch.getKernel());
  Value iterations = size(getExprs(launch.getIterations())[0]);
  Value grain = size(getExprs(launch.getGrain())[0]);
  LLVM::CallOp::create(builder, loc, callee,
                       ValueRange{function.getArgument(Host), kernel, arguments,
                                  iterations, grain, constant(step)});
}

void RunEmitter::emitCopy(lzx::CopyOp copy) {
  auto callee = getHostFunction(module, "lz_copy",
                                LLVM::LLVMVoidType::get(builder.getContext()),
                                {pointer, pointer, pointer, i64, i64});
  LLVM::CallOp::create(
      builder, loc, callee,
      ValueRange{function.getArgument(Host), getBuffer(copy.getTarget()),
                 getBuffer(copy.getSource()),
                 size(getExprs(copy.getBytes())[0]), constant(step)});
}

void RunEmitter::emitOp(Operation *op) {
  if (Value buffer = emitDeclaration(op)) {
    buffers[op->getResult(0)] = buffer;
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](lzx::LaunchOp launch) { emitLaunch(launch); })
      .Case([&](lzx::CopyOp copy) { emitCopy(copy); })
      .Case([&](lzx::CheckOp check) { emitCheck(check); })
      .Case([&](lzx::BindOp bind) { emitBind(bind); })
      .Case([&](lzx::SetOp set) { emitSet(set); })
      .Case([&](lzx::GrowOp grow) { emitGrow(grow); })
      .Case([&](lzx::IfOp branch) { emitIf(branch); })
      .Case([&](lzx::LoopOp loop) { emitLoop(loop); });
  step += isa<lzx::LaunchOp, lzx::CopyOp>(op);
}

void RunEmitter::emit() {
  createFunction();
  clearGrowing();
  emitSteps(program.getBody());
  LLVM::ReturnOp::create(builder, loc, constant(0));
}

void lz::emitRun(ModuleOp module, lzx::ProgramOp program,
                 const ProgramLayout &layout, const WeightsLayout &weights) {
  RunEmitter(module, program, layout, weights).emit();
}
