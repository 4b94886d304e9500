//===- Reduction.cpp - reductions, argmax, softmax ------------------------===//

#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;

SmallVector<int64_t> lz::getOtherAxes(int64_t rank, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> others;
  for (int64_t dim = 0; dim != rank; ++dim)
    if (!llvm::is_contained(axes, dim))
      others.push_back(dim);
  return others;
}

template <ReduceKind kind>
static LogicalResult importReduce(NodeImporter &node) {
  Value input = node.operand(0);
  int64_t rank = node.getRank(input);
  SmallVector<int64_t> axes =
      getAxesOf(node, 1, rank).value_or(SmallVector<int64_t>());
  if (axes.empty() && !node.getBool("noop_with_empty_axes", false))
    axes = getOtherAxes(rank, {});
  return node.finish(
      node.reduce(kind, input, axes, node.getBool("keepdims", true)));
}

template <ArgReduceKind kind>
static LogicalResult importArgReduce(NodeImporter &node) {
  Value input = node.operand(0);
  int64_t axis = node.getAxis(node.getInt("axis", 0), node.getRank(input));
  return node.finish(node.create<ArgReduceOp>(
      kind, input, axis, node.getBool("keepdims", true),
      node.getBool("select_last_index", false)));
}

template <bool product>
static LogicalResult importCumulative(NodeImporter &node) {
  Value input = node.operand(0);
  SmallVector<int64_t> axis = node.getConstants(node.operand(1), "axis");
  if (!node.failed() && axis.size() != 1)
    return node.error() << "input 'axis' must have one element";
  if (node.failed())
    return failure();
  return node.finish(
      node.create<CumsumOp>(input, node.getAxis(axis[0], node.getRank(input)),
                            node.getBool("exclusive", false),
                            node.getBool("reverse", false), product));
}

/// Before opset 13, `axis` splits the dimensions into rows and columns, and the
/// operator works on the columns.
template <SoftmaxKind kind>
static LogicalResult importSoftmax(NodeImporter &node) {
  Value input = node.operand(0);
  SymShape shape = node.getShape(input);
  int64_t rank = shape.size();
  bool flattens = node.getVersion() < 13;
  int64_t axis = node.getAxis(node.getInt("axis", flattens ? 1 : -1), rank);
  if (!flattens || axis == rank - 1)
    return node.finish(node.create<SoftmaxOp>(kind, input, axis));
  ArrayRef<SymExpr> sizes = shape;
  SymExpr rows = getProduct(node.getContext(), sizes.take_front(axis));
  SymExpr columns = getProduct(node.getContext(), sizes.drop_front(axis));
  Value flat = node.reshape(input, {rows, columns});
  Value result = node.create<SoftmaxOp>(kind, flat, 1);
  return node.finish(node.reshape(result, shape));
}

void lz::registerReduction(HandlerTable &handlers) {
  handlers["ReduceSum"] = importReduce<ReduceKind::sum>;
  handlers["ReduceMean"] = importReduce<ReduceKind::mean>;
  handlers["ReduceProd"] = importReduce<ReduceKind::prod>;
  handlers["ReduceMax"] = importReduce<ReduceKind::max>;
  handlers["ReduceMin"] = importReduce<ReduceKind::min>;
  handlers["ReduceL1"] = importReduce<ReduceKind::l1>;
  handlers["ReduceL2"] = importReduce<ReduceKind::l2>;
  handlers["ReduceLogSum"] = importReduce<ReduceKind::log_sum>;
  handlers["ReduceLogSumExp"] = importReduce<ReduceKind::log_sum_exp>;
  handlers["ReduceSumSquare"] = importReduce<ReduceKind::sum_square>;
  handlers["ArgMax"] = importArgReduce<ArgReduceKind::max>;
  handlers["ArgMin"] = importArgReduce<ArgReduceKind::min>;
  handlers["CumSum"] = importCumulative</*product=*/false>;
  handlers["CumProd"] = importCumulative</*product=*/true>;
  handlers["Softmax"] = importSoftmax<SoftmaxKind::softmax>;
  handlers["LogSoftmax"] = importSoftmax<SoftmaxKind::log_softmax>;
  handlers["Hardmax"] = importSoftmax<SoftmaxKind::hardmax>;
}
