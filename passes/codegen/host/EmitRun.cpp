//===- EmitRun.cpp - the function `run` of a program ----------------------===//
//
// The steps in order, each over one block of argument slots that all launches
// share. Sizes come from the state; buffers are pointers.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/host/HostFunctions.h"
#include "passes/codegen/host/Passes.h"
#include "passes/codegen/host/SizeEmitter.h"
#include "runtime/include/lezero/lz_artifact.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lz;

namespace {

class RunEmitter {
public:
  RunEmitter(ModuleOp module, lzx::ProgramOp program,
             const ProgramLayout &layout, const WeightsLayout &weights)
      : module(module), program(program), layout(layout), weights(weights),
        builder(module.getContext()), loc(program.getLoc()),
        pointer(LLVM::LLVMPointerType::get(builder.getContext())),
        i64(builder.getI64Type()) {}

  void emit();

private:
  enum Argument { Host, State, Arena, Weights, Inputs, Outputs };

  void createFunction();
  int64_t getMaxSlots();
  Value emitBuffer(Operation *op);
  Value emitPart(lzx::AllocOp part);
  void emitLaunch(lzx::LaunchOp launch);
  void emitCopy(lzx::CopyOp copy);
  void emitBind(lzx::BindOp bind);
  Value emitBoundSymbols(lzx::BindOp bind, SizeEmitter &sizes);
  Value emitFit(SizeEmitter &sizes);
  void failUnless(Value holds);

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i64, value);
  }
  Value load(Type type, Value base, int64_t slot) {
    return LLVM::LoadOp::create(builder, loc, type,
                                emitSlotPointer(builder, loc, base, slot));
  }
  Value size(SymExpr expr) {
    if (std::optional<int64_t> value = expr.getConstant())
      return constant(*value);
    return load(i64, function.getArgument(State), layout.getSlot(expr));
  }

  ModuleOp module;
  lzx::ProgramOp program;
  const ProgramLayout &layout;
  const WeightsLayout &weights;
  OpBuilder builder;
  Location loc;
  Type pointer, i64;
  LLVM::LLVMFuncOp function;
  Value arguments; // the slots that launches share
  DenseMap<Value, Value> buffers;
  int64_t step = 0;
};

} // namespace

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
Value RunEmitter::emitBuffer(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](lzx::InputOp input) {
        return load(pointer, function.getArgument(Inputs), input.getIndex());
      })
      .Case([&](lzx::OutputOp output) {
        return load(pointer, function.getArgument(Outputs), output.getIndex());
      })
      .Case([&](lzx::ConstantOp op) {
        return emitBytePointer(builder, loc, function.getArgument(Weights),
                               constant(weights.getOffset(op.getValue())));
      })
      .Case([&](lzx::AllocOp part) { return emitPart(part); })
      .Case([&](lzx::ViewOp view) {
        return emitBytePointer(builder, loc, buffers.lookup(view.getSource()),
                               size(getExprs(view.getOffset())[0]));
      })
      .Default(Value());
}

void RunEmitter::emitLaunch(lzx::LaunchOp launch) {
  SmallVector<Value> slots;
  for (Value buffer : launch.getInputs())
    slots.push_back(buffers.lookup(buffer));
  for (Value buffer : launch.getOutputs())
    slots.push_back(buffers.lookup(buffer));
  slots.push_back(launch.getScratch()
                      ? buffers.lookup(launch.getScratch())
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
      ValueRange{function.getArgument(Host), buffers.lookup(copy.getTarget()),
                 buffers.lookup(copy.getSource()),
                 size(getExprs(copy.getBytes())[0]), constant(step)});
}

/// Ends the run, naming the step before, unless `holds`.
void RunEmitter::failUnless(Value holds) {
  Block *current = builder.getInsertionBlock();
  Block *failed = function.addBlock();
  Block *next = function.addBlock();
  builder.setInsertionPointToEnd(failed);
  LLVM::ReturnOp::create(builder, loc, constant(step));
  builder.setInsertionPointToEnd(current);
  LLVM::CondBrOp::create(builder, loc, holds, next, ValueRange(), failed,
                         ValueRange());
  builder.setInsertionPointToStart(next);
}

/// Reads the symbols and stores them; an i1 that all are within their limits.
Value RunEmitter::emitBoundSymbols(lzx::BindOp bind, SizeEmitter &sizes) {
  Type type = builder.getIntegerType(bind.getWidth());
  Value source = buffers.lookup(bind.getSource());
  Value holds = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), 1);
  SymShape limits = getExprs(bind.getLimits());
  for (auto [index, symbol] : llvm::enumerate(getExprs(bind.getSymbols()))) {
    Value at = emitBytePointer(builder, loc, source,
                               constant(index * bind.getWidth() / 8));
    Value value = LLVM::LoadOp::create(builder, loc, type, at, /*alignment=*/1);
    if (type != i64)
      value = LLVM::SExtOp::create(builder, loc, i64, value);
    Value above =
        sizes.compare(LLVM::ICmpPredicate::ule, value, size(limits[index]));
    holds = LLVM::AndOp::create(builder, loc, holds, above);
    sizes.bind(symbol, value);
    LLVM::StoreOp::create(builder, loc, value,
                          emitSlotPointer(builder, loc,
                                          function.getArgument(State),
                                          layout.getSlot(symbol)));
  }
  return holds;
}

/// Stores every size anew; an i1 that nothing overflows and every part of the
/// arena is as large as now needed.
Value RunEmitter::emitFit(SizeEmitter &sizes) {
  for (SymbolAttr symbol : layout.symbols) {
    SymExpr expr = SymExpr::symbol(builder.getContext(), symbol.getName());
    sizes.bind(expr, size(expr));
  }
  for (SymExpr expr : layout.sizes)
    LLVM::StoreOp::create(builder, loc, sizes.emit(expr),
                          emitSlotPointer(builder, loc,
                                          function.getArgument(State),
                                          layout.getSlot(expr)));
  Value fits = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), 1);
  for (size_t index = 0; index != layout.parts.size(); ++index) {
    lzx::AllocOp part = layout.parts[index];
    SymExpr bytes = getExprs(part.getBytes())[0];
    if (bytes.getConstant())
      continue;
    Value planned = load(i64, function.getArgument(State),
                         layout.getFirstPartSlot() + index);
    fits = LLVM::AndOp::create(
        builder, loc, fits,
        sizes.compare(LLVM::ICmpPredicate::ule, sizes.emit(bytes), planned));
  }
  Value one = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), 1);
  Value sound = LLVM::XOrOp::create(builder, loc, sizes.getFault(), one);
  return LLVM::AndOp::create(builder, loc, fits, sound);
}

void RunEmitter::emitBind(lzx::BindOp bind) {
  SizeEmitter limits(builder, loc);
  failUnless(emitBoundSymbols(bind, limits));
  SizeEmitter sizes(builder, loc);
  failUnless(emitFit(sizes));
}

void RunEmitter::emit() {
  createFunction();
  for (Operation &op : program.getBody().front()) {
    if (Value buffer = emitBuffer(&op)) {
      buffers[op.getResult(0)] = buffer;
      continue;
    }
    if (auto launch = dyn_cast<lzx::LaunchOp>(op))
      emitLaunch(launch);
    if (auto copy = dyn_cast<lzx::CopyOp>(op))
      emitCopy(copy);
    if (auto bind = dyn_cast<lzx::BindOp>(op))
      emitBind(bind);
    step += isa<lzx::LaunchOp, lzx::CopyOp>(op);
  }
  LLVM::ReturnOp::create(builder, loc, constant(0));
}

void lz::emitRun(ModuleOp module, lzx::ProgramOp program,
                 const ProgramLayout &layout, const WeightsLayout &weights) {
  RunEmitter(module, program, layout, weights).emit();
}
