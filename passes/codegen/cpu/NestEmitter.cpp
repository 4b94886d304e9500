//===- NestEmitter.cpp - the loops over a kernel's results ----------------===//

#include "passes/codegen/cpu/Nest.h"

#include "dialects/lz/IR/LzOps.h"

using namespace mlir;
using namespace lz;

/// Computes before the inner loops what all their iterations share.
static void emitShared(ElementEmitter &emitter, const Nest &nest,
                       ArrayRef<Value> dims) {
  for (Operation *op : nest.shared) {
    Value result = op->getResult(0);
    if (cast<FusionOpInterface>(op).getFusionKind() == FusionKind::Row)
      emitRowStatistics(emitter, op, dims);
    else
      emitter.emit(result, emitter.broadcast(result, dims, nest.shape));
  }
}

/// Loops over `size` indices in pieces of `period`.
static void emitPeriods(KernelBuilder &kb, SymExpr size, SymExpr period,
                        function_ref<void(Value)> body) {
  Value length = kb.getSize(period);
  SymExpr count =
      size.floorDiv(period.max(SymExpr::constant(kb.getContext(), 1)));
  kb.loop(kb.getIndex(0), kb.getSize(count), [&](Value piece) {
    kb.loop(kb.getIndex(0), length,
            [&](Value offset) { body(kb.join(piece, length, offset)); });
  });
}

static void emitInner(ElementEmitter &emitter, const Nest &nest,
                      SmallVector<Value> &dims, unsigned depth,
                      function_ref<void(const Index &)> body) {
  if (depth == nest.inner.size())
    return body(dims);
  unsigned dim = nest.inner[depth];
  KernelBuilder &kb = emitter.kb;
  bool isLast = depth + 1 == nest.inner.size();
  auto emitAt = [&](Value index) {
    dims[dim] = index;
    emitInner(emitter, nest, dims, depth + 1, body);
  };
  if (isLast && nest.period)
    return emitPeriods(kb, nest.sizes[dim], nest.period, emitAt);
  int64_t repeat = isLast ? nest.repeat : 1;
  SymExpr steps = nest.sizes[dim].floorDiv(emitter.kernel.constant(repeat));
  kb.loop(kb.getIndex(0), kb.getSize(steps), [&](Value step) {
    for (int64_t i = 0; i != repeat; ++i)
      emitAt(kb.join(step, kb.getIndex(repeat), kb.getIndex(i)));
  });
}

/// One iteration, whose indices `dims` are known but for the inner loops'. In
/// place of its channel there is the group.
static void emitIteration(ElementEmitter &emitter, const Nest &nest,
                          SmallVector<Value> dims,
                          function_ref<void(const Index &)> body) {
  KernelBuilder &kb = emitter.kb;
  Value group, size;
  if (nest.groupSize) {
    group = dims[1];
    size = kb.getSize(nest.groupSize);
    dims[1] = kb.join(group, size, kb.getIndex(0));
  }
  emitShared(emitter, nest, dims);
  if (!nest.groupSize)
    return emitInner(emitter, nest, dims, 0, body);
  kb.loop(kb.getIndex(0), size, [&](Value channel) {
    dims[1] = kb.join(group, size, channel);
    emitInner(emitter, nest, dims, 0, body);
  });
}

/// Loops over the lanes of block `block`; `inLane` gets their index.
static void emitLanes(KernelBuilder &kb, const Nest &nest, Value block,
                      function_ref<void(Value)> inLane) {
  Value most = kb.getIndex(kLanes);
  Value start = kb.mul(block, most);
  Value rest = kb.sub(kb.getSize(nest.sizes[*nest.lanes]), start);
  kb.loopOverLanes(kb.minimum(rest, most),
                   [&](Value lane) { inLane(kb.add(start, lane)); });
}

/// The iterations [lo, hi), in each of the lanes.
static void emitInLanes(ElementEmitter &emitter, const Nest &nest,
                        function_ref<void(const Index &)> body) {
  KernelBuilder &kb = emitter.kb;
  SymShape outer = nest.getOuterSizes();
  kb.loop(kb.getIndex(0), kb.getSize(nest.getBlockCount()), [&](Value block) {
    emitLanes(kb, nest, block, [&](Value lane) {
      kb.loop(kb.getLo(), kb.getHi(), [&](Value iteration) {
        SmallVector<Value> dims(nest.shape.size(), kb.getIndex(0));
        SmallVector<Value> indices = kb.delinearize(iteration, outer);
        for (auto [dim, index] : llvm::zip(nest.outer, indices))
          dims[dim] = index;
        dims[*nest.lanes] = lane;
        emitIteration(emitter, nest, dims, body);
      });
    });
  });
}

void lz::emitNest(ElementEmitter &emitter, const Nest &nest,
                  function_ref<void(const Index &)> body) {
  KernelBuilder &kb = emitter.kb;
  if (nest.areLanesOutside)
    return emitInLanes(emitter, nest, body);
  SymShape outer = nest.getOuterSizes();
  kb.loop(kb.getLo(), kb.getHi(), [&](Value iteration) {
    if (nest.isFlat)
      return body(Index::flat(iteration));
    SmallVector<Value> dims(nest.shape.size(), kb.getIndex(0));
    SmallVector<Value> indices = kb.delinearize(iteration, outer);
    for (auto [dim, index] : llvm::zip(nest.outer, indices))
      dims[dim] = index;
    if (!nest.lanes)
      return emitIteration(emitter, nest, dims, body);
    emitLanes(kb, nest, indices.back(), [&](Value lane) {
      dims[*nest.lanes] = lane;
      emitIteration(emitter, nest, dims, body);
    });
  });
}
