//===- KernelOutline.cpp - fusion groups to shared kernels ----------------===//

#include "passes/schedule/KernelOutline.h"

#include "dialects/lzx/IR/LzxDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lz;

namespace {

/// Gives each distinct size that is not a constant a symbol.
class Renaming {
public:
  explicit Renaming(MLIRContext *context) : context(context) {}

  /// Gives two sizes that a check proves equal one symbol.
  void unite(SymExpr a, SymExpr b) {
    a = find(a);
    b = find(b);
    if (!a.getConstant() && !b.getConstant() && a != b)
      representatives[b.getAttr()] = a;
  }

  SymExpr rename(SymExpr expr) {
    expr = find(expr);
    if (expr.getConstant())
      return expr;
    auto [entry, isNew] = names.try_emplace(expr.getAttr(), SymExpr());
    if (isNew) {
      entry->second =
          SymExpr::symbol(context, "s" + std::to_string(values.size()));
      values.push_back(expr);
    }
    return entry->second;
  }

  /// Renames the sizes in an operation's attributes.
  void renameAttributes(Operation *op) {
    for (NamedAttribute named : op->getAttrs()) {
      auto list = dyn_cast<ArrayAttr>(named.getValue());
      if (!list || list.empty() || !llvm::all_of(list, llvm::IsaPred<ExprAttr>))
        continue;
      SymShape renamed;
      for (SymExpr expr : getExprs(list))
        renamed.push_back(rename(expr));
      op->setAttr(named.getName(), getExprArray(context, renamed));
    }
  }

  /// Writes `derived`, over the kernel's symbols, for the symbol of `expr`.
  /// Returns false if `expr` has none or had its turn, or `derived` needs it.
  bool derive(SymExpr expr, SymExpr derived) {
    auto entry = names.find(find(expr).getAttr());
    if (entry == names.end() || entry->second == derived ||
        needs(derived, entry->second) || !turns.insert(entry->first).second)
      return false;
    entry->second = derived;
    return true;
  }

  const SymShape &getValues() const { return values; }

private:
  /// True if `expr` has a symbol that `other` has.
  static bool needs(SymExpr expr, SymExpr other) {
    SmallVector<StringRef> symbols, others;
    expr.collectSymbols(symbols);
    other.collectSymbols(others);
    return llvm::any_of(others, [&](StringRef name) {
      return llvm::is_contained(symbols, name);
    });
  }

  SymExpr find(SymExpr expr) const {
    for (auto at = representatives.find(expr.getAttr());
         at != representatives.end(); at = representatives.find(expr.getAttr()))
      expr = at->second;
    return expr;
  }

  MLIRContext *context;
  DenseMap<Attribute, SymExpr> representatives;
  DenseMap<Attribute, SymExpr> names;
  DenseSet<Attribute> turns;
  SymShape values;
};

} // namespace

/// The attribute that lists the kernel's symbols.
static ArrayAttr getSymbolList(MLIRContext *context, size_t count) {
  SmallVector<Attribute> symbols;
  for (size_t i = 0; i != count; ++i)
    symbols.push_back(
        SymbolAttr::get(context, "s" + std::to_string(i), 0, INT64_MAX, "dim"));
  return ArrayAttr::get(context, symbols);
}

/// True if what `op` needs has been checked whenever `fusion` runs: it is in
/// the fusion, or in the program before it.
static bool isCheckedBefore(Operation *op, FusionOp fusion) {
  if (auto parent = op->getParentOfType<FusionOp>())
    op = parent;
  for (Operation *at = fusion; at; at = at->getParentOp())
    if (op->getBlock() == at->getBlock())
      return op == at || op->isBeforeInBlock(at);
  return false;
}

/// A kernel's sizes are its own, so it has to be told which are equal: groups
/// are formed by shapes that checks have made equal.
static void uniteEqualSizes(FusionOp fusion, const ShapeAnalysis &shapes,
                            Renaming &renaming) {
  for (const SizeCheck &check : shapes.getChecks())
    if (check.kind == SizeCheck::Equal && isCheckedBefore(check.op, fusion))
      renaming.unite(check.lhs, check.rhs);
}

static func::FuncOp createKernel(FusionOp fusion, const ShapeAnalysis &shapes,
                                 Renaming &renaming) {
  MLIRContext *context = fusion.getContext();
  OpBuilder builder(context);
  auto type = builder.getFunctionType(fusion.getInputs().getTypes(),
                                      fusion.getResultTypes());
  auto kernel = func::FuncOp::create(builder, fusion.getLoc(), "kernel", type);
  kernel.setPrivate();
  kernel->setAttr(lzx::LzxDialect::kKernelAttr, builder.getUnitAttr());
  Block *entry = kernel.addEntryBlock();
  IRMapping mapping;
  Block &body = fusion.getBody().front();
  for (auto [index, argument] : llvm::enumerate(body.getArguments())) {
    mapping.map(argument, entry->getArgument(index));
    SymShape dims;
    for (SymExpr size : shapes.getShape(fusion.getInputs()[index]))
      dims.push_back(renaming.rename(size));
    kernel.setArgAttr(index, LzDialect::kDimsAttr, getExprArray(context, dims));
  }
  builder.setInsertionPointToStart(entry);
  for (Operation &op : body.without_terminator())
    renaming.renameAttributes(builder.clone(op, mapping));
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  func::ReturnOp::create(builder, fusion.getLoc(), results);
  kernel->setAttr(LzDialect::kSymbolsAttr,
                  getSymbolList(context, renaming.getValues().size()));
  return kernel;
}

/// Derives the symbol of a size of `value` if the kernel, which has `copy` of
/// it, makes that size of others.
static bool deriveSizeOf(Value value, Value copy, const ShapeAnalysis &shapes,
                         const ShapeAnalysis &inside, Renaming &renaming) {
  if (!shapes.hasShape(value) || !inside.hasShape(copy))
    return false;
  for (auto [size, derived] :
       llvm::zip(shapes.getShape(value), inside.getShape(copy)))
    if (!size.getConstant() && !derived.getConstant() &&
        renaming.derive(size, derived))
      return true;
  return false;
}

/// Finds a symbol that stands for a size which an operation of the kernel makes
/// of other sizes: both are one size, and the kernel has to know. Returns false
/// if there is none.
static bool deriveSize(FusionOp fusion, func::FuncOp kernel,
                       const ShapeAnalysis &shapes, Renaming &renaming) {
  if (renaming.getValues().empty())
    return false;
  ShapeAnalysis inside(kernel.getContext());
  ScopedDiagnosticHandler quiet(kernel.getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(inside.run(kernel)))
    return false;
  Block &body = fusion.getBody().front();
  for (auto [op, copy] : llvm::zip(body.without_terminator(), kernel.front()))
    for (auto [value, copied] : llvm::zip(op.getResults(), copy.getResults()))
      if (deriveSizeOf(value, copied, shapes, inside, renaming))
        return true;
  return false;
}

/// The text by which two kernels are equal.
static std::string getText(func::FuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel->print(os,
                OpPrintingFlags().useLocalScope().elideLargeResourceString(0));
  return text;
}

func::FuncOp KernelOutliner::outline(FusionOp fusion,
                                     const ShapeAnalysis &shapes,
                                     SymShape &symbols) {
  Renaming renaming(fusion.getContext());
  uniteEqualSizes(fusion, shapes, renaming);
  func::FuncOp kernel = createKernel(fusion, shapes, renaming);
  while (deriveSize(fusion, kernel, shapes, renaming)) {
    kernel->erase();
    kernel = createKernel(fusion, shapes, renaming);
  }
  symbols = renaming.getValues();
  auto [entry, isNew] = kernels.try_emplace(getText(kernel), kernel);
  if (!isNew) {
    kernel->erase();
    return entry->second;
  }
  kernel.setName("k" + std::to_string(kernels.size() - 1));
  module.push_back(kernel);
  return kernel;
}

SymExpr lz::substituteKernelSymbols(SymExpr expr, ArrayRef<SymExpr> symbols) {
  return expr.substitute([&](StringRef name) {
    unsigned index;
    [[maybe_unused]] bool bad = name.drop_front().getAsInteger(10, index);
    assert(!bad && index < symbols.size() && "not a symbol of the kernel");
    return symbols[index];
  });
}
