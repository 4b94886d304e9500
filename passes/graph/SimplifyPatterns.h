//===- SimplifyPatterns.h - the patterns of lz-simplify ---------*- C++ -*-===//
#ifndef PASSES_GRAPH_SIMPLIFYPATTERNS_H
#define PASSES_GRAPH_SIMPLIFYPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace lz {

/// Casts, unary and binary operations.
void populateSimplifyElementwisePatterns(mlir::RewritePatternSet &patterns);

/// Transposes, slices, and branches that are decided.
void populateSimplifyMovementPatterns(mlir::RewritePatternSet &patterns);

} // namespace lz

#endif // PASSES_GRAPH_SIMPLIFYPATTERNS_H
