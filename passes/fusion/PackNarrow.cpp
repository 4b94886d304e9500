//===- PackNarrow.cpp - results of 2 and 4 bits ---------------------------===//
//
// Neighbouring elements of these types share a byte, which two iterations of a
// kernel can't write. Kernels compute one byte for each, and lz.pack joins them.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/fusion/FusionRules.h"
#include "passes/fusion/Passes.h"

namespace lz {
#define GEN_PASS_DEF_PACKNARROWPASS
#include "passes/fusion/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

/// A signed integer type of `bits` bits, or an unsigned one.
static Type getInteger(MLIRContext *context, unsigned bits, bool isSigned) {
  return IntegerType::get(
      context, bits, isSigned ? IntegerType::Signless : IntegerType::Unsigned);
}

/// A byte for each element of `value`.
static Value widen(OpBuilder &builder, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  if (isa<FloatType>(element)) {
    element = getInteger(builder.getContext(), element.getIntOrFloatBitWidth(),
                         /*isSigned=*/false);
    value = BitcastOp::create(builder, value.getLoc(), type.clone(element),
                              value, element);
  }
  Type byte = getInteger(builder.getContext(), 8, element.isSignlessInteger());
  return CastOp::create(builder, value.getLoc(), type.clone(byte), value, byte,
                        /*saturate=*/false);
}

static void pack(OpResult value) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  SmallVector<OpOperand *> uses(llvm::make_pointer_range(value.getUses()));
  Value bytes = widen(builder, value);
  auto packed =
      PackOp::create(builder, value.getLoc(), value.getType(), bytes,
                     cast<RankedTensorType>(value.getType()).getElementType());
  for (OpOperand *use : uses)
    use->set(packed);
}

namespace {

struct PackNarrowPass : lz::impl::PackNarrowPassBase<PackNarrowPass> {
  void runOnOperation() override {
    SmallVector<OpResult> narrow;
    getOperation().walk([&](Operation *op) {
      if (getGroupRole(op) == GroupRole::Bare || isa<PackOp>(op))
        return;
      for (OpResult result : op->getResults())
        if (sharesBytes(getElementTypeOrSelf(result)))
          narrow.push_back(result);
    });
    for (OpResult result : narrow)
      pack(result);
  }
};

} // namespace
