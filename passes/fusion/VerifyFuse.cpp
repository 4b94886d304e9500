//===- VerifyFuse.cpp - the contract of the fuse stage --------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/fusion/FusionRules.h"
#include "passes/fusion/Passes.h"

namespace lz {
#define GEN_PASS_DEF_VERIFYFUSEPASS
#include "passes/fusion/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

namespace {

struct VerifyFusePass : lz::impl::VerifyFusePassBase<VerifyFusePass> {
  void runOnOperation() override {
    bool valid = true;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<FusionOp>(op))
        return WalkResult::skip();
      valid &= succeeded(verifyOp(op));
      return WalkResult::advance();
    });
    if (!valid)
      signalPassFailure();
  }

private:
  LogicalResult verifyOp(Operation *op) {
    if (isa<ParamOp>(op))
      return op->emitOpError() << "is left before scheduling; "
                                  "lz-freeze-parameters should have removed it";
    if (isConstantOrView(op) ||
        isa<func::FuncOp, func::ReturnOp, YieldOp, BindOp, IfOp, LoopOp>(op))
      return success();
    return op->emitOpError() << "is outside of lz.fusion; "
                                "lz-form-fusion-groups should have wrapped it";
  }
};

} // namespace
