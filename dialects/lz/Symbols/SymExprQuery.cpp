//===- SymExprQuery.cpp - what expressions are worth ----------------------===//
//
// Evaluation, substitution, and lists and names of size expressions.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Symbols/SymExpr.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

void SymExpr::collectSymbols(SmallVectorImpl<StringRef> &names) const {
  if (getKind() == Symbol && !llvm::is_contained(names, getName()))
    names.push_back(getName());
  for (SymExpr operand : getOperands())
    operand.collectSymbols(names);
}

size_t SymExpr::countNodes(size_t limit) const {
  size_t nodes = 1;
  for (SymExpr operand : getOperands()) {
    if (nodes > limit)
      break;
    nodes += operand.countNodes(limit - nodes);
  }
  return nodes;
}

//===----------------------------------------------------------------------===//
// Evaluation and substitution
//===----------------------------------------------------------------------===//

static std::optional<int64_t> applyBinary(SymExpr::Kind kind, int64_t a,
                                          int64_t b) {
  switch (kind) {
  case SymExpr::FloorDiv:
  case SymExpr::Mod: {
    if (b == 0 || (b == -1 && a == INT64_MIN))
      return std::nullopt;
    if (kind == SymExpr::FloorDiv)
      return llvm::divideFloorSigned(a, b);
    int64_t remainder = a % b;
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b
                                                        : remainder;
  }
  case SymExpr::Max:
    return std::max(a, b);
  default:
    return a == 1 ? b : a;
  }
}

std::optional<int64_t> SymExpr::evaluate(
    llvm::function_ref<std::optional<int64_t>(StringRef)> symbols) const {
  if (getKind() == Symbol)
    return symbols(getName());
  SmallVector<int64_t> values;
  for (SymExpr operand : getOperands()) {
    std::optional<int64_t> value = operand.evaluate(symbols);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  if (getKind() > Product)
    return applyBinary(getKind(), values[0], values[1]);
  int64_t result = getValue();
  for (int64_t value : values)
    if (getKind() == Sum ? llvm::AddOverflow(result, value, result)
                         : llvm::MulOverflow(result, value, result))
      return std::nullopt;
  return result;
}

static SymExpr rebuild(SymExpr expr, ArrayRef<SymExpr> operands) {
  MLIRContext *context = expr.getContext();
  SymExpr result = SymExpr::constant(context, expr.getValue());
  switch (expr.getKind()) {
  case SymExpr::Sum:
    for (SymExpr operand : operands)
      result = result + operand;
    return result;
  case SymExpr::Product:
    for (SymExpr operand : operands)
      result = result * operand;
    return result;
  case SymExpr::FloorDiv:
    return operands[0].floorDiv(operands[1]);
  case SymExpr::Mod:
    return operands[0].mod(operands[1]);
  case SymExpr::Max:
    return operands[0].max(operands[1]);
  case SymExpr::Bcast:
    return operands[0].bcast(operands[1]);
  default:
    return expr;
  }
}

SymExpr
SymExpr::substitute(llvm::function_ref<SymExpr(StringRef)> symbols) const {
  if (getKind() == Symbol) {
    SymExpr replacement = symbols(getName());
    return replacement ? replacement : *this;
  }
  SmallVector<SymExpr> operands = llvm::map_to_vector(
      getOperands(), [&](SymExpr e) { return e.substitute(symbols); });
  return rebuild(*this, operands);
}

//===----------------------------------------------------------------------===//
// Lists and names
//===----------------------------------------------------------------------===//

SymExpr lz::getProduct(MLIRContext *context, ArrayRef<SymExpr> sizes) {
  SymExpr product = SymExpr::constant(context, 1);
  for (SymExpr size : sizes)
    product = product * size;
  return product;
}

ArrayAttr lz::getExprArray(MLIRContext *context, ArrayRef<SymExpr> exprs) {
  return ArrayAttr::get(context, llvm::map_to_vector(exprs, [](SymExpr e) {
                          return e.getAttr();
                        }));
}

ArrayAttr lz::getExprArray(MLIRContext *context, ArrayRef<int64_t> values) {
  return getExprArray(context, llvm::map_to_vector(values, [&](int64_t value) {
                        return SymExpr::constant(context, value);
                      }));
}

SymShape lz::getExprs(ArrayAttr attr) {
  SymShape exprs;
  for (Attribute element : attr)
    exprs.push_back(SymExpr(element));
  return exprs;
}

std::string lz::getSymbolName(StringRef name) {
  std::string result;
  for (char c : name)
    result.push_back(llvm::isAlnum(c) || c == '_' || c == '.' ? c : '_');
  if (result.empty() || !(llvm::isAlpha(result[0]) || result[0] == '_'))
    result.insert(0, "_");
  return result;
}
