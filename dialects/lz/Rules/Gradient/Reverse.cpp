//===- Reverse.cpp - reverse-mode differentiation of a block --------------===//

#include "dialects/lz/Rules/Gradient/Reverse.h"

#include "dialects/lz/Rules/RuleInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

bool lz::isDifferentiable(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

LogicalResult GradientMap::add(RuleBuilder &builder, Value value,
                               Value gradient) {
  Value &sum = gradients[value];
  sum = sum ? builder.add(sum, gradient) : gradient;
  return success(!!sum);
}

/// The values among those that `ops` give that change with `wanted`, and
/// `wanted`.
static DenseSet<Value> getActiveValues(ArrayRef<Operation *> ops,
                                       ValueRange wanted) {
  DenseSet<Value> active(wanted.begin(), wanted.end());
  for (Operation *op : ops)
    if (llvm::any_of(getSources(op),
                     [&](Value source) { return active.contains(source); }))
      for (Value result : op->getResults())
        if (isDifferentiable(result))
          active.insert(result);
  return active;
}

/// Brings the gradients of one op's results to its sources.
static LogicalResult reverseOp(RuleBuilder &builder, Operation *op,
                               const DenseSet<Value> &active,
                               GradientMap &gradients) {
  SmallVector<Value> results, built;
  for (Value result : op->getResults())
    results.push_back(active.contains(result) ? gradients.get(result)
                                              : Value());
  if (llvm::none_of(results, [](Value gradient) { return !!gradient; }))
    return success();
  auto rule = dyn_cast<GradientOpInterface>(op);
  if (!rule)
    return op->emitOpError()
           << "has no gradient rule, but the gradient of a value that it "
              "depends on is asked for";
  if (failed(rule.buildGradients(builder, results, built)))
    return failure();
  for (auto [source, gradient] : llvm::zip_equal(getSources(op), built))
    if (gradient && active.contains(source) &&
        failed(gradients.add(builder, source, gradient)))
      return failure();
  return success();
}

LogicalResult lz::buildReverse(RuleBuilder &builder, ArrayRef<Operation *> ops,
                               ValueRange wanted, GradientMap &gradients) {
  DenseSet<Value> active = getActiveValues(ops, wanted);
  for (Operation *op : llvm::reverse(ops))
    if (failed(reverseOp(builder, op, active, gradients)))
      return failure();
  return success();
}
