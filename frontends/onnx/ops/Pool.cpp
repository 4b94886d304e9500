//===- Pool.cpp - pools ---------------------------------------------------===//

#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;

namespace {
/// What the pools differ in.
struct PoolTraits {
  PoolKind kind;
  bool countPadding = false;
  int64_t power = 2;
  bool columnMajor = false;
  bool withIndices = false;
};
} // namespace

static LogicalResult importPool(NodeImporter &node, const PoolTraits &traits) {
  Value input = node.operand(0);
  SymShape spatial = node.getShape(input);
  if (spatial.size() < 3)
    return node.error() << "needs an input of rank 3 or more, not "
                        << spatial.size();
  spatial.erase(spatial.begin(), spatial.begin() + 2);
  if (!node.has("kernel_shape"))
    return node.error() << "needs attribute 'kernel_shape'";
  SmallVector<int64_t> kernel =
      getSpatialInts(node, "kernel_shape", spatial.size(), 1, 1);
  Windows windows = getWindows(node, spatial, node.sizes(kernel),
                               node.getBool("ceil_mode", false));
  if (node.failed())
    return failure();
  Type type = node.getPlaceholder();
  auto op = PoolOp::create(
      node.getBuilder(), node.getLoc(), type,
      traits.withIndices ? type : Type(), traits.kind, input, kernel,
      windows.strides, node.exprs(windows.low), node.exprs(windows.high),
      windows.dilations, node.exprs(windows.counts), traits.countPadding,
      traits.power, traits.columnMajor, traits.withIndices);
  node.infer(op);
  return node.finish({op.getResult(), op.getIndices()});
}

static LogicalResult importMaxPool(NodeImporter &node) {
  PoolTraits traits{PoolKind::max};
  traits.columnMajor = node.getInt("storage_order", 0) == 1;
  traits.withIndices = node.hasResult(1);
  return importPool(node, traits);
}

static LogicalResult importAveragePool(NodeImporter &node) {
  PoolTraits traits{PoolKind::average};
  traits.countPadding = node.getBool("count_include_pad", false);
  return importPool(node, traits);
}

/// The p of a pool: version 1 has it as a float.
static int64_t getPower(NodeImporter &node) {
  double power =
      node.getVersion() == 1 ? node.getFloat("p", 2) : node.getInt("p", 2);
  if (!(power >= 1 && power <= 1024) || power != static_cast<int64_t>(power))
    node.error() << "attribute 'p' is " << power
                 << ", expected a whole number from 1 to 1024";
  return node.failed() ? 2 : power;
}

static LogicalResult importLpPool(NodeImporter &node) {
  PoolTraits traits{PoolKind::lp};
  traits.power = getPower(node);
  return importPool(node, traits);
}

//===----------------------------------------------------------------------===//
// Global pools
//===----------------------------------------------------------------------===//

/// All dimensions after batch and channels.
static SmallVector<int64_t> getSpatialAxes(NodeImporter &node) {
  int64_t rank = node.getRank(node.operand(0));
  if (rank >= 3)
    return llvm::to_vector(llvm::seq<int64_t>(2, rank));
  node.error() << "needs an input of rank 3 or more, not " << rank;
  return {};
}

template <ReduceKind kind>
static LogicalResult importGlobalPool(NodeImporter &node) {
  SmallVector<int64_t> axes = getSpatialAxes(node);
  return node.finish(node.reduce(kind, node.operand(0), axes, true));
}

/// The p-th root of the sum of p-th powers.
static LogicalResult importGlobalLpPool(NodeImporter &node) {
  SmallVector<int64_t> axes = getSpatialAxes(node);
  int64_t power = getPower(node);
  Value input = node.operand(0);
  if (power <= 2)
    return node.finish(node.reduce(power == 1 ? ReduceKind::l1 : ReduceKind::l2,
                                   input, axes, true));
  Type type = node.getElement(input);
  Value powers = node.binary(BinaryKind::pow, node.unary(UnaryKind::abs, input),
                             node.scalar(type, power));
  Value sum = node.reduce(ReduceKind::sum, powers, axes, true);
  return node.finish(
      node.binary(BinaryKind::pow, sum, node.scalar(type, 1.0 / power)));
}

void lz::registerPool(HandlerTable &handlers) {
  handlers["MaxPool"] = importMaxPool;
  handlers["AveragePool"] = importAveragePool;
  handlers["LpPool"] = importLpPool;
  handlers["GlobalAveragePool"] = importGlobalPool<ReduceKind::mean>;
  handlers["GlobalMaxPool"] = importGlobalPool<ReduceKind::max>;
  handlers["GlobalLpPool"] = importGlobalLpPool;
}
