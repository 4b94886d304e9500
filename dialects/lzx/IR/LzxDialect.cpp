//===- LzxDialect.cpp - the lzx dialect -----------------------------------===//

#include "dialects/lzx/IR/LzxDialect.h"

#include "dialects/lz/IR/ExprList.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lz;
using namespace lz::lzx;

#include "dialects/lzx/IR/LzxDialect.cpp.inc"
#include "dialects/lzx/IR/LzxEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/lzx/IR/LzxTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/lzx/IR/LzxAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/lzx/IR/LzxOps.cpp.inc"

void LzxDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/lzx/IR/LzxTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/lzx/IR/LzxAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/lzx/IR/LzxOps.cpp.inc"
      >();
}
