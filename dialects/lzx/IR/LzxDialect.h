//===- LzxDialect.h - the lzx dialect and its operations --------*- C++ -*-===//
#ifndef DIALECTS_LZX_IR_LZXDIALECT_H
#define DIALECTS_LZX_IR_LZXDIALECT_H

#include "dialects/lz/IR/LzDialect.h"

#include "dialects/lzx/IR/LzxDialect.h.inc"
#include "dialects/lzx/IR/LzxEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/lzx/IR/LzxTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/lzx/IR/LzxAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/lzx/IR/LzxOps.h.inc"

#endif // DIALECTS_LZX_IR_LZXDIALECT_H
