//===- DetectionRules.cpp - calls of the kernels for boxes and regions ----===//

#include "passes/codegen/cpu/OpaqueCall.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// NonMaxSuppression
//===----------------------------------------------------------------------===//

static SymExpr getLimit(NonMaxSuppressionOp op) {
  return getExprs(op.getLimit()).front();
}

/// One iteration: where the boxes of a class go depends on those before.
static OpaquePlan planSuppression(const KernelInfo &kernel, Operation *op) {
  auto suppression = cast<NonMaxSuppressionOp>(op);
  SymExpr boxes = kernel.getShape(suppression.getBoxes())[1];
  return {kernel.constant(1),
          kernel.getNumElements(suppression.getScores()) * 64,
          (boxes + getLimit(suppression)) * 8};
}

static void emitSuppression(OpaqueCall &call, Operation *op) {
  auto suppression = cast<NonMaxSuppressionOp>(op);
  ArrayRef<SymExpr> scores = call.e.getShape(suppression.getScores());
  call.addOperand(suppression.getBoxes());
  call.addOperand(suppression.getScores());
  call.addOperand(suppression.getMost());
  call.addOperand(suppression.getOverlap());
  call.addOperand(suppression.getThreshold());
  call.addResult(suppression.getIndices());
  call.addResult(suppression.getCount());
  call.addScratch();
  for (SymExpr size : scores)
    call.addSize(size);
  call.addSize(getLimit(suppression));
  call.addNumber(suppression.getCenterPoint());
  call.emit("non_max_suppression", suppression.getBoxes());
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

/// Slots of LzRoiAlign.
static constexpr int64_t kRoiSlots = 11;

/// An iteration is a channel of a region. Without a number of samples, a few
/// are usual.
static OpaquePlan planRoiAlign(const KernelInfo &kernel, Operation *op) {
  auto align = cast<RoiAlignOp>(op);
  ArrayRef<SymExpr> shape = kernel.getShape(align.getResult());
  auto samples = static_cast<int64_t>(align.getSamples());
  int64_t points = samples == 0 ? 4 : samples * samples;
  return {shape[0] * shape[1], shape[2] * shape[3] * points * 16,
          kernel.constant(8 * kRoiSlots)};
}

/// Writes LzRoiAlign.
static void addDescription(OpaqueCall &call, RoiAlignOp align) {
  KernelBuilder &kb = call.kb;
  SmallVector<Value> slots;
  for (SymExpr size : call.e.getShape(align.getInput()))
    slots.push_back(kb.getSize(size));
  for (int64_t size : align.getSizes())
    slots.push_back(kb.getIndex(size));
  slots.push_back(kb.getIndex(static_cast<int64_t>(align.getSamples())));
  slots.push_back(kb.getFloat(kb.getBuilder().getF64Type(),
                              align.getScale().convertToDouble()));
  slots.push_back(kb.getIndex(align.getHalfPixel()));
  slots.push_back(kb.getIndex(align.getKind() == PoolKind::max));
  slots.push_back(kb.getIndex(getIndexBytes(align.getBatch())));
  call.addSlots(slots);
}

static void emitRoiAlign(OpaqueCall &call, Operation *op) {
  auto align = cast<RoiAlignOp>(op);
  addDescription(call, align);
  call.addOperand(align.getInput());
  call.addOperand(align.getRois());
  call.addOperand(align.getBatch());
  call.addResult(align.getResult());
  call.addRange();
  call.emit("roi_align", align.getInput());
}

const OpaqueRule *lz::findDetectionRule(Operation *op) {
  static const OpaqueRule suppression = {planSuppression, emitSuppression};
  static const OpaqueRule align = {planRoiAlign, emitRoiAlign};
  if (isa<NonMaxSuppressionOp>(op))
    return &suppression;
  return isa<RoiAlignOp>(op) ? &align : nullptr;
}
