//===- LowerMath.cpp - math functions to calls ----------------------------===//

#include "passes/codegen/cpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace lz {
#define GEN_PASS_DEF_LOWERMATHPASS
#include "passes/codegen/cpu/Passes.h.inc"
} // namespace lz

/// The C library's name, for f64, of the function that `op` calls; empty if it
/// is an instruction.
static StringRef getFunction(Operation *op) {
  StringRef name = op->getName().stripDialect();
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"exp", "exp2", "expm1", "log", "log2", "log10", "log1p"}, name)
      .Cases({"sin", "cos", "tan", "asin", "acos", "atan", "atan2"}, name)
      .Cases({"sinh", "cosh", "tanh", "asinh", "acosh", "atanh"}, name)
      .Cases({"erf", "cbrt"}, name)
      .Case("powf", "pow")
      .Default("");
}

/// Our own f32 functions (kernels/Kernels.h), which loops can inline.
static bool hasKernel(StringRef function) {
  return llvm::StringSwitch<bool>(function)
      .Cases({"exp", "expm1", "log", "log1p", "pow", "erf"}, true)
      .Cases({"sin", "cos", "tan", "sinh", "cosh", "tanh"}, true)
      .Default(false);
}

static std::string getCallee(StringRef function, bool isSingle) {
  if (!isSingle)
    return function.str();
  return hasKernel(function) ? ("lz_" + function + "_f32").str()
                             : (function + "f").str();
}

static func::FuncOp declare(ModuleOp module, StringRef name, Operation *op) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  auto function = func::FuncOp::create(
      builder, op->getLoc(), name,
      builder.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  function.setPrivate();
  return function;
}

namespace {

struct LowerMathPass : lz::impl::LowerMathPassBase<LowerMathPass> {
  void runOnOperation() override {
    SmallVector<Operation *> calls;
    getOperation().walk([&](Operation *op) {
      if (isa<math::MathDialect>(op->getDialect()) && !getFunction(op).empty())
        calls.push_back(op);
    });
    for (Operation *op : calls)
      if (failed(lower(op)))
        return signalPassFailure();
  }

  LogicalResult lower(Operation *op) {
    Type type = op->getResult(0).getType();
    if (!type.isF32() && !type.isF64())
      return op->emitOpError() << "has no function for type " << type;
    std::string name = getCallee(getFunction(op), type.isF32());
    OpBuilder builder(op);
    auto call = func::CallOp::create(builder, op->getLoc(),
                                     declare(getOperation(), name, op),
                                     op->getOperands());
    op->replaceAllUsesWith(call);
    op->erase();
    return success();
  }
};

} // namespace
