//===- Generator.cpp - operators that make tensors ------------------------===//

#include "frontends/onnx/Types.h"
#include "frontends/onnx/ops/Common.h"

#include <cmath>

using namespace mlir;
using namespace lz;
using onnx::AttributeProto;

//===----------------------------------------------------------------------===//
// Constant
//===----------------------------------------------------------------------===//

/// The tensor that one of the short attributes of Constant stands for.
static std::optional<onnx::TensorProto> getShortConstant(NodeImporter &node) {
  onnx::TensorProto tensor;
  auto setVector = [&](size_t size) { tensor.add_dims(size); };
  if (node.has("value_float")) {
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_float_data(node.getFloat("value_float", 0));
  } else if (node.has("value_int")) {
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_int64_data(node.getInt("value_int", 0));
  } else if (node.has("value_string")) {
    tensor.set_data_type(onnx::TensorProto::STRING);
    tensor.add_string_data(node.getString("value_string", ""));
  } else if (auto floats = node.getFloats("value_floats")) {
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    setVector(floats->size());
    for (double value : *floats)
      tensor.add_float_data(value);
  } else if (auto ints = node.getInts("value_ints")) {
    tensor.set_data_type(onnx::TensorProto::INT64);
    setVector(ints->size());
    for (int64_t value : *ints)
      tensor.add_int64_data(value);
  } else if (auto strings = node.getStrings("value_strings")) {
    tensor.set_data_type(onnx::TensorProto::STRING);
    setVector(strings->size());
    for (const std::string &value : *strings)
      tensor.add_string_data(value);
  } else {
    return std::nullopt;
  }
  return tensor;
}

static LogicalResult importConstant(NodeImporter &node) {
  ModelImporter &importer = node.getImporter();
  StringRef name = node.getResultName(0);
  Value value;
  if (node.has("value")) {
    if (auto *found = node.find("value", AttributeProto::TENSOR))
      value = importer.createTensor(found->t(), name, node.getLoc());
  } else if (node.has("sparse_value")) {
    if (auto *found = node.find("sparse_value", AttributeProto::SPARSE_TENSOR))
      value =
          importer.createTensor(found->sparse_tensor(), name, node.getLoc());
  } else if (auto tensor = getShortConstant(node)) {
    value = importer.createOwnTensor(std::move(*tensor), name, node.getLoc());
  } else {
    return node.error() << "has no attribute with a value";
  }
  if (!value)
    return failure();
  return node.finish(value);
}

static LogicalResult importConstantOfShape(NodeImporter &node) {
  Value fill;
  if (auto *found = node.find("value", AttributeProto::TENSOR)) {
    fill = node.getImporter().createTensor(found->t(), node.getResultName(0),
                                           node.getLoc());
    if (!fill)
      return failure();
    if (!node.getShapes().getNumElements(fill).isConstant(1))
      return node.error() << "attribute 'value' must have one element";
    fill = node.reshape(fill, {});
  } else {
    fill = node.scalar(node.getBuilder().getF32Type(), 0);
  }
  SymShape sizes = node.getSizes(node.operand(0));
  if (node.failed())
    return failure();
  for (SymExpr size : sizes)
    if (size.getConstant().value_or(0) < 0)
      return node.error() << "the size " << size.str() << " is negative";
  return node.finish(node.expand(fill, sizes));
}

//===----------------------------------------------------------------------===//
// Range, EyeLike
//===----------------------------------------------------------------------===//

/// The number of elements from `start` to `limit`, all known numbers.
static std::optional<int64_t> countSteps(double start, double limit,
                                         double delta) {
  double count = std::ceil((limit - start) / delta);
  if (!(std::abs(count) < 9e15))
    return std::nullopt;
  return std::max<int64_t>(static_cast<int64_t>(count), 0);
}

/// The number of elements, found by the run: `ceil((limit - start) / delta)`.
static SymExpr countAtRun(NodeImporter &node, Value start, Value limit,
                          Value delta) {
  Builder &builder = node.getBuilder();
  Value length = node.binary(BinaryKind::sub, limit, start);
  Type wide = builder.getF64Type();
  Value quotient = node.binary(BinaryKind::div, node.cast(length, wide),
                               node.cast(delta, wide));
  Value count =
      node.cast(node.unary(UnaryKind::ceil, quotient), builder.getI64Type());
  count =
      node.binary(BinaryKind::max, count, node.scalar(builder.getI64Type(), 0));
  SymShape sizes = node.getSizes(count);
  return node.failed() ? node.size(0) : sizes[0];
}

static SymExpr getRangeSize(NodeImporter &node, Value start, Value limit,
                            Value delta) {
  auto from = node.getNumbers(start), to = node.getNumbers(limit),
       by = node.getNumbers(delta);
  if (by && by->size() == 1 && (*by)[0] == 0) {
    node.error() << "input 'delta' is 0";
    return node.size(0);
  }
  if (from && to && by && from->size() == 1 && to->size() == 1 &&
      by->size() == 1) {
    if (auto count = countSteps((*from)[0], (*to)[0], (*by)[0]))
      return node.size(*count);
    node.error() << "has no finite number of elements";
    return node.size(0);
  }
  bool isInteger = isa<IntegerType>(node.getElement(start));
  if (!isInteger || !by || by->size() != 1)
    return countAtRun(node, start, limit, delta);
  SymShape first = node.getSizes(start), end = node.getSizes(limit);
  if (node.failed())
    return node.size(0);
  SymExpr length = (end[0] - first[0]) * ((*by)[0] < 0 ? -1 : 1);
  return length.ceilDiv(node.size(std::abs((*by)[0]))).max(node.size(0));
}

static LogicalResult importRange(NodeImporter &node) {
  SmallVector<Value> operands;
  for (Value operand : node.getOperands()) {
    if (!node.getShapes().getNumElements(operand).isConstant(1))
      return node.error() << "needs scalar operands";
    operands.push_back(node.reshape(operand, {}));
  }
  SymExpr size = getRangeSize(node, operands[0], operands[1], operands[2]);
  return node.finish(
      node.create<RangeOp>(operands[0], operands[2], node.exprs(size)));
}

Value lz::getPositions(NodeImporter &node, SymExpr size) {
  Type i64 = node.getBuilder().getI64Type();
  return node.create<RangeOp>(node.scalar(i64, 0), node.scalar(i64, 1),
                              node.exprs(size));
}

static LogicalResult importEyeLike(NodeImporter &node) {
  SymShape shape = node.getShape(node.operand(0));
  if (shape.size() != 2)
    return node.error() << "needs an input of rank 2, not " << shape.size();
  Type type = node.getElement(node.operand(0));
  if (node.has("dtype"))
    type = getElementType(node.getContext(), node.getInt("dtype", 0));
  if (!type)
    return node.error() << "attribute 'dtype' names no element type";
  Value offset =
      node.scalar(node.getBuilder().getI64Type(), node.getInt("k", 0));
  Value rows =
      node.binary(BinaryKind::add, getPositions(node, shape[0]), offset);
  rows = node.reshape(rows, {shape[0], node.size(1)});
  Value ones =
      node.compare(CompareKind::eq, rows, getPositions(node, shape[1]));
  return node.finish(node.cast(ones, type));
}

void lz::registerGenerator(HandlerTable &handlers) {
  handlers["Constant"] = importConstant;
  handlers["ConstantOfShape"] = importConstantOfShape;
  handlers["Range"] = importRange;
  handlers["EyeLike"] = importEyeLike;
}
