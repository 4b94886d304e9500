//===- FreshSymbol.cpp - new symbols of the run ---------------------------===//

#include "passes/support/FreshSymbol.h"

#include "dialects/lz/IR/LzDialect.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lz;

SymExpr lz::declareRunSymbol(SmallVectorImpl<Attribute> &declared,
                             MLIRContext *context, StringRef stem,
                             int64_t max) {
  llvm::StringSet<> names;
  for (Attribute symbol : declared)
    names.insert(cast<SymbolAttr>(symbol).getName());
  std::string name = stem.str();
  for (unsigned number = 1; names.contains(name); ++number)
    name = stem.str() + "_" + std::to_string(number);
  declared.push_back(SymbolAttr::get(context, name, 0, max, "run"));
  return SymExpr::symbol(context, name);
}

SymExpr lz::declareRunSymbol(func::FuncOp function, StringRef stem,
                             int64_t max) {
  MLIRContext *context = function.getContext();
  SmallVector<Attribute> declared;
  if (auto symbols =
          function->getAttrOfType<ArrayAttr>(LzDialect::kSymbolsAttr))
    llvm::append_range(declared, symbols);
  SymExpr symbol = declareRunSymbol(declared, context, stem, max);
  function->setAttr(LzDialect::kSymbolsAttr, ArrayAttr::get(context, declared));
  return symbol;
}
