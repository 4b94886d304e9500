//===- KernelInfo.cpp - a kernel's body and the sizes in it ---------------===//

#include "passes/codegen/cpu/KernelInfo.h"

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace lz;

/// Checks that `type` is a tensor that kernels can read and write.
static LogicalResult verifyType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && (tensor.getElementType().isIntOrFloat()))
    return success();
  return op->emitError() << "a CPU kernel cannot hold a value of type " << type;
}

/// Checks that elements can be stored one by one, from any thread.
static LogicalResult verifyResult(Operation *op, Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  if (!sharesBytes(element) || isa<PackOp>(op))
    return success();
  return op->emitError() << "a CPU kernel cannot store elements of type "
                         << element << ", which share bytes; convert them to "
                         << "8 bits first";
}

static LogicalResult verifyBody(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("a kernel has one block");
  for (BlockArgument argument : function.getArguments())
    if (failed(verifyType(function, argument.getType())))
      return failure();
  for (Operation &op : function.front().without_terminator()) {
    if (!isa<LzDialect>(op.getDialect()) || op.getNumRegions() != 0)
      return op.emitError("does not belong in a kernel");
    for (Type type : op.getResultTypes())
      if (failed(verifyType(&op, type)))
        return failure();
  }
  for (Value result : function.front().getTerminator()->getOperands()) {
    Operation *op = result.getDefiningOp();
    if (failed(verifyResult(op ? op : function, result.getType())))
      return failure();
  }
  return success();
}

FailureOr<KernelInfo> KernelInfo::get(func::FuncOp function,
                                      const targets::CpuTarget &target) {
  if (failed(verifyBody(function)))
    return failure();
  KernelInfo kernel(function, target);
  if (failed(kernel.shapes.run(
          cast<FunctionOpInterface>(function.getOperation()))))
    return failure();
  return kernel;
}

OperandRange KernelInfo::getResults() const {
  return func::FuncOp(function).front().getTerminator()->getOperands();
}

llvm::iterator_range<Block::iterator> KernelInfo::getBody() const {
  return func::FuncOp(function).front().without_terminator();
}
