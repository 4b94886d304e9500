//===- LzOps.h - lz operations ----------------------------------*- C++ -*-===//
#ifndef DIALECTS_LZ_IR_LZOPS_H
#define DIALECTS_LZ_IR_LZOPS_H

#include "dialects/lz/IR/LzDialect.h"

#define GET_OP_CLASSES
#include "dialects/lz/IR/ElementwiseOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/lz/IR/ShapeOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/lz/IR/ContractionOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/lz/IR/LinearOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/lz/IR/ReductionOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/lz/IR/IndexOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/lz/IR/RecurrentOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/lz/IR/QuantOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/lz/IR/ControlOps.h.inc"

#endif // DIALECTS_LZ_IR_LZOPS_H
