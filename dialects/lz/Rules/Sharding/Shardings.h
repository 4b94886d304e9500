//===- Shardings.h - what sharding rules share ------------------*- C++ -*-===//
#ifndef DIALECTS_LZ_RULES_SHARDING_SHARDINGS_H
#define DIALECTS_LZ_RULES_SHARDING_SHARDINGS_H

#include "dialects/lz/Rules/RuleInterfaces.h"

namespace lz {

/// Builds one part of an op; see ShardingOpInterface.
template <typename Op>
using PartBuilder =
    llvm::LogicalResult (*)(Op, RuleBuilder &, unsigned factor, int64_t parts,
                            llvm::ArrayRef<mlir::Value> sources,
                            llvm::SmallVectorImpl<mlir::Value> &results);

/// The part of an op that has nothing to adapt.
template <typename Op>
llvm::LogicalResult copyPart(Op op, RuleBuilder &builder, unsigned, int64_t,
                             llvm::ArrayRef<mlir::Value> sources,
                             llvm::SmallVectorImpl<mlir::Value> &results) {
  return buildCopy(builder, op, sources, results);
}

template <typename Op, ShardingRule (*rule)(Op, const ShapeAnalysis &),
          PartBuilder<Op> part>
struct ShardingModel
    : ShardingOpInterface::ExternalModel<ShardingModel<Op, rule, part>, Op> {
  ShardingRule getShardingRule(mlir::Operation *op,
                               const ShapeAnalysis &shapes) const {
    return rule(mlir::cast<Op>(op), shapes);
  }
  llvm::LogicalResult
  buildPart(mlir::Operation *op, RuleBuilder &builder, unsigned factor,
            int64_t parts, llvm::ArrayRef<mlir::Value> sources,
            llvm::SmallVectorImpl<mlir::Value> &results) const {
    RuleBuilder here = builder.at(op->getLoc());
    return part(mlir::cast<Op>(op), here, factor, parts, sources, results);
  }
};

/// Attaches `rule` as the sharding rule of `Op`, and `part` as what builds a
/// part of it.
template <typename Op, ShardingRule (*rule)(Op, const ShapeAnalysis &),
          PartBuilder<Op> part = copyPart<Op>>
void attachSharding(mlir::MLIRContext &context) {
  Op::template attachInterface<ShardingModel<Op, rule, part>>(context);
}

// One function per family.
void attachContractionShardings(mlir::MLIRContext &context);
void attachElementShardings(mlir::MLIRContext &context);
void attachReshapeShardings(mlir::MLIRContext &context);
void attachControlShardings(mlir::MLIRContext &context);

} // namespace lz

#endif // DIALECTS_LZ_RULES_SHARDING_SHARDINGS_H
