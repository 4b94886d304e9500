//===- Fold.cpp - operations on constants ---------------------------------===//

#include "dialects/lz/Reference/Fold.h"

#include "dialects/lz/IR/LzDialect.h"
#include "dialects/lz/Reference/Evaluator.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

/// True if the operation is a function of its operands' elements alone.
static bool isFoldable(Operation *op) {
  return isa<ReferenceOpInterface>(op) && isPure(op) &&
         op->getNumRegions() == 0 && op->getNumResults() > 0 &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

FailureOr<SmallVector<ElementsAttr>>
lz::foldOperation(Operation *op, ArrayRef<ElementsAttr> operands) {
  if (!isFoldable(op) || operands.size() != op->getNumOperands())
    return failure();
  SmallVector<RefValue> values;
  for (ElementsAttr operand : operands) {
    FailureOr<RefTensor> tensor = getRefTensor(operand);
    if (failed(tensor))
      return failure();
    values.push_back(*tensor);
  }
  // What can't be folded is not an error of the program.
  ScopedDiagnosticHandler silence(op->getContext(),
                                  [](Diagnostic &) { return success(); });
  Evaluator evaluator;
  SmallVector<RefValue> results;
  if (failed(evaluator.evaluate(op, values, results)))
    return failure();
  return llvm::map_to_vector(results, [](const RefValue &value) {
    return getElementsAttr(value.getTensor());
  });
}
