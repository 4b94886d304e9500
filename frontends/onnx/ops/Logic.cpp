//===- Logic.cpp - comparisons, logic, bits, selection --------------------===//

#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;

template <CompareKind kind>
static LogicalResult importCompare(NodeImporter &node) {
  Value lhs = node.operand(0);
  return node.finish(
      node.compare(kind, lhs, alignOperand(node, lhs, node.operand(1))));
}

template <BinaryKind kind>
static LogicalResult importBinary(NodeImporter &node) {
  Value lhs = node.operand(0);
  return node.finish(
      node.binary(kind, lhs, alignOperand(node, lhs, node.operand(1))));
}

template <UnaryKind kind> static LogicalResult importUnary(NodeImporter &node) {
  return node.finish(node.unary(kind, node.operand(0)));
}

static LogicalResult importBitShift(NodeImporter &node) {
  std::string direction = node.getString("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return node.error() << "attribute 'direction' is '" << direction
                        << "', expected 'LEFT' or 'RIGHT'";
  return node.finish(node.binary(direction == "LEFT" ? BinaryKind::shift_left
                                                     : BinaryKind::shift_right,
                                 node.operand(0), node.operand(1)));
}

static LogicalResult importWhere(NodeImporter &node) {
  return node.finish(
      node.create<SelectOp>(node.operand(0), node.operand(1), node.operand(2)));
}

void lz::registerLogic(HandlerTable &handlers) {
  handlers["Equal"] = importCompare<CompareKind::eq>;
  handlers["Less"] = importCompare<CompareKind::lt>;
  handlers["LessOrEqual"] = importCompare<CompareKind::le>;
  handlers["Greater"] = importCompare<CompareKind::gt>;
  handlers["GreaterOrEqual"] = importCompare<CompareKind::ge>;
  handlers["And"] = importBinary<BinaryKind::logical_and>;
  handlers["Or"] = importBinary<BinaryKind::logical_or>;
  handlers["Xor"] = importBinary<BinaryKind::logical_xor>;
  handlers["Not"] = importUnary<UnaryKind::logical_not>;
  handlers["BitwiseAnd"] = importBinary<BinaryKind::bit_and>;
  handlers["BitwiseOr"] = importBinary<BinaryKind::bit_or>;
  handlers["BitwiseXor"] = importBinary<BinaryKind::bit_xor>;
  handlers["BitwiseNot"] = importUnary<UnaryKind::bit_not>;
  handlers["BitShift"] = importBitShift;
  handlers["Where"] = importWhere;
}
