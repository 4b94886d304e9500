//===- StreamBatch.cpp - large values a few samples at a time -------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/memory/BatchRegion.h"
#include "passes/memory/Passes.h"
#include "passes/memory/StreamBuilder.h"

namespace lz {
#define GEN_PASS_DEF_STREAMBATCHPASS
#include "passes/memory/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

namespace {

/// Writes a region anew, as a loop.
class RegionWriter : StreamBuilder {
public:
  RegionWriter(func::FuncOp function, ShapeAnalysis &shapes,
               const BatchRegion &region)
      : StreamBuilder(function, shapes, region.ops.back()), shapes(shapes),
        region(region) {}

  void write();

private:
  Type getPart(Value value) const {
    return withSize(value.getType(), 0, region.step);
  }
  bool isInside(Operation *op) const { return region.contains(op); }
  Value slicePart(Value value, SymExpr first);
  SmallVector<Value> writeParts(ArrayRef<Value> results, SymExpr number);

  ShapeAnalysis &shapes;
  const BatchRegion &region;
  llvm::DenseMap<Value, Value> parts;
};

} // namespace

/// The samples of `value` from `first` on.
Value RegionWriter::slicePart(Value value, SymExpr first) {
  Value &part = parts[value];
  if (!part)
    part = slice(value, value, 0, first, region.step);
  return part;
}

/// The iteration's samples of `results`.
SmallVector<Value> RegionWriter::writeParts(ArrayRef<Value> results,
                                            SymExpr number) {
  SymExpr first = number * region.step;
  for (Operation *op : region.ops) {
    for (OpOperand &operand : op->getOpOperands())
      if (hasSamples(operand))
        slicePart(operand.get(), first);
    Operation *clone = builder.clone(*op);
    for (OpOperand &operand : op->getOpOperands())
      if (hasSamples(operand))
        clone->setOperand(operand.getOperandNumber(), parts[operand.get()]);
    Value result = op->getResult(0);
    clone->getResult(0).setType(getPart(result));
    parts[result] = clone->getResult(0);
  }
  return llvm::map_to_vector(results,
                             [&](Value value) { return parts[value]; });
}

void RegionWriter::write() {
  SmallVector<Value> results;
  SmallVector<Type> types;
  for (Operation *op : region.ops)
    if (!llvm::all_of(op->getUsers(),
                      [&](Operation *user) { return isInside(user); })) {
      results.push_back(op->getResult(0));
      types.push_back(getPart(results.back()));
    }
  ValueRange stacked = loop(
      region.samples / region.step, {}, types,
      [&](SymExpr number, ValueRange) { return writeParts(results, number); });
  for (auto [result, all] : llvm::zip_equal(results, stacked)) {
    SymShape sizes(shapes.getShape(result));
    Value joined = ReshapeOp::create(builder, loc, result.getType(), all,
                                     getExprArray(builder.getContext(), sizes));
    shapes.setShape(joined, std::move(sizes));
    result.replaceUsesWithIf(
        joined, [&](OpOperand &use) { return !isInside(use.getOwner()); });
  }
  for (Operation *op : llvm::reverse(region.behind))
    op->moveAfter(region.ops.back());
  for (Operation *op : llvm::reverse(region.ops))
    op->erase();
}

namespace {

struct StreamBatchPass : lz::impl::StreamBatchPassBase<StreamBatchPass> {
  using Base::Base;

  void runOnOperation() override {
    ShapeAnalysis shapes(&getContext());
    if (failed(shapes.run(getOperation())))
      return signalPassFailure();
    Block &block = getOperation().front();
    for (int64_t samples : getBatches(block))
      if (auto region = getBatchRegion(block, samples, minBytes))
        RegionWriter(getOperation(), shapes, *region).write();
  }

private:
  /// The sizes of batches of more than a sample.
  static llvm::SetVector<int64_t> getBatches(Block &block) {
    llvm::SetVector<int64_t> batches;
    for (auto conv : block.getOps<ConvOp>()) {
      auto type = cast<RankedTensorType>(conv.getType());
      if (!type.isDynamicDim(0) && type.getDimSize(0) > 1)
        batches.insert(type.getDimSize(0));
    }
    return batches;
  }
};

} // namespace
