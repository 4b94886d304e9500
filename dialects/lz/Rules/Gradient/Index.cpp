//===- Index.cpp - gradients of ops steered by index data -----------------===//
//
// What a gather took, a scatter that adds brings back. lz.gather counts
// negative indices from the end and reads the nearest element for one out of
// range; lz.scatter_nd drops the latter, so indices are brought into range
// first.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/Rules.h"
#include "dialects/lz/Rules/Gradient/Gradients.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace lz;

/// The elements that gather reads along a dimension of `size`: indices within
/// [0, size).
static Value normalizeIndices(RuleBuilder &b, Value indices, SymExpr size) {
  Type type = getElementType(indices);
  Value zero = b.scalar(type, 0), count = b.size(size, type);
  Value negative = b.create<CompareOp>(CompareKind::lt, indices, zero);
  Value fromStart =
      b.create<SelectOp>(negative, b.add(indices, count), indices);
  Value last = b.sub(count, b.scalar(type, 1));
  return b.binary(BinaryKind::max, b.binary(BinaryKind::min, fromStart, last),
                  zero);
}

/// The order of dimensions that puts the `count` from `first` on before all
/// others of `rank`.
static SmallVector<int64_t> moveToFront(int64_t rank, int64_t first,
                                        int64_t count) {
  auto order = llvm::to_vector(llvm::seq(first, first + count));
  llvm::append_range(order, llvm::seq<int64_t>(0, first));
  llvm::append_range(order, llvm::seq(first + count, rank));
  return order;
}

/// The permutation that undoes `order`.
static SmallVector<int64_t> invert(ArrayRef<int64_t> order) {
  SmallVector<int64_t> inverse(order.size());
  for (auto [position, dim] : llvm::enumerate(order))
    inverse[dim] = position;
  return inverse;
}

/// Scatters slices: with the gathered dimension in front, updates are slices of
/// the input, one for each index.
static LogicalResult buildGatherGradients(GatherOp op, RuleBuilder &b,
                                          ArrayRef<Value> results,
                                          Values &gradients) {
  SymShape input(b.getShapes().getShape(op.getInput()));
  SymShape tuples(b.getShapes().getShape(op.getIndices()));
  int64_t axis = op.getAxis(), rank = input.size(), count = tuples.size();
  Value indices = normalizeIndices(b, op.getIndices(), input[axis]);
  tuples.push_back(b.getShapes().constant(1));
  auto order = moveToFront(rank, axis, 1);
  Value updates =
      b.transpose(results[0], moveToFront(rank - 1 + count, axis, count));
  Value zeros = b.transpose(b.zerosLike(op.getInput()), order);
  Value sums = b.create<ScatterNdOp>(ScatterKind::add, zeros,
                                     b.reshape(indices, tuples), updates);
  Value gradient = b.transpose(sums, invert(order));
  gradients.append({gradient, Value()});
  return success(!!gradient);
}

void lz::attachIndexGradients(MLIRContext &context) {
  attachGradient<GatherOp, buildGatherGradients>(context);
}
