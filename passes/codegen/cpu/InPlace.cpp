//===- InPlace.cpp - results in the memory of operands --------------------===//

#include "passes/codegen/cpu/InPlace.h"

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/KernelBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lz;

static bool isElementwise(Operation *op) {
  return isa<UnaryOp, BinaryOp, CompareOp, SelectOp, CastOp>(op);
}

/// True if element i of the result of `user` takes no element of `value` but
/// the i-th.
static bool keepsPosition(const KernelInfo &kernel, Operation *user,
                          Value value) {
  return isa<ReshapeOp>(user) ||
         (isElementwise(user) &&
          kernel.getShape(user->getResult(0)) == kernel.getShape(value));
}

/// True if nothing in the kernel passes over its result more than once, as what
/// works on rows may.
static bool storesOnce(const KernelInfo &kernel) {
  return llvm::all_of(kernel.getBody(), [](Operation &op) {
    return isElementwise(&op) ||
           isa<ReshapeOp, ConstantOp, MatmulOp, ConvOp, ConvTransposeOp>(op);
  });
}

/// True if everything that is computed of `value` keeps its positions.
static bool isReadInPlace(const KernelInfo &kernel, Value value) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i != reached.size(); ++i)
    for (Operation *user : reached[i].getUsers()) {
      if (user->hasTrait<OpTrait::IsTerminator>())
        continue;
      if (!keepsPosition(kernel, user, reached[i]))
        return false;
      reached.insert(user->getResult(0));
    }
  return true;
}

SmallVector<unsigned> lz::getInPlaceOperands(const KernelInfo &kernel) {
  SmallVector<unsigned> found;
  if (!llvm::hasSingleElement(kernel.getResults()) || !storesOnce(kernel))
    return found;
  Value result = kernel.getResults().front();
  Type type = getElementTypeOrSelf(result);
  // Elements of one byte are written together.
  if (!type.isIntOrFloat() || getStoredBits(type) < 8)
    return found;
  for (BlockArgument argument : kernel.getFunction().getArguments())
    if (getElementTypeOrSelf(argument) == type &&
        kernel.getNumElements(argument) == kernel.getNumElements(result) &&
        isReadInPlace(kernel, argument))
      found.push_back(argument.getArgNumber());
  return found;
}
