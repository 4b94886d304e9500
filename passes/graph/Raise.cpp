//===- Raise.cpp - operations from their spelled-out form -----------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/graph/Passes.h"
#include "passes/graph/RaiseMatchers.h"
#include "passes/support/Rewrite.h"

namespace lz {
#define GEN_PASS_DEF_RAISEPASS
#include "passes/graph/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

namespace {

struct RaisePass : lz::impl::RaisePassBase<RaisePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateRaiseGeluPatterns(patterns);
    populateRaiseLayerNormPatterns(patterns);
    populateRaiseSoftmaxPatterns(patterns);
    populateRaiseSwishPatterns(patterns);
    if (failed(
            applyPatterns(getOperation(), std::move(patterns), getArgument())))
      signalPassFailure();
  }
};

} // namespace
