//===- ControlSizes.cpp - sizes that control flow sets --------------------===//

#include "passes/schedule/ControlSizes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

/// Adds the dimensions of `value` that are among `symbols`, and their sizes in
/// `first` and `second`.
static void addChanges(const ShapeAnalysis &shapes, ArrayRef<SymExpr> symbols,
                       Value value, Value first, Value second,
                       SmallVectorImpl<SizeChange> &changes) {
  if (!shapes.hasShape(value))
    return;
  for (auto [size, a, b] :
       llvm::zip_equal(shapes.getShape(value), shapes.getShape(first),
                       shapes.getShape(second)))
    if (llvm::is_contained(symbols, size))
      changes.push_back({size, a, b});
}

SmallVector<SizeChange> lz::getSizeChanges(IfOp op,
                                           const ShapeAnalysis &shapes) {
  SmallVector<SizeChange> changes;
  SymShape symbols = getExprs(op.getSymbols());
  for (auto [result, first, second] : llvm::zip_equal(
           op.getResults(),
           op.getThenRegion().front().getTerminator()->getOperands(),
           op.getElseRegion().front().getTerminator()->getOperands()))
    addChanges(shapes, symbols, result, first, second, changes);
  return changes;
}

SmallVector<SizeChange> lz::getSizeChanges(LoopOp op,
                                           const ShapeAnalysis &shapes) {
  SmallVector<SizeChange> changes;
  SymShape symbols = getExprs(op.getSymbols());
  Block &body = op.getBody().front();
  auto yielded = body.getTerminator()->getOperands().drop_front(1);
  for (auto [argument, initial, next] :
       llvm::zip(body.getArguments().drop_front(2), op.getInitial(), yielded))
    addChanges(shapes, symbols, argument, initial, next, changes);
  return changes;
}

SymExpr lz::getTripSymbol(LoopOp op, const ShapeAnalysis &shapes) {
  size_t carried = op.getInitial().size();
  if (op.getNumResults() == carried)
    return {};
  return shapes.getShape(op.getResult(carried)).front();
}

/// `value` before it was reshaped.
static Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getInput();
  return value;
}

static bool isTrue(Value value) {
  auto constant = skipReshapes(value).getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  return elements && elements.isSplat() && elements.getSplatValue<bool>();
}

bool lz::readsCondition(LoopOp op) {
  Block &body = op.getBody().front();
  Value next = skipReshapes(body.getTerminator()->getOperand(0));
  if (next != body.getArgument(1) && !isTrue(next))
    return true;
  return op.getCondition() && !isTrue(op.getCondition());
}
