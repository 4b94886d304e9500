//===- EmitKernels.cpp - kernels of lz operations to loops ----------------===//

#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/Passes.h"
#include "passes/codegen/cpu/RootEmitter.h"

#include "dialects/lz/IR/LzDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/support/PassTarget.h"

using namespace mlir;

namespace lz {
#define GEN_PASS_DEF_EMITKERNELSPASS
#include "passes/codegen/cpu/Passes.h.inc"
} // namespace lz

using namespace lz;

/// Leaves on the loops what a launch must know.
static void setPlan(func::FuncOp loops, const KernelPlan &plan,
                    ArrayRef<SymExpr> params) {
  loops->setAttr("lzx.params", getExprArray(loops.getContext(), params));
  loops->setAttr("lzx.iterations", plan.iterations.getAttr());
  loops->setAttr("lzx.grain", plan.grain.getAttr());
  loops->setAttr("lzx.scratch", plan.scratchBytes.getAttr());
  SmallVector<int64_t> inPlace(plan.inPlace.begin(), plan.inPlace.end());
  loops->setAttr("lzx.in_place",
                 DenseI64ArrayAttr::get(loops.getContext(), inPlace));
}

LogicalResult lz::emitKernel(func::FuncOp kernel,
                             const targets::CpuTarget &target) {
  FailureOr<KernelInfo> info = KernelInfo::get(kernel, target);
  if (failed(info))
    return failure();
  KernelPlan plan = planKernel(*info);
  if (!plan.iterations)
    return failure();
  ElementRules rules;
  KernelBuilder builder(*info);
  ElementEmitter emitter(*info, rules, builder);
  getRootEmitter(*info).emit(emitter);
  FailureOr<func::FuncOp> loops = builder.finish();
  if (failed(loops))
    return failure();
  setPlan(*loops, plan, builder.getParams());
  kernel.erase();
  return success();
}

namespace {

struct EmitKernelsPass : lz::impl::EmitKernelsPassBase<EmitKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    auto target = getPassTarget(getOperation(), cpu, features);
    if (failed(target))
      return signalPassFailure();
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr("lzx.kernel"))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      if (failed(emitKernel(kernel, *target)))
        return signalPassFailure();
  }
};

} // namespace
