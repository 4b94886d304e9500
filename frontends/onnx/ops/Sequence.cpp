//===- Sequence.cpp - sequences -------------------------------------------===//
//
// A sequence whose values are known one by one stays so while positions are
// known. Any other lies in tensors: to read a value is to slice them, to insert
// or erase one is to concatenate what is before and behind it.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/SequenceParts.h"

#include "frontends/onnx/Types.h"

using namespace mlir;
using namespace lz;

SymShape lz::bindChecked(NodeImporter &node, ArrayRef<Value> values,
                         ArrayRef<BoundSize> sizes) {
  SmallVector<Value> columns;
  if (node.failed())
    return SymShape(sizes.size(), node.size(0));
  for (Value value : values)
    columns.push_back(
        node.reshape(node.cast(value, node.getBuilder().getI64Type()),
                     {node.getShapes().getNumElements(value)}));
  Value vector = columns.size() == 1 ? columns[0] : node.concat(columns, 0);
  SymShape symbols, limits;
  if (node.failed())
    return SymShape(sizes.size(), node.size(0));
  for (const BoundSize &size : sizes) {
    int64_t most = size.limit && size.limit.getConstant()
                       ? *size.limit.getConstant()
                       : kMaxElements;
    symbols.push_back(
        node.getImporter().getSymbols().declare(size.name, 0, most, "run"));
    limits.push_back(size.limit ? size.limit : node.size(most));
  }
  auto bind = BindOp::create(node.getBuilder(), node.getLoc(), vector,
                             node.exprs(symbols));
  if (llvm::all_of(sizes, [](const BoundSize &size) { return size.limit; }))
    bind->setAttr("lz.bounds", node.exprs(limits));
  return symbols;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The constant position in operand `index`, counted from the front; none if
/// only the run knows it.
static std::optional<int64_t> getConstantPosition(NodeImporter &node, int index,
                                                  int64_t count) {
  auto known = node.getShapes().getContents(node.operand(index));
  if (!known || known->size() != 1 || !(*known)[0].getConstant())
    return std::nullopt;
  int64_t position = *(*known)[0].getConstant();
  return position < 0 ? position + count : position;
}

/// An error for a position beyond `limit` in a sequence of `count` values.
static LogicalResult checkPosition(NodeImporter &node, int64_t position,
                                   int64_t limit, int64_t count) {
  if (position >= 0 && position <= limit)
    return success();
  return node.error() << "the position is not within the sequence of " << count
                      << " elements";
}

/// The position in operand `index` as a size from 0 to `last`, the length or
/// one less: anything else ends the run.
static SymExpr bindPosition(NodeImporter &node, int index, SymExpr length,
                            SymExpr last) {
  Type i64 = node.getBuilder().getI64Type();
  Value given = node.reshape(node.cast(node.operand(index), i64), {});
  Value isNegative = node.compare(CompareKind::lt, given, node.scalar(i64, 0));
  Value fromFront =
      node.binary(BinaryKind::add, given, node.sizeTensor(length, {}));
  Value position = node.create<SelectOp>(isNegative, fromFront, given);
  Value behind =
      node.binary(BinaryKind::sub, node.sizeTensor(last, {}), position);
  // Limits are never negative, as `last` may be.
  return bindChecked(node, {position, behind},
                     {{"position", length}, {"values_behind", length}})[0];
}

//===----------------------------------------------------------------------===//
// Values in tensors
//===----------------------------------------------------------------------===//

/// Where a value begins in `data`, along its first dimension, and how much of
/// it there is.
namespace {
struct Extent {
  SymExpr offset, size;
};
} // namespace

/// The number of elements in each value.
static Value getCounts(NodeImporter &node, const PackedSequence &packed) {
  Value shapes = packed.shapes;
  if (packed.dims)
    return node.reduce(ReduceKind::prod, shapes, {1}, /*keepDims=*/false);
  // Sizes beyond the rank are 0, and count as 1.
  Type i64 = node.getBuilder().getI64Type();
  SymExpr length = getLength(node, packed);
  Value ranks = node.sliceAxis(shapes, 1, node.size(0), node.size(1));
  Value sizes =
      node.sliceAxis(shapes, 1, node.size(1), node.size(kMaxMixedRank));
  Value isSize = node.compare(
      CompareKind::lt, getPositions(node, node.size(kMaxMixedRank)), ranks);
  isSize = node.expand(isSize, {length, node.size(kMaxMixedRank)});
  return node.reduce(ReduceKind::prod,
                     node.create<SelectOp>(isSize, sizes, node.scalar(i64, 1)),
                     {1},
                     /*keepDims=*/false);
}

/// The offset of value `position`, which may be the length.
static Value getOffset(NodeImporter &node, Value counts, SymExpr position) {
  return node.reduce(ReduceKind::sum,
                     node.sliceAxis(counts, 0, node.size(0), position), {0},
                     /*keepDims=*/false);
}

/// Value `position`; with `isEnd`, the place for one before it.
static Extent getExtent(NodeImporter &node, const PackedSequence &packed,
                        SymExpr position, bool isEnd) {
  if (!packed.shapes)
    return {position, node.size(isEnd ? 0 : 1)};
  Value counts = getCounts(node, packed);
  Value offset = getOffset(node, counts, position);
  if (isEnd)
    return {bindChecked(node, {offset}, {{"offset", {}}})[0], node.size(0)};
  Value count = node.sliceAxis(counts, 0, position, node.size(1));
  SymShape bound =
      bindChecked(node, {offset, count}, {{"offset", {}}, {"count", {}}});
  return {bound[0], bound[1]};
}

/// `input` with `[extent]` replaced by `inserted`, which may be null.
static Value splice(NodeImporter &node, Value input, Extent extent,
                    Value inserted) {
  SymShape shape = node.getShape(input);
  if (node.failed())
    return {};
  SymExpr end = extent.offset + extent.size;
  SmallVector<Value> parts = {
      node.sliceAxis(input, 0, node.size(0), extent.offset)};
  if (inserted)
    parts.push_back(inserted);
  parts.push_back(node.sliceAxis(input, 0, end, shape[0] - end));
  return node.concat(parts, 0);
}

/// The sizes of the value in row `position` of the shapes.
static SymShape bindDims(NodeImporter &node, const PackedSequence &packed,
                         SymExpr position) {
  SymShape dims = *packed.dims;
  SmallVector<Value> values;
  SmallVector<BoundSize> sizes;
  Value row = node.sliceAxis(packed.shapes, 0, position, node.size(1));
  for (auto [dim, size] : llvm::enumerate(dims))
    if (!size) {
      values.push_back(node.sliceAxis(row, 1, node.size(dim), node.size(1)));
      sizes.push_back({"size", {}});
    }
  SymShape bound = bindChecked(node, values, sizes);
  for (SymExpr &size : llvm::reverse(dims))
    if (!size)
      size = bound.pop_back_val();
  return dims;
}

Value lz::readValue(NodeImporter &node, const PackedSequence &packed,
                    SymExpr position) {
  if (node.failed())
    return {};
  if (!packed.dims) {
    node.error() << "takes a value out of a sequence whose values may have "
                    "different ranks, so that its rank is not known; state "
                    "their shape in the type of the sequence";
    return {};
  }
  Extent extent = getExtent(node, packed, position, /*isEnd=*/true);
  SymShape dims =
      packed.shapes ? bindDims(node, packed, position) : *packed.dims;
  SymExpr size =
      packed.shapes ? getProduct(node.getContext(), dims) : node.size(1);
  return node.reshape(node.sliceAxis(packed.data, 0, extent.offset, size),
                      dims);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static LogicalResult importConstruct(NodeImporter &node) {
  return node.finish(
      makeSequence(node, node.getOperands(), node.getElement(node.operand(0))));
}

static LogicalResult importEmpty(NodeImporter &node) {
  Type element = getElementType(node.getContext(),
                                node.getInt("dtype", onnx::TensorProto::FLOAT));
  if (!element)
    return node.error() << "attribute 'dtype' names no element type";
  return node.finish(makeSequence(node, {}, element));
}

static LogicalResult importAt(NodeImporter &node) {
  if (auto values = getValues(node.operand(0))) {
    int64_t count = values->size();
    if (auto position = getConstantPosition(node, 1, count))
      return failed(checkPosition(node, *position, count - 1, count))
                 ? failure()
                 : node.finish((*values)[*position]);
  }
  PackedSequence packed = packSequence(node, node.operand(0));
  SymExpr length = getLength(node, packed);
  return node.finish(
      readValue(node, packed, bindPosition(node, 1, length, length - 1)));
}

static LogicalResult importLength(NodeImporter &node) {
  if (auto values = getValues(node.operand(0)))
    return node.finish(node.sizeTensor(node.size(values->size()), {}));
  PackedSequence packed = packSequence(node, node.operand(0));
  return node.finish(node.sizeTensor(getLength(node, packed), {}));
}

/// The sequence of known values with one more, if its position is known.
static std::optional<SmallVector<Value>> insertKnown(NodeImporter &node) {
  auto values = getValues(node.operand(0));
  if (!values)
    return std::nullopt;
  int64_t count = values->size();
  std::optional<int64_t> position = count;
  if (node.operand(2))
    position = getConstantPosition(node, 2, count);
  if (!position)
    return std::nullopt;
  if (succeeded(checkPosition(node, *position, count, count)))
    values->insert(values->begin() + *position, node.operand(1));
  return values;
}

static LogicalResult importInsert(NodeImporter &node) {
  Type element = getScalarType(node.operand(0).getType());
  if (auto values = insertKnown(node))
    return node.finish(makeSequence(node, *values, element));
  Value inserted = makeSequence(node, node.operand(1), element);
  if (node.failed())
    return failure();
  ValueDims dims = node.getShape(node.operand(1));
  PackedSequence packed = packSequence(node, node.operand(0), dims);
  PackedSequence one = packSequence(node, inserted, packed.dims);
  SymExpr length = getLength(node, packed);
  if (!node.operand(2)) {
    packed.data = node.concat({packed.data, one.data}, 0);
    if (packed.shapes)
      packed.shapes = node.concat({packed.shapes, one.shapes}, 0);
    return node.finish(makePacked(node, packed));
  }
  SymExpr position = bindPosition(node, 2, length, length);
  Extent extent = getExtent(node, packed, position, /*isEnd=*/true);
  packed.data = splice(node, packed.data, extent, one.data);
  if (packed.shapes)
    packed.shapes =
        splice(node, packed.shapes, {position, node.size(0)}, one.shapes);
  return node.finish(makePacked(node, packed));
}

static LogicalResult importErase(NodeImporter &node) {
  if (auto values = getValues(node.operand(0))) {
    int64_t count = values->size();
    std::optional<int64_t> position = count - 1;
    if (node.operand(1))
      position = getConstantPosition(node, 1, count);
    if (position) {
      if (failed(checkPosition(node, *position, count - 1, count)))
        return failure();
      values->erase(values->begin() + *position);
      return node.finish(makeSequence(
          node, *values, getScalarType(node.operand(0).getType())));
    }
  }
  PackedSequence packed = packSequence(node, node.operand(0));
  SymExpr length = getLength(node, packed);
  SymExpr position;
  if (node.operand(1))
    position = bindPosition(node, 1, length, length - 1);
  else
    position = bindChecked(node, {node.sizeTensor(length - 1, {})},
                           {{"last_position", {}}})[0];
  Extent extent = getExtent(node, packed, position, /*isEnd=*/false);
  packed.data = splice(node, packed.data, extent, {});
  if (packed.shapes)
    packed.shapes = splice(node, packed.shapes, {position, node.size(1)}, {});
  return node.finish(makePacked(node, packed));
}

void lz::registerSequence(HandlerTable &handlers) {
  handlers["SequenceConstruct"] = importConstruct;
  handlers["SequenceEmpty"] = importEmpty;
  handlers["SequenceAt"] = importAt;
  handlers["SequenceLength"] = importLength;
  handlers["SequenceInsert"] = importInsert;
  handlers["SequenceErase"] = importErase;
}
