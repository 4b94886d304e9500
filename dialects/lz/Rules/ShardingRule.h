//===- ShardingRule.h - an op as loops over dimensions ----------*- C++ -*-===//
//
// An op is seen as a nest of loops, its factors. Each dimension of each source
// and result lists the factors that run over it, major to minor; its size is
// the product of theirs. Dimensions with a factor in common are cut together:
//
//   matmul  [m, k] x [k, n] -> [m, n]     m, n parallel; k reduction
//   reshape [a, b * c] -> [a * b, c]      sources: {a} {b c}; results: {a b}
//   {c}
//
// A dimension without factors has size 1, or is one that others broadcast
// along; every part has the whole of it.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LZ_RULES_SHARDINGRULE_H
#define DIALECTS_LZ_RULES_SHARDINGRULE_H

#include "dialects/lz/IR/LzDialect.h"

namespace lz {

/// What becomes of the results when a factor is cut into equal parts.
enum class FactorKind {
  Parallel,   // each part computes its part of every result that has the factor
  Reduction,  // no result has the factor; the parts' combined are the whole
  Replicated, // can't be cut: every part needs all of it
};

struct ShardingFactor {
  SymExpr size;
  FactorKind kind;
  /// How partial results of a reduction are combined.
  ReduceKind combine = ReduceKind::sum;
};

/// The factors of one dimension, by index into the rule's, major to minor.
using DimFactors = llvm::SmallVector<unsigned, 1>;
/// Those of each dimension of a tensor; empty for anything but a tensor.
using TensorFactors = llvm::SmallVector<DimFactors, 4>;

struct ShardingRule {
  llvm::SmallVector<ShardingFactor> factors;
  llvm::SmallVector<TensorFactors> sources, results;

  /// Adds a factor; its index.
  unsigned add(SymExpr size, FactorKind kind);
  /// A dimension that one new factor runs over; none if its size is 1.
  DimFactors addDim(SymExpr size, FactorKind kind);
  /// Dimensions that one new factor each runs over.
  TensorFactors addDims(llvm::ArrayRef<SymExpr> sizes, FactorKind kind);

  bool isCuttable(unsigned factor) const {
    return factors[factor].kind != FactorKind::Replicated;
  }
};

/// The rule that cuts nothing.
ShardingRule getReplicatedRule(const ShapeAnalysis &shapes,
                               mlir::Operation *op);

/// The shape of a part of a tensor of `shape`: sizes of dimensions that
/// `factor` runs over are divided by `parts`.
SymShape getPartShape(llvm::ArrayRef<SymExpr> shape,
                      const TensorFactors &factors, unsigned factor,
                      int64_t parts);

} // namespace lz

#endif // DIALECTS_LZ_RULES_SHARDINGRULE_H
