//===- Contraction.cpp - gradient of matmul -------------------------------===//
//
// With A' and B' the operands after their transpositions and G the gradient of
// A' B': that of A' is G B'^T, that of B' is A'^T G, each summed over the batch
// dimensions along which the operand was broadcast.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Rules/Gradient/Gradients.h"

using namespace mlir;
using namespace lz;

namespace {
/// A matmul whose operands have rank 2 at least.
struct Matrices {
  Value lhs, rhs, gradient;
  bool transposeLhs, transposeRhs;
};
} // namespace

/// Sees a vector as a matrix: a row on the left, a column on the right. The
/// result lacks that dimension; its gradient gets it back.
static Matrices getMatrices(MatmulOp op, RuleBuilder &b, Value gradient) {
  SymShape lhs(b.getShapes().getShape(op.getLhs()));
  SymShape rhs(b.getShapes().getShape(op.getRhs()));
  SymShape result(b.getShapes().getShape(gradient));
  SymExpr one = b.getShapes().constant(1);
  bool leftVector = lhs.size() == 1, rightVector = rhs.size() == 1;
  if (rightVector) {
    rhs.push_back(one);
    result.push_back(one);
  }
  if (leftVector) {
    lhs.insert(lhs.begin(), one);
    result.insert(result.end() - 1, one);
  }
  return {b.reshape(op.getLhs(), lhs), b.reshape(op.getRhs(), rhs),
          b.reshape(gradient, result), op.getTransposeLhs() && !leftVector,
          op.getTransposeRhs() && !rightVector};
}

static Value getLhsGradient(const Matrices &m, RuleBuilder &b) {
  return m.transposeLhs ? b.matmul(m.rhs, m.gradient, m.transposeRhs, true)
                        : b.matmul(m.gradient, m.rhs, false, !m.transposeRhs);
}

static Value getRhsGradient(const Matrices &m, RuleBuilder &b) {
  return m.transposeRhs ? b.matmul(m.gradient, m.lhs, true, m.transposeLhs)
                        : b.matmul(m.lhs, m.gradient, !m.transposeLhs, false);
}

/// Brings a matrix's gradient to the operand's shape.
static Value fit(RuleBuilder &b, Value gradient, Value matrix, Value operand) {
  if (!matrix)
    return {};
  Value sum = sumTo(b, gradient, SymShape(b.getShapes().getShape(matrix)));
  return b.reshape(sum, SymShape(b.getShapes().getShape(operand)));
}

static LogicalResult buildMatmulGradients(MatmulOp op, RuleBuilder &b,
                                          ArrayRef<Value> results,
                                          Values &gradients) {
  Matrices m = getMatrices(op, b, results[0]);
  return giveGradients({fit(b, getLhsGradient(m, b), m.lhs, op.getLhs()),
                        fit(b, getRhsGradient(m, b), m.rhs, op.getRhs())},
                       gradients);
}

void lz::attachContractionGradients(MLIRContext &context) {
  attachGradient<MatmulOp, buildMatmulGradients>(context);
}
