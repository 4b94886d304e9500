//===- RuleInterfaces.h - gradients, shardings, integer forms ---*- C++ -*-===//
//
// What the passes that differentiate, shard and quantize ask of an op. The
// interfaces are declared in `dialects/lz/IR/RuleInterfaces.td`; the answers
// are external models, one file for each kind of rule and op family. See
// `docs/rules.md`.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LZ_RULES_RULEINTERFACES_H
#define DIALECTS_LZ_RULES_RULEINTERFACES_H

#include "dialects/lz/Rules/QuantizationRule.h"
#include "dialects/lz/Rules/RuleBuilder.h"
#include "dialects/lz/Rules/ShardingRule.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace lz {

/// The values that `op` reads: its operands and then, for each value from
/// outside that its regions use, that value, in order of first use.
llvm::SmallVector<mlir::Value> getSources(mlir::Operation *op);

/// Copies `op` with `sources` in the place of its own, lets `adapt` change the
/// copy, infers it and appends its results.
llvm::LogicalResult
buildCopy(RuleBuilder &builder, mlir::Operation *op,
          llvm::ArrayRef<mlir::Value> sources,
          llvm::SmallVectorImpl<mlir::Value> &results,
          llvm::function_ref<void(mlir::Operation *)> adapt = nullptr);

/// Attaches the rules to the operations of `lz`.
void registerRuleModels(mlir::DialectRegistry &registry);

/// The same for a context that has loaded `lz`, unless it has them.
void loadRuleModels(mlir::MLIRContext &context);

} // namespace lz

#include "dialects/lz/IR/RuleInterfaces.h.inc"

#endif // DIALECTS_LZ_RULES_RULEINTERFACES_H
