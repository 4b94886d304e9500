//===- SymExprText.cpp - size expressions as text -------------------------===//
//
// `batch * 3 + floordiv(height + 1, 2)`. Terms of a sum print in their normal
// order, the constant last; a minus is a negative factor.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzDialect.h"
#include "dialects/lz/Symbols/SymExpr.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lz;

static StringRef getCallName(SymExpr::Kind kind) {
  switch (kind) {
  case SymExpr::FloorDiv:
    return "floordiv";
  case SymExpr::Mod:
    return "mod";
  case SymExpr::Max:
    return "max";
  default:
    return "bcast";
  }
}

static void printProduct(const SymExpr &expr, raw_ostream &os) {
  llvm::interleave(
      expr.getOperands(), os, [&](SymExpr factor) { factor.print(os); }, " * ");
  if (expr.getValue() != 1)
    os << " * " << expr.getValue();
}

void SymExpr::print(raw_ostream &os) const {
  auto printOperand = [&](SymExpr operand) { operand.print(os); };
  switch (getKind()) {
  case Constant:
    os << getValue();
    return;
  case Symbol:
    os << getName();
    return;
  case Product:
    return printProduct(*this, os);
  case Sum:
    llvm::interleave(getOperands(), os, printOperand, " + ");
    if (getValue() != 0)
      os << " + " << getValue();
    return;
  default:
    os << getCallName(getKind()) << "(";
    llvm::interleaveComma(getOperands(), os, printOperand);
    os << ")";
  }
}

std::string SymExpr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

/// The result of the call `name(a, b)`, null if there is no such function.
static SymExpr applyCall(StringRef name, SymExpr a, SymExpr b) {
  if (name == "floordiv")
    return a.floorDiv(b);
  if (name == "ceildiv")
    return a.ceilDiv(b);
  if (name == "mod")
    return a.mod(b);
  if (name == "max")
    return a.max(b);
  if (name == "min")
    return a.min(b);
  if (name == "bcast")
    return a.bcast(b);
  return {};
}

/// Calls and parentheses in each other at most, so that no text can exhaust the
/// stack.
static constexpr int kMaxDepth = 64;

static ParseResult parseSum(AsmParser &parser, SymExpr &expr, int depth);

static ParseResult parseSymbolOrCall(AsmParser &parser, SymExpr &expr,
                                     int depth) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  if (failed(parser.parseOptionalLParen())) {
    expr = SymExpr::symbol(parser.getContext(), name);
    return success();
  }
  SymExpr a, b;
  if (parseSum(parser, a, depth + 1) || parser.parseComma() ||
      parseSum(parser, b, depth + 1) || parser.parseRParen())
    return failure();
  expr = applyCall(name, a, b);
  if (!expr)
    return parser.emitError(loc)
           << "unknown function '" << name << "' in a size expression";
  return success();
}

static ParseResult parseFactor(AsmParser &parser, SymExpr &expr, int depth) {
  if (depth > kMaxDepth)
    return parser.emitError(parser.getCurrentLocation())
           << "size expression is nested more than " << kMaxDepth << " deep";
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parseSum(parser, expr, depth + 1) || parser.parseRParen());
  int64_t value = 0;
  OptionalParseResult integer = parser.parseOptionalInteger(value);
  if (integer.has_value()) {
    expr = SymExpr::constant(parser.getContext(), value);
    return *integer;
  }
  return parseSymbolOrCall(parser, expr, depth);
}

static ParseResult parseTerm(AsmParser &parser, SymExpr &expr, int depth) {
  if (parseFactor(parser, expr, depth))
    return failure();
  while (succeeded(parser.parseOptionalStar())) {
    SymExpr factor;
    if (parseFactor(parser, factor, depth))
      return failure();
    expr = expr * factor;
  }
  return success();
}

static ParseResult parseSum(AsmParser &parser, SymExpr &expr, int depth) {
  if (parseTerm(parser, expr, depth))
    return failure();
  while (succeeded(parser.parseOptionalPlus())) {
    SymExpr term;
    if (parseTerm(parser, term, depth))
      return failure();
    expr = expr + term;
  }
  return success();
}

ParseResult lz::parseExpr(AsmParser &parser, SymExpr &expr) {
  return parseSum(parser, expr, 0);
}
