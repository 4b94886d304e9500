//===- Rules.cpp - what the inference rules of lz share -------------------===//

#include "dialects/lz/IR/Rules.h"

using namespace mlir;
using namespace lz;

LogicalResult lz::verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError() << "axis " << axis << " is not within rank " << rank;
}

std::optional<SmallVector<int64_t>> lz::getConstants(ArrayRef<SymExpr> exprs) {
  SmallVector<int64_t> values;
  for (SymExpr expr : exprs) {
    std::optional<int64_t> value = expr.getConstant();
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

LogicalResult lz::verifyCount(Operation *op, StringRef what, int64_t count,
                              int64_t expected) {
  if (count == expected)
    return success();
  return op->emitOpError() << "has " << count << " " << what << ", expected "
                           << expected;
}

LogicalResult lz::verifySameElementType(Operation *op, Value a, Value b) {
  if (getElementType(a) == getElementType(b))
    return success();
  return op->emitOpError() << "has operands of element types "
                           << getElementType(a) << " and " << getElementType(b)
                           << ", which must be equal";
}
