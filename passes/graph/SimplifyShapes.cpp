//===- SimplifyShapes.cpp - movements of data that move nothing -----------===//
//
// What needs the sizes of dynamic dimensions as expressions, which patterns
// don't see. One walk in program order; operations that it creates have the
// shapes of those that they replace.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/graph/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lz {
#define GEN_PASS_DEF_SIMPLIFYSHAPESPASS
#include "passes/graph/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

static bool areAll(ArrayAttr exprs, int64_t value) {
  return llvm::all_of(getExprs(exprs),
                      [&](SymExpr e) { return e.isConstant(value); });
}

/// True if `op` gives its first operand as it is, the shapes being equal.
static bool isIdentity(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ReshapeOp, ExpandOp>([](auto) { return true; })
      .Case([](SliceOp slice) {
        return areAll(slice.getOffsets(), 0) && areAll(slice.getStrides(), 1);
      })
      .Case([](PadOp pad) {
        return areAll(pad.getLow(), 0) && areAll(pad.getHigh(), 0);
      })
      .Case([](TileOp tile) { return areAll(tile.getRepeats(), 1); })
      .Default([](Operation *) { return false; });
}

/// reshape, expand, slice, pad, tile of x to its own shape -> x
static bool removeIdentity(Operation *op, const ShapeAnalysis &shapes) {
  if (!isIdentity(op) ||
      shapes.getShape(op->getOperand(0)) != shapes.getShape(op->getResult(0)) ||
      op->getOperand(0).getType() != op->getResult(0).getType())
    return false;
  op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  return true;
}

/// transpose that keeps the order of dimensions that are not 1 -> reshape
static bool reshapeInstead(TransposeOp op, ShapeAnalysis &shapes) {
  ArrayRef<SymExpr> shape = shapes.getShape(op.getInput());
  int64_t previous = -1;
  for (int64_t dim : op.getPermutation()) {
    if (shape[dim].isConstant(1))
      continue;
    if (dim < previous)
      return false;
    previous = dim;
  }
  OpBuilder builder(op);
  auto reshape = ReshapeOp::create(
      builder, op.getLoc(), op.getType(), op.getInput(),
      getExprArray(op.getContext(), shapes.getShape(op.getResult())));
  shapes.setShape(reshape.getResult(),
                  SymShape(shapes.getShape(op.getResult())));
  op.getResult().replaceAllUsesWith(reshape.getResult());
  return true;
}

/// True if `op` takes batch dimensions of the sizes `batch`, and the matrices
/// behind them as they are.
static bool reshapesBatch(ReshapeOp op, ArrayRef<SymExpr> batch,
                          const ShapeAnalysis &shapes) {
  ArrayRef<SymExpr> from = shapes.getShape(op.getInput()),
                    to = shapes.getShape(op.getResult());
  return from.size() == batch.size() + 2 && to.size() >= 2 &&
         from.drop_back(2) == batch && from.take_back(2) == to.take_back(2);
}

/// reshape(matmul(reshape(x), reshape(y))), of batch dimensions -> matmul(x, y)
static bool multiplyUnreshaped(ReshapeOp op, ShapeAnalysis &shapes) {
  auto product = op.getInput().getDefiningOp<MatmulOp>();
  if (!product || !product->hasOneUse())
    return false;
  auto left = product.getLhs().getDefiningOp<ReshapeOp>();
  auto right = product.getRhs().getDefiningOp<ReshapeOp>();
  ArrayRef<SymExpr> shape = shapes.getShape(op.getResult()),
                    before = shapes.getShape(product.getResult());
  if (!left || !right || shape.size() < 2 || before.size() < 2 ||
      shape.take_back(2) != before.take_back(2) ||
      !reshapesBatch(left, shape.drop_back(2), shapes) ||
      !reshapesBatch(right, shape.drop_back(2), shapes))
    return false;
  OpBuilder builder(op);
  Operation *clone = builder.clone(*product);
  clone->setOperands({left.getInput(), right.getInput()});
  clone->getResult(0).setType(op.getType());
  shapes.setShape(clone->getResult(0), SymShape(shape));
  op.getResult().replaceAllUsesWith(clone->getResult(0));
  return true;
}

/// The numpy-broadcast shape of `operands`, if it needs no condition.
static std::optional<SymShape> getBroadcastShape(const ShapeAnalysis &shapes,
                                                 ArrayRef<Value> operands) {
  SymShape result;
  for (Value operand : operands) {
    ArrayRef<SymExpr> shape = shapes.getShape(operand);
    while (result.size() < shape.size())
      result.insert(result.begin(), shapes.constant(1));
    for (auto [size, other] :
         llvm::zip(llvm::reverse(result), llvm::reverse(shape))) {
      if (size != other && !size.isConstant(1) && !other.isConstant(1))
        return std::nullopt;
      size = size.isConstant(1) ? other : size;
    }
  }
  return result;
}

/// add(expand(x), y) -> add(x, y) where broadcasting gives the same shape
static bool dropExpansions(Operation *op, const ShapeAnalysis &shapes) {
  if (!isa<BinaryOp, CompareOp, SelectOp>(op))
    return false;
  bool changed = false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto expand = operand.get().getDefiningOp<ExpandOp>();
    if (!expand)
      continue;
    SmallVector<Value> operands(op->getOperands());
    operands[operand.getOperandNumber()] = expand.getInput();
    auto shape = getBroadcastShape(shapes, operands);
    if (!shape ||
        ArrayRef<SymExpr>(*shape) != shapes.getShape(op->getResult(0)))
      continue;
    operand.set(expand.getInput());
    changed = true;
  }
  return changed;
}

namespace {

struct SimplifyShapesPass
    : lz::impl::SimplifyShapesPassBase<SimplifyShapesPass> {
  void runOnOperation() override {
    ShapeAnalysis shapes(&getContext());
    if (failed(shapes.run(getOperation())))
      return signalPassFailure();
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isMemoryEffectFree(op) && op->getNumResults() == 1 &&
          shapes.hasShape(op->getResult(0)))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (removeIdentity(op, shapes) || dropExpansions(op, shapes))
        continue;
      if (auto transpose = dyn_cast<TransposeOp>(op))
        reshapeInstead(transpose, shapes);
      if (auto reshape = dyn_cast<ReshapeOp>(op))
        multiplyUnreshaped(reshape, shapes);
    }
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }
};

} // namespace
