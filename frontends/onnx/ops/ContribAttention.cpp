//===- ContribAttention.cpp - attention of ONNX Runtime -------------------===//

#include "frontends/onnx/ops/ContribAttention.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// The core
//===----------------------------------------------------------------------===//

namespace {
/// What the operators come to: query [B, N, S, H], key and value with the past
/// before them, [B, N, T, H].
struct Attention {
  Value query, key, value;
  /// Rows of keys that were there before; null for none.
  SymExpr past;
  /// The operand with the mask, and what is added to the scores; or null.
  Value mask, bias;
};
} // namespace

/// Row `i` is i, of rank 1.
static Value countTo(NodeImporter &node, SymExpr size) {
  Type i32 = node.getBuilder().getI32Type();
  return node.create<RangeOp>(node.scalar(i32, 0), node.scalar(i32, 1),
                              node.exprs(ArrayRef<SymExpr>(size)));
}

/// [A] as [A, 1, 1, 1].
static Value asBatch(NodeImporter &node, Value vector) {
  SymShape shape = node.getShape(vector);
  shape.append(3, node.size(1));
  return node.reshape(vector, shape);
}

/// A mask of rank 1 holds, for each sample, the end of its keys (right-side
/// padding), or all ends and then all starts (left-side padding).
static Value readEnds(NodeImporter &node, Value mask, SymExpr batch,
                      SymExpr keys) {
  SymExpr size = node.getShape(mask)[0];
  bool hasStarts = size == batch * 2;
  if (size != batch && !hasStarts) {
    node.error() << "the mask has type " << mask.getType()
                 << "; of rank 1 it must have one or two elements for each "
                    "sample of the batch";
    return {};
  }
  Value position = countTo(node, keys);
  Value ends = node.sliceAxis(mask, 0, node.size(0), batch);
  Value keep = node.compare(CompareKind::lt, position, asBatch(node, ends));
  if (!hasStarts)
    return keep;
  Value starts = asBatch(node, node.sliceAxis(mask, 0, batch, batch));
  return node.binary(BinaryKind::logical_and, keep,
                     node.compare(CompareKind::ge, position, starts));
}

/// Where the mask lets scores pass, as a boolean that broadcasts to [B, N, S,
/// T]; null if everywhere.
static Value readMask(NodeImporter &node, Value mask, SymExpr batch,
                      SymExpr keys) {
  if (!mask || node.failed())
    return {};
  SymShape shape = node.getShape(mask);
  if (shape.size() == 1)
    return readEnds(node, mask, batch, keys);
  if (shape.size() != 2 && shape.size() != 3) {
    node.error() << "the mask has type " << mask.getType()
                 << "; only those of rank 1 to 3 are supported";
    return {};
  }
  // ONNX Runtime reads a mask of one column as none.
  if (shape.size() == 2 && shape[1].isConstant(1) && !keys.isConstant(1))
    return {};
  shape.insert(shape.begin() + 1, node.size(1));
  if (shape.size() == 3)
    shape.insert(shape.begin() + 1, node.size(1));
  Value zero = node.scalar(node.getElement(mask), 0);
  return node.compare(CompareKind::gt, node.reshape(mask, shape), zero);
}

/// Adds what keeps scores from counting: the mask's value, or the lowest number
/// for keys after the query's own position.
static Value maskScores(NodeImporter &node, const Attention &parts,
                        Value scores) {
  SymShape shape = node.getShape(scores);
  if (node.failed() || shape.size() != 4)
    return {};
  auto type = cast<FloatType>(node.getElement(scores));
  Value zero = node.scalar(type, 0), added;
  if (Value keep = readMask(node, parts.mask, shape[0], shape[3]))
    added = node.create<SelectOp>(
        keep, zero,
        node.scalar(type, node.getFloat("mask_filter_value", -10000)));
  if (node.getBool("unidirectional", false)) {
    Value row = node.reshape(countTo(node, shape[2]), {shape[2], node.size(1)});
    if (parts.past)
      row = node.binary(
          BinaryKind::add, row,
          node.cast(node.reshape(node.sizeTensor({parts.past}, {1}), {}),
                    node.getElement(row)));
    Value keep = node.compare(CompareKind::le, countTo(node, shape[3]), row);
    APFloat lowest =
        APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true);
    Value low = node.constant(
        DenseElementsAttr::get(RankedTensorType::get({}, type), lowest));
    added = node.create<SelectOp>(keep, added ? added : zero, low);
  }
  return addIfThere(node, scores, added);
}

Value lz::joinHeads(NodeImporter &node, Value heads) {
  SymShape shape = node.getShape(heads);
  if (shape.size() != 4)
    return {};
  return node.reshape(node.transpose(heads, {0, 2, 1, 3}),
                      {shape[0], shape[2], shape[1] * shape[3]});
}

double lz::getScoreScale(NodeImporter &node, SymExpr headSize) {
  double scale = node.getFloat("scale", 0);
  if (scale != 0 || node.failed())
    return scale;
  if (headSize.getConstant().value_or(0) > 0)
    return 1 / std::sqrt(static_cast<double>(*headSize.getConstant()));
  node.error() << "the size of a head must be a constant of the model, unless "
                  "attribute 'scale' is given";
  return 1;
}

/// Scaled, biased and masked products of queries and keys.
static Value getScores(NodeImporter &node, const Attention &parts) {
  if (node.failed())
    return {};
  double scale = getScoreScale(node, node.getShape(parts.query).back());
  Value scores = node.matmul(parts.query, parts.key, false, true);
  scores = addIfThere(node, scaleBy(node, scores, scale), parts.bias);
  return maskScores(node, parts, scores);
}

/// softmax(`scores`) * value as [B, S, N * H].
static Value attend(NodeImporter &node, Value scores, Value value) {
  Value weights = node.create<SoftmaxOp>(SoftmaxKind::softmax, scores, 3);
  return joinHeads(node, node.matmul(weights, value, false, false));
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// Attribute `num_heads`; 1 after an error.
static int64_t getNumHeads(NodeImporter &node) {
  int64_t heads = node.getInt("num_heads", 0);
  if (heads >= 1 && heads <= SymbolList::kMaxSize)
    return heads;
  if (!node.failed())
    node.error() << "attribute 'num_heads' is " << heads
                 << ", expected a positive number";
  return 1;
}

/// [B, S, D] as [B, N, S, D / N].
static Value splitHeads(NodeImporter &node, Value input) {
  SymShape shape = node.getShape(input);
  int64_t heads = getNumHeads(node);
  if (!node.failed() && shape.size() != 3)
    node.error() << "needs queries, keys and values of rank 3 here, not "
                 << shape.size();
  if (node.failed())
    return {};
  SymExpr head = shape[2].floorDiv(node.size(heads));
  Value split =
      node.reshape(input, {shape[0], shape[1], node.size(heads), head});
  return node.transpose(split, {0, 2, 1, 3});
}

/// Part `index` of `axis` of `input`, without that dimension.
static Value takePart(NodeImporter &node, Value input, int64_t axis,
                      int64_t index) {
  SymShape shape = node.getShape(input);
  if (node.failed() || axis >= static_cast<int64_t>(shape.size()))
    return {};
  shape.erase(shape.begin() + axis);
  return node.reshape(
      node.sliceAxis(input, axis, node.size(index), node.size(1)), shape);
}

/// `past` and then `current`, [B, N, T, H].
static Value joinPast(NodeImporter &node, Value past, Value current) {
  return past ? node.concat({past, current}, 2) : current;
}

LogicalResult lz::refuse(NodeImporter &node,
                         ArrayRef<std::pair<int, StringRef>> inputs,
                         ArrayRef<StringRef> attributes) {
  for (auto [index, name] : inputs)
    if (node.operand(index))
      return node.error() << "input " << index << " (" << name
                          << ") is not supported";
  for (StringRef name : attributes)
    if (node.getBool(name, false))
      return node.error() << "attribute '" << name << "' is not supported";
  return success();
}

//===----------------------------------------------------------------------===//
// Attention, QAttention
//===----------------------------------------------------------------------===//

/// The sizes of the parts of a projection to `total`: attribute
/// `qkv_hidden_sizes`, or equal ones.
static SymShape getPartSizes(NodeImporter &node, SymExpr total) {
  auto stated = node.getInts("qkv_hidden_sizes");
  if (!stated)
    return SymShape(3, total.floorDiv(node.size(3)));
  if (stated->size() == 3 && (*stated)[0] == (*stated)[1] &&
      llvm::all_of(*stated, [](int64_t size) { return size > 0; }))
    return node.sizes(*stated);
  node.error() << "attribute 'qkv_hidden_sizes' is [" << *stated
               << "], expected three positive sizes, the first two equal";
  return SymShape(3, node.size(1));
}

/// Attention by queries, keys and values side by side in `projected`, with the
/// operands of ONNX Runtime's Attention.
static LogicalResult attendMerged(NodeImporter &node, Value projected,
                                  Value mask, Value past, Value bias) {
  SymShape shape = node.getShape(projected);
  if (!node.failed() && shape.size() != 3)
    node.error() << "needs an input of rank 3 and weights of rank 2";
  if (node.failed())
    return failure();
  SymShape sizes = getPartSizes(node, shape[2]);
  SmallVector<Value, 3> parts;
  SymExpr offset = node.size(0);
  for (SymExpr size : sizes) {
    parts.push_back(
        splitHeads(node, node.sliceAxis(projected, 2, offset, size)));
    offset = offset + size;
  }
  Attention attention{parts[0], parts[1], parts[2], SymExpr(), mask, bias};
  if (past && !node.failed()) {
    if (node.getRank(past) != 5)
      return node.error() << "input 'past' must have rank 5, not "
                          << node.getRank(past);
    attention.past = node.getShape(past)[3];
    attention.key = joinPast(node, takePart(node, past, 0, 0), parts[1]);
    attention.value = joinPast(node, takePart(node, past, 0, 1), parts[2]);
  }
  Value present;
  if (node.hasResult(1) && !node.failed()) {
    SymShape stacked = node.getShape(attention.key);
    stacked.insert(stacked.begin(), node.size(1));
    present = node.concat({node.reshape(attention.key, stacked),
                           node.reshape(attention.value, stacked)},
                          0);
  }
  return node.finish(
      {attend(node, getScores(node, attention), attention.value), present});
}

static LogicalResult importAttention(NodeImporter &node) {
  if (failed(refuse(node, {{6, "past_sequence_length"}},
                    {"do_rotary", "past_present_share_buffer"})))
    return failure();
  Value projected = addIfThere(
      node, node.matmul(node.operand(0), node.operand(1), false, false),
      node.operand(2));
  return attendMerged(node, projected, node.operand(3), node.operand(4),
                      node.operand(5));
}

static LogicalResult importQAttention(NodeImporter &node) {
  if (failed(refuse(node, {}, {"do_rotary", "past_present_share_buffer"})))
    return failure();
  Value product = multiplyIntegers(
      node, {node.operand(0), node.operand(3), node.operand(6)},
      {node.operand(1), node.operand(4), node.operand(7)});
  Value projected = addIfThere(node, product, node.operand(2));
  return attendMerged(node, projected, node.operand(5), node.operand(8),
                      Value());
}

//===----------------------------------------------------------------------===//
// MultiHeadAttention
//===----------------------------------------------------------------------===//

/// Queries, keys and values packed along dimension 3: [B, S, N, parts, H].
static LogicalResult unpack(NodeImporter &node, Value packed, int64_t parts,
                            MutableArrayRef<Value> results) {
  SymShape shape = node.getShape(packed);
  if (shape.size() != 5 || !shape[3].isConstant(parts) ||
      !shape[2].isConstant(getNumHeads(node)))
    return node.error() << "packed input of type " << packed.getType()
                        << ", expected [batch, length, num_heads, " << parts
                        << ", head size]";
  for (int64_t i = 0; i != parts; ++i)
    results[i] = joinHeads(
        node, node.transpose(takePart(node, packed, 3, i), {0, 2, 1, 3}));
  return success();
}

/// Query, key and value of rank 3, packed or not.
static LogicalResult readSources(NodeImporter &node,
                                 MutableArrayRef<Value> sources) {
  for (int i = 0; i != 3; ++i)
    sources[i] = node.operand(i);
  if (!sources[1] && !sources[2])
    return unpack(node, sources[0], 3, sources);
  if (sources[1] && !sources[2])
    return unpack(node, sources[1], 2, sources.drop_front());
  if (!sources[1])
    return node.error() << "input 2 (value) needs input 1 (key) beside it";
  return success();
}

/// Adds the parts of `bias` to the sources, whose sizes they have.
static void addBias(NodeImporter &node, Value bias,
                    MutableArrayRef<Value> sources) {
  SymExpr offset = node.size(0);
  for (Value &source : sources) {
    SymShape shape = node.getShape(source);
    if (node.failed() || shape.empty())
      return;
    source = node.binary(BinaryKind::add, source,
                         node.sliceAxis(bias, 0, offset, shape.back()));
    offset = offset + shape.back();
  }
}

/// Query, key and value as heads. Keys and values of rank 4 are heads already.
static LogicalResult readHeads(NodeImporter &node, Attention &parts) {
  Value sources[3], bias = node.operand(3);
  if (failed(readSources(node, sources)))
    return failure();
  bool isSplit = node.getRank(sources[1]) == 4;
  if (bias && (isSplit || node.getRank(bias) != 1))
    return node.error() << "input 3 (bias) must have rank 1, and needs keys "
                           "and values that are not split into heads";
  if (isSplit != (node.getRank(sources[2]) == 4))
    return node.error() << "inputs 1 (key) and 2 (value) must have one rank";
  if (bias)
    addBias(node, bias, sources);
  parts.query = splitHeads(node, sources[0]);
  parts.key = isSplit ? sources[1] : splitHeads(node, sources[1]);
  parts.value = isSplit ? sources[2] : splitHeads(node, sources[2]);
  return failure(node.failed());
}

static LogicalResult importMultiHeadAttention(NodeImporter &node) {
  if (failed(refuse(
          node, {{8, "past_sequence_length"}, {9, "cache_indirection"}}, {})))
    return failure();
  Attention parts;
  if (failed(readHeads(node, parts)))
    return failure();
  Value pastKey = node.operand(6), pastValue = node.operand(7);
  if (!pastKey != !pastValue)
    return node.error() << "inputs 6 (past_key) and 7 (past_value) must be "
                           "given together";
  if (pastKey && node.getRank(pastKey) != 4)
    return node.error() << "input 6 (past_key) must have rank 4, not "
                        << node.getRank(pastKey);
  if (pastKey)
    parts.past = node.getShape(pastKey)[2];
  parts.key = joinPast(node, pastKey, parts.key);
  parts.value = joinPast(node, pastValue, parts.value);
  parts.mask = node.operand(4);
  parts.bias = node.operand(5);
  Value scores = getScores(node, parts);
  return node.finish(
      {attend(node, scores, parts.value), parts.key, parts.value, scores});
}

static constexpr ContribOperator kAttentions[] = {
    {"Attention",
     "input:F weights:F bias:F? mask_index:i? past:F? attention_bias:F? "
     "past_sequence_length:i?",
     2,
     "do_rotary:INT mask_filter_value:FLOAT num_heads:INT! "
     "past_present_share_buffer:INT qkv_hidden_sizes:INTS "
     "rotary_embedding_dim:INT scale:FLOAT unidirectional:INT",
     importAttention},
    {"QAttention",
     "input:Q weight:R bias:F input_scale:F weight_scale:F mask_index:i? "
     "input_zero_point:Q? weight_zero_point:R? past:F?",
     2,
     "do_rotary:INT mask_filter_value:FLOAT num_heads:INT! "
     "past_present_share_buffer:INT scale:FLOAT unidirectional:INT",
     importQAttention},
    {"MultiHeadAttention",
     "query:F key:F? value:F? bias:F? key_padding_mask:i? attention_bias:F? "
     "past_key:F? past_value:F? past_sequence_length:i? cache_indirection:i?",
     4, "mask_filter_value:FLOAT num_heads:INT! scale:FLOAT unidirectional:INT",
     importMultiHeadAttention},
};

ArrayRef<ContribOperator> lz::getContribAttentions() { return kAttentions; }
