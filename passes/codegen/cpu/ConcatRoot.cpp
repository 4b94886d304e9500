//===- ConcatRoot.cpp - one copy loop per operand -------------------------===//
//
// A kernel that returns one lz.concat. Parallel iterations are the positions of
// the dimensions before the axis; for each, every operand is copied (or rather
// computed) in its own loops, so that no loop has to ask where it is.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/Nest.h"
#include "passes/codegen/cpu/RootEmitter.h"

using namespace mlir;
using namespace lz;

static ConcatOp getConcat(const KernelInfo &kernel) {
  if (kernel.getResults().size() != 1)
    return nullptr;
  return kernel.getResults().front().getDefiningOp<ConcatOp>();
}

static bool matches(const KernelInfo &kernel) {
  return static_cast<bool>(getConcat(kernel));
}

static KernelPlan plan(const KernelInfo &kernel) {
  ConcatOp concat = getConcat(kernel);
  ArrayRef<SymExpr> shape = kernel.getShape(concat.getResult());
  int64_t axis = concat.getAxis();
  SymExpr inner = getProduct(kernel.getContext(), shape.drop_front(axis));
  return makePlan(kernel,
                  getProduct(kernel.getContext(), shape.take_front(axis)),
                  inner * getElementCost(kernel));
}

/// Loops over the dimensions from `dim` on of `input`, whose elements start at
/// `start` of the result's axis.
static void emitCopy(ElementEmitter &e, ConcatOp concat, Value input,
                     SmallVector<Value> &dims, size_t dim, Value start) {
  KernelBuilder &kb = e.kb;
  ArrayRef<SymExpr> shape = e.getShape(input);
  if (dim != shape.size()) {
    kb.loop(kb.getIndex(0), kb.getSize(shape[dim]), [&](Value index) {
      dims[dim] = index;
      emitCopy(e, concat, input, dims, dim + 1, start);
    });
    return;
  }
  Value scalar = e.emit(input, dims);
  SmallVector<Value> target(dims);
  target[concat.getAxis()] = kb.add(target[concat.getAxis()], start);
  kb.store(kb.getResult(0),
           kb.linearize(target, e.getShape(concat.getResult())), scalar);
}

static void emit(ElementEmitter &e) {
  KernelBuilder &kb = e.kb;
  ConcatOp concat = getConcat(e.kernel);
  int64_t axis = concat.getAxis();
  ArrayRef<SymExpr> shape = e.getShape(concat.getResult());
  kb.loop(kb.getLo(), kb.getHi(), [&](Value iteration) {
    SmallVector<Value> dims = kb.delinearize(iteration, shape.take_front(axis));
    dims.resize(shape.size());
    SymExpr start = e.kernel.constant(0);
    for (Value input : concat.getInputs()) {
      emitCopy(e, concat, input, dims, axis, kb.getSize(start));
      start = start + e.getShape(input)[axis];
    }
  });
}

RootEmitter lz::getConcatRoot() { return {"concat", matches, plan, emit}; }
