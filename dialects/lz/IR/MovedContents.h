//===- MovedContents.h - elements that an op moves --------------*- C++ -*-===//
#ifndef DIALECTS_LZ_IR_MOVEDCONTENTS_H
#define DIALECTS_LZ_IR_MOVEDCONTENTS_H

#include "dialects/lz/IR/LzOps.h"
#include "dialects/lz/Symbols/ShapeAnalysis.h"

namespace lz {

/// The elements of the result, if those of the operands are known as
/// expressions, and where each comes from is a number.
std::optional<SymShape> getContents(TransposeOp op, ShapeAnalysis &shapes);
std::optional<SymShape> getContents(SliceOp op, ShapeAnalysis &shapes);
std::optional<SymShape> getContents(ConcatOp op, ShapeAnalysis &shapes);

} // namespace lz

#endif // DIALECTS_LZ_IR_MOVEDCONTENTS_H
