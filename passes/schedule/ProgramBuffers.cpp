//===- ProgramBuffers.cpp - buffers of a program and their lives ----------===//

#include "passes/schedule/ProgramBuilder.h"
#include "passes/support/NodeNames.h"

using namespace mlir;
using namespace lz;

/// The buffer that `buffer` is a part of.
static Value skipViews(Value buffer) {
  while (auto view = buffer.getDefiningOp<lzx::ViewOp>())
    buffer = view.getSource();
  return buffer;
}

/// Extends the lifetime of the arena part that `buffer` lies in to this step.
void ProgramBuilder::touch(Value buffer) {
  auto alloc = skipViews(buffer).getDefiningOp<lzx::AllocOp>();
  if (!alloc)
    return;
  if (static_cast<int64_t>(alloc.getFirst()) < 0)
    alloc.setFirst(step);
  alloc.setLast(step);
}

/// What lives into the loop of steps `first` to `last` lives to its end: the
/// next iteration reads it again.
void ProgramBuilder::extendLives(int64_t first, int64_t last) {
  for (auto alloc : program.getOps<lzx::AllocOp>()) {
    int64_t begin = alloc.getFirst(), end = alloc.getLast();
    if (begin >= 0 && begin < first && end >= first)
      alloc.setLast(std::max(end, last));
  }
}

/// Records what memory of `bytes` means for the program's class, and by whom.
void ProgramBuilder::noteMemory(SymExpr bytes) {
  bool isOpen = !bounds->getUpper(bytes);
  auto kind = isOpen ? lzx::MemoryClass::open : lzx::MemoryClass::bound;
  auto names = bounds->getRunSymbols(bytes);
  if (!isOpen)
    llvm::erase_if(names,
                   [&](StringRef name) { return bounds->find(name)->exact; });
  if (names.empty() || kind <= memoryClass)
    return;
  memoryClass = kind;
  memoryNode = bounds->find(names.front())->node;
  for (StringRef name : names)
    if (isOpen && !bounds->find(name)->upper) {
      memoryNode = bounds->find(name)->node;
      return;
    }
}

/// Declares memory for `bytes` bytes.
Value ProgramBuilder::createMemory(Location loc, SymExpr bytes) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(lastDeclaration);
  noteMemory(bytes);
  Value buffer;
  if (SymExpr most = bounds->getUpper(bytes))
    buffer = lzx::AllocOp::create(builder, loc, bufferType, getExpr(most), -1,
                                  -1, IntegerAttr());
  else
    buffer = lzx::GrowingOp::create(builder, loc, bufferType);
  lastDeclaration = buffer.getDefiningOp();
  ++numParts;
  return buffer;
}

/// True if the memory of `buffer` is got during the run.
static bool isGrowing(Value buffer) {
  auto output = buffer.getDefiningOp<lzx::OutputOp>();
  return buffer.getDefiningOp<lzx::GrowingOp>() ||
         (output && output.getGrowing());
}

/// Before a step that writes the first `bytes` of `buffer`.
void ProgramBuilder::grow(Location loc, Value buffer, SymExpr bytes) {
  if (isGrowing(buffer))
    lzx::GrowOp::create(builder, loc, buffer, getExpr(bytes), getNodeName(loc));
}

/// The condition of a loop where nothing sets it.
Value ProgramBuilder::createTrue(Location loc) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(lastDeclaration);
  auto type = RankedTensorType::get({}, builder.getI1Type());
  auto constant = lzx::ConstantOp::create(builder, loc, bufferType,
                                          DenseElementsAttr::get(type, true));
  lastDeclaration = constant;
  return constant;
}

/// True for the condition in the body of a loop that always goes on.
static bool isAlwaysTrue(Value root) {
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument || argument.getArgNumber() != 1)
    return false;
  auto loop = dyn_cast<LoopOp>(argument.getOwner()->getParentOp());
  return loop && !readsCondition(loop);
}

Value ProgramBuilder::getRootBuffer(Value root) {
  int64_t output = assignment->getOutput(root);
  if (output >= 0)
    return outputBuffers[output];
  if (Value known = rootBuffers.lookup(root))
    return known;
  Value buffer;
  if (auto constant = root.getDefiningOp<ConstantOp>()) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(lastDeclaration);
    buffer = lzx::ConstantOp::create(builder, root.getLoc(), bufferType,
                                     constant.getValue());
    lastDeclaration = buffer.getDefiningOp();
  } else if (isAlwaysTrue(root)) {
    buffer = createTrue(root.getLoc());
  } else {
    buffer = createMemory(root.getLoc(), assignment->getBytes(root));
  }
  rootBuffers[root] = buffer;
  return buffer;
}

Value ProgramBuilder::getView(Location loc, Value buffer, SymExpr offset) {
  if (offset.isConstant(0))
    return buffer;
  return lzx::ViewOp::create(builder, loc, bufferType, buffer, getExpr(offset));
}

/// The buffer of `value`, which this step reads.
Value ProgramBuilder::getBuffer(Value value) {
  Place place = assignment->getPlace(value);
  Value buffer =
      getView(value.getLoc(), getRootBuffer(place.root), place.offset);
  touch(buffer);
  return buffer;
}

/// The buffer of `value`, which this step writes.
Value ProgramBuilder::getTarget(Value value) {
  Place place = assignment->getPlace(value);
  grow(value.getLoc(), getRootBuffer(place.root),
       place.offset + assignment->getBytes(value));
  return getBuffer(value);
}

void ProgramBuilder::addCopy(Location loc, Value source, Value target,
                             SymExpr bytes) {
  touch(source);
  touch(target);
  lzx::CopyOp::create(builder, loc, source, target, getExpr(bytes),
                      builder.getStrArrayAttr(getNodeNames(loc)));
  ++step;
}

//===----------------------------------------------------------------------===//
// Results in the memory of operands
//===----------------------------------------------------------------------===//

void ProgramBuilder::findLastUses() {
  function.walk([&](Operation *op) {
    if (op->getParentOfType<FusionOp>())
      return;
    for (Value operand : op->getOperands()) {
      Value root = assignment->getPlace(operand).root;
      lastUses[root] = root.getParentBlock()->findAncestorOpInBlock(*op);
    }
  });
}

/// The part of the arena that `input` is the whole of, if this launch is the
/// last to read it, and reads it through this input alone. What a loop carries
/// is read again by the next iteration.
lzx::AllocOp ProgramBuilder::getDyingBuffer(FusionOp fusion,
                                            Value input) const {
  Place place = assignment->getPlace(input);
  auto isInRoot = [&](Value value) {
    return assignment->getPlace(value).root == place.root;
  };
  auto buffer = rootBuffers.find(place.root);
  if (buffer == rootBuffers.end() || isa<BlockArgument>(place.root) ||
      lastUses.lookup(place.root) != fusion ||
      llvm::count_if(fusion.getInputs(), isInRoot) != 1 ||
      assignment->getBytes(place.root) != assignment->getBytes(input))
    return nullptr;
  return buffer->second.getDefiningOp<lzx::AllocOp>();
}

/// The place of `result` if the loop around `fusion` stacks it: the iteration's
/// part is known from the start of the body on. Null otherwise.
Value ProgramBuilder::createStackedPart(FusionOp fusion, Value result) {
  Place place = assignment->getPlace(result);
  Operation *loop = place.root.getDefiningOp();
  if (!isa_and_present<LoopOp>(loop) || fusion->getParentOp() != loop)
    return nullptr;
  Value buffer = getRootBuffer(place.root);
  if (isGrowing(buffer))
    return nullptr;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(builder.getInsertionBlock());
  return getView(result.getLoc(), buffer, place.offset);
}

/// Puts what lies in `alloc` into `target` instead.
void ProgramBuilder::moveBuffer(lzx::AllocOp alloc, Value target) {
  for (auto &entry : rootBuffers)
    if (entry.second == alloc)
      entry.second = target;
  alloc.replaceAllUsesWith(target);
  if (lastDeclaration == alloc)
    lastDeclaration = alloc->getPrevNode();
  alloc.erase();
}

/// Gives the result of a launch the memory of one of `operands`, if that is not
/// needed any more. If the result has a place of its own, as an output or a
/// part of what a loop stacks, the operand is moved there.
void ProgramBuilder::computeInPlace(FusionOp fusion,
                                    ArrayRef<unsigned> operands) {
  Value result = fusion.getResult(0);
  bool isRoot = assignment->getPlace(result).root == result;
  int64_t output = assignment->getOutput(result);
  for (unsigned operand : operands) {
    lzx::AllocOp alloc = getDyingBuffer(fusion, fusion.getInputs()[operand]);
    if (!alloc)
      continue;
    if (isRoot && output < 0)
      rootBuffers[result] = alloc;
    else if (Value target = isRoot ? outputBuffers[output]
                                   : createStackedPart(fusion, result))
      moveBuffer(alloc, target);
    return;
  }
}
