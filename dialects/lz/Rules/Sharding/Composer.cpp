//===- Composer.cpp - one sharding rule for several ops -------------------===//

#include "dialects/lz/Rules/Sharding/Composer.h"

#include "dialects/lz/Rules/RuleInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Classes of factors that are the same loop
//===----------------------------------------------------------------------===//

unsigned ShardingComposer::addFactor(const ShardingFactor &factor) {
  factors.push_back(factor);
  if (factor.kind == FactorKind::Reduction)
    factors.back().kind = FactorKind::Replicated;
  parents.push_back(parents.size());
  return parents.back();
}

unsigned ShardingComposer::find(unsigned factor) const {
  while (parents[factor] != factor)
    factor = parents[factor];
  return factor;
}

void ShardingComposer::merge(unsigned a, unsigned b) {
  a = find(a);
  b = find(b);
  if (factors[a].size != factors[b].size ||
      factors[b].kind == FactorKind::Replicated)
    factors[a].kind = FactorKind::Replicated;
  parents[b] = a;
}

void ShardingComposer::replicate(const TensorFactors &dims) {
  for (const DimFactors &dim : dims)
    for (unsigned factor : dim)
      factors[find(factor)].kind = FactorKind::Replicated;
}

/// A factor that runs over one tensor twice would be cut to a diagonal.
void ShardingComposer::replicateRepeated(const TensorFactors &dims) {
  DenseMap<unsigned, unsigned> uses;
  for (const DimFactors &dim : dims)
    for (unsigned factor : dim)
      if (++uses[find(factor)] > 1)
        factors[find(factor)].kind = FactorKind::Replicated;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The dimensions of a value; those of one not met yet get factors of `kind`.
TensorFactors ShardingComposer::getDims(Value value, FactorKind kind) {
  auto [entry, isNew] = dimsOf.try_emplace(value);
  if (isNew && shapes.hasShape(value))
    for (SymExpr size : shapes.getShape(value))
      entry->second.push_back({addFactor({size, kind, ReduceKind::sum})});
  return entry->second;
}

/// Where two ops split a dimension in different ways, neither can be cut there.
void ShardingComposer::unify(Value value, const TensorFactors &dims) {
  auto [entry, isNew] = dimsOf.try_emplace(value, dims);
  if (isNew)
    return;
  for (auto [known, other] : llvm::zip_equal(entry->second, dims)) {
    if (known.size() != other.size()) {
      replicate({known, other});
      continue;
    }
    for (auto [a, b] : llvm::zip_equal(known, other))
      merge(a, b);
  }
}

void ShardingComposer::tie(Value a, Value b) {
  if (!dimsOf.contains(a))
    std::swap(a, b);
  unify(b, getDims(a, FactorKind::Parallel));
}

void ShardingComposer::replicate(Value value) {
  replicate(getDims(value, FactorKind::Replicated));
}

void ShardingComposer::addOp(Operation *op) {
  auto sharding = dyn_cast<ShardingOpInterface>(op);
  ShardingRule rule = sharding ? sharding.getShardingRule(shapes)
                               : getReplicatedRule(shapes, op);
  unsigned first = factors.size();
  opFactors[op] = {first, rule.factors.size()};
  for (const ShardingFactor &factor : rule.factors)
    addFactor(factor);
  auto add = [&](Value value, TensorFactors dims) {
    for (DimFactors &dim : dims)
      for (unsigned &factor : dim)
        factor += first;
    unify(value, dims);
  };
  for (auto [source, dims] : llvm::zip_equal(getSources(op), rule.sources))
    add(source, dims);
  for (auto [result, dims] : llvm::zip_equal(op->getResults(), rule.results))
    add(result, dims);
}

//===----------------------------------------------------------------------===//
// The composed rule
//===----------------------------------------------------------------------===//

/// `dims` in the numbering of `rule`, whose factors are added when first met.
TensorFactors ShardingComposer::number(const TensorFactors &dims,
                                       ShardingRule &rule) {
  TensorFactors numbered = dims;
  for (DimFactors &dim : numbered)
    for (unsigned &factor : dim) {
      factor = find(factor);
      auto *known = llvm::find(composed, factor);
      if (known == composed.end()) {
        rule.factors.push_back(factors[factor]);
        composed.push_back(factor);
        factor = composed.size() - 1;
      } else {
        factor = known - composed.begin();
      }
    }
  return numbered;
}

ShardingRule ShardingComposer::getRule(ValueRange sources, ValueRange results) {
  for (const auto &[value, dims] : dimsOf)
    replicateRepeated(dims);
  ShardingRule rule;
  composed.clear();
  for (Value source : sources)
    rule.sources.push_back(
        number(getDims(source, FactorKind::Replicated), rule));
  for (Value result : results)
    rule.results.push_back(
        number(getDims(result, FactorKind::Replicated), rule));
  return rule;
}

std::optional<unsigned> ShardingComposer::getInnerFactor(Operation *op,
                                                         unsigned outer) {
  auto [first, count] = opFactors.lookup(op);
  for (unsigned inner = 0; inner != count; ++inner)
    if (find(first + inner) == composed[outer])
      return inner;
  return std::nullopt;
}
