//===- Optimizer.cpp - one step of an optimizer ---------------------------===//
//
// ai.onnx.preview.training: Adagrad, Adam, Momentum. A node takes a learning
// rate R, the number T of steps done so far, and then all tensors to optimize,
// their gradients and one or two states of each, kind by kind; it gives the new
// tensors and the new states, in the same order. What depends on R and T alone
// is computed in f64 on scalars, the rest in the tensor's type.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/NodeImporter.h"

using namespace mlir;
using namespace lz;

namespace {

/// One tensor with what belongs to it.
struct Slot {
  Value tensor, gradient;
  SmallVector<Value, 2> states;
};

/// The learning rate and the number of steps done, scalars in f64.
struct Pace {
  Value rate, steps;
};

/// Builds the new tensor and its new states.
using StepBuilder =
    llvm::function_ref<SmallVector<Value>(const Slot &slot, Value rate)>;

/// Arithmetic on one node's values. A number gets the type of what it meets.
struct Arithmetic {
  NodeImporter &node;

  Value number(Value like, double value) {
    return like ? node.scalar(node.getElement(like), value) : Value();
  }
  Value add(Value a, Value b) { return node.binary(BinaryKind::add, a, b); }
  Value sub(Value a, Value b) { return node.binary(BinaryKind::sub, a, b); }
  Value mul(Value a, Value b) { return node.binary(BinaryKind::mul, a, b); }
  Value div(Value a, Value b) { return node.binary(BinaryKind::div, a, b); }
  Value scale(double factor, Value value) {
    return mul(number(value, factor), value);
  }
  Value sqrt(Value value) { return node.unary(UnaryKind::sqrt, value); }
  /// `1 - base ^ steps`, of which nothing is lost where it is small.
  Value getShare(double base, Value steps) {
    Value power = node.binary(BinaryKind::pow, number(steps, base), steps);
    return sub(number(steps, 1), power);
  }
  /// Whether a step was done before.
  Value isLater(Value steps) {
    return node.compare(CompareKind::gt, steps, number(steps, 0));
  }
  /// The gradient with that of `norm_coefficient / 2 * |tensor|^2`.
  Value regularize(const Slot &slot) {
    double factor = node.getFloat("norm_coefficient", 0);
    return factor == 0 ? slot.gradient
                       : add(scale(factor, slot.tensor), slot.gradient);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

/// Fails if `other`, of the tensor number `index`, can't be as it is.
static LogicalResult checkBelongs(NodeImporter &node, Value tensor, Value other,
                                  StringRef what, int64_t index) {
  if (node.getElement(tensor) != node.getElement(other))
    return node.error() << "the " << what << " of tensor " << index
                        << " has type " << node.getElement(other)
                        << ", the tensor " << node.getElement(tensor);
  SymShape shape = node.getShape(tensor), found = node.getShape(other);
  if (shape.size() != found.size())
    return node.error() << "the " << what << " of tensor " << index
                        << " has rank " << found.size() << ", the tensor "
                        << shape.size();
  for (auto [dim, size, expected] : llvm::enumerate(found, shape))
    if (size != expected && (size - expected).getConstant())
      return node.error() << "the " << what << " of tensor " << index
                          << " has size " << size.str() << " in dimension "
                          << dim << ", the tensor " << expected.str();
  return success();
}

/// Operand `index`, which belongs to the tensor number `of`, in its shape.
/// Where only the run knows whether it has that, the broadcast one must be as
/// large.
static Value getBelonging(NodeImporter &node, Value tensor, int64_t index,
                          StringRef what, int64_t of) {
  Value other = node.operand(index);
  if (node.failed() || failed(checkBelongs(node, tensor, other, what, of)))
    return {};
  SymShape shape = node.getShape(tensor);
  if (node.getShape(other) == shape)
    return other;
  return node.reshape(node.expand(other, shape), shape);
}

/// The tensors after R and T, each with its gradient and `states`.
static SmallVector<Slot> getSlots(NodeImporter &node,
                                  ArrayRef<StringRef> states) {
  int64_t kinds = 2 + states.size(), given = node.getNumOperands() - 2;
  if (given <= 0 || given % kinds != 0) {
    node.error() << "has " << given << " inputs after R and T, expected a "
                 << "multiple of " << kinds
                 << ": tensors, gradients and as many of each state";
    return {};
  }
  if (llvm::is_contained(node.getOperands(), Value())) {
    node.error() << "an input is absent; give all of them names";
    return {};
  }
  int64_t count = given / kinds;
  SmallVector<Slot> slots;
  for (int64_t i = 0; i != count; ++i) {
    Value tensor = node.operand(2 + i);
    slots.push_back(
        {tensor, getBelonging(node, tensor, 2 + count + i, "gradient", i), {}});
    for (auto [k, state] : llvm::enumerate(states))
      slots.back().states.push_back(
          getBelonging(node, tensor, 2 + (2 + k) * count + i, state, i));
  }
  return slots;
}

static Pace getPace(NodeImporter &node) {
  Type f64 = node.getBuilder().getF64Type();
  return {node.cast(node.reshape(node.operand(0), {}), f64),
          node.cast(node.reshape(node.operand(1), {}), f64)};
}

/// Takes one step of all tensors by `rate`, a scalar in f64.
static LogicalResult buildSteps(NodeImporter &node, ArrayRef<StringRef> states,
                                Value rate, StepBuilder build) {
  SmallVector<Slot> slots = getSlots(node, states);
  SmallVector<Value> results((1 + states.size()) * slots.size());
  for (auto [i, slot] : llvm::enumerate(slots)) {
    if (node.failed())
      return failure();
    Value own = node.cast(rate, node.getElement(slot.tensor));
    for (auto [k, value] : llvm::enumerate(build(slot, own)))
      results[k * slots.size() + i] = value;
  }
  return node.finish(results);
}

//===----------------------------------------------------------------------===//
// Optimizers
//===----------------------------------------------------------------------===//

/// H' = H + G^2, X' = X - R / (1 + T * decay) * G / (sqrt(H') + epsilon)
static LogicalResult importAdagrad(NodeImporter &node) {
  Arithmetic a{node};
  double decay = node.getFloat("decay_factor", 0);
  double epsilon = node.getFloat("epsilon", 1e-6f);
  Pace pace = getPace(node);
  Value slowdown = a.add(a.number(pace.steps, 1), a.scale(decay, pace.steps));
  Value rate = a.div(pace.rate, slowdown);
  return buildSteps(node, {"accumulated square"}, rate,
                    [&](const Slot &slot, Value own) -> SmallVector<Value> {
                      Value gradient = a.regularize(slot);
                      Value squares =
                          a.add(slot.states[0], a.mul(gradient, gradient));
                      Value root =
                          a.add(a.sqrt(squares), a.number(squares, epsilon));
                      Value step = a.div(a.mul(own, gradient), root);
                      return {a.sub(slot.tensor, step), squares};
                    });
}

/// R * sqrt(1 - beta^T) / (1 - alpha^T), or R for the first step.
static Value getAdamRate(NodeImporter &node, const Pace &pace, double alpha,
                         double beta) {
  Arithmetic a{node};
  Value corrected =
      a.div(a.mul(pace.rate, a.sqrt(a.getShare(beta, pace.steps))),
            a.getShare(alpha, pace.steps));
  return node.create<SelectOp>(a.isLater(pace.steps), corrected, pace.rate);
}

/// V' = alpha V + (1 - alpha) G, H' = beta H + (1 - beta) G^2,
/// X' = (1 - post) (X - rate * V' / (sqrt(H') + epsilon))
static LogicalResult importAdam(NodeImporter &node) {
  Arithmetic a{node};
  double alpha = node.getFloat("alpha", 0.9f);
  double beta = node.getFloat("beta", 0.999f);
  double epsilon = node.getFloat("epsilon", 1e-6f);
  double post = node.getFloat("norm_coefficient_post", 0);
  Value rate = getAdamRate(node, getPace(node), alpha, beta);
  return buildSteps(
      node, {"average gradient", "average square"}, rate,
      [&](const Slot &slot, Value own) -> SmallVector<Value> {
        Value gradient = a.regularize(slot);
        Value average =
            a.add(a.scale(alpha, slot.states[0]), a.scale(1 - alpha, gradient));
        Value squares = a.add(a.scale(beta, slot.states[1]),
                              a.scale(1 - beta, a.mul(gradient, gradient)));
        Value root = a.add(a.sqrt(squares), a.number(squares, epsilon));
        Value step = a.div(a.mul(own, average), root);
        Value moved = a.sub(slot.tensor, step);
        return {post == 0 ? moved : a.scale(1 - post, moved), average, squares};
      });
}

/// V' = alpha V + beta G (the first time, V' = alpha V + G);
/// X' = X - R V', or with Nesterov's momentum X - R (G + alpha V')
static LogicalResult importMomentum(NodeImporter &node) {
  Arithmetic a{node};
  double alpha = node.getFloat("alpha", 0), beta = node.getFloat("beta", 0);
  std::string mode = node.getString("mode", "");
  if (mode != "standard" && mode != "nesterov")
    return node.error() << "attribute 'mode' is '" << mode
                        << "', expected 'standard' or 'nesterov'";
  Pace pace = getPace(node);
  Value factor =
      node.create<SelectOp>(a.isLater(pace.steps), a.number(pace.steps, beta),
                            a.number(pace.steps, 1));
  return buildSteps(
      node, {"momentum"}, pace.rate,
      [&](const Slot &slot, Value own) -> SmallVector<Value> {
        Value gradient = a.regularize(slot);
        Value fresh =
            a.mul(node.cast(factor, node.getElement(slot.tensor)), gradient);
        Value momentum = a.add(a.scale(alpha, slot.states[0]), fresh);
        Value direction = mode == "standard"
                              ? momentum
                              : a.add(gradient, a.scale(alpha, momentum));
        return {a.sub(slot.tensor, a.mul(own, direction)), momentum};
      });
}

void lz::registerOptimizer(HandlerTable &handlers) {
  handlers["Adagrad"] = importAdagrad;
  handlers["Adam"] = importAdam;
  handlers["Momentum"] = importMomentum;
}
