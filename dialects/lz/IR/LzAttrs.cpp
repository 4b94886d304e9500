//===- LzAttrs.cpp - attributes and types of the lz dialect ---------------===//

#include "dialects/lz/IR/ExprList.h"
#include "dialects/lz/IR/LzDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lz;

#include "dialects/lz/IR/LzEnums.cpp.inc"
#include "dialects/lz/IR/LzInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/lz/IR/LzTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/lz/IR/LzAttrs.cpp.inc"

void LzDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/lz/IR/LzAttrs.cpp.inc"
      >();
}

void LzDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/lz/IR/LzTypes.cpp.inc"
      >();
}

void ExprAttr::print(AsmPrinter &printer) const {
  printer << "<" << SymExpr(*this).str() << ">";
}

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  SymExpr expr;
  if (parser.parseLess() || parseExpr(parser, expr) || parser.parseGreater())
    return {};
  return expr.getAttr();
}

void SymbolAttr::print(AsmPrinter &printer) const {
  printer << "<" << getName() << ", " << getMin() << ", " << getMax() << ", "
          << getSource() << ">";
}

Attribute SymbolAttr::parse(AsmParser &parser, Type) {
  StringRef name, source;
  int64_t min, max;
  if (parser.parseLess() || parser.parseKeyword(&name) || parser.parseComma() ||
      parser.parseInteger(min) || parser.parseComma() ||
      parser.parseInteger(max) || parser.parseComma() ||
      parser.parseKeyword(&source) || parser.parseGreater())
    return {};
  return get(parser.getContext(), name, min, max, source);
}

ParseResult lz::parseExprs(OpAsmParser &parser, ArrayAttr &exprs) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    SymExpr expr;
    if (parseExpr(parser, expr))
      return failure();
    list.push_back(expr.getAttr());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  exprs = parser.getBuilder().getArrayAttr(list);
  return success();
}

void lz::printExprs(OpAsmPrinter &printer, Operation *, ArrayAttr exprs) {
  printer << "[";
  llvm::interleaveComma(
      exprs, printer, [&](Attribute expr) { printer << SymExpr(expr).str(); });
  printer << "]";
}
