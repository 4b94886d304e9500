//===- Contraction.cpp - matrix products ----------------------------------===//

#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;

static LogicalResult importMatmul(NodeImporter &node) {
  return node.finish(
      node.matmul(node.operand(0), node.operand(1), false, false));
}

/// `value * factor`, left out where it changes nothing.
static Value scale(NodeImporter &node, Value value, double factor) {
  if (factor == 1)
    return value;
  return node.binary(BinaryKind::mul, value,
                     node.scalar(node.getElement(value), factor));
}

/// C of Gemm, which before opset 7 broadcasts only on request.
static Value getAddend(NodeImporter &node, Value product) {
  Value addend = node.operand(2);
  if (!addend || node.failed())
    return {};
  double beta = node.getFloat("beta", 1);
  if (beta == 0)
    return {};
  if (node.getVersion() < 7 && !node.getBool("broadcast", false) &&
      node.getShape(addend) != node.getShape(product))
    node.error() << "input C has another shape than the product, which in "
                    "opset 6 and before needs attribute 'broadcast'";
  return scale(node, addend, beta);
}

Value lz::buildGemm(NodeImporter &node) {
  for (int i = 0; i != 2; ++i) {
    if (node.getRank(node.operand(i)) == 2)
      continue;
    node.error() << "input " << i << " must have rank 2, not "
                 << node.getRank(node.operand(i));
    return {};
  }
  Value product =
      node.matmul(node.operand(0), node.operand(1),
                  node.getBool("transA", false), node.getBool("transB", false));
  Value result = scale(node, product, node.getFloat("alpha", 1));
  if (Value addend = getAddend(node, product))
    result = node.binary(BinaryKind::add, result, addend);
  if (!node.failed() && result.getType() != product.getType())
    node.error() << "input C of type " << node.operand(2).getType()
                 << " does not broadcast to " << product.getType();
  return result;
}

static LogicalResult importGemm(NodeImporter &node) {
  return node.finish(buildGemm(node));
}

Value lz::getShiftedFactor(NodeImporter &node, Value input, Value zeroPoint,
                           bool isLeft) {
  Type i32 = node.getBuilder().getI32Type();
  Value wide = node.cast(input, i32);
  if (!zeroPoint)
    return wide;
  SymShape shape = node.getShape(zeroPoint);
  Value zero = node.cast(zeroPoint, i32);
  if (isLeft && shape.size() == 1 && !shape[0].isConstant(1)) {
    shape.push_back(node.size(1));
    zero = node.reshape(zero, shape);
  }
  return node.binary(BinaryKind::sub, wide, zero);
}

static LogicalResult importMatmulInteger(NodeImporter &node) {
  Value lhs = getShiftedFactor(node, node.operand(0), node.operand(2), true);
  Value rhs = getShiftedFactor(node, node.operand(1), node.operand(3), false);
  return node.finish(node.matmul(lhs, rhs, false, false));
}

void lz::registerContraction(HandlerTable &handlers) {
  handlers["MatMul"] = importMatmul;
  handlers["Gemm"] = importGemm;
  handlers["MatMulInteger"] = importMatmulInteger;
}
