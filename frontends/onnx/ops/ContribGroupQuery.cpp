//===- ContribGroupQuery.cpp - attention with fewer keys than queries -----===//
//
// GroupQueryAttention, which decoders of language models run step by step:
// groups of query heads share keys and values, which are appended to those of
// the steps before, at a place of each sample's own.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/ContribAttention.h"

using namespace mlir;
using namespace lz;

namespace {

/// The sizes of a node: B samples of S new positions, Nk heads of keys for
/// groups of G heads of queries, P rows of the past, T positions in all, and L
/// rows of the present.
struct Sizes {
  SymExpr batch, length, group, keyHeads, head, past, total, present;

  SymExpr getHeads() const { return group * keyHeads; }
};

/// Queries, keys and values [B, S, heads, H].
struct Projections {
  Value query, key, value;
};

/// Positions as i64.
struct Positions {
  Value past;  ///< [B, 1], how many there were before
  Value end;   ///< [B, 1], how many there are
  Value ofNew; ///< [B, S], where the new ones stand
};

} // namespace

static Value getNumber(NodeImporter &node, int64_t value) {
  return node.scalar(node.getBuilder().getI64Type(),
                     static_cast<double>(value));
}

static Value getSizeValue(NodeImporter &node, SymExpr size) {
  return node.sizeTensor({size}, {});
}

static Value isBoth(NodeImporter &node, Value a, Value b) {
  return node.binary(BinaryKind::logical_and, a, b);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A positive attribute; 1 after an error.
static int64_t getCount(NodeImporter &node, StringRef name) {
  int64_t count = node.getInt(name, 0);
  if (count >= 1 && count <= SymbolList::kMaxSize)
    return count;
  if (!node.failed())
    node.error() << "attribute '" << name << "' is " << count
                 << ", expected a positive number";
  return 1;
}

static void verifyRanks(NodeImporter &node) {
  bool isPacked = !node.operand(1);
  if (isPacked != !node.operand(2) || !node.operand(3) != !node.operand(4))
    node.error() << "inputs 1 and 2 (key and value) and inputs 3 and 4 (those "
                    "of the past) must be given together";
  for (auto [index, rank] : {std::pair<int, int64_t>{0, 3},
                             {1, 3},
                             {2, 3},
                             {3, 4},
                             {4, 4},
                             {9, 2},
                             {10, 4}}) {
    Value value = node.operand(index);
    if (value && !node.failed() && node.getRank(value) != rank)
      node.error() << "input " << index << " must have rank " << rank
                   << ", not " << node.getRank(value);
  }
}

static FailureOr<Sizes> getSizes(NodeImporter &node) {
  verifyRanks(node);
  int64_t heads = getCount(node, "num_heads");
  int64_t keyHeads = getCount(node, "kv_num_heads");
  if (!node.failed() && heads % keyHeads != 0)
    node.error() << "attribute 'num_heads' is " << heads
                 << ", which is not a multiple of 'kv_num_heads', " << keyHeads;
  if (node.failed())
    return failure();
  SymShape query = node.getShape(node.operand(0));
  int64_t split = node.operand(1) ? heads : heads + 2 * keyHeads;
  Sizes sizes{query[0],
              query[1],
              node.size(heads / keyHeads),
              node.size(keyHeads),
              query[2].floorDiv(node.size(split)),
              node.size(0),
              getSizeOperand(node, 6),
              SymExpr()};
  if (node.operand(3))
    sizes.past = node.getShape(node.operand(3))[2];
  sizes.present = sizes.total.max(sizes.past);
  if (node.failed())
    return failure();
  return sizes;
}

static Projections getProjections(NodeImporter &node, const Sizes &sizes) {
  Value parts[3] = {node.operand(0), node.operand(1), node.operand(2)};
  SymExpr heads[3] = {sizes.getHeads(), sizes.keyHeads, sizes.keyHeads};
  bool isPacked = !parts[1];
  SymExpr offset = node.size(0);
  for (auto [part, count] : llvm::zip_equal(parts, heads)) {
    SymExpr width = count * sizes.head;
    if (isPacked)
      part = node.sliceAxis(node.operand(0), 2, offset, width);
    offset = offset + width;
    part = node.reshape(part, {sizes.batch, sizes.length, count, sizes.head});
  }
  return {parts[0], parts[1], parts[2]};
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Input `seqlens_k` holds the last position of each sample. If all positions
/// are new, there were none before, and samples are padded on the right.
static Positions readPositions(NodeImporter &node, const Sizes &sizes) {
  Type i64 = node.getBuilder().getI64Type();
  Value last = node.reshape(node.cast(node.operand(5), i64),
                            {sizes.batch, node.size(1)});
  Value end = add(node, last, getNumber(node, 1));
  Value length = getSizeValue(node, sizes.length);
  Value total = getSizeValue(node, sizes.total);
  Value past =
      node.create<SelectOp>(node.compare(CompareKind::eq, length, total),
                            getNumber(node, 0), sub(node, end, length));
  auto isLess = [&](Value a, Value b) {
    return node.compare(CompareKind::lt, a, b);
  };
  Value rows = getSizeValue(node, sizes.past);
  Value isWrong = node.binary(
      BinaryKind::logical_or,
      node.binary(BinaryKind::logical_or, isLess(end, getNumber(node, 1)),
                  isLess(total, end)),
      node.binary(BinaryKind::logical_or, isLess(past, getNumber(node, 0)),
                  isLess(rows, past)));
  node.forbid(isWrong, "sequences_beyond_the_cache");
  Value ofNew = add(node, past,
                    node.reshape(getPositions(node, sizes.length),
                                 {node.size(1), sizes.length}));
  return {past, end, ofNew};
}

static Value rotateHeads(NodeImporter &node, Value heads, Value positions) {
  Value cosines = node.operand(7);
  SymExpr turning = node.getShape(cosines).back() * 2;
  return rotate(node,
                {heads, /*headsFirst=*/false, turning,
                 node.getBool("rotary_interleaved", false)},
                positions, cosines, node.operand(8));
}

static void applyRotary(NodeImporter &node, Projections &parts,
                        const Positions &positions) {
  if (!node.getBool("do_rotary", false) || node.failed())
    return;
  if (!node.operand(7) || !node.operand(8) ||
      node.getRank(node.operand(7)) != 2) {
    node.error() << "attribute 'do_rotary' needs inputs 7 and 8 (the caches of "
                    "cosines and sines), of rank 2";
    return;
  }
  Value at = node.operand(9) ? node.operand(9) : positions.ofNew;
  parts.query = rotateHeads(node, parts.query, at);
  parts.key = rotateHeads(node, parts.key, at);
}

//===----------------------------------------------------------------------===//
// Keys and values
//===----------------------------------------------------------------------===//

/// The rows of the past and, where a sample's end, the new ones; then zeros:
/// [B, Nk, L, H].
static Value append(NodeImporter &node, const Sizes &sizes,
                    const Positions &positions, Value past, Value added) {
  SymExpr one = node.size(1);
  Value row =
      node.reshape(getPositions(node, sizes.present), {one, sizes.present});
  auto spread = [&](Value rows) {
    return node.reshape(rows, {sizes.batch, one, sizes.present, one});
  };
  // Row t is the new row t - past of its sample.
  Value number = sub(node, row, positions.past);
  Value last = getSizeValue(node, sizes.length - 1);
  number = node.binary(BinaryKind::max, getNumber(node, 0),
                       node.binary(BinaryKind::min, number, last));
  Value first = mul(node, getPositions(node, sizes.batch),
                    getSizeValue(node, sizes.length));
  number = add(node, number, node.reshape(first, {sizes.batch, one}));
  Value flat = node.reshape(
      added, {sizes.batch * sizes.length, sizes.keyHeads, sizes.head});
  Value rows =
      node.transpose(node.create<GatherOp>(flat, number, 0), {0, 2, 1, 3});
  Value zero = node.scalar(node.getElement(added), 0);
  Value isThere = node.compare(CompareKind::lt, row, positions.end);
  rows = node.create<SelectOp>(spread(isThere), rows, zero);
  if (!past || node.failed())
    return rows;
  SymShape low(4, node.size(0)), high = low;
  high[2] = sizes.present - sizes.past;
  Value before = node.create<PadOp>(PadKind::constant, past, Value(),
                                    node.exprs(low), node.exprs(high));
  Value isPast = node.compare(CompareKind::lt, row, positions.past);
  return node.create<SelectOp>(spread(isPast), before, rows);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Which keys a query sees: none after its own, and of those before as many as
/// attribute `local_window_size` says. [B, 1, S, T]
static Value getVisible(NodeImporter &node, const Sizes &sizes,
                        const Positions &positions) {
  SymExpr one = node.size(1);
  Value query =
      node.reshape(positions.ofNew, {sizes.batch, one, sizes.length, one});
  Value key = getPositions(node, sizes.total);
  Value visible = node.compare(CompareKind::le, key, query);
  int64_t window = node.getInt("local_window_size", -1);
  if (window < 0)
    return visible;
  Value end = add(node, key, getNumber(node, window));
  return isBoth(node, visible, node.compare(CompareKind::gt, end, query));
}

static Value capScores(NodeImporter &node, Value scores) {
  double cap = node.getFloat("softcap", 0);
  if (cap <= 0)
    return scores;
  Value part = node.unary(UnaryKind::tanh, scaleBy(node, scores, 1 / cap));
  return scaleBy(node, part, cap);
}

/// Softmax of [B, N, S, T]. With a sink (one for each head, or 0 with attribute
/// `smooth_softmax`), the sum has its exponential, too.
static Value normalize(NodeImporter &node, const Sizes &sizes, Value scores) {
  Value sink = node.operand(11);
  if (!sink && node.getBool("smooth_softmax", false))
    sink = node.expand(node.scalar(node.getElement(scores), 0),
                       {sizes.getHeads()});
  if (!sink)
    return node.create<SoftmaxOp>(SoftmaxKind::softmax, scores, 3);
  SymExpr one = node.size(1);
  Value column =
      node.expand(node.reshape(sink, {one, sizes.getHeads(), one, one}),
                  {sizes.batch, sizes.getHeads(), sizes.length, one});
  Value all = node.create<SoftmaxOp>(SoftmaxKind::softmax,
                                     node.concat({scores, column}, 3), 3);
  return node.sliceAxis(all, 3, node.size(0), sizes.total);
}

/// The results of the heads, [B, N, S, H]. The queries of a group are rows of
/// one product with their keys.
static Value attend(NodeImporter &node, const Sizes &sizes,
                    const Positions &positions, Value query, Value key,
                    Value value) {
  SymShape grouped = {sizes.batch, sizes.keyHeads, sizes.group * sizes.length,
                      sizes.head};
  SymShape split = {sizes.batch, sizes.getHeads(), sizes.length, sizes.total};
  auto takeTotal = [&](Value rows) {
    return node.sliceAxis(rows, 2, node.size(0), sizes.total);
  };
  Value rows = node.reshape(node.transpose(query, {0, 2, 1, 3}), grouped);
  Value scores = node.matmul(rows, takeTotal(key), false, true);
  scores = scaleBy(node, scores, getScoreScale(node, sizes.head));
  scores = node.reshape(capScores(node, scores), split);
  scores = addIfThere(node, scores, node.operand(10));
  if (node.failed())
    return {};
  auto type = cast<FloatType>(node.getElement(scores));
  APFloat lowest =
      APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true);
  Value low = node.constant(
      DenseElementsAttr::get(RankedTensorType::get({}, type), lowest));
  scores =
      node.create<SelectOp>(getVisible(node, sizes, positions), scores, low);
  SymShape flat = grouped;
  flat.back() = sizes.total;
  Value weights = node.reshape(normalize(node, sizes, scores), flat);
  SymShape heads = {sizes.batch, sizes.getHeads(), sizes.length, sizes.head};
  return node.reshape(node.matmul(weights, takeTotal(value), false, false),
                      heads);
}

static LogicalResult importGroupQuery(NodeImporter &node) {
  if (failed(refuse(node, {{12, "k_scale"}, {13, "v_scale"}},
                    {"qk_output", "kv_cache_bit_width"})))
    return failure();
  if (node.hasResult(3))
    return node.error() << "result 3 (output_qk) is not supported";
  FailureOr<Sizes> sizes = getSizes(node);
  if (failed(sizes))
    return failure();
  Projections parts = getProjections(node, *sizes);
  Positions positions = readPositions(node, *sizes);
  applyRotary(node, parts, positions);
  Value key = append(node, *sizes, positions, node.operand(3), parts.key);
  Value value = append(node, *sizes, positions, node.operand(4), parts.value);
  Value heads = attend(node, *sizes, positions, parts.query, key, value);
  return node.finish({joinHeads(node, heads), key, value});
}

static constexpr ContribOperator kGroupQuery[] = {
    {"GroupQueryAttention",
     "query:F key:F? value:F? past_key:F? past_value:F? seqlens_k:i "
     "total_sequence_length:i cos_cache:F? sin_cache:F? position_ids:l? "
     "attention_bias:F? head_sink:F? k_scale:f? v_scale:f?",
     4,
     "do_rotary:INT k_quant_type:STRING kv_cache_bit_width:INT "
     "kv_num_heads:INT! local_window_size:INT num_heads:INT! qk_output:INT "
     "rotary_interleaved:INT scale:FLOAT smooth_softmax:INT softcap:FLOAT "
     "v_quant_type:STRING",
     importGroupQuery},
};

ArrayRef<ContribOperator> lz::getContribGroupQuery() { return kGroupQuery; }
