//===- PadRoot.cpp - constant borders around rows -------------------------===//
//
// A kernel that returns one lz.pad by a constant. An iteration is a row: the
// last padded dimension with all that follow it. It is a border, then a piece
// of the input, then a border, in three loops without tests; a row outside of
// the input is all border.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/Nest.h"
#include "passes/codegen/cpu/RootEmitter.h"

using namespace mlir;
using namespace lz;

static PadOp getPad(const KernelInfo &kernel) {
  if (kernel.getResults().size() != 1)
    return nullptr;
  auto pad = kernel.getResults().front().getDefiningOp<PadOp>();
  bool isConstant = pad && pad.getKind() == PadKind::constant;
  return isConstant && !kernel.getShape(pad.getResult()).empty() ? pad
                                                                 : nullptr;
}

static bool matches(const KernelInfo &kernel) {
  return static_cast<bool>(getPad(kernel));
}

/// The dimension at which rows begin: the last one that is padded, if the input
/// can be read by position, else the last one.
static size_t getRowDim(const KernelInfo &kernel, PadOp pad) {
  SymShape low = getExprs(pad.getLow()), high = getExprs(pad.getHigh());
  size_t dim = low.size() - 1;
  if (isFlat(kernel, pad.getInput()))
    while (dim > 0 && low[dim].isConstant(0) && high[dim].isConstant(0))
      --dim;
  return dim;
}

static KernelPlan plan(const KernelInfo &kernel) {
  PadOp pad = getPad(kernel);
  ArrayRef<SymExpr> shape = kernel.getShape(pad.getResult());
  size_t dim = getRowDim(kernel, pad);
  MLIRContext *context = kernel.getContext();
  return makePlan(kernel, getProduct(context, shape.take_front(dim)),
                  getProduct(context, shape.drop_front(dim)) *
                      getElementCost(kernel));
}

namespace {

struct PadRowEmitter {
  PadRowEmitter(ElementEmitter &e, PadOp pad)
      : e(e), kb(e.kb), pad(pad), dim(getRowDim(e.kernel, pad)),
        low(getExprs(pad.getLow())), input(e.getShape(pad.getInput())),
        result(e.getShape(pad.getResult())) {}

  void emitRow(Value row);

private:
  Value getFill();
  /// Sets the input's indices; true if they are inside, null if surely.
  Value locate(ArrayRef<Value> at);
  Value emitElement(Value place, Value first);

  ElementEmitter &e;
  KernelBuilder &kb;
  PadOp pad;
  size_t dim;
  SymShape low;
  ArrayRef<SymExpr> input, result;
  SmallVector<Value> source; // the input's dimensions before the row's
};

} // namespace

Value PadRowEmitter::getFill() {
  Value value = pad.getValue();
  if (!value)
    return kb.getScalar(getComputeType(getElementTypeOrSelf(pad.getInput())),
                        0);
  return e.emit(value,
                SmallVector<Value>(e.getShape(value).size(), kb.getIndex(0)));
}

Value PadRowEmitter::locate(ArrayRef<Value> at) {
  Value isInside;
  source.clear();
  for (auto [index, before, size] : llvm::zip(at, low, input)) {
    source.push_back(kb.sub(index, kb.getSize(before)));
    // One comparison, in which what is negative is large.
    Value isHere =
        kb.compare(arith::CmpIPredicate::ult, source.back(), kb.getSize(size));
    isInside = isInside ? kb.create<arith::AndIOp>(isInside, isHere) : isHere;
  }
  return isInside;
}

/// The input's element for `place` of the row, where its piece begins at
/// `first`.
Value PadRowEmitter::emitElement(Value place, Value first) {
  Value offset = kb.sub(place, first);
  if (dim + 1 != input.size()) {
    Value start = kb.mul(kb.linearize(source, input.take_front(dim)),
                         kb.getSize(input.drop_front(dim)));
    return e.emit(pad.getInput(), Index::flat(kb.add(start, offset)));
  }
  SmallVector<Value> at(source);
  at.push_back(offset);
  return e.emit(pad.getInput(), at);
}

void PadRowEmitter::emitRow(Value row) {
  Value isInside = locate(kb.delinearize(row, result.take_front(dim)));
  MLIRContext *context = kb.getContext();
  SymExpr inner = getProduct(context, input.drop_front(dim + 1));
  Value width = kb.getSize(result.drop_front(dim));
  Value begin = kb.getSize(low[dim] * inner);
  Value first = kb.clamp(begin, kb.getIndex(0), width);
  Value end = kb.add(begin, kb.getSize(input.drop_front(dim)));
  Value last = kb.clamp(end, first, width);
  if (isInside) {
    first = kb.select(isInside, first, width);
    last = kb.select(isInside, last, width);
  }
  Value start = kb.mul(row, width), fill = getFill();
  auto emitBorder = [&](Value from, Value to) {
    kb.loop(from, to, [&](Value place) {
      kb.store(kb.getResult(0), kb.add(start, place), fill);
    });
  };
  emitBorder(kb.getIndex(0), first);
  kb.loop(first, last, [&](Value place) {
    kb.store(kb.getResult(0), kb.add(start, place), emitElement(place, begin));
  });
  emitBorder(last, width);
}

static void emit(ElementEmitter &e) {
  PadRowEmitter rows(e, getPad(e.kernel));
  e.kb.loop(e.kb.getLo(), e.kb.getHi(),
            [&](Value iteration) { rows.emitRow(iteration); });
}

RootEmitter lz::getPadRoot() { return {"pad", matches, plan, emit}; }
