//===- VerifyGraph.cpp - the contract of the graph stage ------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/graph/Passes.h"

namespace lz {
#define GEN_PASS_DEF_VERIFYGRAPHPASS
#include "passes/graph/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

/// Fails unless each dimension of `result` that is a constant is static.
static LogicalResult verifySizes(const ShapeAnalysis &shapes, OpResult result) {
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type || !shapes.hasShape(result))
    return success();
  for (auto [dim, size] : llvm::enumerate(shapes.getShape(result)))
    if (size.getConstant() && type.isDynamicDim(dim))
      return result.getOwner()->emitOpError()
             << "has dimension " << dim << " of known size " << size.str()
             << " left open in type " << type
             << "; lz-refine-types should have set it";
  return success();
}

/// Fails if `result` is computed, but is a constant to ShapeAnalysis.
static LogicalResult verifyContents(const ShapeAnalysis &shapes,
                                    OpResult result) {
  auto contents = shapes.getContents(result);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  bool computed = !isa<ConstantOp>(result.getOwner()) && contents && type &&
                  type.getElementType().isInteger();
  if (!computed || !llvm::all_of(*contents, [](SymExpr element) {
        return element.getConstant().has_value();
      }))
    return success();
  return result.getOwner()->emitOpError()
         << "computes integers that are known; lz-refine-types should have "
            "made a constant of them";
}

namespace {

struct VerifyGraphPass : lz::impl::VerifyGraphPassBase<VerifyGraphPass> {
  void runOnOperation() override {
    ShapeAnalysis shapes(&getContext());
    if (failed(shapes.run(getOperation())))
      return signalPassFailure();
    bool valid = true;
    getOperation().walk([&](Operation *op) {
      for (OpResult result : op->getResults())
        valid &= succeeded(verifySizes(shapes, result)) &&
                 succeeded(verifyContents(shapes, result));
    });
    if (!valid)
      signalPassFailure();
  }
};

} // namespace
