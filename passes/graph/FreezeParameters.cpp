//===- FreezeParameters.cpp - parameters become constants -----------------===//
//
// From here on the model is for inference only: a parameter's value is the
// trained one. Both operations hold the same attribute, so no byte is copied.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/graph/Passes.h"

namespace lz {
#define GEN_PASS_DEF_FREEZEPARAMETERSPASS
#include "passes/graph/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

/// param @p -> constant of p's value
static LogicalResult freezeParam(ParamOp param, SymbolTable &symbols) {
  auto parameter = symbols.lookup<ParameterOp>(param.getParameter());
  if (!parameter)
    return param.emitOpError() << "reads parameter '" << param.getParameter()
                               << "', which the module does not define";
  OpBuilder builder(param);
  auto constant = ConstantOp::create(builder, param.getLoc(), param.getType(),
                                     parameter.getValue());
  param.replaceAllUsesWith(constant.getResult());
  param.erase();
  return success();
}

namespace {

struct FreezeParametersPass
    : lz::impl::FreezeParametersPassBase<FreezeParametersPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    WalkResult result = getOperation().walk(
        [&](ParamOp param) { return WalkResult(freezeParam(param, symbols)); });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (ParameterOp parameter :
         llvm::make_early_inc_range(getOperation().getOps<ParameterOp>()))
      parameter.erase();
  }
};

} // namespace
