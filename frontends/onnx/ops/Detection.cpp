//===- Detection.cpp - boxes and regions ----------------------------------===//

#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// NonMaxSuppression
//===----------------------------------------------------------------------===//

/// The most boxes that a class can have: all of `boxes`, or as many as `most`
/// says, if it is known.
static SymExpr getLimit(NodeImporter &node, Value most, SymExpr boxes) {
  auto known = node.getNumbers(most);
  if (!known || known->size() != 1)
    return boxes;
  double count = std::clamp<double>((*known)[0], 0, SymbolList::kMaxSize);
  return boxes.min(node.size(static_cast<int64_t>(count)));
}

/// The rows that are set, of as many as there can be.
static LogicalResult importNonMaxSuppression(NodeImporter &node) {
  Builder &builder = node.getBuilder();
  Value boxes = node.operand(0), scores = node.operand(1);
  if (node.getRank(boxes) != 3)
    return node.error() << "needs boxes of rank 3, not " << node.getRank(boxes);
  Value most = node.operand(2), overlap = node.operand(3);
  if (!most)
    most = node.scalar(builder.getI64Type(), 0);
  if (!overlap)
    overlap = node.scalar(builder.getF32Type(), 0);
  SymExpr limit = getLimit(node, most, node.getShape(boxes)[1]);
  if (node.failed())
    return failure();
  Type type = node.getPlaceholder();
  auto op = NonMaxSuppressionOp::create(
      node.getBuilder(), node.getLoc(), type, type, boxes, scores, most,
      overlap, node.operand(4), node.exprs(limit),
      node.getBool("center_point_box", false));
  node.infer(op);
  if (node.failed())
    return failure();
  SymExpr rows = node.getShape(op.getIndices())[0];
  SymExpr count = bindCount(node, op.getCount(), rows);
  return node.finish(node.sliceAxis(op.getIndices(), 0, node.size(0), count));
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

/// True if regions are shifted by half a pixel, which is new in version 16.
static bool isHalfPixel(NodeImporter &node) {
  if (node.getVersion() < 16)
    return false;
  std::string mode =
      node.getString("coordinate_transformation_mode", "half_pixel");
  if (mode != "half_pixel" && mode != "output_half_pixel" && !node.failed())
    node.error() << "attribute 'coordinate_transformation_mode' is '" << mode
                 << "', expected 'half_pixel' or 'output_half_pixel'";
  return mode == "half_pixel";
}

static PoolKind getMode(NodeImporter &node) {
  std::string mode = node.getString("mode", "avg");
  if (mode != "avg" && mode != "max" && !node.failed())
    node.error() << "attribute 'mode' is '" << mode
                 << "', expected 'avg' or 'max'";
  return mode == "max" ? PoolKind::max : PoolKind::average;
}

static LogicalResult importRoiAlign(NodeImporter &node) {
  PoolKind kind = getMode(node);
  bool isHalf = isHalfPixel(node);
  int64_t sizes[] = {node.getInt("output_height", 1),
                     node.getInt("output_width", 1)};
  return node.finish(node.create<RoiAlignOp>(
      kind, node.operand(0), node.operand(1), node.operand(2), sizes,
      node.getInt("sampling_ratio", 0),
      APFloat(node.getFloat("spatial_scale", 1)), isHalf));
}

void lz::registerDetection(HandlerTable &handlers) {
  handlers["NonMaxSuppression"] = importNonMaxSuppression;
  handlers["RoiAlign"] = importRoiAlign;
}
