//===- Control.cpp - sharding of lz.if ------------------------------------===//
//
// The rule of an lz.if is composed of those of the operations in its branches:
// what both yield as one result is cut alike, and so is what both capture. A
// part is an lz.if of the parts of these operations.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Rules/Sharding/Composer.h"
#include "dialects/lz/Rules/Sharding/Shardings.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

/// Adds what happens in the branches.
static void compose(IfOp op, ShardingComposer &composer) {
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    Block &branch = region->front();
    for (Operation &inner : branch.without_terminator())
      composer.addOp(&inner);
    for (auto [result, yielded] : llvm::zip_equal(
             op.getResults(), branch.getTerminator()->getOperands()))
      composer.tie(yielded, result);
  }
  composer.replicate(op.getCondition());
}

static ShardingRule getIfRule(IfOp op, const ShapeAnalysis &shapes) {
  ShardingComposer composer(shapes);
  compose(op, composer);
  return composer.getRule(getSources(op), op.getResults());
}

/// Builds the part of one operation of a branch.
static LogicalResult buildInnerPart(RuleBuilder &b, Operation *op,
                                    std::optional<unsigned> factor,
                                    int64_t parts, IRMapping &mapping) {
  SmallVector<Value> sources, results;
  for (Value source : getSources(op))
    sources.push_back(mapping.lookupOrDefault(source));
  auto sharding = dyn_cast<ShardingOpInterface>(op);
  if (failed(factor && sharding
                 ? sharding.buildPart(b, *factor, parts, sources, results)
                 : buildCopy(b, op, sources, results)))
    return failure();
  mapping.map(op->getResults(), results);
  return success();
}

/// Builds the part of a branch in `region`.
static LogicalResult buildBranchPart(RuleBuilder &b, Block &branch,
                                     ShardingComposer &composer,
                                     unsigned factor, int64_t parts,
                                     IRMapping mapping, Region &region) {
  OpBuilder::InsertionGuard guard(b.getBuilder());
  b.getBuilder().setInsertionPointToEnd(&region.front());
  for (Operation &op : branch.without_terminator())
    if (failed(buildInnerPart(b, &op, composer.getInnerFactor(&op, factor),
                              parts, mapping)))
      return failure();
  SmallVector<Value> yielded;
  for (Value value : branch.getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  YieldOp::create(b.getBuilder(), b.getLoc(), yielded);
  return success();
}

static LogicalResult buildIfPart(IfOp op, RuleBuilder &b, unsigned factor,
                                 int64_t parts, ArrayRef<Value> sources,
                                 SmallVectorImpl<Value> &results) {
  ShardingComposer composer(b.getShapes());
  compose(op, composer);
  SmallVector<Value> whole = getSources(op);
  (void)composer.getRule(whole, op.getResults());
  IRMapping mapping;
  mapping.map(ArrayRef(whole).drop_front(), sources.drop_front());
  IfOp begun = b.beginIf(sources[0], op.getSymbols());
  if (failed(buildBranchPart(b, op.getThenRegion().front(), composer, factor,
                             parts, mapping, begun.getThenRegion())) ||
      failed(buildBranchPart(b, op.getElseRegion().front(), composer, factor,
                             parts, mapping, begun.getElseRegion())))
    return failure();
  FailureOr<IfOp> part = b.endIf(begun);
  if (failed(part))
    return failure();
  results.append(part->result_begin(), part->result_end());
  return success();
}

void lz::attachControlShardings(MLIRContext &context) {
  attachSharding<IfOp, getIfRule, buildIfPart>(context);
}
