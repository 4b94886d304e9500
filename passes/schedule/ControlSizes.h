//===- ControlSizes.h - sizes that control flow sets ------------*- C++ -*-===//
#ifndef PASSES_SCHEDULE_CONTROLSIZES_H
#define PASSES_SCHEDULE_CONTROLSIZES_H

#include "dialects/lz/IR/LzOps.h"

namespace lz {

/// A symbol that control flow sets, and the two sizes that it is set to: those
/// of an if's branches, or before a loop and at the end of each iteration.
struct SizeChange {
  SymExpr symbol, first, second;
};

llvm::SmallVector<SizeChange> getSizeChanges(IfOp op,
                                             const ShapeAnalysis &shapes);
llvm::SmallVector<SizeChange> getSizeChanges(LoopOp op,
                                             const ShapeAnalysis &shapes);

/// The symbol for the number of iterations; null if nothing is stacked.
SymExpr getTripSymbol(LoopOp op, const ShapeAnalysis &shapes);

/// True if a condition may end the loop.
bool readsCondition(LoopOp op);

} // namespace lz

#endif // PASSES_SCHEDULE_CONTROLSIZES_H
