//===- Gradients.cpp - what gradient rules share --------------------------===//

#include "dialects/lz/Rules/Gradient/Gradients.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace lz;

LogicalResult lz::giveGradients(ArrayRef<Value> built, Values &gradients) {
  gradients.append(built.begin(), built.end());
  return success(llvm::all_of(built, [](Value value) { return !!value; }));
}

SmallVector<int64_t> lz::invertOrder(ArrayRef<int64_t> order) {
  SmallVector<int64_t> inverse(order.size());
  for (auto [position, dim] : llvm::enumerate(order))
    inverse[dim] = position;
  return inverse;
}

/// Sums the dimensions that `shape` doesn't have.
static Value sumLeading(RuleBuilder &builder, Value value, int64_t rank) {
  int64_t extra = builder.getShapes().getShape(value).size() - rank;
  if (extra == 0)
    return value;
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, extra));
  return builder.reduceSum(value, axes, /*keepDims=*/false);
}

/// Sums the dimensions that have size 1 in `shape` and another one in `value`.
static Value sumOnes(RuleBuilder &builder, Value value,
                     ArrayRef<SymExpr> shape) {
  SmallVector<int64_t> axes;
  for (auto [dim, from, to] :
       llvm::enumerate(builder.getShapes().getShape(value), shape))
    if (to.isConstant(1) && from != to)
      axes.push_back(dim);
  return axes.empty() ? value
                      : builder.reduceSum(value, axes, /*keepDims=*/true);
}

/// Sums dimension `dim` to `size`, which is its own size or 1: as [size of dim
/// / size, size] along the first. The divisor is never 0.
static Value sumUndecided(RuleBuilder &builder, Value value, int64_t dim,
                          SymExpr size) {
  SymShape shape(builder.getShapes().getShape(value));
  SymExpr one = SymExpr::constant(size.getContext(), 1);
  SymExpr count = shape[dim].floorDiv(size.max(one));
  shape[dim] = size;
  shape.insert(shape.begin() + dim, count);
  return builder.reduceSum(builder.reshape(value, shape), dim,
                           /*keepDims=*/false);
}

Value lz::sumTo(RuleBuilder &builder, Value value, ArrayRef<SymExpr> shape) {
  if (!value)
    return {};
  value = sumLeading(builder, value, shape.size());
  if (value)
    value = sumOnes(builder, value, shape);
  for (auto [dim, size] : llvm::enumerate(shape))
    if (value && builder.getShapes().getShape(value)[dim] != size)
      value = sumUndecided(builder, value, dim, size);
  return value;
}
