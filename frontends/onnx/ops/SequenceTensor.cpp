//===- SequenceTensor.cpp - sequences joined to tensors, and back ---------===//
//
// Values beside each other along the first dimension of a tensor are its memory
// as it is. Along another axis, of which `outer` elements are before and
// `inner` behind, value e of length l begins at outer * inner * s, where s is
// the sum of the lengths before it, and has the tensor's element (o, a, i) at
// (o * l + a - s) * inner + i from there. That place is computed for each
// element, in one kernel with the move.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/SequenceParts.h"

using namespace mlir;
using namespace lz;

/// A tensor seen along an axis.
namespace {
struct AxisView {
  SymExpr outer, length, inner;
};
} // namespace

static AxisView viewAlong(NodeImporter &node, ArrayRef<SymExpr> shape,
                          int64_t axis) {
  return {getProduct(node.getContext(), shape.take_front(axis)), shape[axis],
          getProduct(node.getContext(), shape.drop_front(axis + 1))};
}

/// Where each element of the tensor lies among the values, whose lengths along
/// the axis are `lengths`: [outer, length, inner].
static Value getPlaces(NodeImporter &node, Value lengths, AxisView view) {
  Type i64 = node.getBuilder().getI64Type();
  auto add = [&](Value a, Value b) {
    return node.binary(BinaryKind::add, a, b);
  };
  auto multiply = [&](Value a, Value b) {
    return node.binary(BinaryKind::mul, a, b);
  };
  Value ends = node.create<CumsumOp>(lengths, 0, /*exclusive=*/false,
                                     /*reverse=*/false, /*product=*/false);
  Value along = getPositions(node, view.length);
  SymShape shape = node.getShape(lengths);
  if (node.failed())
    return {};
  Value isBehind = node.compare(
      CompareKind::le, node.reshape(ends, {shape[0], node.size(1)}),
      node.reshape(along, {node.size(1), view.length}));
  Value value = node.reduce(ReduceKind::sum, node.cast(isBehind, i64), {0},
                            /*keepDims=*/false);
  Value length = node.create<GatherOp>(lengths, value, 0);
  Value start = node.binary(BinaryKind::sub,
                            node.create<GatherOp>(ends, value, 0), length);
  Value inner = node.sizeTensor(view.inner, {});
  Value block = node.sizeTensor(view.outer * view.inner, {});
  Value rows = multiply(
      node.reshape(getPositions(node, view.outer), {view.outer, node.size(1)}),
      node.reshape(length, {node.size(1), view.length}));
  Value offset = node.binary(BinaryKind::sub, along, start);
  Value places =
      add(multiply(add(rows, node.reshape(offset, {node.size(1), view.length})),
                   inner),
          node.reshape(multiply(start, block), {node.size(1), view.length}));
  return add(node.reshape(places, {view.outer, view.length, node.size(1)}),
             node.reshape(getPositions(node, view.inner),
                          {node.size(1), node.size(1), view.inner}));
}

//===----------------------------------------------------------------------===//
// ConcatFromSequence
//===----------------------------------------------------------------------===//

/// Joins values that are known one by one.
static Value concatKnown(NodeImporter &node, SmallVector<Value> values,
                         int64_t axis, bool isNew) {
  if (isNew)
    for (Value &value : values) {
      SymShape shape = node.getShape(value);
      shape.insert(shape.begin() + axis, node.size(1));
      value = node.reshape(value, shape);
    }
  return node.concat(values, axis);
}

/// Joins values of one shape.
static Value concatUniform(NodeImporter &node, const PackedSequence &packed,
                           int64_t axis, bool isNew) {
  int64_t rank = packed.dims->size();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(1, rank + 1));
  order.insert(order.begin() + axis, 0);
  Value stacked = axis == 0 ? packed.data : node.transpose(packed.data, order);
  if (isNew)
    return stacked;
  SymShape shape = *packed.dims;
  shape[axis] = shape[axis] * getLength(node, packed);
  return node.reshape(stacked, shape);
}

/// The sizes that all values have, save along `axis` (-1: along any), where it
/// is their sum. Sizes that differ end the run.
static SymShape bindCommonShape(NodeImporter &node,
                                const PackedSequence &packed, int64_t axis) {
  int64_t rank = packed.dims->size();
  SmallVector<Value> values;
  SmallVector<BoundSize> sizes;
  for (int64_t dim = 0; dim != rank; ++dim) {
    Value column =
        node.sliceAxis(packed.shapes, 1, node.size(dim), node.size(1));
    auto combine = [&](ReduceKind kind) {
      return node.reduce(kind, column, {0, 1}, /*keepDims=*/false);
    };
    if (dim == axis) {
      values.push_back(combine(ReduceKind::sum));
      sizes.push_back({"sum_of_sizes", {}});
      continue;
    }
    Value most = combine(ReduceKind::max);
    values.push_back(most);
    sizes.push_back({"size", {}});
    values.push_back(
        node.binary(BinaryKind::sub, most, combine(ReduceKind::min)));
    sizes.push_back({"difference_of_sizes", node.size(0)});
  }
  SymShape bound = bindChecked(node, values, sizes), shape;
  for (int64_t dim = 0, next = 0; dim != rank; ++dim) {
    shape.push_back(bound[next]);
    next += dim == axis ? 1 : 2;
  }
  return shape;
}

/// Joins values whose sizes only the run knows.
static Value concatVarying(NodeImporter &node, PackedSequence packed,
                           int64_t axis, bool isNew) {
  SymShape shape = bindCommonShape(node, packed, isNew ? -1 : axis);
  if (node.failed())
    return {};
  if (isNew) {
    SymExpr length = getLength(node, packed);
    packed.dims = shape;
    shape.insert(shape.begin(), length);
    packed.data = node.reshape(packed.data, shape);
    packed.shapes = {};
    return concatUniform(node, packed, axis, isNew);
  }
  if (axis == 0)
    return node.reshape(packed.data, shape);
  Value lengths = node.reshape(
      node.sliceAxis(packed.shapes, 1, node.size(axis), node.size(1)),
      {getLength(node, packed)});
  Value places = getPlaces(node, lengths, viewAlong(node, shape, axis));
  return node.reshape(node.create<GatherOp>(packed.data, places, 0), shape);
}

static LogicalResult importConcatFromSequence(NodeImporter &node) {
  bool isNew = node.getBool("new_axis", false);
  auto values = getValues(node.operand(0));
  if (values && values->empty())
    return node.error() << "the sequence is empty, so there is nothing to join";
  PackedSequence packed;
  if (!values)
    packed = packSequence(node, node.operand(0));
  if (!values && !packed.dims)
    return node.error() << "joins values that may have different ranks; state "
                           "their shape in the type of the sequence";
  int64_t rank =
      (values ? node.getRank((*values)[0]) : int64_t(packed.dims->size())) +
      (isNew ? 1 : 0);
  int64_t axis = node.getAxis(node.getInt("axis", 0), rank);
  if (node.failed())
    return failure();
  if (values)
    return node.finish(concatKnown(node, *values, axis, isNew));
  return node.finish(isUniform(packed.dims)
                         ? concatUniform(node, packed, axis, isNew)
                         : concatVarying(node, packed, axis, isNew));
}

//===----------------------------------------------------------------------===//
// SplitToSequence
//===----------------------------------------------------------------------===//

/// More parts than these are not kept one by one.
static constexpr int64_t kMaxParts = 4096;

namespace {
/// A tensor to be split.
struct Split {
  Value input;
  SymShape shape;
  int64_t axis = 0;
  /// False if parts, of size 1, lose the axis.
  bool keeps = true;
};
} // namespace

/// The parts one by one, of known number.
static Value splitKnown(NodeImporter &node, const Split &split,
                        ArrayRef<SymExpr> sizes) {
  SmallVector<Value> parts;
  SymExpr offset = node.size(0);
  SymShape squeezed = split.shape;
  squeezed.erase(squeezed.begin() + split.axis);
  for (SymExpr size : sizes) {
    Value part = node.sliceAxis(split.input, split.axis, offset, size);
    parts.push_back(split.keeps ? part : node.reshape(part, squeezed));
    offset = offset + size;
  }
  return makeSequence(node, parts, node.getElement(split.input));
}

/// Parts of size 1, however many there are.
static Value splitToOnes(NodeImporter &node, const Split &split) {
  int64_t rank = split.shape.size();
  SmallVector<int64_t> order =
      getOtherAxes(rank, ArrayRef<int64_t>(split.axis));
  order.insert(order.begin(), split.axis);
  Value data =
      split.axis == 0 ? split.input : node.transpose(split.input, order);
  SymShape dims = split.shape, shape = {split.shape[split.axis]};
  if (split.keeps)
    dims[split.axis] = node.size(1);
  else
    dims.erase(dims.begin() + split.axis);
  shape.append(dims);
  return makePacked(
      node, {node.getElement(data), dims, node.reshape(data, shape), {}});
}

/// Parts of lengths `lengths`.
static Value splitTo(NodeImporter &node, const Split &split, Value lengths) {
  if (node.failed())
    return {};
  SymShape count = node.getShape(lengths);
  AxisView view = viewAlong(node, split.shape, split.axis);
  SymExpr total = view.outer * view.length * view.inner;
  Value data = node.reshape(split.input, {total});
  if (!view.outer.isConstant(1) && !node.failed()) {
    Value places = node.reshape(getPlaces(node, lengths, view), {total});
    data = node.create<ScatterElementsOp>(ScatterKind::none, data, places, data,
                                          0);
  }
  SmallVector<Value> columns;
  ValueDims dims = split.shape;
  (*dims)[split.axis] = SymExpr();
  for (SymExpr size : *dims)
    columns.push_back(size ? node.expand(node.sizeTensor(size, {1, 1}),
                                         {count[0], node.size(1)})
                           : node.reshape(lengths, {count[0], node.size(1)}));
  Value shapes = columns.size() == 1 ? columns[0] : node.concat(columns, 1);
  return makePacked(node, {node.getElement(data), dims, data, shapes});
}

/// Parts of size `part`, which is at least 1, but for the last.
static Value splitEvenly(NodeImporter &node, const Split &split, SymExpr part) {
  SymExpr length = split.shape[split.axis];
  auto size = part.getConstant(), whole = length.getConstant();
  if (size && whole && *whole / *size <= kMaxParts) {
    SymShape sizes(*whole / *size, part);
    if (*whole % *size != 0)
      sizes.push_back(node.size(*whole % *size));
    return splitKnown(node, split, sizes);
  }
  if (part.isConstant(1))
    return splitToOnes(node, split);
  Value starts =
      node.binary(BinaryKind::mul, getPositions(node, length.ceilDiv(part)),
                  node.sizeTensor(part, {}));
  Value rest =
      node.binary(BinaryKind::sub, node.sizeTensor(length, {}), starts);
  return splitTo(node, split,
                 node.binary(BinaryKind::min, rest, node.sizeTensor(part, {})));
}

/// The part size in a scalar operand.
static SymExpr getPartSize(NodeImporter &node, Value operand) {
  SymShape sizes = node.getSizes(operand);
  if (node.failed())
    return node.size(1);
  if (auto size = sizes[0].getConstant()) {
    if (*size < 1)
      node.error() << "input 'split' is " << *size
                   << ", expected the size of a part, at least 1";
    return node.failed() ? node.size(1) : sizes[0];
  }
  // At least 1, as the bound size that is one less shows.
  return bindChecked(node, {node.sizeTensor(sizes[0] - 1, {})},
                     {{"part_size_less_1", {}}})[0] +
         1;
}

/// Lets the run end with an error unless `sum` is 0.
static void requireZero(NodeImporter &node, SymExpr difference) {
  if (difference.isConstant(0) || node.failed())
    return;
  (void)bindChecked(node, {node.sizeTensor(difference, {})},
                    {{"size_beyond_the_parts", node.size(0)}});
}

/// Parts of the lengths in a vector.
static Value splitByVector(NodeImporter &node, const Split &split,
                           Value operand) {
  auto count = node.getShape(operand)[0].getConstant();
  SymExpr length = split.shape[split.axis];
  Type i64 = node.getBuilder().getI64Type();
  bool isKnown = node.getShapes().getContents(operand).has_value();
  if (count && (isKnown || *count <= 64)) {
    SymShape sizes = node.getSizes(operand);
    SymExpr sum = node.size(0);
    for (SymExpr size : sizes) {
      if (size.getConstant().value_or(0) < 0)
        node.error() << "input 'split' has the negative size " << size.str();
      sum = sum + size;
    }
    SymExpr rest = length - sum;
    if (!node.failed() && rest.getConstant().value_or(0) != 0)
      node.error() << "the parts add up to " << sum.str()
                   << ", but the dimension has size " << length.str();
    requireZero(node, rest);
    return splitKnown(node, split, sizes);
  }
  Value lengths = node.cast(operand, i64);
  Value sum = node.reduce(ReduceKind::sum, lengths, {0}, /*keepDims=*/false);
  Value least = node.reduce(ReduceKind::min, lengths, {0}, /*keepDims=*/false);
  Value rest = node.binary(BinaryKind::sub, node.sizeTensor(length, {}), sum);
  (void)bindChecked(
      node, {least, rest},
      {{"least_size", {}}, {"size_beyond_the_parts", node.size(0)}});
  return splitTo(node, split, lengths);
}

static LogicalResult importSplitToSequence(NodeImporter &node) {
  Split split;
  split.input = node.operand(0);
  split.shape = node.getShape(split.input);
  split.axis = node.getAxis(node.getInt("axis", 0), split.shape.size());
  Value operand = node.operand(1);
  split.keeps = operand || node.getBool("keepdims", true);
  if (node.failed())
    return failure();
  if (!operand)
    return node.finish(splitEvenly(node, split, node.size(1)));
  if (node.getRank(operand) == 1)
    return node.finish(splitByVector(node, split, operand));
  SymExpr part = getPartSize(node, operand);
  return node.failed() ? failure()
                       : node.finish(splitEvenly(node, split, part));
}

void lz::registerSequenceTensor(HandlerTable &handlers) {
  handlers["ConcatFromSequence"] = importConcatFromSequence;
  handlers["SplitToSequence"] = importSplitToSequence;
}
