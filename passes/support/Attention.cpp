//===- Attention.cpp - softmax(f(q * k)) * v ------------------------------===//

#include "passes/support/Attention.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lz;

/// More operations than this between scores and softmax are not looked at.
static constexpr size_t kMostOps = 32;

/// The only product that `value` is made of element by element; null if there
/// are none or several.
static MatmulOp findProduct(Value value, const ShapeAnalysis &shapes) {
  Block *block = value.getParentBlock();
  MatmulOp found;
  llvm::SmallSetVector<Operation *, 8> seen;
  auto visit = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (op && op->getBlock() == block && shapes.hasShape(operand) &&
        shapes.getShape(operand) == shapes.getShape(value))
      seen.insert(op);
  };
  visit(value);
  for (size_t next = 0; next != seen.size(); ++next) {
    Operation *op = seen[next];
    if (auto product = dyn_cast<MatmulOp>(op)) {
      if (found)
        return nullptr;
      found = product;
    } else if (isa<UnaryOp, BinaryOp, CompareOp, SelectOp, CastOp>(op)) {
      llvm::for_each(op->getOperands(), visit);
    }
    if (seen.size() > kMostOps)
      return nullptr;
  }
  return found;
}

static bool isF32(MatmulOp op) {
  return llvm::all_of(op->getOperands(),
                      [](Value operand) {
                        return getElementTypeOrSelf(operand).isF32();
                      }) &&
         getElementTypeOrSelf(op.getResult()).isF32();
}

/// True if the batch of `op`'s result is that of `shape`, and its matrices have
/// rows and columns.
static bool hasBatchOf(MatmulOp op, ArrayRef<SymExpr> shape,
                       const ShapeAnalysis &shapes) {
  size_t rank = shape.size();
  return rank >= 2 && shapes.getShape(op.getResult()).size() == rank &&
         shapes.getShape(op.getLhs()).size() == rank &&
         shapes.getShape(op.getRhs()).size() == rank &&
         shapes.getShape(op.getResult()).drop_back(2) == shape.drop_back(2);
}

std::optional<Attention> lz::getAttention(MatmulOp values,
                                          const ShapeAnalysis &shapes) {
  auto softmax = values.getLhs().getDefiningOp<SoftmaxOp>();
  if (!softmax || softmax.getKind() != SoftmaxKind::softmax ||
      values.getTransposeLhs() || values.getRhs() == softmax.getResult() ||
      !shapes.hasShape(softmax.getResult()))
    return std::nullopt;
  ArrayRef<SymExpr> shape = shapes.getShape(softmax.getResult());
  if (softmax.getAxis() + 1 != shape.size())
    return std::nullopt;
  MatmulOp scores = findProduct(softmax.getInput(), shapes);
  if (!scores || !isF32(scores) || !isF32(values) ||
      !hasBatchOf(scores, shape, shapes) || !hasBatchOf(values, shape, shapes))
    return std::nullopt;
  return Attention{scores, softmax, values};
}
