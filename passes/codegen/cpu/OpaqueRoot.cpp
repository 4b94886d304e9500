//===- OpaqueRoot.cpp - kernels that are C++ loops ------------------------===//
//
// A kernel of one irregular operation becomes a call of lz_<operation>_<type>;
// see kernels/Kernels.h for these functions. What they need besides pointers
// and numbers (lists of sizes, a description of a recurrent network) is written
// to the chunk's scratch memory first.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/cpu/OpaqueCall.h"
#include "passes/codegen/cpu/RootEmitter.h"

using namespace mlir;
using namespace lz;

/// The one operation of a kernel besides constants, if it is irregular.
static Operation *getOpaque(const KernelInfo &kernel) {
  Operation *found = nullptr;
  for (Operation &op : kernel.getBody()) {
    if (isa<ConstantOp>(op))
      continue;
    if (found)
      return nullptr;
    found = &op;
  }
  return found && findOpaqueRule(found) ? found : nullptr;
}

static bool matches(const KernelInfo &kernel) {
  return getOpaque(kernel) != nullptr;
}

/// Scratch memory of one chunk, in whole cache lines.
static SymExpr getChunkBytes(const KernelInfo &kernel, const OpaquePlan &plan) {
  SymExpr line = kernel.constant(64);
  return (plan.scratchBytes + 63).floorDiv(line) * 64;
}

static KernelPlan planOf(const KernelInfo &kernel, const OpaquePlan &own) {
  KernelPlan plan = makePlan(kernel, own.iterations, own.cost);
  // Each chunk has scratch memory of its own: not too many of them.
  plan.grain = plan.grain.max(own.iterations.ceilDiv(kernel.constant(32)));
  plan.scratchBytes =
      own.iterations.ceilDiv(plan.grain) * getChunkBytes(kernel, own);
  return plan;
}

static KernelPlan plan(const KernelInfo &kernel) {
  Operation *op = getOpaque(kernel);
  return planOf(kernel, findOpaqueRule(op)->plan(kernel, op));
}

static void emit(ElementEmitter &e) {
  Operation *op = getOpaque(e.kernel);
  const OpaqueRule &rule = *findOpaqueRule(op);
  OpaquePlan own = rule.plan(e.kernel, op);
  KernelBuilder &kb = e.kb;
  kb.setLoc(op->getLoc());
  Value chunk = kb.divide(kb.getLo(), kb.getSize(planOf(e.kernel, own).grain));
  Buffer bytes = kb.getScratch(kb.getBuilder().getI8Type());
  bytes.pointer = kb.getAddress(
      bytes, kb.mul(chunk, kb.getSize(getChunkBytes(e.kernel, own))));
  OpaqueCall call(e, op, bytes);
  rule.emit(call, op);
}

RootEmitter lz::getOpaqueRoot() { return {"opaque", matches, plan, emit}; }
