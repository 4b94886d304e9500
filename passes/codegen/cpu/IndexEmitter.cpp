//===- IndexEmitter.cpp - operations steered by index data ----------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

/// The index that `scalar` stands for along a dimension of `size`: negative
/// ones count from the end, and what is outside is the nearest inside.
static Value getPosition(KernelBuilder &kb, Value scalar, SymExpr size) {
  Value index = toIndex(kb, scalar), zero = kb.getIndex(0);
  Value end = kb.getSize(size);
  Value isNegative = kb.compare(arith::CmpIPredicate::slt, index, zero);
  index = kb.select(isNegative, kb.add(index, end), index);
  return kb.clamp(index, zero, kb.getSize(size - 1));
}

/// Element `dims` of `tensor`, whose dimension of `size` is read at a position
/// that data gives: 0 if that dimension has no elements.
static Value emitUnlessEmpty(ElementEmitter &e, Value tensor, SymExpr size,
                             ArrayRef<Value> dims) {
  if (size.isAtLeast(1))
    return e.emit(tensor, dims);
  KernelBuilder &kb = e.kb;
  Type type = getComputeType(getElementTypeOrSelf(tensor));
  Value hasElements =
      kb.compare(arith::CmpIPredicate::sgt, kb.getSize(size), kb.getIndex(0));
  return kb.choose(
      type, hasElements, [&] { return e.emit(tensor, dims); },
      [&] { return kb.getScalar(type, 0); });
}

static Value emitGather(ElementEmitter &e, GatherOp op, OpResult result,
                        const Index &index) {
  SmallVector<Value> dims = e.getDims(result, index);
  int64_t axis = op.getAxis();
  size_t count = e.getShape(op.getIndices()).size();
  ArrayRef<Value> all(dims);
  SymExpr size = e.getShape(op.getInput())[axis];
  Value position = getPosition(
      e.kb, e.emit(op.getIndices(), Index(all.slice(axis, count))), size);
  SmallVector<Value> source(all.take_front(axis));
  source.push_back(position);
  source.append(all.begin() + axis + count, all.end());
  return emitUnlessEmpty(e, op.getInput(), size, source);
}

static Value emitGatherElements(ElementEmitter &e, GatherElementsOp op,
                                OpResult result, const Index &index) {
  SmallVector<Value> dims = e.getDims(result, index);
  SymExpr size = e.getShape(op.getInput())[op.getAxis()];
  dims[op.getAxis()] = getPosition(e.kb, e.emit(op.getIndices(), dims), size);
  return emitUnlessEmpty(e, op.getInput(), size, dims);
}

static Value emitGatherNd(ElementEmitter &e, GatherNdOp op, OpResult result,
                          const Index &index) {
  SmallVector<Value> dims = e.getDims(result, index);
  ArrayRef<Value> all(dims);
  ArrayRef<SymExpr> input = e.getShape(op.getInput());
  ArrayRef<SymExpr> indices = e.getShape(op.getIndices());
  std::optional<int64_t> depth = indices.back().getConstant();
  if (!depth) {
    e.kb.fail(op, "needs indices whose last dimension is known; it is " +
                      Twine(indices.back().str()));
    return e.kb.getScalar(getComputeType(getElementTypeOrSelf(result)), 0);
  }
  size_t outer = indices.size() - 1, batch = op.getBatchDims();
  SmallVector<Value> source(all.take_front(batch));
  SymExpr smallest = e.kernel.constant(1); // 0 if any indexed size is
  for (int64_t i = 0; i != *depth; ++i) {
    SmallVector<Value> at(all.take_front(outer));
    at.push_back(e.kb.getIndex(i));
    SymExpr size = input[batch + i];
    smallest = smallest * size;
    source.push_back(getPosition(e.kb, e.emit(op.getIndices(), at), size));
  }
  source.append(all.begin() + outer, all.end());
  return emitUnlessEmpty(e, op.getInput(), smallest, source);
}

static Value emitOneHot(ElementEmitter &e, OneHotOp op, OpResult result,
                        const Index &index) {
  KernelBuilder &kb = e.kb;
  SmallVector<Value> dims = e.getDims(result, index);
  Value column = dims[op.getAxis()];
  dims.erase(dims.begin() + op.getAxis());
  Type element = getElementTypeOrSelf(op.getIndices());
  Value hot = emitCast(kb, e.emit(op.getIndices(), dims), element,
                       kb.getBuilder().getI64Type());
  Value depth = kb.getSize(getExprs(op.getDepth()).front());
  Value isNegative = kb.compare(arith::CmpIPredicate::slt, hot, kb.getIndex(0));
  hot = kb.select(isNegative, kb.add(hot, depth), hot);
  Value isHot = kb.compare(arith::CmpIPredicate::eq, hot, column);
  Value off = e.emit(op.getValues(), Index(kb.getIndex(0)));
  Value on = e.emit(op.getValues(), Index(kb.getIndex(1)));
  return kb.select(isHot, on, off);
}

static Value emitReverseSequence(ElementEmitter &e, ReverseSequenceOp op,
                                 OpResult result, const Index &index) {
  KernelBuilder &kb = e.kb;
  SmallVector<Value> dims = e.getDims(result, index);
  Value time = dims[op.getTimeAxis()];
  Value length =
      toIndex(kb, e.emit(op.getLengths(), Index(dims[op.getBatchAxis()])));
  Value size = kb.getSize(e.getShape(op.getInput())[op.getTimeAxis()]);
  length = kb.clamp(length, kb.getIndex(0), size);
  Value reversed = kb.sub(kb.sub(length, kb.getIndex(1)), time);
  Value isInside = kb.compare(arith::CmpIPredicate::slt, time, length);
  dims[op.getTimeAxis()] = kb.select(isInside, reversed, time);
  return e.emit(op.getInput(), dims);
}

void lz::addIndexRules(ElementRules &rules) {
  rules.add<GatherOp>(emitGather);
  rules.add<GatherElementsOp>(emitGatherElements);
  rules.add<GatherNdOp>(emitGatherNd);
  rules.add<OneHotOp>(emitOneHot);
  rules.add<ReverseSequenceOp>(emitReverseSequence);
}
