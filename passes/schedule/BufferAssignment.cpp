//===- BufferAssignment.cpp - which value lives in which buffer -----------===//

#include "passes/schedule/BufferAssignment.h"

#include "passes/schedule/ControlSizes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

SymExpr lz::getByteSize(Type type, SymExpr count) {
  unsigned bits = getStoredBits(type);
  if (bits >= 8)
    return count * (bits / 8);
  return (count * bits).ceilDiv(SymExpr::constant(count.getContext(), 8));
}

/// The only operation of a group, or null.
static Operation *getSingleOp(FusionOp fusion) {
  Block &body = fusion.getBody().front();
  return llvm::hasNItems(body, 2) ? &body.front() : nullptr;
}

/// The byte offset of a slice that is one run of its input's bytes.
static std::optional<SymExpr> getContiguousOffset(SliceOp slice,
                                                  ArrayRef<SymExpr> input) {
  SymShape offsets = getExprs(slice.getOffsets());
  SymShape sizes = getExprs(slice.getSizes());
  for (SymExpr stride : getExprs(slice.getStrides()))
    if (!stride.isConstant(1))
      return std::nullopt;
  Type type = cast<RankedTensorType>(slice.getType()).getElementType();
  SymExpr start = SymExpr::constant(slice.getContext(), 0);
  SymExpr inner = SymExpr::constant(slice.getContext(), 1);
  bool partial = false; // a later dimension is not taken whole
  for (size_t dim = input.size(); dim-- > 0;) {
    if (partial && !sizes[dim].isConstant(1))
      return std::nullopt;
    partial |= sizes[dim] != input[dim];
    start = start + offsets[dim] * inner;
    inner = inner * input[dim];
  }
  if (sharesBytes(type))
    return std::nullopt;
  return getByteSize(type, start);
}

BufferAssignment::BufferAssignment(func::FuncOp function,
                                   const ShapeAnalysis &shapes,
                                   const SizeBounds &bounds)
    : shapes(shapes), bounds(bounds) {
  assignBlock(function.getBody().front());
  assignOutputs(function);
}

void BufferAssignment::assignBlock(Block &block) {
  SymExpr zero = SymExpr::constant(shapes.getContext(), 0);
  for (Operation &op : block) {
    if (auto reshape = dyn_cast<ReshapeOp>(op))
      places[reshape] = {reshape.getInput(), zero};
    else if (auto fusion = dyn_cast<FusionOp>(op))
      assignFusion(fusion);
    else if (auto branch = dyn_cast<IfOp>(op))
      assignIf(branch);
    else if (auto loop = dyn_cast<LoopOp>(op))
      assignLoop(loop);
  }
}

void BufferAssignment::assignFusion(FusionOp fusion) {
  Operation *single = getSingleOp(fusion);
  if (auto slice = dyn_cast_or_null<SliceOp>(single))
    assignSlice(fusion, slice);
  if (auto concat = dyn_cast_or_null<ConcatOp>(single))
    assignConcat(fusion, concat);
}

Place BufferAssignment::getPlace(Value value) const {
  SymExpr offset = SymExpr::constant(value.getContext(), 0);
  for (auto found = places.find(value); found != places.end();
       found = places.find(value)) {
    offset = offset + found->second.offset;
    value = found->second.root;
  }
  return {value, offset};
}

int64_t BufferAssignment::getOutput(Value root) const {
  auto found = outputs.find(root);
  return found == outputs.end() ? -1 : found->second;
}

SymExpr BufferAssignment::getBytes(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  return getByteSize(type.getElementType(), shapes.getNumElements(value));
}

/// True if `value` is the whole of a buffer that steps write.
bool BufferAssignment::ownsBuffer(Value value) const {
  Place place = getPlace(value);
  auto argument = dyn_cast<BlockArgument>(place.root);
  bool isWritten =
      argument ? isa<LoopOp>(argument.getOwner()->getParentOp())
               : isa<FusionOp, IfOp, LoopOp>(place.root.getDefiningOp());
  SymExpr bytes = getBytes(value), whole = getBytes(place.root);
  return isWritten && place.offset.isConstant(0) &&
         (whole == bytes || bounds.getUpper(whole) == bytes);
}

/// As above, for a buffer that is first written in `block`.
bool BufferAssignment::ownsBufferIn(Value value, Block *block) const {
  if (!ownsBuffer(value))
    return false;
  Value root = getPlace(value).root;
  Block *home = root.getParentBlock();
  // Arguments of a loop's body are first written before the loop.
  return isa<BlockArgument>(root) ? home->getParentOp()->getBlock() == block
                                  : home == block;
}

/// Computes `value`, which a region yields, `offset` bytes into `target`.
void BufferAssignment::assignYield(Value value, Value target, SymExpr offset) {
  if (ownsBufferIn(value, value.getParentBlock()))
    places[getPlace(value).root] = {target, offset};
}

/// A branch computes the results of the if.
void BufferAssignment::assignIf(IfOp op) {
  SymExpr zero = SymExpr::constant(shapes.getContext(), 0);
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    Block &block = region->front();
    assignBlock(block);
    for (auto [value, result] :
         llvm::zip_equal(block.getTerminator()->getOperands(), op.getResults()))
      if (value.getParentBlock() == &block)
        assignYield(value, result, zero);
  }
}

/// True if the bound of a size is not just what its symbol declares, so that
/// memory has room for what an iteration makes of it.
static bool hasRoom(const SizeBounds &bounds, SymExpr size) {
  return llvm::all_of(bounds.getRunSymbols(size), [&](StringRef name) {
    return bounds.find(name)->declaredMax >= INT32_MAX;
  });
}

/// A carried value to which the body appends grows where it lies: what is there
/// stays, whoever else reads it.
void BufferAssignment::assignAppended(LoopOp op, size_t index) {
  Block &body = op.getBody().front();
  Value argument = body.getArgument(index + 2);
  Value next = body.getTerminator()->getOperand(index + 1);
  auto fusion = next.getDefiningOp<FusionOp>();
  if (!fusion || fusion->getBlock() != &body || !concats.contains(fusion) ||
      places.contains(next) || !hasRoom(bounds, getBytes(argument)))
    return;
  auto concat = cast<ConcatOp>(fusion.getBody().front().front());
  auto first = cast<BlockArgument>(concat.getInputs().front());
  if (fusion.getInputs()[first.getArgNumber()] == argument)
    places[next] = {argument, SymExpr::constant(shapes.getContext(), 0)};
}

/// Results that are carried lie where the body's arguments lie; an iteration
/// computes its part of a stacked result there, if the place is known before.
void BufferAssignment::assignLoop(LoopOp op) {
  Block &body = op.getBody().front();
  assignBlock(body);
  size_t carried = op.getInitial().size();
  SymExpr zero = SymExpr::constant(shapes.getContext(), 0);
  for (size_t index = 0; index != carried; ++index)
    places[op.getResult(index)] = {body.getArgument(index + 2), zero};
  for (size_t index = 0; index != carried; ++index)
    assignAppended(op, index);
  SymExpr trips = getTripSymbol(op, shapes);
  auto yielded = body.getTerminator()->getOperands().drop_front(carried + 1);
  for (auto [value, result] :
       llvm::zip_equal(yielded, op.getResults().drop_front(carried))) {
    SymExpr bytes = getBytes(value);
    if (value.getParentBlock() == &body && !bounds.dependsOnRun(bytes) &&
        bounds.getUpper(trips))
      assignYield(value, result, trips * bytes);
  }
}

void BufferAssignment::assignSlice(FusionOp fusion, SliceOp slice) {
  Value input = fusion.getInputs()[0];
  auto offset = getContiguousOffset(slice, shapes.getShape(input));
  if (!offset)
    return;
  places[fusion.getResult(0)] = {input, *offset};
  views.insert(fusion);
}

/// concat along the first dimension that is not 1: each operand is one run of
/// the result, and is computed there if its buffer is its own and the place is
/// known before the run.
void BufferAssignment::assignConcat(FusionOp fusion, ConcatOp concat) {
  ArrayRef<SymExpr> shape = shapes.getShape(fusion.getResult(0));
  auto isOne = [](SymExpr size) { return size.isConstant(1); };
  if (!llvm::all_of(shape.take_front(concat.getAxis()), isOne))
    return;
  Type type = cast<RankedTensorType>(concat.getType()).getElementType();
  if (!type.isIntOrFloat() ||
      (type.getIntOrFloatBitWidth() < 8 && !type.isInteger(1)))
    return;
  bool isBound =
      static_cast<bool>(bounds.getUpper(getBytes(fusion.getResult(0))));
  SymExpr offset = SymExpr::constant(concat.getContext(), 0);
  for (Value argument : concat.getInputs()) {
    unsigned index = cast<BlockArgument>(argument).getArgNumber();
    Value value = fusion.getInputs()[index];
    Value root = getPlace(value).root;
    if (isBound && !bounds.dependsOnRun(offset) &&
        ownsBufferIn(value, fusion->getBlock()) && root != fusion.getResult(0))
      places[root] = {fusion.getResult(0), offset};
    offset = offset + getBytes(value);
  }
  concats.insert(fusion);
}

void BufferAssignment::assignOutputs(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (!ownsBuffer(operand.get()))
      continue;
    Value root = getPlace(operand.get()).root;
    outputs.try_emplace(root, operand.getOperandNumber());
  }
}
