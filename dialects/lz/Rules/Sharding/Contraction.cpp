//===- Contraction.cpp - shardings of products and convolutions -----------===//

#include "dialects/lz/Rules/Sharding/Shardings.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

/// Adds the factors of the batch dimensions, aligned to the right. One of two
/// sizes that may or may not be equal can't be cut: the other could be 1.
static void addBatchFactors(ShardingRule &rule, ArrayRef<SymExpr> lhs,
                            ArrayRef<SymExpr> rhs, ArrayRef<SymExpr> result) {
  for (auto [dim, size] : llvm::enumerate(result)) {
    int64_t left = dim + lhs.size() - result.size();
    int64_t right = dim + rhs.size() - result.size();
    bool sure = true;
    for (auto [shape, at] : {std::pair(lhs, left), std::pair(rhs, right)})
      sure &= at < 0 || shape[at] == size || shape[at].isConstant(1);
    DimFactors factors =
        rule.addDim(size, sure ? FactorKind::Parallel : FactorKind::Replicated);
    rule.results[0].push_back(factors);
    if (left >= 0)
      rule.sources[0].push_back(lhs[left].isConstant(1) ? DimFactors()
                                                        : factors);
    if (right >= 0)
      rule.sources[1].push_back(rhs[right].isConstant(1) ? DimFactors()
                                                         : factors);
  }
}

/// Lists the two dimensions of a matrix, or the inner one of a vector.
static void addMatrix(TensorFactors &dims, size_t rank, bool transposed,
                      DimFactors rows, DimFactors columns, bool isLhs) {
  if (rank == 1) {
    dims.push_back(isLhs ? columns : rows);
    return;
  }
  dims.push_back(transposed ? columns : rows);
  dims.push_back(transposed ? rows : columns);
}

/// [batch, m, k] x [batch, k, n] -> [batch, m, n].
static ShardingRule getMatmulRule(MatmulOp op, const ShapeAnalysis &shapes) {
  ArrayRef<SymExpr> lhs = shapes.getShape(op.getLhs());
  ArrayRef<SymExpr> rhs = shapes.getShape(op.getRhs());
  ArrayRef<SymExpr> result = shapes.getShape(op.getResult());
  ShardingRule rule;
  rule.sources.resize(2);
  rule.results.resize(1);
  size_t vectors = (lhs.size() == 1) + (rhs.size() == 1);
  addBatchFactors(rule, lhs.drop_back(std::min<size_t>(2, lhs.size())),
                  rhs.drop_back(std::min<size_t>(2, rhs.size())),
                  result.drop_back(2 - vectors));
  DimFactors m, n, k;
  bool swapLhs = op.getTransposeLhs() && lhs.size() > 1;
  k = rule.addDim(lhs[lhs.size() - (swapLhs ? 2 : 1)], FactorKind::Reduction);
  if (lhs.size() > 1) {
    SymExpr size = result[result.size() - (rhs.size() > 1 ? 2 : 1)];
    rule.results[0].push_back(m = rule.addDim(size, FactorKind::Parallel));
  }
  if (rhs.size() > 1)
    rule.results[0].push_back(
        n = rule.addDim(result.back(), FactorKind::Parallel));
  addMatrix(rule.sources[0], lhs.size(), op.getTransposeLhs(), m, k, true);
  addMatrix(rule.sources[1], rhs.size(), op.getTransposeRhs(), k, n, false);
  return rule;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

static DimFactors join(DimFactors major, const DimFactors &minor) {
  major.append(minor);
  return major;
}

/// Input [n, g * c, D...], filter [g * m, c, K...], result [n, g * m, O...],
/// where g are the groups. The sum over c can't be cut if there is a bias,
/// which every part would add; nor can the spatial dimensions, in which the
/// windows of neighbours overlap.
static ShardingRule getConvRule(ConvOp op, const ShapeAnalysis &shapes) {
  ArrayRef<SymExpr> input = shapes.getShape(op.getInput());
  ArrayRef<SymExpr> filter = shapes.getShape(op.getFilter());
  ArrayRef<SymExpr> result = shapes.getShape(op.getResult());
  ShardingRule rule;
  SymExpr groups = shapes.constant(op.getGroups());
  SymExpr perGroup = filter[0].floorDiv(groups);
  FactorKind outputs = perGroup * groups == filter[0] ? FactorKind::Parallel
                                                      : FactorKind::Replicated;
  DimFactors g = rule.addDim(groups, outputs);
  DimFactors n = rule.addDim(input[0], FactorKind::Parallel);
  DimFactors m = rule.addDim(perGroup, outputs);
  DimFactors c = rule.addDim(filter[1], op.getBias() ? FactorKind::Replicated
                                                     : FactorKind::Reduction);
  rule.sources = {{n, join(g, c)}, {join(g, m), c}};
  rule.results = {{n, join(g, m)}};
  for (auto [dims, shape] :
       {std::pair(&rule.sources[0], input), std::pair(&rule.sources[1], filter),
        std::pair(&rule.results[0], result)})
    dims->append(rule.addDims(shape.drop_front(2), FactorKind::Replicated));
  if (op.getBias())
    rule.sources.push_back({join(g, m)});
  return rule;
}

/// A part along the groups has fewer of them.
static LogicalResult buildConvPart(ConvOp op, RuleBuilder &b, unsigned factor,
                                   int64_t parts, ArrayRef<Value> sources,
                                   SmallVectorImpl<Value> &results) {
  bool cutsGroups = op.getGroups() != 1 && factor == 0;
  return buildCopy(b, op, sources, results, [&](Operation *copy) {
    if (cutsGroups)
      cast<ConvOp>(copy).setGroups(op.getGroups() / parts);
  });
}

void lz::attachContractionShardings(MLIRContext &context) {
  attachSharding<MatmulOp, getMatmulRule>(context);
  attachSharding<ConvOp, getConvRule, buildConvPart>(context);
}
