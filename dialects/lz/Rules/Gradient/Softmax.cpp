//===- Softmax.cpp - gradient of softmax ----------------------------------===//

#include "dialects/lz/Rules/Gradient/Gradients.h"

using namespace mlir;
using namespace lz;

/// With y the result and G its gradient, sums along the axis:
/// softmax: y * (G - sum(G * y)); log_softmax: G - exp(y) * sum(G).
/// hardmax is flat wherever it is differentiable.
static LogicalResult buildSoftmaxGradients(SoftmaxOp op, RuleBuilder &b,
                                           ArrayRef<Value> results,
                                           Values &gradients) {
  Value y = op.getResult(), gradient = results[0];
  int64_t axis = op.getAxis();
  if (op.getKind() == SoftmaxKind::hardmax) {
    gradients.push_back(Value());
    return success();
  }
  if (op.getKind() == SoftmaxKind::log_softmax) {
    Value sum = b.reduceSum(gradient, axis, /*keepDims=*/true);
    Value share = b.mul(b.unary(UnaryKind::exp, y), sum);
    return giveGradients(b.sub(gradient, share), gradients);
  }
  Value sum = b.reduceSum(b.mul(gradient, y), axis, /*keepDims=*/true);
  return giveGradients(b.mul(y, b.sub(gradient, sum)), gradients);
}

void lz::attachSoftmaxGradients(MLIRContext &context) {
  attachGradient<SoftmaxOp, buildSoftmaxGradients>(context);
}
