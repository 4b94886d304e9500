//===- MatmulEmitter.cpp - lz.matmul as a contraction ---------------------===//

#include "passes/codegen/cpu/Contraction.h"
#include "passes/codegen/cpu/PackedMatrix.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

namespace {

/// numpy.matmul. If rhs is one matrix for the whole batch, all leading
/// dimensions of lhs are rows.
class Matmul : public Contraction {
public:
  Matmul(const KernelInfo &kernel, MatmulOp op);

  Value emitLhs(ElementEmitter &e, ArrayRef<Value> outer, Value row,
                Value k) const override;
  void pack(ElementEmitter &e, const Panel &panel) const override;
  SmallVector<Value> getResultDims(ElementEmitter &e, ArrayRef<Value> outer,
                                   Value row, Value column) const override;
  bool hasPanels(int64_t width) const override;
  Buffer getPanels(ElementEmitter &e) const override;
  std::optional<PlainMatrix> getMatrix(ElementEmitter &e,
                                       ArrayRef<Value> outer) const override;
  Value getPlainOperand() const override {
    return hasColumn && !swapRhs ? dyn_cast<BlockArgument>(rhs) : Value();
  }
  std::optional<PlainMatrix> getPlainRhs(ElementEmitter &e,
                                         ArrayRef<Value> outer) const override {
    return getPlainOperand() ? getMatrix(e, outer) : std::nullopt;
  }

  /// Element [k, column] of rhs.
  Value emitRhs(ElementEmitter &e, ArrayRef<Value> outer, Value k,
                Value column) const;

private:
  SmallVector<Value> getBatch(ElementEmitter &e, Value operand,
                              ArrayRef<Value> outer) const;
  SmallVector<Value> getRhsDims(ElementEmitter &e, ArrayRef<Value> outer,
                                Value k, Value column) const;

  Value lhs, rhs;
  bool swapLhs, swapRhs; // their last two dimensions
  SymShape rowShape;     // of the dimensions that `row` runs over
  bool hasColumn;
};

} // namespace

Matmul::Matmul(const KernelInfo &kernel, MatmulOp op)
    : lhs(op.getLhs()), rhs(op.getRhs()) {
  ArrayRef<SymExpr> left = kernel.getShape(lhs), right = kernel.getShape(rhs);
  result = op.getResult();
  hasColumn = right.size() > 1;
  swapLhs = op.getTransposeLhs() && left.size() > 1;
  swapRhs = op.getTransposeRhs() && hasColumn;
  depth = swapLhs ? left[left.size() - 2] : left.back();
  columns = !hasColumn ? kernel.constant(1)
            : swapRhs  ? right[right.size() - 2]
                       : right.back();
  if (right.size() <= 2 && !swapLhs)
    rowShape.assign(left.begin(), left.end() - 1);
  else if (left.size() > 1)
    rowShape = {swapLhs ? left.back() : left[left.size() - 2]};
  rows = getProduct(kernel.getContext(), rowShape);
  ArrayRef<SymExpr> shape = kernel.getShape(result);
  shape = shape.drop_back(rowShape.size() + (hasColumn ? 1 : 0));
  outer.assign(shape.begin(), shape.end());
}

/// The indices of the batch dimensions of an operand.
SmallVector<Value> Matmul::getBatch(ElementEmitter &e, Value operand,
                                    ArrayRef<Value> indices) const {
  ArrayRef<SymExpr> own = e.getShape(operand);
  own = own.drop_back(std::min<size_t>(own.size(), 2));
  size_t skipped = outer.size() - std::min(own.size(), outer.size());
  KernelBuilder &kb = e.kb;
  SmallVector<Value> batch;
  for (auto [dim, size] : llvm::enumerate(own.take_back(outer.size()))) {
    Value index = indices[skipped + dim];
    if (size != outer[skipped + dim]) { // 1, or the result's
      Value isOne = kb.compare(arith::CmpIPredicate::eq, kb.getSize(size),
                               kb.getIndex(1));
      index = kb.select(isOne, kb.getIndex(0), index);
    }
    batch.push_back(index);
  }
  return batch;
}

Value Matmul::emitLhs(ElementEmitter &e, ArrayRef<Value> outer, Value row,
                      Value k) const {
  if (rowShape.size() + 1 == e.getShape(lhs).size() && !swapLhs) {
    SmallVector<Value> dims = e.kb.delinearize(row, rowShape);
    dims.push_back(k);
    return e.emit(lhs, dims);
  }
  SmallVector<Value> dims = getBatch(e, lhs, outer);
  dims.push_back(swapLhs ? k : row);
  dims.push_back(swapLhs ? row : k);
  return e.emit(lhs, dims);
}

SmallVector<Value> Matmul::getRhsDims(ElementEmitter &e, ArrayRef<Value> outer,
                                      Value k, Value column) const {
  if (!hasColumn)
    return {k};
  SmallVector<Value> dims = getBatch(e, rhs, outer);
  dims.push_back(swapRhs ? column : k);
  dims.push_back(swapRhs ? k : column);
  return dims;
}

Value Matmul::emitRhs(ElementEmitter &e, ArrayRef<Value> outer, Value k,
                      Value column) const {
  return e.emit(rhs, getRhsDims(e, outer, k, column));
}

void Matmul::pack(ElementEmitter &e, const Panel &panel) const {
  KernelBuilder &kb = e.kb;
  Value zero = kb.getIndex(0), width = kb.getIndex(panel.width);
  Value size = kb.getSize(depth);
  auto copy = [&](Value k, Value j) {
    Value scalar = emitRhs(e, panel.outer, k, kb.add(panel.first, j));
    kb.store(panel.buffer, kb.add(kb.mul(k, width), j), scalar);
  };
  // Along the dimension that is contiguous in memory.
  if (swapRhs)
    kb.loop(zero, panel.count, [&](Value j) {
      kb.loop(zero, size, [&](Value k) { copy(k, j); });
    });
  else
    kb.loop(zero, size, [&](Value k) {
      kb.loop(zero, panel.count, [&](Value j) { copy(k, j); });
    });
  kb.loop(zero, size, [&](Value k) {
    kb.loop(panel.count, width, [&](Value j) {
      kb.store(panel.buffer, kb.add(kb.mul(k, width), j),
               getZero(kb, panel.buffer.elementType));
    });
  });
}

SmallVector<Value> Matmul::getResultDims(ElementEmitter &e,
                                         ArrayRef<Value> outer, Value row,
                                         Value column) const {
  SmallVector<Value> dims(outer);
  llvm::append_range(dims, e.kb.delinearize(row, rowShape));
  if (hasColumn)
    dims.push_back(column);
  return dims;
}

bool Matmul::hasPanels(int64_t width) const {
  auto packed = dyn_cast_or_null<BlockArgument>(findPacked(rhs));
  return packed && !swapRhs &&
         cast<RankedTensorType>(packed.getType()).getShape().back() == width;
}

Buffer Matmul::getPanels(ElementEmitter &e) const {
  auto packed = cast<BlockArgument>(findPacked(rhs));
  return e.kb.getOperand(packed.getArgNumber());
}

std::optional<PlainMatrix> Matmul::getMatrix(ElementEmitter &e,
                                             ArrayRef<Value> outer) const {
  auto argument = dyn_cast<BlockArgument>(rhs);
  if (!argument || !hasColumn)
    return std::nullopt;
  KernelBuilder &kb = e.kb;
  Value start = kb.linearize(
      getRhsDims(e, outer, kb.getIndex(0), kb.getIndex(0)), e.getShape(rhs));
  return PlainMatrix{kb.getOperand(argument.getArgNumber()), start,
                     kb.getSize(swapRhs ? depth : columns)};
}

std::unique_ptr<Contraction> lz::makeMatmul(const KernelInfo &kernel,
                                            MatmulOp op) {
  return std::make_unique<Matmul>(kernel, op);
}
