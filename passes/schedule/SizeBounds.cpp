//===- SizeBounds.cpp - the most that sizes of the run can be -------------===//

#include "passes/schedule/SizeBounds.h"

#include "passes/schedule/ControlSizes.h"
#include "passes/support/NodeNames.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Bounds of expressions
//===----------------------------------------------------------------------===//

namespace {

/// Bounds an expression from above or below, with a limit on the work.
class ExprBounder {
public:
  explicit ExprBounder(const SizeBounds &bounds) : bounds(bounds) {}

  SymExpr bound(SymExpr expr, bool upper);

private:
  SymExpr boundSymbol(SymExpr symbol, bool upper);
  SymExpr boundSum(SymExpr sum, bool upper);
  SymExpr boundProduct(SymExpr product, bool upper);
  SymExpr boundQuotient(SymExpr quotient, bool upper);
  SymExpr boundChoice(SymExpr choice, bool upper);
  SymExpr replaceMax(SymExpr rest, SymExpr atom, int64_t factor, bool upper);

  const SizeBounds &bounds;
  int steps = 256;
};

} // namespace

/// The factor and the atom of a term; a factor of 0 if it has several atoms.
static std::pair<int64_t, SymExpr> splitTerm(SymExpr term) {
  if (term.getKind() != SymExpr::Product)
    return {1, term};
  auto operands = term.getOperands();
  return {operands.size() == 1 ? term.getValue() : 0, operands[0]};
}

SymExpr ExprBounder::boundSymbol(SymExpr symbol, bool upper) {
  const RunSymbol *run = bounds.find(symbol.getName());
  if (!run)
    return symbol;
  return upper ? run->upper : SymExpr::constant(symbol.getContext(), 0);
}

/// Bounds `rest + factor * max(a, b)` by putting an operand in place of the
/// maximum, so that what it has in common with the rest cancels: the minimum of
/// n and k, n + k - max(n, k), is at most n though k has no bound.
SymExpr ExprBounder::replaceMax(SymExpr rest, SymExpr atom, int64_t factor,
                                bool upper) {
  auto operands = atom.getOperands();
  SymExpr a = bound(rest + operands[0] * factor, upper);
  SymExpr b = bound(rest + operands[1] * factor, upper);
  bool needsBoth = (factor > 0) == upper;
  if (!a || !b)
    return needsBoth ? SymExpr() : (a ? a : b);
  // Above, the larger of the two if the maximum may be either; if it is
  // subtracted, each of them bounds.
  return upper == needsBoth ? a.max(b) : a.min(b);
}

SymExpr ExprBounder::boundSum(SymExpr sum, bool upper) {
  for (SymExpr term : sum.getOperands()) {
    auto [factor, atom] = splitTerm(term);
    if (factor != 0 && atom.getKind() == SymExpr::Max &&
        bounds.dependsOnRun(atom))
      return replaceMax(sum - term, atom, factor, upper);
  }
  SymExpr total = SymExpr::constant(sum.getContext(), sum.getValue());
  for (SymExpr term : sum.getOperands()) {
    SymExpr part = bound(term, upper);
    if (!part)
      return {};
    total = total + part;
  }
  return total;
}

SymExpr ExprBounder::boundProduct(SymExpr product, bool upper) {
  int64_t factor = product.getValue();
  SymExpr result = SymExpr::constant(product.getContext(), factor);
  auto operands = product.getOperands();
  for (SymExpr atom : operands) {
    SymExpr part = bound(atom, factor > 0 ? upper : !upper);
    if (!part || (operands.size() > 1 && !atom.isAtLeast(0)))
      return {};
    result = result * part;
  }
  return result;
}

SymExpr ExprBounder::boundQuotient(SymExpr quotient, bool upper) {
  SymExpr dividend = quotient.getOperands()[0];
  SymExpr divisor = quotient.getOperands()[1];
  if (!bounds.dependsOnRun(divisor)) {
    SymExpr part = bound(dividend, upper);
    return part ? part.floorDiv(divisor) : part;
  }
  if (!dividend.isAtLeast(0))
    return {};
  // A divisor is at least 1.
  return upper ? bound(dividend, true)
               : SymExpr::constant(quotient.getContext(), 0);
}

/// max(a, b) and bcast(a, b), which is a or b.
SymExpr ExprBounder::boundChoice(SymExpr choice, bool upper) {
  SymExpr a = bound(choice.getOperands()[0], upper);
  SymExpr b = bound(choice.getOperands()[1], upper);
  if (choice.getKind() == SymExpr::Max && !upper)
    return a && b ? a.max(b) : (a ? a : b);
  if (!a || !b)
    return {};
  return upper ? a.max(b) : a.min(b);
}

SymExpr ExprBounder::bound(SymExpr expr, bool upper) {
  if (!bounds.dependsOnRun(expr))
    return expr;
  if (--steps < 0)
    return {};
  switch (expr.getKind()) {
  case SymExpr::Symbol:
    return boundSymbol(expr, upper);
  case SymExpr::Sum:
    return boundSum(expr, upper);
  case SymExpr::Product:
    return boundProduct(expr, upper);
  case SymExpr::FloorDiv:
    return boundQuotient(expr, upper);
  case SymExpr::Mod: {
    SymExpr divisor = bound(expr.getOperands()[1], true);
    SymExpr zero = SymExpr::constant(expr.getContext(), 0);
    return upper && divisor ? divisor - 1 : (upper ? divisor : zero);
  }
  case SymExpr::Max:
  case SymExpr::Bcast:
    return boundChoice(expr, upper);
  case SymExpr::Constant:
    return expr;
  }
  return {};
}

static SymExpr getDefined(SymExpr expr) {
  return expr && expr.isUndefined() ? SymExpr() : expr;
}

SymExpr SizeBounds::getUpper(SymExpr expr) const {
  return getDefined(
      ExprBounder(*this).bound(replaceExact(expr), /*upper=*/true));
}

SymExpr SizeBounds::getLower(SymExpr expr) const {
  return getDefined(
      ExprBounder(*this).bound(replaceExact(expr), /*upper=*/false));
}

SymExpr SizeBounds::replaceExact(SymExpr expr) const {
  return expr.substitute([&](StringRef name) {
    const RunSymbol *run = find(name);
    return run && run->exact ? run->upper : SymExpr();
  });
}

SmallVector<StringRef> SizeBounds::getRunSymbols(SymExpr expr) const {
  SmallVector<StringRef> names;
  expr.collectSymbols(names);
  llvm::erase_if(names, [&](StringRef name) { return !symbols.count(name); });
  return names;
}

const RunSymbol *SizeBounds::find(StringRef name) const {
  auto found = symbols.find(name);
  return found == symbols.end() ? nullptr : &found->second;
}

SymExpr SizeBounds::getLimit(SymExpr symbol) const {
  const RunSymbol *run = find(symbol.getName());
  if (run->upper)
    return run->upper;
  return SymExpr::constant(symbol.getContext(), run->declaredMax);
}

//===----------------------------------------------------------------------===//
// Bounds of symbols
//===----------------------------------------------------------------------===//

namespace lz {

/// Walks a function in program order and fills in the symbols' bounds.
class BoundsFinder {
public:
  BoundsFinder(SizeBounds &bounds, const ShapeAnalysis &shapes)
      : bounds(bounds), shapes(shapes) {}

  void visit(Block &block);

private:
  void visitBind(BindOp bind);
  void visitIf(IfOp op);
  void visitLoop(LoopOp op);
  SymExpr getTrips(LoopOp op) const;
  SmallVector<SymExpr> getCarriedBounds(LoopOp op, ArrayRef<SizeChange> changes,
                                        SymExpr trips);
  SymExpr getCarriedBound(SymExpr symbol, SymExpr initial, SymExpr next,
                          SymExpr trips) const;
  void set(SymExpr symbol, SymExpr upper, Operation *op, bool exact = false);

  SizeBounds &bounds;
  const ShapeAnalysis &shapes;
  unsigned depth = 0;
};

} // namespace lz

/// Loops within loops whose bodies are looked at twice; beyond it, dimensions
/// that they change have no bound.
static constexpr unsigned kMaxDepth = 6;

void BoundsFinder::set(SymExpr symbol, SymExpr upper, Operation *op,
                       bool exact) {
  RunSymbol &run = bounds.symbols[symbol.getName()];
  if (run.declaredMax < INT32_MAX && !exact) {
    SymExpr declared = SymExpr::constant(op->getContext(), run.declaredMax);
    upper = upper && upper.getConstant() ? upper.min(declared) : declared;
  }
  run.upper = upper;
  run.exact = exact && upper;
  run.node = getNodeName(op->getLoc());
}

void BoundsFinder::visitBind(BindOp bind) {
  SymShape limits;
  if (auto stated = bind->getAttrOfType<ArrayAttr>("lz.bounds"))
    limits = getExprs(stated);
  for (auto [index, symbol] : llvm::enumerate(getExprs(bind.getSymbols())))
    set(symbol,
        index < limits.size() ? bounds.getUpper(limits[index]) : SymExpr(),
        bind);
}

void BoundsFinder::visitIf(IfOp op) {
  visit(op.getThenRegion().front());
  visit(op.getElseRegion().front());
  for (const SizeChange &change : getSizeChanges(op, shapes)) {
    SymExpr a = bounds.getUpper(change.first);
    SymExpr b = bounds.getUpper(change.second);
    set(change.symbol, a && b ? a.max(b) : SymExpr(), op);
  }
}

/// The most iterations that `op` makes; null if nothing says.
SymExpr BoundsFinder::getTrips(LoopOp op) const {
  if (!op.getTripCount())
    return {};
  auto contents = shapes.getContents(op.getTripCount());
  if (!contents || contents->size() != 1)
    return {};
  SymExpr trips = (*contents)[0].max(shapes.constant(0));
  if (trips.getConstant().value_or(0) >= INT32_MAX)
    return {};
  return bounds.getUpper(trips);
}

/// The bound of a carried size. `next` bounds what an iteration makes of it,
/// over the carried sizes.
SymExpr BoundsFinder::getCarriedBound(SymExpr symbol, SymExpr initial,
                                      SymExpr next, SymExpr trips) const {
  if (!next || !initial)
    return {};
  if (!bounds.dependsOnRun(next))
    return initial.max(next);
  SymExpr growth = next - symbol;
  if (bounds.dependsOnRun(growth))
    return {};
  if ((growth * -1).isAtLeast(0))
    return initial;
  return trips ? initial + trips * growth.max(shapes.constant(0)) : SymExpr();
}

/// The bounds of the sizes that `op` changes, from what its body makes of them.
SmallVector<SymExpr>
BoundsFinder::getCarriedBounds(LoopOp op, ArrayRef<SizeChange> changes,
                               SymExpr trips) {
  if (changes.empty() || depth >= kMaxDepth)
    return SmallVector<SymExpr>(changes.size());
  for (const SizeChange &change : changes)
    set(change.symbol, change.symbol, op);
  ++depth;
  visit(op.getBody().front());
  --depth;
  SmallVector<SymExpr> uppers;
  for (const SizeChange &change : changes)
    uppers.push_back(getCarriedBound(change.symbol,
                                     bounds.getUpper(change.first),
                                     bounds.getUpper(change.second), trips));
  return uppers;
}

void BoundsFinder::visitLoop(LoopOp op) {
  SymExpr trips = getTrips(op);
  auto changes = getSizeChanges(op, shapes);
  if (SymExpr symbol = getTripSymbol(op, shapes))
    set(symbol, trips, op); // the body counts up to it
  auto uppers = getCarriedBounds(op, changes, trips);
  for (auto [change, upper] : llvm::zip_equal(changes, uppers))
    set(change.symbol, upper, op);
  visit(op.getBody().front());
  if (SymExpr symbol = getTripSymbol(op, shapes))
    set(symbol, trips, op, /*exact=*/trips && !readsCondition(op));
}

void BoundsFinder::visit(Block &block) {
  for (Operation &op : block) {
    if (auto bind = dyn_cast<BindOp>(op))
      visitBind(bind);
    else if (auto branch = dyn_cast<IfOp>(op))
      visitIf(branch);
    else if (auto loop = dyn_cast<LoopOp>(op))
      visitLoop(loop);
  }
}

SizeBounds::SizeBounds(func::FuncOp function, const ShapeAnalysis &shapes) {
  auto declared = function->getAttrOfType<ArrayAttr>(LzDialect::kSymbolsAttr);
  if (!declared)
    return;
  for (auto symbol : declared.getAsRange<SymbolAttr>())
    if (symbol.getSource() == "run")
      symbols[symbol.getName()].declaredMax = symbol.getMax();
  BoundsFinder(*this, shapes).visit(function.getBody().front());
}
