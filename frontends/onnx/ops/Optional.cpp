//===- Optional.cpp - optionals -------------------------------------------===//

#include "frontends/onnx/ops/SequenceParts.h"

using namespace mlir;
using namespace lz;

static LogicalResult importOptional(NodeImporter &node) {
  Value input = node.operand(0);
  Type type = input ? input.getType() : Type();
  if (auto *stated = node.find("type", onnx::AttributeProto::TYPE_PROTO);
      stated && !type)
    type = node.getImporter().getType(stated->tp());
  if (!type && !node.failed())
    return node.error() << "attribute 'type' must state the element type of an "
                           "empty optional";
  return node.finish(node.create<OptionalMakeOp>(input, Value(), type));
}

static LogicalResult importHasElement(NodeImporter &node) {
  Value input = node.operand(0);
  Type i1 = node.getBuilder().getI1Type();
  if (!input)
    return node.finish(node.scalar(i1, 0));
  if (!isa<OptionalType>(input.getType())) // since version 18, a plain value
    return node.finish(node.scalar(i1, 1));
  if (auto op = input.getDefiningOp<OptionalMakeOp>())
    return node.finish(op.getHas() ? op.getHas()
                                   : node.scalar(i1, op.getInput() ? 1 : 0));
  PackedSequence packed = packSequence(node, input);
  return node.finish(
      node.cast(node.sizeTensor(getLength(node, packed), {}), i1));
}

/// A size that is 0, or ends the run if `has` is 0.
static SymExpr requireOne(NodeImporter &node, Value has) {
  Type i64 = node.getBuilder().getI64Type();
  Value missing =
      node.binary(BinaryKind::sub, node.scalar(i64, 1), node.cast(has, i64));
  return bindChecked(node, {missing}, {{"missing_value", node.size(0)}})[0];
}

Value lz::getOptionalValue(NodeImporter &node, Value optional) {
  if (auto op = optional.getDefiningOp<OptionalMakeOp>()) {
    if (!op.getInput())
      node.error() << "the optional is empty";
    else if (op.getHas())
      (void)requireOne(node, op.getHas());
    return op.getInput();
  }
  PackedSequence packed = packSequence(node, optional);
  SymExpr missing =
      requireOne(node, node.sizeTensor(getLength(node, packed), {}));
  return readValue(node, packed, missing);
}

static LogicalResult importGetElement(NodeImporter &node) {
  Value input = node.operand(0);
  if (!isa<OptionalType>(input.getType()))
    return node.finish(input);
  return node.finish(getOptionalValue(node, input));
}

void lz::registerOptional(HandlerTable &handlers) {
  handlers["Optional"] = importOptional;
  handlers["OptionalHasElement"] = importHasElement;
  handlers["OptionalGetElement"] = importGetElement;
}
