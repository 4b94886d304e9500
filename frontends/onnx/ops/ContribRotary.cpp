//===- ContribRotary.cpp - rotary embeddings of ONNX Runtime --------------===//

#include "frontends/onnx/ops/ContribAttention.h"

using namespace mlir;
using namespace lz;

namespace {
/// What the attributes and shapes say of a RotaryEmbedding.
struct RotarySizes {
  /// [B, S, N, D], or [B, N, S, D] for an input of rank 4.
  SymShape shape;
  bool headsFirst;
  /// How many elements of a head turn; they are first.
  SymExpr turning;
  bool interleaved;

  SymExpr getLength() const { return shape[headsFirst ? 2 : 1]; }
};
} // namespace

/// The size of a head of an input of rank 3: by the number of heads, else all
/// of a head turns.
static SymExpr getHeadSize(NodeImporter &node, SymExpr hidden,
                           SymExpr turning) {
  int64_t heads = node.getInt("num_heads", 0);
  if (heads < 0 || heads > SymbolList::kMaxSize)
    node.error() << "attribute 'num_heads' is " << heads
                 << ", expected a positive number, or 0 if all of a head turns";
  return heads > 0 ? hidden.floorDiv(node.size(heads)) : turning;
}

static RotarySizes getRotarySizes(NodeImporter &node) {
  RotarySizes sizes;
  SymShape shape = node.getShape(node.operand(0));
  SymShape cache = node.getShape(node.operand(2));
  if (cache.size() != 2 || (shape.size() != 3 && shape.size() != 4)) {
    node.error() << "needs an input of rank 3 or 4 and caches of rank 2, not "
                 << shape.size() << " and " << cache.size();
    return sizes;
  }
  int64_t stated = node.getInt("rotary_embedding_dim", 0);
  sizes.turning = stated > 0 ? node.size(stated) : cache[1] * 2;
  sizes.interleaved = node.getBool("interleaved", false);
  sizes.headsFirst = shape.size() == 4;
  if (!sizes.headsFirst) {
    SymExpr head = getHeadSize(node, shape[2], sizes.turning);
    if (head.isConstant(0)) {
      node.error() << "heads of size 0 have nothing to turn";
      return sizes;
    }
    shape = {shape[0], shape[1], shape[2].floorDiv(head), head};
  }
  sizes.shape = shape;
  return sizes;
}

/// The positions, [B or 1, S]: those that are given, or those from the one that
/// is given on.
static Value getPositions(NodeImporter &node, const RotarySizes &sizes) {
  Value given = node.operand(1);
  if (node.getRank(given) == 2)
    return given;
  Type i64 = node.getBuilder().getI64Type();
  Value count =
      node.create<RangeOp>(node.scalar(i64, 0), node.scalar(i64, 1),
                           node.exprs(ArrayRef<SymExpr>(sizes.getLength())));
  Value first = node.reshape(given, {node.size(1), node.size(1)});
  return node.binary(BinaryKind::add, first,
                     node.reshape(count, {node.size(1), sizes.getLength()}));
}

/// The rows of a cache at the positions, with a dimension for the heads.
static Value lookUp(NodeImporter &node, bool headsFirst, Value positions,
                    Value cache) {
  Value rows = node.create<GatherOp>(cache, positions, 0);
  SymShape shape = node.getShape(rows);
  if (shape.size() != 3) {
    if (!node.failed())
      node.error() << "positions and caches must have rank 2";
    return {};
  }
  shape.insert(shape.begin() + (headsFirst ? 1 : 2), node.size(1));
  return node.reshape(rows, shape);
}

/// The turned pairs (a, b): (a cos - b sin, b cos + a sin).
static std::pair<Value, Value> turn(NodeImporter &node, Value a, Value b,
                                    Value cos, Value sin) {
  auto mul = [&](Value x, Value y) {
    return node.binary(BinaryKind::mul, x, y);
  };
  return {node.binary(BinaryKind::sub, mul(a, cos), mul(b, sin)),
          node.binary(BinaryKind::add, mul(b, cos), mul(a, sin))};
}

/// Turns all of `input`, whose pairs are its first and its second half.
static Value turnHalves(NodeImporter &node, Value input, SymExpr half,
                        Value cos, Value sin) {
  Value a = node.sliceAxis(input, 3, node.size(0), half);
  Value b = node.sliceAxis(input, 3, half, half);
  auto [first, second] = turn(node, a, b, cos, sin);
  return node.concat({first, second}, 3);
}

/// Turns all of `input`, whose pairs are neighbours.
static Value turnNeighbours(NodeImporter &node, Value input, SymExpr half,
                            Value cos, Value sin) {
  SymShape shape = node.getShape(input), pairs = shape, column = shape;
  column.back() = half;
  pairs.back() = half;
  pairs.push_back(node.size(2));
  Value split = node.reshape(input, pairs);
  auto take = [&](int64_t index) {
    return node.reshape(
        node.sliceAxis(split, 4, node.size(index), node.size(1)), column);
  };
  auto [first, second] = turn(node, take(0), take(1), cos, sin);
  pairs.back() = node.size(1);
  Value joined =
      node.concat({node.reshape(first, pairs), node.reshape(second, pairs)}, 4);
  return node.reshape(joined, shape);
}

Value lz::rotate(NodeImporter &node, const RotaryHeads &input, Value positions,
                 Value cosines, Value sines) {
  Value cos = lookUp(node, input.headsFirst, positions, cosines);
  Value sin = lookUp(node, input.headsFirst, positions, sines);
  if (node.failed())
    return {};
  SymExpr head = node.getShape(input.heads).back();
  SymExpr half = input.turning.floorDiv(node.size(2));
  if (input.turning == head)
    return input.interleaved ? turnNeighbours(node, input.heads, half, cos, sin)
                             : turnHalves(node, input.heads, half, cos, sin);
  RotaryHeads all = input;
  all.heads = node.sliceAxis(input.heads, 3, node.size(0), input.turning);
  Value turned = rotate(node, all, positions, cosines, sines);
  Value rest =
      node.sliceAxis(input.heads, 3, input.turning, head - input.turning);
  return node.concat({turned, rest}, 3);
}

static LogicalResult importRotary(NodeImporter &node) {
  if (node.getBool("is_packed_batching", false))
    return node.error() << "attribute 'is_packed_batching' is not supported";
  if (node.getFloat("scale", 1) != 1)
    return node.error() << "attribute 'scale' is " << node.getFloat("scale", 1)
                        << "; only 1 is supported";
  RotarySizes sizes = getRotarySizes(node);
  if (node.failed())
    return failure();
  Value heads = node.reshape(node.operand(0), sizes.shape);
  Value result =
      rotate(node, {heads, sizes.headsFirst, sizes.turning, sizes.interleaved},
             getPositions(node, sizes), node.operand(2), node.operand(3));
  return node.finish(node.reshape(result, node.getShape(node.operand(0))));
}

static constexpr ContribOperator kRotary[] = {
    {"RotaryEmbedding", "input:F position_ids:l cos_cache:F sin_cache:F", 1,
     "interleaved:INT is_packed_batching:INT num_heads:INT "
     "rotary_embedding_dim:INT scale:FLOAT",
     importRotary},
};

ArrayRef<ContribOperator> lz::getContribRotary() { return kRotary; }
