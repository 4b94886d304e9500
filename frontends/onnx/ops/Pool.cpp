//===- Pool.cpp - pools ---------------------------------------------------===//

#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;

namespace {
/// What the pools differ in.
struct PoolTraits {
  PoolKind kind;
  bool countPadding = false;
  /// What hangs over the end with `ceil_mode` counts as padding, too.
  bool countOverhang = false;
  int64_t power = 2;
  bool columnMajor = false;
  bool withIndices = false;
};
} // namespace

/// Pads the end so that no window hangs over it.
static void coverOverhang(NodeImporter &node, ArrayRef<SymExpr> input,
                          ArrayRef<int64_t> kernel, Windows &windows) {
  for (auto [i, size] : llvm::enumerate(input)) {
    SymExpr end = (windows.counts[i] - 1) * windows.strides[i] +
                  (node.size(kernel[i]) - 1) * windows.dilations[i] + 1;
    windows.high[i] = windows.high[i].max(end - size - windows.low[i]);
  }
}

/// The pool of `input` by the attributes of the node; null after an error.
static PoolOp buildPool(NodeImporter &node, Value input,
                        const PoolTraits &traits) {
  SymShape spatial = node.getShape(input);
  if (!node.failed() && spatial.size() < 3)
    node.error() << "needs an input of rank 3 or more, not " << spatial.size();
  else if (!node.failed() && !node.has("kernel_shape"))
    node.error() << "needs attribute 'kernel_shape'";
  if (node.failed())
    return {};
  spatial.erase(spatial.begin(), spatial.begin() + 2);
  SmallVector<int64_t> kernel =
      getSpatialInts(node, "kernel_shape", spatial.size(), 1, 1);
  Windows windows = getWindows(node, spatial, node.sizes(kernel),
                               node.getBool("ceil_mode", false));
  if (node.failed())
    return {};
  if (traits.countOverhang)
    coverOverhang(node, spatial, kernel, windows);
  Type type = node.getPlaceholder();
  auto op = PoolOp::create(
      node.getBuilder(), node.getLoc(), type,
      traits.withIndices ? type : Type(), traits.kind, input, kernel,
      windows.strides, node.exprs(windows.low), node.exprs(windows.high),
      windows.dilations, node.exprs(windows.counts), traits.countPadding,
      traits.power, traits.columnMajor, traits.withIndices);
  node.infer(op);
  return op;
}

static LogicalResult importPool(NodeImporter &node, const PoolTraits &traits) {
  PoolOp op = buildPool(node, node.operand(0), traits);
  if (!op)
    return failure();
  return node.finish({op.getResult(), op.getIndices()});
}

static LogicalResult importMaxPool(NodeImporter &node) {
  PoolTraits traits{PoolKind::max};
  traits.columnMajor = node.getInt("storage_order", 0) == 1;
  traits.withIndices = node.hasResult(1);
  return importPool(node, traits);
}

Value lz::buildAveragePool(NodeImporter &node, Value input,
                           bool countOverhang) {
  PoolTraits traits{PoolKind::average};
  traits.countPadding = node.getBool("count_include_pad", false);
  traits.countOverhang = traits.countPadding && countOverhang;
  PoolOp op = buildPool(node, input, traits);
  return op ? op.getResult() : Value();
}

static LogicalResult importAveragePool(NodeImporter &node) {
  return node.finish(
      buildAveragePool(node, node.operand(0), /*countOverhang=*/false));
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
