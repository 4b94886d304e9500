//===- Index.cpp - operators steered by index data ------------------------===//

#include "frontends/onnx/ops/Common.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace lz;

/// Attribute `axis`, counted from the front of the first operand.
static int64_t getOwnAxis(NodeImporter &node, int64_t fallback) {
  return node.getAxis(node.getInt("axis", fallback),
                      node.getRank(node.operand(0)));
}

static LogicalResult importGather(NodeImporter &node) {
  return node.finish(node.create<GatherOp>(node.operand(0), node.operand(1),
                                           getOwnAxis(node, 0)));
}

static LogicalResult importGatherElements(NodeImporter &node) {
  return node.finish(node.create<GatherElementsOp>(
      node.operand(0), node.operand(1), getOwnAxis(node, 0)));
}

static LogicalResult importGatherNd(NodeImporter &node) {
  return node.finish(node.create<GatherNdOp>(node.operand(0), node.operand(1),
                                             node.getInt("batch_dims", 0)));
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

static std::optional<ScatterKind> getReduction(NodeImporter &node) {
  std::string text = node.getString("reduction", "none");
  auto kind = llvm::StringSwitch<std::optional<ScatterKind>>(text)
                  .Case("none", ScatterKind::none)
                  .Case("add", ScatterKind::add)
                  .Case("mul", ScatterKind::mul)
                  .Case("max", ScatterKind::max)
                  .Case("min", ScatterKind::min)
                  .Default(std::nullopt);
  if (!kind && !node.failed())
    node.error() << "attribute 'reduction' is '" << text
                 << "', expected 'none', 'add', 'mul', 'max' or 'min'";
  return kind;
}

static LogicalResult importScatterElements(NodeImporter &node) {
  auto kind = getReduction(node);
  int64_t axis = getOwnAxis(node, 0);
  if (node.failed())
    return failure();
  return node.finish(node.create<ScatterElementsOp>(
      *kind, node.operand(0), node.operand(1), node.operand(2), axis));
}

static LogicalResult importScatterNd(NodeImporter &node) {
  auto kind = getReduction(node);
  if (node.failed())
    return failure();
  return node.finish(node.create<ScatterNdOp>(
      *kind, node.operand(0), node.operand(1), node.operand(2)));
}

//===----------------------------------------------------------------------===//
// OneHot, TopK, NonZero, Compress, Unique, ReverseSequence
//===----------------------------------------------------------------------===//

static LogicalResult importOneHot(NodeImporter &node) {
  int64_t rank = node.getRank(node.operand(0)) + 1;
  int64_t axis = node.getAxis(node.getInt("axis", -1), rank);
  Type i64 = node.getBuilder().getI64Type();
  SymShape depth = node.getSizes(node.cast(node.operand(1), i64));
  if (!node.failed() && depth.size() != 1)
    return node.error() << "needs one depth, not " << depth.size();
  return node.finish(node.create<OneHotOp>(node.operand(0), node.operand(2),
                                           node.exprs(depth), axis));
}

static LogicalResult importTopK(NodeImporter &node) {
  SymShape k;
  if (node.getVersion() < 10)
    k = {node.size(node.getInt("k", 0))};
  else
    k = node.getSizes(node.operand(1));
  if (!node.failed() && (k.size() != 1 || k[0].getConstant().value_or(0) < 0))
    return node.error() << "needs one k that is not negative";
  int64_t axis = getOwnAxis(node, -1);
  if (node.failed())
    return failure();
  Type type = node.getPlaceholder();
  auto op = TopKOp::create(node.getBuilder(), node.getLoc(), type, type,
                           node.operand(0), node.exprs(k), axis,
                           node.getBool("largest", true));
  node.infer(op);
  return node.finish({op.getValues(), op.getIndices()});
}

SymExpr lz::bindCount(NodeImporter &node, Value count, SymExpr most) {
  Value vector = node.reshape(count, node.size(1));
  if (node.failed())
    return node.size(0);
  SymExpr symbol = node.getImporter().getSymbols().declare(
      "count", 0, most.getConstant().value_or(SymbolList::kMaxSize), "run");
  auto bind = BindOp::create(node.getBuilder(), node.getLoc(), vector,
                             node.exprs(symbol));
  bind->setAttr("lz.bounds", node.exprs(most));
  return symbol;
}

/// The indices, [rank, count], of the non-zero elements.
static Value getNonZero(NodeImporter &node, Value input) {
  OpBuilder &builder = node.getBuilder();
  Value marks =
      node.cast(node.cast(input, builder.getI1Type()), builder.getI64Type());
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, node.getRank(input)));
  Value sum = node.create<ReduceOp>(ReduceKind::sum, marks, axes,
                                    /*keep_dims=*/false);
  if (node.failed())
    return {};
  SymExpr count = bindCount(node, sum, node.getShapes().getNumElements(input));
  return node.create<NonZeroOp>(input, node.exprs(count));
}

static LogicalResult importNonZero(NodeImporter &node) {
  Value input = node.operand(0);
  if (node.getRank(input) == 0) // one index for a scalar, as numpy has it
    input = node.reshape(input, node.size(1));
  return node.finish(getNonZero(node, input));
}

static LogicalResult importCompress(NodeImporter &node) {
  Value input = node.operand(0);
  int64_t axis = 0;
  if (node.has("axis"))
    axis = getOwnAxis(node, 0);
  else
    input = node.reshape(input, node.getShapes().getNumElements(input));
  Value chosen = getNonZero(node, node.operand(1));
  if (node.failed())
    return failure();
  chosen = node.reshape(chosen, node.getShape(chosen)[1]);
  return node.finish(node.create<GatherOp>(input, chosen, axis));
}

/// The first `count` slices of all results, but for the one that says of each
/// slice of the input which it is.
static LogicalResult importUnique(NodeImporter &node) {
  Value input = node.operand(0);
  if (!isa<IntegerType, FloatType>(node.getElement(input)))
    return node.error() << "elements of type " << node.getElement(input)
                        << " are not ordered here; only numbers are";
  int64_t axis = 0;
  if (node.has("axis"))
    axis = getOwnAxis(node, 0);
  else
    input = node.reshape(input, node.getShapes().getNumElements(input));
  if (node.failed())
    return failure();
  SmallVector<Type> types(5, node.getPlaceholder());
  auto op = UniqueOp::create(node.getBuilder(), node.getLoc(), types, input,
                             axis, node.getBool("sorted", true));
  node.infer(op);
  SymExpr count = bindCount(node, op.getCount(), node.getShape(input)[axis]);
  return node.finish({node.sliceAxis(op.getValues(), axis, node.size(0), count),
                      node.sliceAxis(op.getIndices(), 0, node.size(0), count),
                      op.getInverse(),
                      node.sliceAxis(op.getCounts(), 0, node.size(0), count)});
}

static LogicalResult importReverseSequence(NodeImporter &node) {
  int64_t rank = node.getRank(node.operand(0));
  int64_t batch = node.getAxis(node.getInt("batch_axis", 1), rank);
  int64_t time = node.getAxis(node.getInt("time_axis", 0), rank);
  return node.finish(node.create<ReverseSequenceOp>(
      node.operand(0), node.operand(1), batch, time));
}

void lz::registerIndex(HandlerTable &handlers) {
  handlers["Gather"] = importGather;
  handlers["GatherElements"] = importGatherElements;
  handlers["GatherND"] = importGatherNd;
  handlers["Scatter"] = importScatterElements;
  handlers["ScatterElements"] = importScatterElements;
  handlers["ScatterND"] = importScatterNd;
  handlers["OneHot"] = importOneHot;
  handlers["TopK"] = importTopK;
  handlers["NonZero"] = importNonZero;
  handlers["Compress"] = importCompress;
  handlers["Unique"] = importUnique;
  handlers["ReverseSequence"] = importReverseSequence;
}
