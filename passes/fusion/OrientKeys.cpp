//===- OrientKeys.cpp - keys of attentions as rows ------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/fusion/Passes.h"
#include "passes/support/Attention.h"

namespace lz {
#define GEN_PASS_DEF_ORIENTKEYSPASS
#include "passes/fusion/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

/// `type` with its last two dimensions exchanged.
static RankedTensorType exchangeLast(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return type.clone(shape);
}

/// Lets `product` read the transpose of its rhs, if that is a transposition in
/// which each row becomes a column.
static void orient(MatmulOp product) {
  auto transpose = product.getRhs().getDefiningOp<TransposeOp>();
  if (!transpose || product.getTransposeRhs())
    return;
  SmallVector<int64_t> permutation(transpose.getPermutation());
  size_t rank = permutation.size();
  if (permutation[rank - 2] != static_cast<int64_t>(rank - 1))
    return;
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  OpBuilder builder(product);
  Value rows = transpose.getInput();
  if (!llvm::is_sorted(permutation))
    rows = TransposeOp::create(builder, transpose.getLoc(),
                               exchangeLast(transpose.getType()), rows,
                               permutation);
  product.getRhsMutable().assign(rows);
  product.setTransposeRhs(true);
  if (transpose.use_empty())
    transpose.erase();
}

namespace {

struct OrientKeysPass : lz::impl::OrientKeysPassBase<OrientKeysPass> {
  void runOnOperation() override {
    ShapeAnalysis shapes(&getContext());
    if (failed(shapes.run(getOperation())))
      return signalPassFailure();
    SmallVector<MatmulOp> scores;
    getOperation()->walk([&](MatmulOp values) {
      if (auto attention = getAttention(values, shapes))
        scores.push_back(attention->scores);
    });
    llvm::for_each(scores, orient);
  }
};

} // namespace
