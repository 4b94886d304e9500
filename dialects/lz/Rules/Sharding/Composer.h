//===- Composer.h - one sharding rule for several ops -----------*- C++ -*-===//
//
// Factors of different ops are the same loop where a value passes from one op
// to the other. Composing finds these, and what may still be cut: a factor that
// is a reduction inside would need its sum inside, and one that meets itself in
// another dimension, or a value that is split in another way, can't be cut.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LZ_RULES_SHARDING_COMPOSER_H
#define DIALECTS_LZ_RULES_SHARDING_COMPOSER_H

#include "dialects/lz/Rules/ShardingRule.h"

namespace lz {

class ShardingComposer {
public:
  explicit ShardingComposer(const ShapeAnalysis &shapes) : shapes(shapes) {}

  /// Adds the rule of `op`, or one that cuts nothing if it has none.
  void addOp(mlir::Operation *op);
  /// States that two values, of one rank, are cut alike.
  void tie(mlir::Value a, mlir::Value b);
  /// States that no part can do with less than all of `value`.
  void replicate(mlir::Value value);

  /// The composed rule of values that `addOp` and `tie` have met; others are
  /// replicated.
  ShardingRule getRule(mlir::ValueRange sources, mlir::ValueRange results);
  /// The factor of the rule of `op`, which `addOp` has met, that is factor
  /// `outer` of the composed rule, if it has one.
  std::optional<unsigned> getInnerFactor(mlir::Operation *op, unsigned outer);

private:
  unsigned addFactor(const ShardingFactor &factor);
  unsigned find(unsigned factor) const;
  void merge(unsigned a, unsigned b);
  void replicate(const TensorFactors &dims);
  void unify(mlir::Value value, const TensorFactors &dims);
  TensorFactors getDims(mlir::Value value, FactorKind kind);
  void replicateRepeated(const TensorFactors &dims);
  TensorFactors number(const TensorFactors &dims, ShardingRule &rule);

  const ShapeAnalysis &shapes;
  llvm::SmallVector<ShardingFactor> factors; // of all ops
  llvm::SmallVector<unsigned> parents;       // a factor that is the same loop
  llvm::DenseMap<mlir::Value, TensorFactors> dimsOf;
  /// For each op, its first factor and how many it has.
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> opFactors;
  /// The factor that a composed one is; set by getRule.
  llvm::SmallVector<unsigned> composed;
};

} // namespace lz

#endif // DIALECTS_LZ_RULES_SHARDING_COMPOSER_H
