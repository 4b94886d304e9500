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

static void emit(ElementEmitter &emitter) {
  KernelBuilder &kb = emitter.kb;
  FailureOr<Nest> nest = getNest(emitter.kernel);
  if (failed(nest))
    return kb.fail(emitter.kernel.getFunction(), "has no loop nest");
  emitNest(emitter, *nest, [&](const Index &index) {
    for (auto [number, stored] : llvm::enumerate(nest->stored)) {
      Value scalar = emitter.emit(stored, index);
      Value position = index.position ? index.position
                                      : kb.linearize(index.dims, nest->shape);
      kb.store(kb.getResult(number), position, scalar);
    }
  });
}

RootEmitter lz::getPointwiseRoot() {
  return {"pointwise", matches, plan, emit};
}
