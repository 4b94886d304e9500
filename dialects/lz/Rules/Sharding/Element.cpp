//===- Element.cpp - shardings of rows and of gathered elements -----------===//

#include "dialects/lz/Rules/Sharding/Shardings.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

/// Every dimension but the axis, each of whose elements needs all others.
static ShardingRule getSoftmaxRule(SoftmaxOp op, const ShapeAnalysis &shapes) {
  ShardingRule rule;
  TensorFactors dims;
  for (auto [dim, size] : llvm::enumerate(shapes.getShape(op.getInput())))
    dims.push_back(rule.addDim(size, dim == op.getAxis()
                                         ? FactorKind::Replicated
                                         : FactorKind::Parallel));
  rule.sources = {dims};
  rule.results = {dims};
  return rule;
}

/// input [before, axis, after], indices [i] -> [before, i, after]. An index may
/// point anywhere, so that every part needs the whole axis.
static ShardingRule getGatherRule(GatherOp op, const ShapeAnalysis &shapes) {
  ArrayRef<SymExpr> input = shapes.getShape(op.getInput());
  int64_t axis = op.getAxis();
  ShardingRule rule;
  TensorFactors source =
      rule.addDims(input.take_front(axis), FactorKind::Parallel);
  TensorFactors result = source;
  TensorFactors indices =
      rule.addDims(shapes.getShape(op.getIndices()), FactorKind::Parallel);
  TensorFactors after =
      rule.addDims(input.drop_front(axis + 1), FactorKind::Parallel);
  source.push_back(rule.addDim(input[axis], FactorKind::Replicated));
  source.append(after);
  result.append(indices);
  result.append(after);
  rule.sources = {source, indices};
  rule.results = {result};
  return rule;
}

void lz::attachElementShardings(MLIRContext &context) {
  attachSharding<SoftmaxOp, getSoftmaxRule>(context);
  attachSharding<GatherOp, getGatherRule>(context);
}
