//===- BorderEmitter.cpp - pad and concat ---------------------------------===//
//
// Where an element comes from depends on where it lies. Indices are clamped
// and the choice made by selects if that cannot read what isn't there; else a
// branch is taken.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

/// The remainder of `index` by `size`, not negative; `size` is at least 1.
static Value emitModulo(KernelBuilder &kb, Value index, Value size) {
  Value rest = kb.create<arith::RemSIOp>(index, size);
  Value isNegative =
      kb.compare(arith::CmpIPredicate::slt, rest, kb.getIndex(0));
  return kb.select(isNegative, kb.add(rest, size), rest);
}

/// Where `index`, counted from the input's start, is read from.
static Value mapPadded(KernelBuilder &kb, PadKind kind, Value index,
                       SymExpr size) {
  Value zero = kb.getIndex(0), one = kb.getIndex(1);
  switch (kind) {
  case PadKind::constant:
  case PadKind::edge:
    return kb.maximum(kb.minimum(index, kb.getSize(size - 1)), zero);
  case PadKind::wrap:
    return emitModulo(kb, index, kb.maximum(kb.getSize(size), one));
  case PadKind::reflect: {
    Value period = kb.maximum(kb.getSize((size - 1) * 2), one);
    Value rest = emitModulo(kb, index, period);
    return kb.maximum(kb.minimum(rest, kb.sub(period, rest)), zero);
  }
  }
  llvm_unreachable("unknown padding");
}

namespace {

/// The source of one element of an lz.pad.
struct PadSource {
  SmallVector<Value> dims;
  Value isInside; // null if it surely is
  bool mayBeEmpty = false;
};

} // namespace

static Value emitAnd(KernelBuilder &kb, Value a, Value b) {
  return a ? kb.create<arith::AndIOp>(a, b) : b;
}

static PadSource getPadSource(ElementEmitter &e, PadOp op,
                              ArrayRef<Value> dims) {
  KernelBuilder &kb = e.kb;
  SymShape low = getExprs(op.getLow()), high = getExprs(op.getHigh());
  PadSource source;
  for (auto [dim, index] : llvm::enumerate(dims)) {
    SymExpr size = e.getShape(op.getInput())[dim];
    Value shifted = kb.sub(index, kb.getSize(low[dim]));
    bool isCropped =
        (low[dim] * -1).isAtLeast(0) && (high[dim] * -1).isAtLeast(0);
    if (isCropped) {
      source.dims.push_back(shifted);
      continue;
    }
    source.mayBeEmpty |= !size.isAtLeast(1);
    source.dims.push_back(mapPadded(kb, op.getKind(), shifted, size));
    // One comparison, in which what is negative is large.
    Value isInside =
        kb.compare(arith::CmpIPredicate::ult, shifted, kb.getSize(size));
    if (op.getKind() != PadKind::constant)
      isInside = kb.compare(arith::CmpIPredicate::sgt, kb.getSize(size),
                            kb.getIndex(0));
    if (op.getKind() == PadKind::constant || !size.isAtLeast(1))
      source.isInside = emitAnd(kb, source.isInside, isInside);
  }
  return source;
}

static Value emitPad(ElementEmitter &e, PadOp op, OpResult result,
                     const Index &index) {
  KernelBuilder &kb = e.kb;
  Type type = getComputeType(getElementTypeOrSelf(result));
  PadSource source = getPadSource(e, op, e.getDims(result, index));
  auto emitInside = [&] { return e.emit(op.getInput(), source.dims); };
  if (!source.isInside)
    return emitInside();
  Value fill = kb.getScalar(type, 0);
  if (Value value = op.getValue())
    fill = e.emit(value,
                  SmallVector<Value>(e.getShape(value).size(), kb.getIndex(0)));
  if (source.mayBeEmpty)
    return kb.choose(type, source.isInside, emitInside, [&] { return fill; });
  return kb.select(source.isInside, emitInside(), fill);
}

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

/// The element of operand `number` or a later one that lies at `dims`, where
/// `start` is the operand's first index along the axis.
static Value emitConcatFrom(ElementEmitter &e, ConcatOp op, unsigned number,
                            ArrayRef<Value> dims, SymExpr start) {
  KernelBuilder &kb = e.kb;
  Value input = op.getInputs()[number];
  int64_t axis = op.getAxis();
  SmallVector<Value> at(dims);
  at[axis] = kb.sub(at[axis], kb.getSize(start));
  if (number + 1 == op.getInputs().size())
    return e.emit(input, at);
  SymExpr end = start + e.getShape(input)[axis];
  Value isHere =
      kb.compare(arith::CmpIPredicate::slt, dims[axis], kb.getSize(end));
  return kb.choose(
      getComputeType(getElementTypeOrSelf(input)), isHere,
      [&] { return e.emit(input, at); },
      [&] { return emitConcatFrom(e, op, number + 1, dims, end); });
}

static Value emitConcat(ElementEmitter &e, ConcatOp op, OpResult result,
                        const Index &index) {
  return emitConcatFrom(e, op, 0, e.getDims(result, index),
                        e.kernel.constant(0));
}

void lz::addBorderRules(ElementRules &rules) {
  rules.add<PadOp>(emitPad);
  rules.add<ConcatOp>(emitConcat);
}
