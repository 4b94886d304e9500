//===- ControlSteps.cpp - branches and loops of a program -----------------===//
//
// A branch leaves its results in the buffers of the if. A loop keeps one buffer
// for each carried value: what comes in is copied to it before the loop, what
// an iteration yields at the iteration's end. Yielded values that are carried
// values themselves (a swap) go by way of a buffer of their own, since the
// copies overwrite one another. What is stacked has one buffer for all
// iterations.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/ProgramBuilder.h"
#include "passes/support/FreshSymbol.h"
#include "passes/support/NodeNames.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

/// Sets the symbols of `changes`, to their first or second sizes.
void ProgramBuilder::addSet(Operation *op, ArrayRef<SizeChange> changes,
                            bool first) {
  if (changes.empty())
    return;
  SymShape symbols, values, limits;
  for (const SizeChange &change : changes) {
    symbols.push_back(change.symbol);
    values.push_back(first ? change.first : change.second);
    limits.push_back(bounds->getLimit(change.symbol));
  }
  lzx::SetOp::create(builder, op->getLoc(), getExprArray(context, symbols),
                     getExprArray(context, values),
                     getExprArray(context, limits), getNodeName(op->getLoc()));
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

LogicalResult ProgramBuilder::addBranch(IfOp op, Region &from, Region &to) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&to.emplaceBlock());
  if (failed(addBlock(from.front())))
    return failure();
  for (auto [value, result] : llvm::zip_equal(
           from.front().getTerminator()->getOperands(), op.getResults())) {
    Place source = assignment->getPlace(value);
    Place target = assignment->getPlace(result);
    if (source.root == target.root && source.offset == target.offset)
      continue;
    SymExpr bytes = assignment->getBytes(value);
    Value buffer = getRootBuffer(target.root);
    grow(op.getLoc(), buffer, target.offset + bytes);
    Value view = getView(op.getLoc(), buffer, target.offset);
    addCopy(op.getLoc(), getBuffer(value), view, bytes);
  }
  addSet(op, getSizeChanges(op, shapes), &from == &op.getThenRegion());
  return success();
}

/// Memory that only one of the branches uses is planned, and may not be needed.
LogicalResult ProgramBuilder::addIf(IfOp op) {
  Value condition = getBuffer(op.getCondition());
  int64_t partsBefore = numParts;
  auto branch = lzx::IfOp::create(builder, op.getLoc(), condition);
  if (failed(addBranch(op, op.getThenRegion(), branch.getThenRegion())))
    return failure();
  if (failed(addBranch(op, op.getElseRegion(), branch.getElseRegion())))
    return failure();
  if (numParts != partsBefore && memoryClass == lzx::MemoryClass::exact) {
    memoryClass = lzx::MemoryClass::bound;
    memoryNode = getNodeName(op.getLoc());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// The symbol that counts the iterations, declared anew if the loop has none.
SymExpr ProgramBuilder::getIteration(LoopOp op) {
  if (SymExpr symbol = getTripSymbol(op, shapes))
    return symbol;
  SmallVector<Attribute> symbols(program.getSymbols().getValue());
  SymExpr iteration =
      declareRunSymbol(symbols, context, "iteration", INT64_MAX);
  program.setSymbolsAttr(builder.getArrayAttr(symbols));
  return iteration;
}

/// Copies `source`, or what was `saved` of it, to the buffer of a body's
/// argument.
void ProgramBuilder::moveCarried(Value source, Value argument, Value saved) {
  SymExpr bytes = assignment->getBytes(source);
  Place place = assignment->getPlace(argument);
  Value buffer = getRootBuffer(place.root);
  grow(argument.getLoc(), buffer, place.offset + bytes);
  Value view = getView(argument.getLoc(), buffer, place.offset);
  addCopy(argument.getLoc(), saved ? saved : getBuffer(source), view, bytes);
}

void ProgramBuilder::addInitialCopies(LoopOp op) {
  Block &body = op.getBody().front();
  if (readsCondition(op) && op.getCondition())
    moveCarried(op.getCondition(), body.getArgument(1));
  else if (readsCondition(op))
    addCopy(op.getLoc(), createTrue(op.getLoc()),
            getRootBuffer(body.getArgument(1)),
            assignment->getBytes(body.getArgument(1)));
  for (auto [initial, argument] :
       llvm::zip(op.getInitial(), body.getArguments().drop_front(2)))
    moveCarried(initial, argument);
  addSet(op, getSizeChanges(op, shapes), /*first=*/true);
}

/// Copies what this iteration yields to its part of the stacked results.
void ProgramBuilder::addStacking(LoopOp op, SymExpr iteration) {
  size_t carried = op.getInitial().size();
  auto yielded = op.getBody().front().getTerminator()->getOperands();
  for (auto [value, result] :
       llvm::zip_equal(yielded.drop_front(carried + 1),
                       op.getResults().drop_front(carried))) {
    SymExpr bytes = assignment->getBytes(value);
    Place source = assignment->getPlace(value);
    Place target = assignment->getPlace(result);
    SymExpr offset = target.offset + iteration * bytes;
    if (source.root == target.root && source.offset == offset)
      continue;
    Value buffer = getRootBuffer(target.root);
    grow(op.getLoc(), buffer, offset + bytes);
    addCopy(op.getLoc(), getBuffer(value), getView(op.getLoc(), buffer, offset),
            bytes);
  }
}

/// Copies `value`, which lies in a buffer that the next copies overwrite, to
/// one of its own.
Value ProgramBuilder::saveCarried(Location loc, Value value) {
  SymExpr bytes = assignment->getBytes(value);
  Value buffer = createMemory(loc, bytes);
  grow(loc, buffer, bytes);
  addCopy(loc, getBuffer(value), buffer, bytes);
  return buffer;
}

/// Leaves an iteration's condition and carried values to the next.
void ProgramBuilder::addNextCopies(LoopOp op) {
  Block &body = op.getBody().front();
  auto arguments = body.getArguments().drop_front(readsCondition(op) ? 1 : 2);
  llvm::SmallDenseSet<Value> overwritten;
  for (Value argument : arguments)
    overwritten.insert(assignment->getPlace(argument).root);
  struct Move {
    Value value, argument, saved;
  };
  SmallVector<Move> moves;
  for (BlockArgument argument : arguments) {
    Value value = body.getTerminator()->getOperand(argument.getArgNumber() - 1);
    Place place = assignment->getPlace(value);
    Place own = assignment->getPlace(argument);
    if (place.root == own.root && place.offset == own.offset)
      continue;
    bool isRisky = overwritten.contains(place.root);
    moves.push_back(
        {value, argument, isRisky ? saveCarried(op.getLoc(), value) : Value()});
  }
  for (const Move &move : moves)
    moveCarried(move.value, move.argument, move.saved);
}

/// The buffers that the loop itself reads and writes, at each iteration.
SmallVector<Value> ProgramBuilder::getLoopBuffers(LoopOp op) {
  Block &body = op.getBody().front();
  SmallVector<Value> buffers;
  buffers.push_back(op.getTripCount() ? getBuffer(op.getTripCount()) : Value());
  buffers.push_back(readsCondition(op) ? getBuffer(body.getArgument(1))
                                       : Value());
  buffers.push_back(body.getArgument(0).use_empty()
                        ? Value()
                        : getBuffer(body.getArgument(0)));
  for (Value result : op.getResults().drop_front(op.getInitial().size()))
    buffers.push_back(getRootBuffer(assignment->getPlace(result).root));
  return buffers;
}

LogicalResult ProgramBuilder::addLoop(LoopOp op) {
  addInitialCopies(op);
  SymExpr iteration = getIteration(op);
  SmallVector<Value> buffers = getLoopBuffers(op);
  int64_t first = step;
  auto touchAll = [&] {
    for (Value buffer : buffers)
      if (buffer)
        touch(buffer);
  };
  touchAll();
  auto loop =
      lzx::LoopOp::create(builder, op.getLoc(), getExpr(iteration), buffers[0],
                          buffers[1], buffers[2], getNodeName(op.getLoc()));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&loop.getBody().emplaceBlock());
    if (failed(addBlock(op.getBody().front())))
      return failure();
    addStacking(op, iteration);
    addNextCopies(op);
    addSet(op, getSizeChanges(op, shapes), /*first=*/false);
  }
  touchAll();
  extendLives(first, std::max(first, step - 1));
  return success();
}
