//===- ChunkScratch.cpp - scratch memory of each chunk --------------------===//

#include "passes/codegen/cpu/ChunkScratch.h"

using namespace mlir;
using namespace lz;

static constexpr int64_t kLineBytes = 64;
static constexpr int64_t kMostChunks = 32;

SymExpr lz::roundToLines(SymExpr bytes) {
  SymExpr line = SymExpr::constant(bytes.getContext(), kLineBytes);
  return bytes.ceilDiv(line) * kLineBytes;
}

void lz::setChunkScratch(const KernelInfo &kernel, KernelPlan &plan,
                         SymExpr chunkBytes) {
  // Chunks with memory of their own are worth more: the first run has to get
  // all of it from the system.
  SymExpr most = kernel.constant(kMostChunks);
  plan.grain = (plan.grain * 2).max(plan.iterations.ceilDiv(most));
  plan.scratchBytes = plan.iterations.ceilDiv(plan.grain) * chunkBytes;
}

ChunkScratch::ChunkScratch(KernelBuilder &kb, const KernelPlan &plan,
                           SymExpr chunkBytes)
    : kb(kb) {
  Value chunk = kb.divide(kb.getLo(), kb.getSize(plan.grain));
  start = kb.mul(chunk, kb.getSize(chunkBytes));
}

Buffer ChunkScratch::getPart(Type elementType, SymExpr offset) const {
  Buffer bytes = kb.getScratch(kb.getBuilder().getI8Type());
  Value position = kb.add(start, kb.getSize(offset));
  return {kb.getAddress(bytes, position), elementType, bytes.group};
}
