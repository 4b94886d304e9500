//===- FoldConstants.cpp - operations on constants, computed now ----------===//
//
// By the reference evaluator, which is slow: only small tensors, and nothing
// that would make the model larger.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "dialects/lz/Reference/Evaluator.h"
#include "dialects/lz/Reference/Fold.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/graph/Passes.h"

namespace lz {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "passes/graph/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

/// Results of up to this many elements may be larger than the operands.
static constexpr int64_t kSmall = 64;

/// The constants that `op` reads; none if it reads anything else.
static std::optional<SmallVector<ElementsAttr>> getOperands(Operation *op) {
  SmallVector<ElementsAttr> operands;
  for (Value operand : op->getOperands()) {
    auto constant = operand.getDefiningOp<ConstantOp>();
    if (!constant)
      return std::nullopt;
    operands.push_back(constant.getValue());
  }
  return operands;
}

/// True if neither operands nor results are too large to fold by plain loops.
static bool isSmallEnough(Operation *op, int64_t maxElements) {
  int64_t read = 0;
  for (Value operand : op->getOperands())
    read += cast<ShapedType>(operand.getType()).getNumElements();
  return read <= maxElements &&
         llvm::all_of(op->getResultTypes(), [&](Type result) {
           auto type = dyn_cast<RankedTensorType>(result);
           return type && type.hasStaticShape() &&
                  type.getNumElements() <= std::max(kSmall, read);
         });
}

namespace {

struct FoldConstantsPass : lz::impl::FoldConstantsPassBase<FoldConstantsPass> {
  using FoldConstantsPassBase::FoldConstantsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LzDialect>();
    registerReferenceModels(registry);
  }

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      fold(op);
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }

private:
  void fold(Operation *op) {
    if (isa<ConstantOp>(op) || op->getNumResults() == 0 || op->use_empty())
      return;
    auto operands = getOperands(op);
    if (!operands)
      return;
    if (!isSmallEnough(op, maxElements)) {
      remark::missed(
          op->getLoc(),
          remark::RemarkOpts::name("not-folded").category(getArgument()))
          << "operands or results are too large to compute here";
      return;
    }
    auto values = foldOperation(op, *operands);
    if (failed(values))
      return;
    OpBuilder builder(op);
    for (auto [result, value] : llvm::zip_equal(op->getResults(), *values)) {
      if (value.getType() != result.getType())
        continue;
      result.replaceAllUsesWith(
          ConstantOp::create(builder, op->getLoc(),
                             cast<RankedTensorType>(result.getType()), value));
    }
  }
};

} // namespace
