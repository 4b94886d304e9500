//===- RootEmitter.cpp - the loop nests that kernels can have -------------===//

#include "passes/codegen/cpu/RootEmitter.h"

#include "passes/codegen/cpu/InPlace.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

ArrayRef<RootEmitter> lz::getRootEmitters() {
  static const RootEmitter roots[] = {
      getConcatRoot(),
      getAttentionRoot(),
      getDepthwiseRoot(),
      getGemvRoot(),
      getContractionRoot(),
      getPoolRoot(),
      getTransposeRoot(),
      getPadRoot(),
      getOpaqueRoot(),
      getPointwiseRoot(),
  };
  return roots;
}

const RootEmitter &lz::getRootEmitter(const KernelInfo &kernel) {
  return *llvm::find_if(getRootEmitters(), [&](const RootEmitter &root) {
    return root.matches(kernel);
  });
}

KernelPlan lz::planKernel(const KernelInfo &kernel) {
  const RootEmitter &root = getRootEmitter(kernel);
  KernelPlan plan = root.plan(kernel);
  if (root.storesOnce && plan.iterations)
    llvm::append_range(plan.inPlace, getInPlaceOperands(kernel));
  return plan;
}

FailureOr<KernelPlan> lz::planKernel(func::FuncOp kernel,
                                     const targets::CpuTarget &target) {
  FailureOr<KernelInfo> info = KernelInfo::get(kernel, target);
  if (failed(info))
    return failure();
  KernelPlan plan = planKernel(*info);
  if (!plan.iterations)
    return failure();
  return plan;
}

/// About 10 us of one core, several times what it costs to start a chunk.
static constexpr int64_t kChunkCost = 65536;

KernelPlan lz::makePlan(const KernelInfo &kernel, SymExpr iterations,
                        SymExpr cost) {
  SymExpr one = kernel.constant(1);
  SymExpr grain = kernel.constant(kChunkCost).floorDiv(cost.max(one)).max(one);
  // Chunks of many cheap iterations start at whole cache lines.
  if (std::optional<int64_t> known = grain.getConstant(); known && *known > 64)
    grain = kernel.constant(*known & ~int64_t{63});
  return {iterations, grain, kernel.constant(0)};
}
