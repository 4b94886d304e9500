//===- EmitControl.cpp - sizes and control flow of the function `run` -----===//
//
// Whatever sets a symbol computes again the sizes that mention it, so that
// steps find all sizes in the state.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/host/RunEmitter.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Goes on in `block`, and returns the block before.
Block *RunEmitter::branchTo(Block *block) {
  Block *before = builder.getInsertionBlock();
  LLVM::BrOp::create(builder, loc, block);
  builder.setInsertionPointToStart(block);
  return before;
}

/// Ends the run, naming `op`, unless `holds`.
void RunEmitter::failUnless(Value holds, Operation *op) {
  Block *failed = function.addBlock();
  Block *next = function.addBlock();
  LLVM::CondBrOp::create(builder, loc, holds, next, ValueRange(), failed,
                         ValueRange());
  builder.setInsertionPointToEnd(failed);
  LLVM::ReturnOp::create(builder, loc, constant(layout.getFailure(op)));
  builder.setInsertionPointToStart(next);
}

void RunEmitter::emitSteps(Region &region) {
  for (Block &block : region)
    for (Operation &op : block)
      emitOp(&op);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// True if `expr` mentions a symbol of `changed`, and all of the run's symbols
/// that it mentions have been set.
bool RunEmitter::isCurrent(SymExpr expr, ArrayRef<SymExpr> changed) const {
  SmallVector<StringRef> names;
  expr.collectSymbols(names);
  bool mentions = false;
  for (StringRef name : names) {
    SymExpr symbol = SymExpr::symbol(builder.getContext(), name);
    mentions |= llvm::is_contained(changed, symbol);
    if (layout.dependsOnRun(symbol) && !current.contains(name))
      return false;
  }
  return mentions;
}

/// Computes again what depends on symbols that `op` has set.
void RunEmitter::updateSizes(ArrayRef<SymExpr> changed, Operation *op) {
  SizeEmitter sizes(builder, loc);
  for (SymbolAttr symbol : layout.symbols) {
    SymExpr expr = SymExpr::symbol(builder.getContext(), symbol.getName());
    sizes.bind(expr, size(expr));
  }
  bool any = false;
  for (SymExpr expr : layout.sizes)
    if (isCurrent(expr, changed)) {
      store(sizes.emit(expr), layout.getSlot(expr));
      any = true;
    }
  if (!any)
    return;
  Value one = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), 1);
  failUnless(LLVM::XOrOp::create(builder, loc, sizes.getFault(), one), op);
}

void RunEmitter::setSymbols(ArrayRef<SymExpr> symbols, ArrayRef<Value> values,
                            Operation *op) {
  for (auto [symbol, value] : llvm::zip_equal(symbols, values)) {
    store(value, layout.getSlot(symbol));
    current.insert(symbol.getName());
  }
  updateSizes(symbols, op);
}

/// As above, for values that must be within [0, limit].
void RunEmitter::setLimited(ArrayRef<SymExpr> symbols, ArrayRef<Value> values,
                            ArrayAttr limits, Operation *op) {
  Value holds = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), 1);
  for (auto [value, limit] : llvm::zip_equal(values, getExprs(limits))) {
    Value within = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ule,
                                        value, size(limit));
    holds = LLVM::AndOp::create(builder, loc, holds, within);
  }
  failUnless(holds, op);
  setSymbols(symbols, values, op);
}

void RunEmitter::emitBind(lzx::BindOp bind) {
  Type type = builder.getIntegerType(bind.getWidth());
  Value source = getBuffer(bind.getSource());
  SymShape symbols = getExprs(bind.getSymbols());
  SmallVector<Value> values;
  for (size_t index = 0; index != symbols.size(); ++index) {
    Value at = emitBytePointer(builder, loc, source,
                               constant(index * bind.getWidth() / 8));
    Value value = LLVM::LoadOp::create(builder, loc, type, at, /*alignment=*/1);
    if (type != i64)
      value = LLVM::SExtOp::create(builder, loc, i64, value);
    values.push_back(value);
  }
  setLimited(symbols, values, bind.getLimits(), bind);
}

/// At the end of an iteration, what its body has set is set no more.
void RunEmitter::emitSet(lzx::SetOp set) {
  if (isa<lzx::LoopOp>(set->getParentOp()))
    current = outside;
  SmallVector<Value> values;
  for (SymExpr value : getExprs(set.getValues()))
    values.push_back(size(value));
  setLimited(getExprs(set.getSymbols()), values, set.getLimits(), set);
}

void RunEmitter::emitCheck(lzx::CheckOp check) {
  if (!llvm::is_contained(layout.runChecks, check.getOperation()))
    return; // `prepare` tests it
  SymShape sides = getExprs(check.getSides());
  failUnless(emitComparison(builder, loc, check.getKind(), size(sides[0]),
                            size(sides[1])),
             check);
}

void RunEmitter::emitGrow(lzx::GrowOp grow) {
  auto callee =
      getHostFunction(module, "lz_grow", i64, {pointer, pointer, i64});
  Value slot = emitSlotPointer(builder, loc, function.getArgument(State),
                               *layout.getGrowthSlot(grow.getTarget()));
  auto call =
      LLVM::CallOp::create(builder, loc, callee,
                           ValueRange{function.getArgument(Host), slot,
                                      size(getExprs(grow.getBytes())[0])});
  failUnless(LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                  call.getResult(), constant(0)),
             grow);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// An i1: the byte in `buffer` is not 0.
static Value emitTruth(OpBuilder &builder, Location loc, Value buffer) {
  Type i8 = builder.getI8Type();
  Value byte = LLVM::LoadOp::create(builder, loc, i8, buffer);
  Value zero = LLVM::ConstantOp::create(builder, loc, i8, 0);
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, byte,
                              zero);
}

void RunEmitter::emitIf(lzx::IfOp branch) {
  Block *onTrue = function.addBlock();
  Block *onFalse = function.addBlock();
  Block *next = function.addBlock();
  Value holds = emitTruth(builder, loc, getBuffer(branch.getCondition()));
  LLVM::CondBrOp::create(builder, loc, holds, onTrue, ValueRange(), onFalse,
                         ValueRange());
  builder.setInsertionPointToStart(onTrue);
  emitSteps(branch.getThenRegion());
  branchTo(next);
  builder.setInsertionPointToStart(onFalse);
  emitSteps(branch.getElseRegion());
  branchTo(next);
}

/// An i1: iteration number `iteration` is to be done.
Value RunEmitter::emitGoesOn(lzx::LoopOp loop, Value iteration) {
  Value holds = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), 1);
  if (Value trips = loop.getTrips())
    holds = LLVM::ICmpOp::create(
        builder, loc, LLVM::ICmpPredicate::slt, iteration,
        LLVM::LoadOp::create(builder, loc, i64, getBuffer(trips)));
  if (Value condition = loop.getCondition())
    holds = LLVM::AndOp::create(builder, loc, holds,
                                emitTruth(builder, loc, getBuffer(condition)));
  return holds;
}

void RunEmitter::emitLoop(lzx::LoopOp loop) {
  SymExpr symbol = getExprs(loop.getIteration())[0];
  Block *head = function.addBlock();
  Block *body = function.addBlock();
  Block *next = function.addBlock();
  setSymbols(symbol, constant(0), loop);
  branchTo(head);
  Value goesOn = emitGoesOn(loop, size(symbol));
  LLVM::CondBrOp::create(builder, loc, goesOn, body, ValueRange(), next,
                         ValueRange());
  builder.setInsertionPointToStart(body);
  if (Value counter = loop.getCounter())
    LLVM::StoreOp::create(builder, loc, size(symbol), getBuffer(counter));
  llvm::StringSet<> before = std::exchange(outside, current);
  emitSteps(loop.getBody());
  current = std::exchange(outside, before);
  Value following =
      LLVM::AddOp::create(builder, loc, size(symbol), constant(1));
  setSymbols(symbol, following, loop);
  LLVM::BrOp::create(builder, loc, head);
  builder.setInsertionPointToStart(next);
}
