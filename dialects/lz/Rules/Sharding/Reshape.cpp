//===- Reshape.cpp - sharding of reshape ----------------------------------===//
//
// Both shapes are walked from their major ends, and split into the factors that
// they have in common. From [6, 4] to [2, 12]:
//
//   left of 6 and 2: common factor a = 2
//   left of 3 and 12:              b = 3
//   left of 4 and 4:               c = 4     {a b} {c} becomes {a} {b c}
//
// Where nothing is in common, as with 2 and 3 left of [4, 3] and [6, 2], the
// dimensions from there on can't be cut.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Rules/Sharding/Shardings.h"

#include <numeric>

using namespace mlir;
using namespace lz;

/// True if `divisor` provably divides `size`.
static bool divides(SymExpr divisor, SymExpr size) {
  return !divisor.isConstant(0) && size.floorDiv(divisor) * divisor == size;
}

/// The largest factor that two sizes are known to have in common; null if that
/// is 1.
static SymExpr getCommonFactor(SymExpr a, SymExpr b) {
  std::optional<int64_t> left = a.getConstant(), right = b.getConstant();
  if (left && right) {
    int64_t common = std::gcd(*left, *right);
    return common > 1 ? SymExpr::constant(a.getContext(), common) : SymExpr();
  }
  if (divides(b, a))
    return b;
  return divides(a, b) ? a : SymExpr();
}

namespace {
/// One of the two shapes, walked from its major end.
class Walk {
public:
  explicit Walk(ArrayRef<SymExpr> shape) : shape(shape), dims(shape.size()) {
    if (!shape.empty())
      left = shape[0];
    skipOnes();
  }
  bool isDone() const { return dim == shape.size(); }
  /// What the factors found so far leave of the current dimension.
  SymExpr getLeft() const { return left; }
  /// Takes a factor off the current dimension, `rest` remaining.
  void take(unsigned factor, SymExpr rest) {
    dims[dim].push_back(factor);
    left = rest;
    skipOnes();
  }
  TensorFactors takeDims() { return std::move(dims); }

private:
  void skipOnes() {
    while (!isDone() && left.isConstant(1))
      if (++dim != shape.size())
        left = shape[dim];
  }
  ArrayRef<SymExpr> shape;
  TensorFactors dims;
  size_t dim = 0;
  SymExpr left;
};
} // namespace

/// Lists what `walk` has not come to as factors that can't be cut.
static void replicateRest(ShardingRule &rule, Walk &walk, SymExpr one) {
  while (!walk.isDone())
    walk.take(rule.add(walk.getLeft(), FactorKind::Replicated), one);
}

static ShardingRule getReshapeRule(ReshapeOp op, const ShapeAnalysis &shapes) {
  ShardingRule rule;
  Walk source(shapes.getShape(op.getInput()));
  Walk result(shapes.getShape(op.getResult()));
  SymExpr one = shapes.constant(1);
  while (!source.isDone() && !result.isDone()) {
    SymExpr common = getCommonFactor(source.getLeft(), result.getLeft());
    if (!common)
      break;
    unsigned factor = rule.add(common, FactorKind::Parallel);
    source.take(factor, source.getLeft().floorDiv(common));
    result.take(factor, result.getLeft().floorDiv(common));
  }
  replicateRest(rule, source, one);
  replicateRest(rule, result, one);
  rule.sources = {source.takeDims()};
  rule.results = {result.takeDims()};
  return rule;
}

/// The sizes of a part are those of its result.
static LogicalResult buildReshapePart(ReshapeOp op, RuleBuilder &b,
                                      unsigned factor, int64_t parts,
                                      ArrayRef<Value> sources,
                                      SmallVectorImpl<Value> &results) {
  ShardingRule rule = getReshapeRule(op, b.getShapes());
  SymShape sizes = getPartShape(b.getShapes().getShape(op.getResult()),
                                rule.results[0], factor, parts);
  results.push_back(
      b.create<ReshapeOp>(sources[0], getExprArray(op.getContext(), sizes)));
  return success(!!results.back());
}

void lz::attachReshapeShardings(MLIRContext &context) {
  attachSharding<ReshapeOp, getReshapeRule, buildReshapePart>(context);
}
