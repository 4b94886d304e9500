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
  if (!rule) {
    auto diagnostic = op->emitOpError()
                      << "has no gradient rule, but the gradient of a value "
                         "that it depends on is asked for";
    diagnostic.attachNote(builder.getLoc()) << "here";
    return diagnostic;
  }
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

SmallVector<Operation *> lz::getOpsBetween(ValueRange sources, Value target) {
  DenseSet<Value> ends(sources.begin(), sources.end());
  SmallVector<Operation *> order;
  DenseSet<Operation *> visited;
  // An op comes up a second time once all that it reads is in order.
  SmallVector<std::pair<Operation *, bool>> stack;
  auto push = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && !ends.contains(value) && !visited.contains(op))
      stack.push_back({op, false});
  };
  push(target);
  while (!stack.empty()) {
    auto [op, isDone] = stack.pop_back_val();
    if (isDone) {
      order.push_back(op);
      continue;
    }
    if (!visited.insert(op).second)
      continue;
    stack.push_back({op, true});
    for (Value source : getSources(op))
      push(source);
  }
  return order;
}

FailureOr<SmallVector<Value>> lz::differentiate(RuleBuilder &builder,
                                                Value target, ValueRange wanted,
                                                ValueRange others) {
  SmallVector<Value> sources(wanted);
  llvm::append_range(sources, others);
  GradientMap gradients;
  Value seed = builder.fullLike(target, 1);
  if (!seed || failed(gradients.add(builder, target, seed)) ||
      failed(buildReverse(builder, getOpsBetween(sources, target), wanted,
                          gradients)))
    return failure();
  SmallVector<Value> built;
  for (Value value : wanted) {
    Value gradient = gradients.get(value);
    built.push_back(gradient ? gradient : builder.zerosLike(value));
    if (!built.back())
      return failure();
  }
  return built;
}
