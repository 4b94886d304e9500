//===- Simplify.cpp - remove what undoes, repeats or changes nothing ------===//

#include "passes/graph/SimplifyPatterns.h"

#include "dialects/lz/IR/LzDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/graph/Passes.h"
#include "passes/support/Rewrite.h"

namespace lz {
#define GEN_PASS_DEF_SIMPLIFYPASS
#include "passes/graph/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

namespace {

struct SimplifyPass : lz::impl::SimplifyPassBase<SimplifyPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateSimplifyElementwisePatterns(patterns);
    populateSimplifyMovementPatterns(patterns);
    if (failed(
            applyPatterns(getOperation(), std::move(patterns), getArgument())))
      signalPassFailure();
  }
};

} // namespace
