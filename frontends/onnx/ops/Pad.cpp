//===- Pad.cpp - Pad ------------------------------------------------------===//

#include "frontends/onnx/ops/OpenAxes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace lz;

/// The counts before and after each axis: attributes at first, then an operand.
static SymShape getPads(NodeImporter &node) {
  SmallVector<int64_t> none;
  if (node.getVersion() == 1)
    return node.sizes(node.getInts("paddings").value_or(none));
  if (node.getVersion() < 11)
    return node.sizes(node.getInts("pads").value_or(none));
  return node.getSizes(node.operand(1));
}

/// The value that fills: an attribute at first, then an operand.
static Value getFill(NodeImporter &node) {
  Type element = node.getElement(node.operand(0));
  if (node.getVersion() < 11)
    return node.scalar(element, node.getFloat("value", 0));
  Value fill = node.operand(2);
  return fill ? node.reshape(fill, {}) : Value();
}

static std::optional<PadKind> getKind(NodeImporter &node) {
  std::string mode = node.getString("mode", "constant");
  auto kind = llvm::StringSwitch<std::optional<PadKind>>(mode)
                  .Case("constant", PadKind::constant)
                  .Case("reflect", PadKind::reflect)
                  .Case("edge", PadKind::edge)
                  .Case("wrap", PadKind::wrap)
                  .Default(std::nullopt);
  if (!kind)
    node.error() << "attribute 'mode' is '" << mode
                 << "', expected 'constant', 'reflect', 'edge' or 'wrap'";
  return kind;
}

namespace {
/// The counts before and after each dimension.
struct Counts {
  SymShape low, high;
};
} // namespace

/// The counts for axes that only the run knows.
static Counts getOpenCounts(NodeImporter &node, int64_t rank) {
  Value pads = node.operand(1), axes = node.operand(3);
  auto count = node.getShapes().getNumElements(axes).getConstant();
  if (!count || node.getRank(axes) != 1 || rank == 0 ||
      !node.getShapes().getNumElements(pads).isConstant(2 * *count)) {
    node.error() << "takes pads of type " << pads.getType() << " and axes of "
                 << "type " << axes.getType()
                 << ", expected vectors with two pads for each axis";
    return {};
  }
  OpenAxes placed(node, axes, *count, rank);
  auto getHalf = [&](int64_t offset) {
    Value half = node.sliceAxis(pads, 0, node.size(offset), node.size(*count));
    return placed.bind(placed.require(placed.place(half, 0)));
  };
  return {getHalf(0), getHalf(*count)};
}

/// The counts for axes that are known.
static Counts getCounts(NodeImporter &node, int64_t rank) {
  SymShape pads = getPads(node);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (Value operand = node.operand(3)) {
    axes = node.getConstants(operand, "axes");
    for (int64_t &axis : axes)
      axis = node.getAxis(axis, rank);
  }
  if (!node.failed() && pads.size() != 2 * axes.size())
    node.error() << "has " << pads.size() << " pads, expected two for "
                 << "each of " << axes.size() << " axes";
  if (node.failed())
    return {};
  SymShape none(rank, node.size(0));
  Counts counts = {none, none};
  for (auto [i, axis] : llvm::enumerate(axes)) {
    counts.low[axis] = pads[i];
    counts.high[axis] = pads[i + axes.size()];
  }
  return counts;
}

static LogicalResult importPad(NodeImporter &node) {
  Value input = node.operand(0);
  int64_t rank = node.getRank(input);
  auto kind = getKind(node);
  if (node.failed())
    return failure();
  Counts counts = isFixed(node, node.operand(3)) ? getCounts(node, rank)
                                                 : getOpenCounts(node, rank);
  if (node.failed())
    return failure();
  Value fill = *kind == PadKind::constant ? getFill(node) : Value();
  return node.finish(node.create<PadOp>(
      *kind, input, fill, node.exprs(counts.low), node.exprs(counts.high)));
}

void lz::registerPad(HandlerTable &handlers) { handlers["Pad"] = importPad; }
