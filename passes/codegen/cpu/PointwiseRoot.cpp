//===- PointwiseRoot.cpp - one loop nest over the results -----------------===//
//
// The general root. All results have one shape, which the parallel iterations
// and the inner loops cover:
//
//   flat       iterations are elements; no indices are needed at all
//   rows       iterations are the positions of all dimensions but the inner
//              ones; what does not depend on the inner ones, such as the
//              statistics of a softmax row, is computed before their loops
//   elements   an element costs a loop of its own (a reduction), so iterations
//              are elements and there are no inner loops
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/Nest.h"
#include "passes/codegen/cpu/RootEmitter.h"

using namespace mlir;
using namespace lz;

static bool matches(const KernelInfo &) { return true; }

static KernelPlan plan(const KernelInfo &kernel) {
  FailureOr<Nest> nest = getNest(kernel);
  if (failed(nest))
    return {};
  return makePlan(kernel, nest->getIterations(),
                  getElementCost(kernel) * nest->getInnerCount());
}

/// The softmax whose rows can lie in the kernel's one result until the last
/// pass over them; null if there is none.
static SoftmaxOp getKeptSoftmax(const KernelInfo &kernel, const Nest &nest) {
  SoftmaxOp found;
  for (Operation &op : kernel.getBody())
    if (auto softmax = dyn_cast<SoftmaxOp>(op))
      found = softmax;
  if (!found || found.getKind() != SoftmaxKind::softmax ||
      nest.stored.size() != 1 ||
      !llvm::is_contained(nest.inner, found.getAxis()))
    return nullptr;
  Type element = getElementTypeOrSelf(found.getInput());
  bool isStored = element == getElementTypeOrSelf(nest.stored.front()) &&
                  (element.isF32() || element.isF64());
  return isStored && isMadeAround(kernel, found) ? found : nullptr;
}

static void emit(ElementEmitter &emitter) {
  KernelBuilder &kb = emitter.kb;
  FailureOr<Nest> nest = getNest(emitter.kernel);
  if (failed(nest))
    return kb.fail(emitter.kernel.getFunction(), "has no loop nest");
  if (SoftmaxOp softmax = getKeptSoftmax(emitter.kernel, *nest))
    emitter.row = {softmax, kb.getResult(0)};
  emitNest(emitter, *nest, [&](const Index &index) {
    for (auto [number, stored] : llvm::enumerate(nest->stored)) {
      Value scalar = emitter.emit(stored, index);
      kb.store(kb.getResult(number), emitter.getPosition(stored, index),
               scalar);
    }
  });
}

RootEmitter lz::getPointwiseRoot() {
  return {"pointwise", matches, plan, emit, /*storesOnce=*/true};
}
