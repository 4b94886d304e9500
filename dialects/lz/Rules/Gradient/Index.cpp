//===- Index.cpp - gradients of ops steered by index data -----------------===//
//
// What a gather took, a scatter that adds brings back. lz.gather counts
// negative indices from the end and reads the nearest element for one out of
// range; lz.scatter_nd drops the latter, so indices are brought into range
// first.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/Rules.h"
#include "dialects/lz/Rules/Gradient/Gradients.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace lz;

/// The elements that gather reads along a dimension of `size`: indices within
/// [0, size).
static Value normalizeIndices(RuleBuilder &b, Value indices, SymExpr size) {
  Type type = getElementType(indices);
  Value zero = b.scalar(type, 0), count = b.size(size, type);
  Value negative = b.create<CompareOp>(CompareKind::lt, indices, zero);
  Value fromStart =
      b.create<SelectOp>(negative, b.add(indices, count), indices);
  Value last = b.sub(count, b.scalar(type, 1));
  return b.binary(BinaryKind::max, b.binary(BinaryKind::min, fromStart, last),
                  zero);
}

/// The order of dimensions that puts the `count` from `first` on before all
/// others of `rank`.
static SmallVector<int64_t> moveToFront(int64_t rank, int64_t first,
                                        int64_t count) {
  auto order = llvm::to_vector(llvm::seq(first, first + count));
  llvm::append_range(order, llvm::seq<int64_t>(0, first));
  llvm::append_range(order, llvm::seq(first + count, rank));
  return order;
}

Value lz::addSlices(RuleBuilder &b, Value slices, Value indices, int64_t axis,
                    SymExpr size) {
  if (!slices || !indices)
    return {};
  SymShape tuples(b.getShapes().getShape(indices));
  SymShape input(b.getShapes().getShape(slices));
  int64_t count = tuples.size(), rank = input.size() - count + 1;
  input.erase(input.begin() + axis, input.begin() + axis + count);
  input.insert(input.begin(), size);
  tuples.push_back(b.getShapes().constant(1));
  Value updates =
      b.transpose(slices, moveToFront(rank - 1 + count, axis, count));
  Value sums = b.create<ScatterNdOp>(ScatterKind::add,
                                     b.expand(b.number(slices, 0), input),
                                     b.reshape(indices, tuples), updates);
  return b.transpose(sums, invertOrder(moveToFront(rank, axis, 1)));
}

static LogicalResult buildGatherGradients(GatherOp op, RuleBuilder &b,
                                          ArrayRef<Value> results,
                                          Values &gradients) {
  SymExpr size = b.getShapes().getShape(op.getInput())[op.getAxis()];
  Value indices = normalizeIndices(b, op.getIndices(), size);
  Value gradient = addSlices(b, results[0], indices, op.getAxis(), size);
  gradients.append({gradient, Value()});
  return success(!!gradient);
}

static LogicalResult buildGatherElementsGradients(GatherElementsOp op,
                                                  RuleBuilder &b,
                                                  ArrayRef<Value> results,
                                                  Values &gradients) {
  SymExpr size = b.getShapes().getShape(op.getInput())[op.getAxis()];
  Value gradient = b.create<ScatterElementsOp>(
      ScatterKind::add, b.zerosLike(op.getInput()),
      normalizeIndices(b, op.getIndices(), size), results[0], op.getAxis());
  gradients.append({gradient, Value()});
  return success(!!gradient);
}

/// Index tuples [..., k] within the range of the `k` dimensions from `first`
/// on.
static Value normalizeTuples(RuleBuilder &b, Value tuples,
                             ArrayRef<SymExpr> sizes) {
  int64_t last = b.getShapes().getShape(tuples).size() - 1;
  SmallVector<Value> columns;
  SymShape offsets(last + 1, b.getShapes().constant(0));
  SymShape column(b.getShapes().getShape(tuples));
  column[last] = b.getShapes().constant(1);
  for (SymExpr size : sizes) {
    Value part = b.slice(tuples, offsets, column);
    columns.push_back(part ? normalizeIndices(b, part, size) : Value());
    if (!columns.back())
      return {};
    offsets[last] = offsets[last] + 1;
  }
  return columns.empty() ? tuples
                         : b.create<ConcatOp>(ValueRange(columns), last);
}

/// Puts the batch coordinates of each index tuple before it.
static Value addBatchCoordinates(RuleBuilder &b, Value tuples, int64_t batch) {
  SmallVector<Value> columns;
  if (!tuples)
    return {};
  SymShape column(b.getShapes().getShape(tuples));
  SymExpr one = b.getShapes().constant(1);
  int64_t last = column.size() - 1;
  column[last] = one;
  for (int64_t dim = 0; dim != batch; ++dim) {
    SymShape alone(column.size(), one);
    alone[dim] = column[dim];
    Value positions = b.cast(b.positions(column[dim]), getElementType(tuples));
    columns.push_back(b.expand(b.reshape(positions, alone), column));
    if (!columns.back())
      return {};
  }
  columns.push_back(tuples);
  return batch == 0 ? tuples : b.create<ConcatOp>(ValueRange(columns), last);
}

static LogicalResult buildGatherNdGradients(GatherNdOp op, RuleBuilder &b,
                                            ArrayRef<Value> results,
                                            Values &gradients) {
  SymShape input(b.getShapes().getShape(op.getInput()));
  std::optional<int64_t> count =
      b.getShapes().getShape(op.getIndices()).back().getConstant();
  if (!count)
    return op.emitOpError() << "has no gradient rule for index tuples of "
                               "unknown length";
  int64_t batch = op.getBatchDims();
  auto sizes = ArrayRef(input).slice(batch, *count);
  Value tuples =
      addBatchCoordinates(b, normalizeTuples(b, op.getIndices(), sizes), batch);
  Value gradient = b.create<ScatterNdOp>(
      ScatterKind::add, b.zerosLike(op.getInput()), tuples, results[0]);
  gradients.append({gradient, Value()});
  return success(!!gradient);
}

/// The elements of a scatter's updates that are in its result: of several that
/// one element gets, the last, and none whose index is out of range. Each
/// writes its number; it is there if it reads it back.
static Value getWritten(ScatterElementsOp op, RuleBuilder &b) {
  SymShape shape(b.getShapes().getShape(op.getUpdates()));
  SymShape input(b.getShapes().getShape(op.getInput()));
  SymExpr count = b.getShapes().getNumElements(op.getUpdates());
  Value numbers = b.reshape(b.positions(count), shape);
  Value none = b.expand(b.number(numbers, -1), input);
  Value owners = b.create<ScatterElementsOp>(
      ScatterKind::none, none, op.getIndices(), numbers, op.getAxis());
  Value read =
      b.create<GatherElementsOp>(owners, op.getIndices(), op.getAxis());
  return b.compare(CompareKind::eq, read, numbers);
}

/// Whether indices lie in a dimension of `size`, counted from either end.
static Value isInRange(RuleBuilder &b, Value indices, SymExpr size) {
  Type type = getElementType(indices);
  return b.binary(BinaryKind::logical_and,
                  b.compare(CompareKind::ge, indices, b.size(size * -1, type)),
                  b.compare(CompareKind::lt, indices, b.size(size, type)));
}

static InFlightDiagnostic reportKind(Operation *op, ScatterKind kind) {
  return op->emitOpError() << "has no gradient rule for reduction '"
                           << stringifyScatterKind(kind)
                           << "'; only 'none' and 'add' have one";
}

/// What is overwritten has no gradient; each update has that of the element
/// which it became.
static LogicalResult buildScatterElementsGradients(ScatterElementsOp op,
                                                   RuleBuilder &b,
                                                   ArrayRef<Value> results,
                                                   Values &gradients) {
  bool adds = op.getKind() == ScatterKind::add;
  if (!adds && op.getKind() != ScatterKind::none)
    return reportKind(op, op.getKind());
  SymExpr size = b.getShapes().getShape(op.getInput())[op.getAxis()];
  Value input = results[0];
  if (!adds)
    input =
        b.create<ScatterElementsOp>(ScatterKind::none, input, op.getIndices(),
                                    b.zerosLike(op.getUpdates()), op.getAxis());
  Value read =
      b.create<GatherElementsOp>(results[0], op.getIndices(), op.getAxis());
  Value counts = adds ? isInRange(b, op.getIndices(), size) : getWritten(op, b);
  Value updates = b.keepIf(counts, read);
  gradients.append({input, Value(), updates});
  return success(input && updates);
}

/// As above, for slices. Of an index tuple that is given twice without
/// addition, ONNX leaves open what is written.
static LogicalResult buildScatterNdGradients(ScatterNdOp op, RuleBuilder &b,
                                             ArrayRef<Value> results,
                                             Values &gradients) {
  bool adds = op.getKind() == ScatterKind::add;
  if (!adds && op.getKind() != ScatterKind::none)
    return reportKind(op, op.getKind());
  Value input = results[0];
  if (!adds)
    input = b.create<ScatterNdOp>(ScatterKind::none, input, op.getIndices(),
                                  b.zerosLike(op.getUpdates()));
  Value updates =
      b.create<GatherNdOp>(results[0], op.getIndices(), /*batch_dims=*/0);
  gradients.append({input, Value(), updates});
  return success(input && updates);
}

static LogicalResult buildTopKGradients(TopKOp op, RuleBuilder &b,
                                        ArrayRef<Value> results,
                                        Values &gradients) {
  return giveGradients(
      b.create<ScatterElementsOp>(ScatterKind::add, b.zerosLike(op.getInput()),
                                  op.getIndices(), results[0], op.getAxis()),
      gradients);
}

/// Reversing again brings each element back.
static LogicalResult buildReverseSequenceGradients(ReverseSequenceOp op,
                                                   RuleBuilder &b,
                                                   ArrayRef<Value> results,
                                                   Values &gradients) {
  Value gradient = b.create<ReverseSequenceOp>(
      results[0], op.getLengths(), op.getBatchAxis(), op.getTimeAxis());
  gradients.append({gradient, Value()});
  return success(!!gradient);
}

void lz::attachIndexGradients(MLIRContext &context) {
  attachGradient<GatherOp, buildGatherGradients>(context);
  attachGradient<GatherElementsOp, buildGatherElementsGradients>(context);
  attachGradient<GatherNdOp, buildGatherNdGradients>(context);
  attachGradient<ScatterElementsOp, buildScatterElementsGradients>(context);
  attachGradient<ScatterNdOp, buildScatterNdGradients>(context);
  attachGradient<TopKOp, buildTopKGradients>(context);
  attachGradient<ReverseSequenceOp, buildReverseSequenceGradients>(context);
}
