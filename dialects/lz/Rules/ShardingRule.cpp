//===- ShardingRule.cpp - an op as loops over dimensions ------------------===//

#include "dialects/lz/Rules/ShardingRule.h"

#include "dialects/lz/Rules/RuleInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

unsigned ShardingRule::add(SymExpr size, FactorKind kind) {
  factors.push_back({size, kind, ReduceKind::sum});
  return factors.size() - 1;
}

DimFactors ShardingRule::addDim(SymExpr size, FactorKind kind) {
  return size.isConstant(1) ? DimFactors() : DimFactors{add(size, kind)};
}

TensorFactors ShardingRule::addDims(ArrayRef<SymExpr> sizes, FactorKind kind) {
  TensorFactors dims;
  for (SymExpr size : sizes)
    dims.push_back(addDim(size, kind));
  return dims;
}

ShardingRule lz::getReplicatedRule(const ShapeAnalysis &shapes, Operation *op) {
  ShardingRule rule;
  auto addValue = [&](Value value) {
    return shapes.hasShape(value)
               ? rule.addDims(shapes.getShape(value), FactorKind::Replicated)
               : TensorFactors();
  };
  for (Value source : getSources(op))
    rule.sources.push_back(addValue(source));
  for (Value result : op->getResults())
    rule.results.push_back(addValue(result));
  return rule;
}

SymShape lz::getPartShape(ArrayRef<SymExpr> shape, const TensorFactors &factors,
                          unsigned factor, int64_t parts) {
  SymShape part(shape);
  for (auto [size, dim] : llvm::zip_equal(part, factors))
    if (llvm::is_contained(dim, factor))
      size = size.floorDiv(SymExpr::constant(size.getContext(), parts));
  return part;
}
