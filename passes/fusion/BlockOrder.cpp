//===- BlockOrder.cpp - what must run before what in a block --------------===//

#include "passes/fusion/BlockOrder.h"

#include "dialects/lz/IR/LzOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lz;

/// The symbols that `op` binds during the run.
static ArrayAttr getBoundSymbols(Operation *op) {
  return llvm::TypeSwitch<Operation *, ArrayAttr>(op)
      .Case<BindOp, IfOp, LoopOp>(
          [](auto binder) { return binder.getSymbols(); })
      .Default([](Operation *) { return ArrayAttr(); });
}

/// Calls `visit` with the name of each symbol that `op`'s attributes mention.
static void forEachSymbol(Operation *op,
                          llvm::function_ref<void(StringRef)> visit) {
  op->getAttrDictionary().walk([&](ExprAttr expr) {
    if (SymExpr(expr).getKind() == SymExpr::Symbol)
      visit(expr.getName());
  });
}

BlockOrder::BlockOrder(Block &block) : block(block) {
  llvm::StringMap<Operation *> binders;
  for (auto [position, op] : llvm::enumerate(block)) {
    positions[&op] = position;
    if (ArrayAttr symbols = getBoundSymbols(&op))
      for (SymExpr symbol : getExprs(symbols))
        if (symbol.getKind() == SymExpr::Symbol)
          binders.try_emplace(symbol.getName(), &op);
  }
  for (Operation &op : block)
    addDependencies(&op, binders);
}

void BlockOrder::addDependencies(Operation *op,
                                 const llvm::StringMap<Operation *> &binders) {
  llvm::SmallSetVector<Operation *, 4> found;
  auto add = [&](Operation *definition) {
    Operation *ancestor =
        definition ? block.findAncestorOpInBlock(*definition) : nullptr;
    if (ancestor && ancestor != op)
      found.insert(ancestor);
  };
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      add(operand.getDefiningOp());
    forEachSymbol(nested, [&](StringRef name) { add(binders.lookup(name)); });
  });
  dependencies[op] = {found.begin(), found.end()};
}

ArrayRef<Operation *> BlockOrder::getDependencies(Operation *op) const {
  auto entry = dependencies.find(op);
  assert(entry != dependencies.end() && "the operation is not in the block");
  return entry->second;
}
