//===- Sequence.cpp - sequences and optionals -----------------------------===//
//
// Most sequences are known when compiling: a list of tensors, put together by
// one node and taken apart by others. Those never come to be; what remains are
// sequences that enter or leave the model, or change in loops.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Types.h"
#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;

/// The type that holds each of `values`: sizes that differ are open.
static RankedTensorType joinTypes(NodeImporter &node, ArrayRef<Value> values) {
  auto joined = dyn_cast<RankedTensorType>(values.front().getType());
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!joined || !type || type.getRank() != joined.getRank() ||
        type.getElementType() != joined.getElementType()) {
      node.error() << "a sequence of " << values.front().getType() << " and "
                   << value.getType() << " is not supported; elements must "
                   << "be tensors of one rank";
      return {};
    }
    SmallVector<int64_t> shape(joined.getShape());
    for (auto [size, other] : llvm::zip_equal(shape, type.getShape()))
      size = size == other ? size : ShapedType::kDynamic;
    joined = RankedTensorType::get(shape, joined.getElementType());
  }
  return joined;
}

static Value construct(NodeImporter &node, ArrayRef<Value> values) {
  if (node.failed())
    return {};
  RankedTensorType type = joinTypes(node, values);
  if (!type)
    return {};
  return node.create<SequenceConstructOp>(values, type);
}

/// The elements of `sequence`, if they are known one by one.
static std::optional<SmallVector<Value>> getElements(Value sequence) {
  auto op = sequence.getDefiningOp<SequenceConstructOp>();
  if (!op)
    return std::nullopt;
  return SmallVector<Value>(op.getInputs());
}

/// The elements; an error for a sequence that only the run knows.
static SmallVector<Value> requireElements(NodeImporter &node) {
  if (auto elements = getElements(node.operand(0)))
    return *elements;
  node.error() << "the sequence is not made by a node of the same graph, which "
                  "is not supported";
  return {};
}

/// The constant position in operand `index`, from 0 to `limit`, counted from
/// the front; `fallback` if the operand is absent.
static int64_t getPosition(NodeImporter &node, int index, int64_t limit,
                           int64_t count, int64_t fallback) {
  if (!node.operand(index))
    return fallback;
  SmallVector<int64_t> values =
      node.getConstants(node.operand(index), "position");
  if (node.failed())
    return 0;
  int64_t position = values.size() == 1 ? values[0] : limit + 1;
  if (position < 0)
    position += count;
  if (position >= 0 && position <= limit)
    return position;
  node.error() << "the position is not within the sequence of " << count
               << " elements";
  return 0;
}

static LogicalResult importConstruct(NodeImporter &node) {
  return node.finish(construct(node, node.getOperands()));
}

/// A sequence of nothing has elements of rank 0 until some are inserted.
static LogicalResult importEmpty(NodeImporter &node) {
  Type element = getElementType(node.getContext(),
                                node.getInt("dtype", onnx::TensorProto::FLOAT));
  if (!element)
    return node.error() << "attribute 'dtype' names no element type";
  return node.finish(node.create<SequenceConstructOp>(
      ValueRange(), RankedTensorType::get({}, element)));
}

static LogicalResult importAt(NodeImporter &node) {
  auto elements = getElements(node.operand(0));
  auto known = node.getShapes().getContents(node.operand(1));
  if (elements && known && (*known)[0].getConstant()) {
    int64_t count = elements->size();
    int64_t position = getPosition(node, 1, count - 1, count, 0);
    return node.failed() ? failure() : node.finish((*elements)[position]);
  }
  return node.finish(node.create<SequenceAtOp>(
      node.operand(0), node.reshape(node.operand(1), {})));
}

static LogicalResult importLength(NodeImporter &node) {
  if (auto elements = getElements(node.operand(0)))
    return node.finish(node.sizeTensor(node.size(elements->size()), {}));
  return node.finish(node.create<SequenceLengthOp>(node.operand(0)));
}

static LogicalResult importInsert(NodeImporter &node) {
  SmallVector<Value> elements = requireElements(node);
  int64_t count = elements.size();
  int64_t position = getPosition(node, 2, count, count, count);
  if (node.failed())
    return failure();
  elements.insert(elements.begin() + position, node.operand(1));
  return node.finish(construct(node, elements));
}

static LogicalResult importErase(NodeImporter &node) {
  SmallVector<Value> elements = requireElements(node);
  int64_t count = elements.size();
  int64_t position = getPosition(node, 1, count - 1, count, count - 1);
  if (node.failed())
    return failure();
  elements.erase(elements.begin() + position);
  if (elements.empty())
    return node.error() << "leaves an empty sequence, which is not supported";
  return node.finish(construct(node, elements));
}

static LogicalResult importConcatFromSequence(NodeImporter &node) {
  SmallVector<Value> elements = requireElements(node);
  if (node.failed())
    return failure();
  bool isNew = node.getBool("new_axis", false);
  int64_t rank = node.getRank(elements[0]) + (isNew ? 1 : 0);
  int64_t axis = node.getAxis(node.getInt("axis", 0), rank);
  if (node.failed())
    return failure();
  if (isNew)
    for (Value &element : elements) {
      SymShape shape = node.getShape(element);
      shape.insert(shape.begin() + axis, node.size(1));
      element = node.reshape(element, shape);
    }
  return node.finish(node.concat(elements, axis));
}

/// The sizes of the parts: given one by one, or all alike but for the last.
static SmallVector<int64_t> getParts(NodeImporter &node, int64_t size) {
  SmallVector<int64_t> parts;
  Value split = node.operand(1);
  if (split)
    parts = node.getConstants(split, "split");
  else
    parts = {1};
  if (node.failed() || (split && node.getRank(split) == 1))
    return parts;
  int64_t part = parts.empty() ? 0 : parts[0];
  if (part < 1 || size / part > 4096) {
    node.error() << "parts of size " << part << " of " << size
                 << " are not supported";
    return parts;
  }
  parts.assign(size / part, part);
  if (size % part != 0)
    parts.push_back(size % part);
  return parts;
}

static LogicalResult importSplitToSequence(NodeImporter &node) {
  Value input = node.operand(0);
  SymShape shape = node.getShape(input);
  int64_t axis = node.getAxis(node.getInt("axis", 0), shape.size());
  if (node.failed())
    return failure();
  auto size = shape[axis].getConstant();
  if (!size || *size == 0)
    return node.error() << "splits a dimension of size " << shape[axis].str()
                        << ", which must be known and not 0";
  bool keep = node.operand(1) || node.getBool("keepdims", true);
  SmallVector<Value> elements;
  int64_t offset = 0;
  for (int64_t part : getParts(node, *size)) {
    if (part < 0 || part > *size - offset)
      return node.error() << "the parts don't add up to " << *size;
    Value element =
        node.sliceAxis(input, axis, node.size(offset), node.size(part));
    SymShape squeezed = shape;
    squeezed.erase(squeezed.begin() + axis);
    elements.push_back(keep ? element : node.reshape(element, squeezed));
    offset += part;
  }
  if (!node.failed() && offset != *size)
    return node.error() << "the parts don't add up to " << *size;
  return node.finish(construct(node, elements));
}

//===----------------------------------------------------------------------===//
// Optionals
//===----------------------------------------------------------------------===//

static LogicalResult importOptional(NodeImporter &node) {
  Value input = node.operand(0);
  Type type = input ? input.getType() : Type();
  if (auto *stated = node.find("type", onnx::AttributeProto::TYPE_PROTO);
      stated && !type)
    type = node.getImporter().getType(stated->tp());
  if (!type && !node.failed())
    return node.error() << "attribute 'type' must state the element type and "
                           "rank of an empty optional";
  return node.finish(node.create<OptionalMakeOp>(input, type));
}

/// The value of `optional` if it is known to have one.
static Value getKnownValue(Value optional) {
  if (!isa<OptionalType>(optional.getType()))
    return optional; // since version 18, a plain value may stand for one
  auto op = optional.getDefiningOp<OptionalMakeOp>();
  return op ? op.getInput() : Value();
}

static LogicalResult importHasElement(NodeImporter &node) {
  Value input = node.operand(0);
  Type i1 = node.getBuilder().getI1Type();
  if (!input)
    return node.finish(node.scalar(i1, 0));
  if (input.getDefiningOp<OptionalMakeOp>() || getKnownValue(input))
    return node.finish(node.scalar(i1, getKnownValue(input) ? 1 : 0));
  return node.finish(node.create<OptionalHasOp>(input));
}

static LogicalResult importGetElement(NodeImporter &node) {
  if (Value known = getKnownValue(node.operand(0)))
    return node.finish(known);
  return node.finish(node.create<OptionalGetOp>(node.operand(0)));
}

void lz::registerSequence(HandlerTable &handlers) {
  handlers["SequenceConstruct"] = importConstruct;
  handlers["SequenceEmpty"] = importEmpty;
  handlers["SequenceAt"] = importAt;
  handlers["SequenceLength"] = importLength;
  handlers["SequenceInsert"] = importInsert;
  handlers["SequenceErase"] = importErase;
  handlers["ConcatFromSequence"] = importConcatFromSequence;
  handlers["SplitToSequence"] = importSplitToSequence;
  handlers["Optional"] = importOptional;
  handlers["OptionalHasElement"] = importHasElement;
  handlers["OptionalGetElement"] = importGetElement;
}
