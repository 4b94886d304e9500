//===- VerifyFreeze.cpp - the contract of the freeze stage ----------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/graph/Passes.h"

namespace lz {
#define GEN_PASS_DEF_VERIFYFREEZEPASS
#include "passes/graph/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

namespace {

struct VerifyFreezePass : lz::impl::VerifyFreezePassBase<VerifyFreezePass> {
  void runOnOperation() override {
    bool valid = true;
    getOperation().walk([&](Operation *op) {
      if (!isa<ParamOp, ParameterOp>(op))
        return;
      op->emitOpError() << "is left for inference; lz-freeze-parameters should "
                           "have removed it";
      valid = false;
    });
    if (!valid)
      signalPassFailure();
  }
};

} // namespace
