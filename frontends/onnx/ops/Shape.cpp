//===- Shape.cpp - operators that give elements another shape -------------===//

#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;

SymExpr lz::getSizeOperand(NodeImporter &node, int index) {
  SymShape sizes = node.getSizes(node.operand(index));
  if (!node.failed() && sizes.size() != 1)
    node.error() << "input " << index << " must have one element, not "
                 << sizes.size();
  return node.failed() ? node.size(1) : sizes[0];
}

std::optional<SmallVector<int64_t>> lz::getAxesOf(NodeImporter &node, int index,
                                                  int64_t rank) {
  if (auto axes = node.getInts("axes"))
    return node.getAxes(*axes, rank);
  if (Value operand = node.operand(index))
    return node.getAxes(node.getConstants(operand, "axes"), rank);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// The size that makes `sizes`, of which one is missing, hold as many elements
/// as `shape`. Equal sizes cancel before products are expanded.
static SymExpr getMissingSize(NodeImporter &node, SymShape shape,
                              SymShape sizes) {
  for (SymExpr *size = sizes.begin(); size != sizes.end();) {
    SymExpr *same = llvm::find(shape, *size);
    if (same == shape.end() || size->isConstant(0)) {
      ++size;
      continue;
    }
    shape.erase(same);
    size = sizes.erase(size);
  }
  SymExpr rest = getProduct(node.getContext(), sizes);
  if (!rest.isConstant(0))
    return getProduct(node.getContext(), shape).floorDiv(rest);
  node.error() << "the size -1 can't be derived beside a size of 0";
  return rest;
}

/// Replaces 0 (unless `allowZero`) by the input's size and -1 by what is left.
static SymShape completeSizes(NodeImporter &node, ArrayRef<SymExpr> shape,
                              SymShape sizes, bool allowZero) {
  SymExpr *missing = nullptr;
  SymShape others;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> value = size.getConstant();
    if (value == 0 && !allowZero) {
      if (i >= shape.size()) {
        node.error() << "size " << i << " is 0, but the input has only "
                     << shape.size() << " dimensions to copy from";
        return sizes;
      }
      size = shape[i];
    } else if (value && *value < 0) {
      if (*value != -1 || missing) {
        node.error() << "shape has " << (missing ? "a second -1" : size.str())
                     << "; sizes are 0 or more, at most one is -1";
        return sizes;
      }
      missing = &size;
      continue;
    }
    others.push_back(size);
  }
  if (missing)
    *missing = getMissingSize(node, SymShape(shape), others);
  return sizes;
}

static LogicalResult importReshape(NodeImporter &node) {
  SymShape sizes;
  if (node.getVersion() < 5)
    sizes = node.sizes(node.getInts("shape").value_or(SmallVector<int64_t>()));
  else
    sizes = node.getSizes(node.operand(1));
  SymShape shape = node.getShape(node.operand(0));
  if (!node.failed())
    sizes = completeSizes(node, shape, sizes, node.getBool("allowzero", false));
  return node.finish(node.reshape(node.operand(0), sizes));
}

static LogicalResult importFlatten(NodeImporter &node) {
  SymShape shape = node.getShape(node.operand(0));
  int64_t rank = shape.size(), axis = node.getInt("axis", 1);
  if (axis < -rank || axis > rank)
    return node.error() << "axis " << axis << " is out of range for rank "
                        << rank;
  size_t split = axis < 0 ? axis + rank : axis;
  ArrayRef<SymExpr> all = shape;
  return node.finish(node.reshape(
      node.operand(0), {getProduct(node.getContext(), all.take_front(split)),
                        getProduct(node.getContext(), all.drop_front(split))}));
}

static LogicalResult importSqueeze(NodeImporter &node) {
  SymShape shape = node.getShape(node.operand(0)), kept;
  auto axes = getAxesOf(node, 1, shape.size());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (!axes && !size.getConstant())
      return node.error() << "dimension " << dim << " has the unknown size "
                          << size.str() << "; name the axes to remove";
    bool removed = axes ? llvm::is_contained(*axes, static_cast<int64_t>(dim))
                        : size.isConstant(1);
    if (!removed)
      kept.push_back(size);
    else if (size.getConstant().value_or(1) != 1 && !node.failed())
      return node.error() << "dimension " << dim << " has size " << size.str()
                          << ", only those of size 1 can be removed";
  }
  return node.finish(node.reshape(node.operand(0), kept));
}

static LogicalResult importUnsqueeze(NodeImporter &node) {
  SymShape shape = node.getShape(node.operand(0));
  SmallVector<int64_t> axes;
  if (auto attribute = node.getInts("axes"))
    axes = *attribute;
  else
    axes = node.getConstants(node.operand(1), "axes");
  axes = node.getAxes(axes, shape.size() + axes.size());
  if (node.failed())
    return failure();
  for (int64_t axis : axes)
    shape.insert(shape.begin() + axis, node.size(1));
  return node.finish(node.reshape(node.operand(0), shape));
}

//===----------------------------------------------------------------------===//
// Transpose, expand, concat, tile
//===----------------------------------------------------------------------===//

static LogicalResult importTranspose(NodeImporter &node) {
  int64_t rank = node.getRank(node.operand(0));
  auto permutation = node.getInts("perm");
  if (!permutation) {
    permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::reverse(permutation->begin(), permutation->end());
  }
  return node.finish(node.transpose(node.operand(0), *permutation));
}

static LogicalResult importExpand(NodeImporter &node) {
  return node.finish(
      node.expand(node.operand(0), node.getSizes(node.operand(1))));
}

static LogicalResult importConcat(NodeImporter &node) {
  int64_t axis = node.getInt("axis", 1); // version 1 has this default
  axis = node.getAxis(axis, node.getRank(node.operand(0)));
  return node.finish(node.concat(node.getOperands(), axis));
}

/// Tile: a count per dimension, or in version 1 one count and one axis.
static LogicalResult importTile(NodeImporter &node) {
  int64_t rank = node.getRank(node.operand(0));
  SymShape repeats = node.getSizes(node.operand(1));
  if (node.getVersion() == 1) {
    SmallVector<int64_t> axis = node.getConstants(node.operand(2), "axis");
    if (node.failed() || repeats.size() != 1 || axis.size() != 1)
      return node.failed() ? failure()
                           : node.error() << "needs one count and one axis";
    SymExpr count = repeats[0];
    repeats.assign(rank, node.size(1));
    if (int64_t dim = node.getAxis(axis[0], rank); !node.failed())
      repeats[dim] = count;
  }
  return node.finish(node.create<TileOp>(node.operand(0), node.exprs(repeats)));
}

//===----------------------------------------------------------------------===//
// Shape and size
//===----------------------------------------------------------------------===//

/// `bound` counted from the front and kept in [0, rank].
static int64_t clampBound(int64_t bound, int64_t rank) {
  return std::clamp<int64_t>(bound < 0 ? bound + rank : bound, 0, rank);
}

static LogicalResult importShape(NodeImporter &node) {
  SymShape shape = node.getShape(node.operand(0));
  int64_t rank = shape.size();
  int64_t start = clampBound(node.getInt("start", 0), rank);
  int64_t end = clampBound(node.getInt("end", rank), rank);
  int64_t count = std::max<int64_t>(end - start, 0);
  return node.finish(
      node.sizeTensor(ArrayRef<SymExpr>(shape).slice(start, count), count));
}

static LogicalResult importSize(NodeImporter &node) {
  SymShape shape = node.getShape(node.operand(0));
  return node.finish(node.sizeTensor(getProduct(node.getContext(), shape), {}));
}

//===----------------------------------------------------------------------===//
// Depth and space
//===----------------------------------------------------------------------===//

/// The [N, C, H, W] shape of the operand; an error if it is of another rank.
static SymShape getImageShape(NodeImporter &node) {
  SymShape shape = node.getShape(node.operand(0));
  if (shape.size() != 4)
    node.error() << "needs an input of rank 4, not " << shape.size();
  if (node.getInt("blocksize", 0) < 1 && !node.failed())
    node.error() << "attribute 'blocksize' must be positive";
  return shape;
}

static LogicalResult importDepthToSpace(NodeImporter &node) {
  SymShape s = getImageShape(node);
  if (node.failed())
    return failure();
  SymExpr block = node.size(node.getInt("blocksize", 0));
  SymExpr depth = s[1].floorDiv(block * block);
  bool columnFirst = node.getString("mode", "DCR") == "CRD";
  Value input = node.operand(0);
  if (columnFirst)
    input = node.transpose(
        node.reshape(input, {s[0], depth, block, block, s[2], s[3]}),
        {0, 1, 4, 2, 5, 3});
  else
    input = node.transpose(
        node.reshape(input, {s[0], block, block, depth, s[2], s[3]}),
        {0, 3, 4, 1, 5, 2});
  return node.finish(
      node.reshape(input, {s[0], depth, s[2] * block, s[3] * block}));
}

static LogicalResult importSpaceToDepth(NodeImporter &node) {
  SymShape s = getImageShape(node);
  if (node.failed())
    return failure();
  SymExpr block = node.size(node.getInt("blocksize", 0));
  SymExpr height = s[2].floorDiv(block), width = s[3].floorDiv(block);
  Value split =
      node.reshape(node.operand(0), {s[0], s[1], height, block, width, block});
  Value moved = node.transpose(split, {0, 3, 5, 1, 2, 4});
  return node.finish(
      node.reshape(moved, {s[0], s[1] * block * block, height, width}));
}

/// The triangle beside a diagonal that only the run knows: it may be negative,
/// which no size is.
static Value getOpenTriangle(NodeImporter &node, Value input, Value diagonal,
                             bool upper) {
  SymShape shape = node.getShape(input);
  size_t rank = shape.size();
  if (rank < 2 || !node.getShapes().getNumElements(diagonal).isConstant(1)) {
    node.error() << "needs an operand of rank 2 or more and one k, not "
                 << input.getType() << " and " << diagonal.getType();
    return {};
  }
  if (!isa<IntegerType, FloatType>(node.getElement(input))) {
    node.error() << "has elements of type " << node.getElement(input)
                 << ", which have no zero here; only numbers do";
    return {};
  }
  diagonal =
      node.cast(node.reshape(diagonal, {}), node.getBuilder().getI64Type());
  Value rows = node.reshape(getPositions(node, shape[rank - 2]),
                            {shape[rank - 2], node.size(1)});
  Value columns = getPositions(node, shape[rank - 1]);
  // A difference of positions does not wrap, whatever the diagonal is.
  Value distance = node.binary(BinaryKind::sub, columns, rows);
  Value isKept = node.compare(upper ? CompareKind::ge : CompareKind::le,
                              distance, diagonal);
  return node.create<SelectOp>(isKept, input,
                               node.scalar(node.getElement(input), 0));
}

/// Trilu: a diagonal that is known is an attribute.
static LogicalResult importTrilu(NodeImporter &node) {
  Value diagonal = node.operand(1);
  bool upper = node.getBool("upper", true);
  if (diagonal && !node.getShapes().getContents(diagonal))
    return node.finish(getOpenTriangle(node, node.operand(0), diagonal, upper));
  SymShape k = {node.size(0)};
  if (diagonal)
    k = node.getSizes(diagonal);
  return node.finish(
      node.create<TriluOp>(node.operand(0), node.exprs(k), upper));
}

void lz::registerShape(HandlerTable &handlers) {
  handlers["Reshape"] = importReshape;
  handlers["Flatten"] = importFlatten;
  handlers["Squeeze"] = importSqueeze;
  handlers["Unsqueeze"] = importUnsqueeze;
  handlers["Transpose"] = importTranspose;
  handlers["Expand"] = importExpand;
  handlers["Concat"] = importConcat;
  handlers["Tile"] = importTile;
  handlers["Shape"] = importShape;
  handlers["Size"] = importSize;
  handlers["DepthToSpace"] = importDepthToSpace;
  handlers["SpaceToDepth"] = importSpaceToDepth;
  handlers["Trilu"] = importTrilu;
}
