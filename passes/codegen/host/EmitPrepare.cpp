//===- EmitPrepare.cpp - the function `prepare` of a program --------------===//
//
// Straight-line code: load symbols, compute every size, test every check,
// store. The first failed check is found by selects from the last to the first,
// so no check needs a branch and an overflow can't hide one.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Symbols/SizeLimits.h"
#include "passes/codegen/host/HostFunctions.h"
#include "passes/codegen/host/Passes.h"
#include "passes/codegen/host/SizeEmitter.h"
#include "runtime/include/lezero/lz_artifact.h"

using namespace mlir;
using namespace lz;

namespace {

class PrepareEmitter {
public:
  PrepareEmitter(ModuleOp module, lzx::ProgramOp program,
                 const ProgramLayout &layout)
      : module(module), program(program), layout(layout),
        builder(module.getContext()), loc(program.getLoc()) {}

  void emit();

private:
  void createFunction();
  void bindSymbols();
  void storeSizes();
  void storeOutputLimits(lzx::OutputOp output);
  Value emitArenaBytes();
  Value emitLatePlan();
  Value emitCheck(lzx::CheckOp check);
  Value emitResult();
  void store(int64_t slot, Value value);
  SmallVector<int64_t> getLifetimes(bool last);
  Value getTable(StringRef name, ArrayRef<int64_t> values);

  ModuleOp module;
  lzx::ProgramOp program;
  const ProgramLayout &layout;
  OpBuilder builder;
  Location loc;
  LLVM::LLVMFuncOp function;
  std::unique_ptr<SizeEmitter> sizes;
  Value tooLarge;
};

} // namespace

void PrepareEmitter::createFunction() {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(i64, {pointer, i64, pointer});
  builder.setInsertionPointToEnd(module.getBody());
  function = LLVM::LLVMFuncOp::create(
      builder, loc, getPrepareName(program.getSymName()), type);
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  sizes = std::make_unique<SizeEmitter>(builder, loc);
}

void PrepareEmitter::store(int64_t slot, Value value) {
  LLVM::StoreOp::create(
      builder, loc, value,
      emitSlotPointer(builder, loc, function.getArgument(2), slot));
}

/// Binds the caller's symbols to its values. Those of the run have none yet.
void PrepareEmitter::bindSymbols() {
  for (auto [index, symbol] : llvm::enumerate(layout.symbols)) {
    SymExpr expr = SymExpr::symbol(builder.getContext(), symbol.getName());
    Value value = sizes->constant(0);
    if (!layout.dependsOnRun(expr)) {
      value = LLVM::LoadOp::create(
          builder, loc, builder.getI64Type(),
          emitSlotPointer(builder, loc, function.getArgument(0), index));
      sizes->bind(expr, value);
    }
    store(LZ_STATE_FIRST_FREE + index, value);
  }
}

/// Stores what depends on the caller's symbols only; the run computes the rest.
void PrepareEmitter::storeSizes() {
  for (SymExpr size : layout.sizes)
    if (!layout.dependsOnRun(size))
      store(layout.getSlot(size), sizes->emit(size));
  for (lzx::OutputOp output : layout.outputs)
    storeOutputLimits(output);
}

/// Sizes of an output that the run finds are planned as the largest, or as -1
/// if there is none.
void PrepareEmitter::storeOutputLimits(lzx::OutputOp output) {
  SymShape dims = getExprs(output.getDims());
  SymShape limits(dims.size(), SymExpr::constant(builder.getContext(), -1));
  if (output.getLimits())
    limits = getExprs(*output.getLimits());
  for (auto [dim, limit] : llvm::zip_equal(dims, limits))
    if (layout.dependsOnRun(dim))
      store(layout.getSlot(dim), sizes->emit(limit));
}

SmallVector<int64_t> PrepareEmitter::getLifetimes(bool last) {
  SmallVector<int64_t> steps;
  for (lzx::AllocOp part : layout.parts)
    steps.push_back(last ? part.getLast() : part.getFirst());
  return steps;
}

/// The address of a constant array.
Value PrepareEmitter::getTable(StringRef name, ArrayRef<int64_t> values) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(function);
  std::string symbol = (program.getSymName() + "." + name).str();
  auto type = LLVM::LLVMArrayType::get(builder.getI64Type(), values.size());
  auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, symbol,
                                       builder.getI64TensorAttr(values));
  builder.setInsertionPointToEnd(&function.getBody().front());
  return LLVM::AddressOfOp::create(builder, loc, global);
}

/// Calls the planner on the parts' sizes, rounded up to 64 bytes.
Value PrepareEmitter::emitLatePlan() {
  Value limit = sizes->constant(kMaxArenaBytes), zero = sizes->constant(0);
  int64_t count = layout.parts.size(), slot = layout.getFirstPartSlot();
  for (size_t index = 0; index != layout.parts.size(); ++index) {
    lzx::AllocOp part = layout.parts[index];
    SymExpr bytes = getExprs(part.getBytes())[0];
    SymExpr unit = SymExpr::constant(builder.getContext(), 64);
    Value size = sizes->emit(bytes.ceilDiv(unit) * 64);
    Value above = sizes->compare(LLVM::ICmpPredicate::sgt, size, limit);
    Value below = sizes->compare(LLVM::ICmpPredicate::slt, size, zero);
    tooLarge = LLVM::OrOp::create(
        builder, loc, tooLarge, LLVM::OrOp::create(builder, loc, above, below));
    Value invalid =
        LLVM::OrOp::create(builder, loc, tooLarge, sizes->getFault());
    store(slot + index,
          LLVM::SelectOp::create(builder, loc, invalid, zero, size));
  }
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  auto planner =
      getHostFunction(module, "lz_place_buffers", i64,
                      {i64, pointer, pointer, pointer, pointer, pointer});
  auto at = [&](int64_t first) {
    return emitSlotPointer(builder, loc, function.getArgument(2), first);
  };
  Value first = getTable("first", getLifetimes(/*last=*/false));
  Value last = getTable("last", getLifetimes(/*last=*/true));
  return LLVM::CallOp::create(builder, loc, planner,
                              ValueRange{sizes->constant(count), at(slot),
                                         first, last, at(slot + count),
                                         at(slot + 2 * count)})
      .getResult();
}

Value PrepareEmitter::emitArenaBytes() {
  if (layout.arenaBytes)
    return sizes->constant(*layout.arenaBytes);
  Value bytes = emitLatePlan();
  Value above = sizes->compare(LLVM::ICmpPredicate::sgt, bytes,
                               sizes->constant(kMaxArenaBytes));
  tooLarge = LLVM::OrOp::create(builder, loc, tooLarge, above);
  return bytes;
}

/// An i1: the check holds.
Value PrepareEmitter::emitCheck(lzx::CheckOp check) {
  SymShape sides = getExprs(check.getSides());
  Value lhs = sizes->emit(sides[0]), rhs = sizes->emit(sides[1]);
  return emitComparison(builder, loc, check.getKind(), lhs, rhs);
}

/// 0, or one more than the index of the first check that fails; the last check
/// is that nothing overflowed.
Value PrepareEmitter::emitResult() {
  SmallVector<Value> held;
  for (lzx::CheckOp check : layout.checks)
    held.push_back(emitCheck(check));
  Value invalid = LLVM::OrOp::create(builder, loc, sizes->getFault(), tooLarge);
  Value result = LLVM::SelectOp::create(builder, loc, invalid,
                                        sizes->constant(held.size() + 1),
                                        sizes->constant(0));
  for (size_t i = held.size(); i-- > 0;)
    result = LLVM::SelectOp::create(builder, loc, held[i], result,
                                    sizes->constant(i + 1));
  return result;
}

void PrepareEmitter::emit() {
  createFunction();
  tooLarge = sizes->getFault();
  bindSymbols();
  storeSizes();
  store(LZ_STATE_ARENA_BYTES, emitArenaBytes());
  store(LZ_STATE_RESERVED, sizes->constant(0));
  LLVM::ReturnOp::create(builder, loc, emitResult());
}

void lz::emitPrepare(ModuleOp module, lzx::ProgramOp program,
                     const ProgramLayout &layout) {
  PrepareEmitter(module, program, layout).emit();
}
