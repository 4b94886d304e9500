//===- EmitHost.cpp - programs to host functions --------------------------===//

#include "passes/codegen/host/HostFunctions.h"
#include "passes/codegen/host/Passes.h"

namespace lz {
#define GEN_PASS_DEF_EMITHOSTPASS
#include "passes/codegen/host/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

LLVM::LLVMFuncOp lz::getHostFunction(ModuleOp module, StringRef name,
                                     Type result, ArrayRef<Type> arguments) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder builder(module.getBodyRegion());
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(
      builder, module.getLoc(), name,
      LLVM::LLVMFunctionType::get(result, arguments));
}

Value lz::emitBytePointer(OpBuilder &builder, Location loc, Value base,
                          Value offset) {
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(),
                             base, ArrayRef<LLVM::GEPArg>{offset});
}

Value lz::emitSlotPointer(OpBuilder &builder, Location loc, Value base,
                          int64_t slot) {
  return LLVM::GEPOp::create(
      builder, loc, base.getType(), builder.getI64Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
}

Value lz::emitComparison(OpBuilder &builder, Location loc, lzx::CheckKind kind,
                         Value lhs, Value rhs) {
  auto compare = [&](LLVM::ICmpPredicate predicate, Value a, Value b) -> Value {
    return LLVM::ICmpOp::create(builder, loc, predicate, a, b);
  };
  if (kind == lzx::CheckKind::not_less)
    return compare(LLVM::ICmpPredicate::sge, lhs, rhs);
  Value holds = compare(LLVM::ICmpPredicate::eq, lhs, rhs);
  if (kind == lzx::CheckKind::equal)
    return holds;
  Value one = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), 1);
  for (Value side : {lhs, rhs})
    holds = LLVM::OrOp::create(builder, loc, holds,
                               compare(LLVM::ICmpPredicate::eq, side, one));
  return holds;
}

namespace {

struct EmitHostPass : lz::impl::EmitHostPassBase<EmitHostPass> {
  void runOnOperation() override {
    WeightsLayout weights(getOperation());
    auto programs = llvm::to_vector(getOperation().getOps<lzx::ProgramOp>());
    for (lzx::ProgramOp program : programs) {
      ProgramLayout layout(program);
      emitPrepare(getOperation(), program, layout);
      emitRun(getOperation(), program, layout, weights);
    }
  }
};

} // namespace
