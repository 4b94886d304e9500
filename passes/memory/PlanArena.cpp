//===- PlanArena.cpp - offsets of the parts of the arena ------------------===//

#include "dialects/lzx/IR/LzxDialect.h"
#include "kernels/PlaceBuffers.h"
#include "passes/schedule/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace lz {
#define GEN_PASS_DEF_PLANARENAPASS
#include "passes/schedule/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

static constexpr int64_t kAlignment = 64;

/// The sizes of `allocs`, rounded up; none if one is not a number.
static std::optional<SmallVector<int64_t>>
getConstantSizes(ArrayRef<lzx::AllocOp> allocs) {
  SmallVector<int64_t> sizes;
  for (lzx::AllocOp alloc : allocs) {
    std::optional<int64_t> bytes = getExprs(alloc.getBytes())[0].getConstant();
    if (!bytes)
      return std::nullopt;
    sizes.push_back(llvm::alignTo(*bytes, kAlignment));
  }
  return sizes;
}

namespace {

struct PlanArenaPass : lz::impl::PlanArenaPassBase<PlanArenaPass> {
  void runOnOperation() override {
    auto allocs = llvm::to_vector(getOperation().getOps<lzx::AllocOp>());
    auto sizes = getConstantSizes(allocs);
    if (!sizes)
      return;
    SmallVector<int64_t> first, last;
    for (lzx::AllocOp alloc : allocs) {
      first.push_back(alloc.getFirst());
      last.push_back(alloc.getLast());
    }
    SmallVector<int64_t> offsets(allocs.size()), scratch(2 * allocs.size());
    placeBuffers(allocs.size(), sizes->data(), first.data(), last.data(),
                 offsets.data(), scratch.data());
    for (auto [alloc, offset] : llvm::zip_equal(allocs, offsets))
      alloc.setOffset(offset);
  }
};

} // namespace
