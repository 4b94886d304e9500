//===- KeepLoopAnnotations.cpp - loop annotations that LLVM sees ----------===//

#include "passes/codegen/cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace lz {
#define GEN_PASS_DEF_KEEPLOOPANNOTATIONSPASS
#include "passes/codegen/cpu/Passes.h.inc"
} // namespace lz

static constexpr llvm::StringLiteral kDiscardable = "llvm.loop_annotation";

/// Moves the annotation to where translation to LLVM IR looks.
template <typename BranchOp> static void keepAnnotation(BranchOp branch) {
  auto annotation =
      branch->template getAttrOfType<LLVM::LoopAnnotationAttr>(kDiscardable);
  if (!annotation)
    return;
  branch.setLoopAnnotationAttr(annotation);
  branch->removeDiscardableAttr(kDiscardable);
}

namespace {

struct KeepLoopAnnotationsPass
    : lz::impl::KeepLoopAnnotationsPassBase<KeepLoopAnnotationsPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto branch = dyn_cast<LLVM::BrOp>(op))
        keepAnnotation(branch);
      else if (auto branch = dyn_cast<LLVM::CondBrOp>(op))
        keepAnnotation(branch);
    });
  }
};

} // namespace
