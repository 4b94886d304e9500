//===- PlanArena.cpp - offsets of the parts of the arena ------------------===//

#include "dialects/lz/Symbols/SizeLimits.h"
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

/// The offsets of the parts; none if the arena would be too large.
static std::optional<SmallVector<int64_t>>
placeParts(ArrayRef<lzx::AllocOp> allocs, ArrayRef<int64_t> sizes) {
  // No sum of parts that are smaller can overflow.
  if (llvm::any_of(sizes, [](int64_t size) { return size > kMaxArenaBytes; }))
    return std::nullopt;
  SmallVector<int64_t> first, last;
  for (lzx::AllocOp alloc : allocs) {
    first.push_back(alloc.getFirst());
    last.push_back(alloc.getLast());
  }
  SmallVector<int64_t> offsets(allocs.size()), scratch(2 * allocs.size());
  int64_t end = placeBuffers(allocs.size(), sizes.data(), first.data(),
                             last.data(), offsets.data(), scratch.data());
  if (end > kMaxArenaBytes)
    return std::nullopt;
  return offsets;
}

namespace {

struct PlanArenaPass : lz::impl::PlanArenaPassBase<PlanArenaPass> {
  void runOnOperation() override {
    auto allocs = llvm::to_vector(getOperation().getOps<lzx::AllocOp>());
    auto sizes = getConstantSizes(allocs);
    if (!sizes)
      return;
    auto offsets = placeParts(allocs, *sizes);
    if (!offsets) {
      size_t largest = llvm::max_element(*sizes) - sizes->begin();
      allocs[largest].emitError()
          << "the arena would exceed " << kMaxArenaBytes
          << " bytes; its largest part takes " << (*sizes)[largest];
      return signalPassFailure();
    }
    for (auto [alloc, offset] : llvm::zip_equal(allocs, *offsets))
      alloc.setOffset(offset);
  }
};

} // namespace
