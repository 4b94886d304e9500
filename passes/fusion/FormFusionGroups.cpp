//===- FormFusionGroups.cpp - wrap operations into kernels' regions -------===//
//
// Plans the groups of every block, brings the block into an order in which the
// operations of a group can stand together, and moves them into lz.fusion.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/fusion/FusionPlan.h"
#include "passes/fusion/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

namespace lz {
#define GEN_PASS_DEF_FORMFUSIONGROUPSPASS
#include "passes/fusion/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

namespace {

/// A group, or an operation between groups.
struct Node {
  SmallVector<Operation *> ops;
  bool isGroup = false;
  unsigned waitingFor = 0;
  SmallVector<unsigned> readers;
};

} // namespace

/// The groups and the other operations of a block, each once, by first member.
static SmallVector<Node> getNodes(Block &block, const FusionPlan &plan,
                                  DenseMap<Operation *, unsigned> &nodeOf) {
  SmallVector<Node> nodes;
  for (Operation &op : block.without_terminator()) {
    FusionGroup *group = plan.getGroup(&op);
    if (nodeOf.count(&op))
      continue;
    Node node;
    node.isGroup = group;
    node.ops = group ? group->ops : SmallVector<Operation *>{&op};
    for (Operation *member : node.ops)
      nodeOf[member] = nodes.size();
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// Fills in which nodes wait for which.
static void linkNodes(SmallVector<Node> &nodes, const FusionPlan &plan,
                      const DenseMap<Operation *, unsigned> &nodeOf) {
  for (auto [index, node] : llvm::enumerate(nodes)) {
    llvm::SmallSetVector<unsigned, 8> sources;
    for (Operation *op : node.ops)
      for (Operation *dependency : plan.getOrder().getDependencies(op))
        if (unsigned source = nodeOf.lookup(dependency); source != index)
          sources.insert(source);
    node.waitingFor = sources.size();
    for (unsigned source : sources)
      nodes[source].readers.push_back(index);
  }
}

/// The nodes in an order that respects dependencies and otherwise stays as near
/// to the program's as it can.
static SmallVector<Node> getOrderedNodes(Block &block, const FusionPlan &plan) {
  DenseMap<Operation *, unsigned> nodeOf;
  SmallVector<Node> nodes = getNodes(block, plan, nodeOf);
  linkNodes(nodes, plan, nodeOf);
  std::set<std::pair<unsigned, unsigned>> ready; // last position, node
  auto setReady = [&](unsigned index) {
    ready.emplace(plan.getOrder().getPosition(nodes[index].ops.back()), index);
  };
  for (auto [index, node] : llvm::enumerate(nodes))
    if (node.waitingFor == 0)
      setReady(index);
  SmallVector<Node> ordered;
  while (!ready.empty()) {
    unsigned index = ready.begin()->second;
    ready.erase(ready.begin());
    for (unsigned reader : nodes[index].readers)
      if (--nodes[reader].waitingFor == 0)
        setReady(reader);
    ordered.push_back(std::move(nodes[index]));
  }
  assert(ordered.size() == nodes.size() && "a group waits for itself");
  return ordered;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The values of `ops` that are read outside of them.
static SmallVector<Value> getOutputs(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 8> members(ops.begin(), ops.end());
  SmallVector<Value> outputs;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(user);
          }))
        outputs.push_back(result);
  return outputs;
}

/// The values that `ops` read from outside and that become operands.
static SmallVector<Value> getInputs(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 8> members(ops.begin(), ops.end());
  llvm::SmallSetVector<Value, 8> inputs;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!members.contains(operand.getDefiningOp()) &&
          !isInlineConstant(operand, op))
        inputs.insert(operand);
  return inputs.takeVector();
}

static Location getFusedLoc(ArrayRef<Operation *> ops) {
  SmallVector<Location> locations;
  for (Operation *op : ops)
    locations.push_back(op->getLoc());
  return FusedLoc::get(ops.front()->getContext(), locations);
}

/// Moves `ops` into the body of `fusion`, whose arguments stand for `inputs`.
static void fillBody(FusionOp fusion, ArrayRef<Operation *> ops,
                     ArrayRef<Value> inputs) {
  Block *body = &fusion.getBody().emplaceBlock();
  for (Value input : inputs)
    body->addArgument(input.getType(), input.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  IRMapping mapping;
  mapping.map(inputs, body->getArguments());
  for (Operation *op : ops) {
    for (Value value : op->getOperands())
      if (isInlineConstant(value, op) && !mapping.contains(value))
        builder.clone(*value.getDefiningOp(), mapping);
    op->moveBefore(body, body->end());
    for (OpOperand &operand : op->getOpOperands())
      operand.set(mapping.lookupOrDefault(operand.get()));
    builder.setInsertionPointToEnd(body);
  }
}

/// Wraps `ops` into one lz.fusion before the terminator of their block. Its
/// results, which inner blocks read, have the shapes of what they stand for.
static void outline(Block &block, ArrayRef<Operation *> ops,
                    ShapeAnalysis &shapes) {
  SmallVector<Value> inputs = getInputs(ops), outputs = getOutputs(ops);
  OpBuilder builder(block.getTerminator());
  Location loc = getFusedLoc(ops);
  auto fusion =
      FusionOp::create(builder, loc, ValueRange(outputs).getTypes(), inputs);
  for (auto [output, result] : llvm::zip_equal(outputs, fusion.getResults())) {
    output.replaceAllUsesWith(result);
    if (shapes.hasShape(output))
      shapes.setShape(result, SymShape(shapes.getShape(output)));
  }
  fillBody(fusion, ops, inputs);
  // The uses inside now read the fusion's results; point them back.
  for (auto [output, result] : llvm::zip_equal(outputs, fusion.getResults()))
    result.replaceUsesWithIf(output, [&](OpOperand &use) {
      return fusion->isProperAncestor(use.getOwner());
    });
  builder.setInsertionPointToEnd(&fusion.getBody().front());
  YieldOp::create(builder, loc, outputs);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct FormFusionGroupsPass
    : lz::impl::FormFusionGroupsPassBase<FormFusionGroupsPass> {
  using FormFusionGroupsPassBase::FormFusionGroupsPassBase;

  void runOnOperation() override {
    ShapeAnalysis shapes(&getContext());
    if (failed(shapes.run(getOperation())))
      return signalPassFailure();
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<FusionOp>(op))
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
      return WalkResult::advance();
    });
    for (Block *block : blocks)
      formGroups(*block, shapes);
  }

private:
  void formGroups(Block &block, ShapeAnalysis &shapes) {
    FusionOptions options{single, maxOps};
    FusionPlan plan(block, shapes, options,
                    [&](Operation *op, Operation *producer, StringRef reason) {
                      reportRefusal(op, producer, reason);
                    });
    for (const Node &node : getOrderedNodes(block, plan)) {
      if (node.isGroup)
        outline(block, node.ops, shapes);
      else
        node.ops.front()->moveBefore(block.getTerminator());
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  void reportRefusal(Operation *op, Operation *producer, StringRef reason) {
    std::string text =
        llvm::formatv("{0} is not fused with {1}: {2}", op->getName(),
                      producer->getName(), reason);
    remark::missed(
        op->getLoc(),
        remark::RemarkOpts::name("not-fused").category(getArgument()))
        << text;
  }
};

} // namespace
