//===- Shape.cpp - gradients of ops that move data ------------------------===//

#include "dialects/lz/Rules/Gradient/Gradients.h"

using namespace mlir;
using namespace lz;

static LogicalResult buildReshapeGradients(ReshapeOp op, RuleBuilder &b,
                                           ArrayRef<Value> results,
                                           Values &gradients) {
  SymShape shape(b.getShapes().getShape(op.getInput()));
  return giveGradients(b.reshape(results[0], shape), gradients);
}

void lz::attachShapeGradients(MLIRContext &context) {
  attachGradient<ReshapeOp, buildReshapeGradients>(context);
}
