//===- SizeResolver.cpp - operands that state sizes -----------------------===//

#include "frontends/onnx/SizeResolver.h"

#include "dialects/lz/IR/LzOps.h"

using namespace mlir;
using namespace lz;

/// More elements than any operand that states sizes has.
static constexpr int64_t kMaxElements = 64;
/// How far to look for the source of a size.
static constexpr unsigned kMaxDepth = 32;

SymExpr SymbolList::declare(StringRef hint, int64_t min, int64_t max,
                            StringRef source) {
  std::string base = getSymbolName(hint), name = base;
  for (unsigned number = 1; !names.insert(name).second; ++number)
    name = base + "_" + std::to_string(number);
  symbols.push_back(SymbolAttr::get(context, name, min, max, source));
  return SymExpr::symbol(context, name);
}

ArrayAttr SymbolList::getAttr() const {
  return ArrayAttr::get(context, symbols);
}

bool SymbolList::dependsOnRun(SymExpr expr) const {
  SmallVector<StringRef> names;
  expr.collectSymbols(names);
  return llvm::any_of(symbols, [&](Attribute attr) {
    auto symbol = cast<SymbolAttr>(attr);
    return symbol.getSource() == "run" &&
           llvm::is_contained(names, symbol.getName());
  });
}

/// Adds the symbols that `op` binds to `names`.
static void collectBound(Operation *op, llvm::StringSet<> &names) {
  ArrayAttr bound;
  if (auto bind = dyn_cast<BindOp>(op))
    bound = bind.getSymbols();
  else if (auto nonZero = dyn_cast<NonZeroOp>(op))
    bound = nonZero.getCount();
  else if (auto branch = dyn_cast<IfOp>(op))
    bound = branch.getSymbols();
  else if (auto loop = dyn_cast<LoopOp>(op))
    bound = loop.getSymbols();
  if (bound)
    for (SymExpr symbol : getExprs(bound))
      names.insert(symbol.getName());
}

void SymbolList::dropUnbound(func::FuncOp function) {
  llvm::StringSet<> bound;
  function.walk([&](Operation *op) { collectBound(op, bound); });
  llvm::erase_if(symbols, [&](Attribute attr) {
    auto symbol = cast<SymbolAttr>(attr);
    return symbol.getSource() == "run" && !bound.contains(symbol.getName());
  });
}

/// True if the elements of `value` may serve as sizes: few integers.
bool SizeResolver::isCandidate(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isa<IntegerType>(type.getElementType()))
    return false;
  auto count = shapes.getNumElements(value).getConstant();
  return count && *count <= kMaxElements;
}

/// True for operations whose results' elements follow from their operands'.
static bool isTransparent(Operation *op) {
  return isa<UnaryOp, BinaryOp, CastOp, SelectOp, ReshapeOp, TransposeOp,
             ExpandOp, SliceOp, ConcatOp, GatherOp, ReduceOp>(op);
}

void SizeResolver::declareElements(BlockArgument argument, int64_t count) {
  unsigned number = argument.getArgNumber();
  auto name =
      function.getArgAttrOfType<StringAttr>(number, LzDialect::kNameAttr);
  SymShape elements;
  for (int64_t i = 0; i != count; ++i)
    elements.push_back(
        symbols.declare(name.getValue().str() + "_e" + std::to_string(i), 0,
                        SymbolList::kMaxSize, "element"));
  function.setArgAttr(number, "lz.elements",
                      getExprArray(function.getContext(), elements));
  shapes.setContents(argument, elements);
}

/// Binds the elements right after `value`, so that they are known wherever it
/// is.
void SizeResolver::bind(Value value, int64_t count) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  SymShape elements;
  for (int64_t i = 0; i != count; ++i)
    elements.push_back(symbols.declare("run", 0, SymbolList::kMaxSize, "run"));
  Value source = value;
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  if (!element.isInteger(32) && !element.isInteger(64)) {
    Type i64 = builder.getI64Type();
    auto type = cast<RankedTensorType>(value.getType()).clone(i64);
    auto cast = CastOp::create(builder, value.getLoc(), type, value, i64);
    (void)shapes.infer(cast, /*setTypes=*/true);
    source = cast;
  }
  BindOp::create(builder, value.getLoc(), source,
                 getExprArray(value.getContext(), elements));
  shapes.setContents(value, elements);
}

/// Makes the elements of `value`, a candidate, known.
void SizeResolver::resolveChain(Value value, unsigned depth) {
  if (shapes.getContents(value))
    return;
  int64_t count = *shapes.getNumElements(value).getConstant();
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == &function.getBody().front())
    return declareElements(argument, count);
  Operation *op = value.getDefiningOp();
  if (op && depth < kMaxDepth && isTransparent(op) &&
      llvm::all_of(
          op->getOperands(),
          [&](Value operand) { return isCandidate(operand); })) {
    for (Value operand : op->getOperands())
      resolveChain(operand, depth + 1);
    if (succeeded(shapes.infer(op, /*setTypes=*/false)) &&
        shapes.getContents(value))
      return;
  }
  bind(value, count);
}

FailureOr<SymShape> SizeResolver::resolve(Value value, Location loc) {
  if (auto known = shapes.getContents(value))
    return SymShape(known->begin(), known->end());
  if (!isCandidate(value))
    return emitError(loc) << "takes sizes from a tensor of type "
                          << value.getType() << ", expected at most "
                          << kMaxElements
                          << " integers; their number must be known";
  resolveChain(value, 0);
  auto contents = shapes.getContents(value);
  return SymShape(contents->begin(), contents->end());
}
