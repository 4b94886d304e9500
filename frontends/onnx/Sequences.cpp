//===- Sequences.cpp - sequences in tensors -------------------------------===//

#include "frontends/onnx/Sequences.h"

using namespace mlir;
using namespace lz;

bool lz::isUniform(const ValueDims &dims) {
  return dims && llvm::all_of(*dims, [](SymExpr size) { return bool(size); });
}

ValueDims lz::joinDims(const ValueDims &a, const ValueDims &b) {
  if (!a || !b || a->size() != b->size())
    return std::nullopt;
  SymShape joined;
  for (auto [x, y] : llvm::zip_equal(*a, *b))
    joined.push_back(x == y ? x : SymExpr());
  return joined;
}

Type lz::getScalarType(Type type) {
  if (auto optional = dyn_cast<OptionalType>(type))
    return getScalarType(optional.getElementType());
  if (auto sequence = dyn_cast<SequenceType>(type))
    return getScalarType(sequence.getElementType());
  return cast<ShapedType>(type).getElementType();
}

//===----------------------------------------------------------------------===//
// Values that stand for tensors
//===----------------------------------------------------------------------===//

Type lz::getTensorType(Type element, const ValueDims &dims) {
  if (!dims)
    return UnrankedTensorType::get(element);
  SmallVector<int64_t> shape;
  for (SymExpr size : *dims)
    shape.push_back(size ? size.getConstant().value_or(ShapedType::kDynamic)
                         : ShapedType::kDynamic);
  return RankedTensorType::get(shape, element);
}

Value lz::makePacked(NodeImporter &node, const PackedSequence &packed,
                     bool isOptional) {
  if (node.failed())
    return {};
  MLIRContext *context = node.getContext();
  ArrayAttr dims;
  if (packed.dims) {
    SymShape sizes = *packed.dims;
    for (SymExpr &size : sizes)
      size = size ? size : SymExpr::undefined(context);
    dims = node.exprs(sizes);
  }
  Type tensor = getTensorType(packed.element, packed.dims);
  Type type = isOptional ? Type(OptionalType::get(context, tensor))
                         : Type(SequenceType::get(context, tensor));
  return SequencePackOp::create(node.getBuilder(), node.getLoc(), type,
                                packed.data, packed.shapes, dims);
}

std::optional<SmallVector<Value>> lz::getValues(Value sequence) {
  auto op = sequence.getDefiningOp<SequenceConstructOp>();
  if (!op)
    return std::nullopt;
  return SmallVector<Value>(op.getInputs());
}

/// The sizes of tensors, of which there is at least one.
static ValueDims joinShapes(NodeImporter &node, ArrayRef<Value> values) {
  ValueDims dims = node.getShape(values.front());
  for (Value value : values.drop_front())
    dims = joinDims(dims, node.getShape(value));
  return dims;
}

Value lz::makeSequence(NodeImporter &node, ValueRange values, Type element) {
  if (node.failed())
    return {};
  ValueDims dims;
  if (!values.empty())
    dims = joinShapes(node, llvm::to_vector(values));
  for (Value value : values)
    if (node.getElement(value) != element) {
      node.error() << "a sequence of " << element << " can't hold a value of "
                   << "type " << value.getType();
      return {};
    }
  return node.create<SequenceConstructOp>(values, getTensorType(element, dims));
}

//===----------------------------------------------------------------------===//
// From one form to another
//===----------------------------------------------------------------------===//

SymExpr lz::getLength(NodeImporter &node, const PackedSequence &packed) {
  SymShape shape = node.getShape(packed.shapes ? packed.shapes : packed.data);
  return shape.empty() ? node.size(0) : shape.front();
}

/// The shape of `value` as a row of `shapes`.
static Value getRow(NodeImporter &node, Value value, bool isMixed) {
  SymShape row = node.getShape(value);
  if (isMixed) {
    if (row.size() > kMaxMixedRank)
      node.error() << "a value of rank " << row.size()
                   << " is in a sequence of values of different ranks, which "
                   << "may have at most " << kMaxMixedRank << " dimensions";
    row.insert(row.begin(), node.size(row.size()));
    row.resize(kMixedRow, node.size(0));
  }
  int64_t length = row.size();
  return node.sizeTensor(row, {1, length});
}

static Value createEmpty(NodeImporter &node, Type element, SymShape shape) {
  auto type = RankedTensorType::get({0}, element);
  Value nothing =
      node.constant(DenseElementsAttr::get(type, ArrayRef<Attribute>()));
  return node.reshape(nothing, shape);
}

/// The tensors of no values.
static PackedSequence packNothing(NodeImporter &node, Type element,
                                  const ValueDims &dims) {
  PackedSequence packed{element, dims, {}, {}};
  SymShape shape = {node.size(0)};
  if (isUniform(dims))
    shape.append(*dims);
  else
    packed.shapes =
        createEmpty(node, node.getBuilder().getI64Type(),
                    {node.size(0), node.size(dims ? dims->size() : kMixedRow)});
  packed.data = createEmpty(node, element, shape);
  return packed;
}

static PackedSequence packValues(NodeImporter &node, ArrayRef<Value> values,
                                 Type element, const ValueDims &dims) {
  if (values.empty())
    return packNothing(node, element, dims);
  PackedSequence packed{element, dims, {}, {}};
  SmallVector<Value> parts, rows;
  for (Value value : values) {
    SymShape shape = {node.getShapes().getNumElements(value)};
    if (isUniform(dims)) {
      shape = node.getShape(value);
      shape.insert(shape.begin(), node.size(1));
    } else {
      rows.push_back(getRow(node, value, !dims));
    }
    parts.push_back(node.reshape(value, shape));
    if (node.failed())
      return packed;
  }
  packed.data = parts.size() == 1 ? parts[0] : node.concat(parts, 0);
  if (!rows.empty())
    packed.shapes = rows.size() == 1 ? rows[0] : node.concat(rows, 0);
  return packed;
}

/// The shape of each value in a row; null if values have no dimensions.
static Value listShapes(NodeImporter &node, const PackedSequence &packed) {
  int64_t rank = packed.dims->size();
  if (packed.shapes || rank == 0)
    return packed.shapes;
  return node.expand(node.sizeTensor(*packed.dims, {1, rank}),
                     {getLength(node, packed), node.size(rank)});
}

/// The same led by the rank and padded with zeros.
static Value listMixedShapes(NodeImporter &node, const PackedSequence &packed) {
  Type i64 = node.getBuilder().getI64Type();
  SymExpr length = getLength(node, packed);
  int64_t rank = packed.dims->size();
  if (rank > kMaxMixedRank && !node.failed())
    node.error() << "values of rank " << rank << " stand beside others of "
                 << "another rank, where at most " << kMaxMixedRank
                 << " dimensions are supported";
  SmallVector<Value> columns = {
      node.expand(node.scalar(i64, rank), {length, node.size(1)})};
  if (Value shapes = listShapes(node, packed))
    columns.push_back(shapes);
  if (rank < kMaxMixedRank)
    columns.push_back(node.expand(node.scalar(i64, 0),
                                  {length, node.size(kMaxMixedRank - rank)}));
  return node.concat(columns, 1);
}

/// `packed` in a form that takes `dims` as well.
static PackedSequence widen(NodeImporter &node, PackedSequence packed,
                            const ValueDims &dims) {
  ValueDims joined = joinDims(packed.dims, dims);
  if (node.failed() || joined == packed.dims)
    return packed;
  if (packed.dims && !joined)
    packed.shapes = listMixedShapes(node, packed);
  else if (!isUniform(joined))
    packed.shapes = listShapes(node, packed);
  if (isUniform(packed.dims))
    packed.data = node.reshape(packed.data,
                               {node.getShapes().getNumElements(packed.data)});
  packed.dims = joined;
  return packed;
}

/// The tensors of what `makePacked` made.
static PackedSequence readPacked(SequencePackOp op) {
  PackedSequence packed{getScalarType(op.getType()), std::nullopt, op.getData(),
                        op.getShapes()};
  if (!op.getDims())
    return packed;
  packed.dims = getExprs(*op.getDims());
  for (SymExpr &size : *packed.dims)
    if (size.isUndefined())
      size = SymExpr();
  return packed;
}

PackedSequence lz::packSequence(NodeImporter &node, Value sequence,
                                const ValueDims &dims) {
  if (auto op = sequence.getDefiningOp<SequencePackOp>())
    return widen(node, readPacked(op), dims);
  Type element = getScalarType(sequence.getType());
  SmallVector<Value> values;
  if (auto known = getValues(sequence))
    values = *known;
  else if (auto made = sequence.getDefiningOp<OptionalMakeOp>();
           made && made.getInput())
    values.push_back(made.getInput());
  ValueDims joined = dims;
  if (!values.empty())
    joined = joinDims(dims, joinShapes(node, values));
  return packValues(node, values, element, joined);
}

ValueDims lz::getDims(NodeImporter &node, Value sequence) {
  if (auto op = sequence.getDefiningOp<SequencePackOp>())
    return readPacked(op).dims;
  auto values = getValues(sequence);
  return values && !values->empty() ? joinShapes(node, *values)
                                    : ValueDims(SymShape());
}

PackedSequence lz::packSequence(NodeImporter &node, Value sequence) {
  return packSequence(node, sequence, getDims(node, sequence));
}
