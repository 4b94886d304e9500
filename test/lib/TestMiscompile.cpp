//===- TestMiscompile.cpp - a pass with a bug -----------------------------===//
//
// Turns the first addition of every function into a subtraction. The IR stays
// valid; only running it shows the difference.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "test/lib/TestPasses.h"

using namespace mlir;
using namespace lz;

namespace {

struct TestMiscompilePass
    : PassWrapper<TestMiscompilePass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestMiscompilePass)

  StringRef getArgument() const override { return "test-miscompile"; }
  StringRef getDescription() const override {
    return "Turn the first addition of every function into a subtraction";
  }

  void runOnOperation() override {
    getOperation().walk([](BinaryOp op) {
      if (op.getKind() != BinaryKind::add)
        return WalkResult::advance();
      op.setKind(BinaryKind::sub);
      return WalkResult::interrupt();
    });
  }
};

} // namespace

std::unique_ptr<Pass> lz::test::createMiscompilePass() {
  return std::make_unique<TestMiscompilePass>();
}

void lz::test::registerTestPasses() { PassRegistration<TestMiscompilePass>(); }
