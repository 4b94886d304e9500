//===- Slice.cpp - Slice and Split ----------------------------------------===//
//
// ONNX counts bounds from either end and clamps them; lz.slice wants them
// settled. Both are expressions of sizes here.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/OpenAxes.h"

using namespace mlir;
using namespace lz;

/// More than any size.
static constexpr int64_t kBeyond = SymbolList::kMaxSize;

/// `bound` counted from the front of `size` elements. Where its sign is open,
/// the quotient is -1 or 0: what is below zero gets the size added.
static SymExpr fromFront(SymExpr bound, SymExpr size) {
  if (std::optional<int64_t> value = bound.getConstant())
    return *value < 0 ? bound + size : bound;
  if (bound.isAtLeast(0))
    return bound;
  if ((bound * -1).isAtLeast(1))
    return bound + size;
  SymExpr sign =
      bound.floorDiv(SymExpr::constant(bound.getContext(), kBeyond + 1));
  return bound - sign * size;
}

/// `bound` counted from the front and kept in [least, most].
static SymExpr clampBound(SymExpr bound, SymExpr size, SymExpr least,
                          SymExpr most) {
  std::optional<int64_t> value = bound.getConstant();
  if (value && *value >= kBeyond)
    return most;
  if (value && (*value <= -kBeyond || (*value == 0 && least.isConstant(0))))
    return least;
  return fromFront(bound, size).max(least).min(most);
}

/// Settles one dimension of a slice to `start:end:step`. Going back, the first
/// element may be the last one, and the end lies before the first.
static void setBounds(NodeImporter &node, SymExpr size, SymExpr start,
                      SymExpr end, int64_t step, SymExpr &offset,
                      SymExpr &count) {
  SymExpr zero = node.size(0), before = node.size(-1), last = size - 1;
  bool back = step < 0;
  offset = clampBound(start, size, zero, back ? last : size);
  end = back ? clampBound(end, size, before, last)
             : clampBound(end, size, zero, size);
  SymExpr length = back ? offset - end : end - offset;
  count = length.ceilDiv(node.size(std::abs(step)));
  if (length != size) // which is never negative
    count = count.max(zero);
}

namespace {
/// The operands of Slice, one element per axis.
struct SliceBounds {
  SymShape starts, ends;
  SmallVector<int64_t> axes, steps;
};
} // namespace

/// Reads attributes (version 1) or operands.
static SliceBounds getBounds(NodeImporter &node) {
  SliceBounds bounds;
  SmallVector<int64_t> none;
  if (node.getVersion() < 10) {
    bounds.starts = node.sizes(node.getInts("starts").value_or(none));
    bounds.ends = node.sizes(node.getInts("ends").value_or(none));
    bounds.axes = node.getInts("axes").value_or(none);
  } else {
    bounds.starts = node.getSizes(node.operand(1));
    bounds.ends = node.getSizes(node.operand(2));
    bounds.axes = node.getConstants(node.operand(3), "axes");
    bounds.steps = node.getConstants(node.operand(4), "steps");
  }
  size_t count = bounds.starts.size();
  if (bounds.axes.empty())
    bounds.axes = llvm::to_vector(llvm::seq<int64_t>(0, count));
  if (bounds.steps.empty())
    bounds.steps.assign(count, 1);
  if (!node.failed() &&
      (bounds.ends.size() != count || bounds.axes.size() != count ||
       bounds.steps.size() != count))
    node.error() << "starts, ends, axes and steps must have one length";
  return bounds;
}

static LogicalResult importSlice(NodeImporter &node) {
  if (node.getVersion() >= 10 &&
      (!isFixed(node, node.operand(3)) || !isFixed(node, node.operand(4))))
    return importOpenSlice(node);
  Value input = node.operand(0);
  SymShape sizes = node.getShape(input);
  int64_t rank = sizes.size();
  SymShape offsets(rank, node.size(0)), strides(rank, node.size(1));
  SliceBounds bounds = getBounds(node);
  SmallVector<bool> seen(rank);
  for (size_t i = 0; i != bounds.starts.size() && !node.failed(); ++i) {
    int64_t axis = node.getAxis(bounds.axes[i], rank), step = bounds.steps[i];
    if (node.failed())
      break;
    if (seen[axis])
      return node.error() << "axis " << axis << " is named twice";
    if (step == 0)
      return node.error() << "the step of axis " << axis << " is " << step;
    seen[axis] = true;
    step = std::clamp(step, -kBeyond, kBeyond);
    setBounds(node, sizes[axis], bounds.starts[i], bounds.ends[i], step,
              offsets[axis], sizes[axis]);
    strides[axis] = node.size(step);
  }
  return node.finish(node.slice(input, offsets, sizes, strides));
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

/// The sizes that the model states for the parts, if it does.
static std::optional<SymShape> getStatedParts(NodeImporter &node) {
  if (auto attribute = node.getInts("split"))
    return node.sizes(*attribute);
  if (Value operand = node.operand(1))
    return node.getSizes(operand);
  return std::nullopt;
}

/// Equal parts of `size`. From version 18 on, the last may be smaller.
static SymShape getEqualParts(NodeImporter &node, SymExpr size) {
  int64_t count = node.getNumResults();
  if (node.getInt("num_outputs", count) != count)
    node.error() << "attribute 'num_outputs' is "
                 << node.getInt("num_outputs", count) << ", but the node has "
                 << count << " results";
  SymExpr part = node.getVersion() < 18 ? size.floorDiv(node.size(count))
                                        : size.ceilDiv(node.size(count));
  SymShape parts(count, part);
  if (node.getVersion() >= 18)
    for (int64_t i = 0; i != count; ++i)
      parts[i] = (size - part * i).max(node.size(0)).min(part);
  return parts;
}

static LogicalResult importSplit(NodeImporter &node) {
  Value input = node.operand(0);
  SymShape shape = node.getShape(input);
  int64_t axis = node.getAxis(node.getInt("axis", 0), shape.size());
  if (node.failed())
    return failure();
  auto parts = getStatedParts(node);
  if (!parts)
    parts = getEqualParts(node, shape[axis]);
  if (!node.failed() &&
      parts->size() != static_cast<size_t>(node.getNumResults()))
    return node.error() << "states " << parts->size() << " parts, but has "
                        << node.getNumResults() << " results";
  SmallVector<Value> results;
  SymExpr offset = node.size(0);
  for (SymExpr part : *parts) {
    results.push_back(node.sliceAxis(input, axis, offset, part));
    if (node.failed())
      return failure();
    offset = offset + part;
  }
  bool check = node.getVersion() < 18 || node.operand(1);
  if (check && !results.empty() &&
      failed(node.getShapes().requireEqual(
          results.back().getDefiningOp(), offset, shape[axis],
          "the parts must add up to the dimension")))
    return failure();
  return node.finish(results);
}

void lz::registerSlice(HandlerTable &handlers) {
  handlers["Slice"] = importSlice;
  handlers["Split"] = importSplit;
}
