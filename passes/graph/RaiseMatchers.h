//===- RaiseMatchers.h - arithmetic as exporters spell it -------*- C++ -*-===//
//
// Exporters write one formula in many ways: `x * 0.5 * (1 + e)`, `x * ((1 + e)
// / 2)` ... So products are matched as sets of factors, and constants to within
// their type's rounding.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_GRAPH_RAISEMATCHERS_H
#define PASSES_GRAPH_RAISEMATCHERS_H

#include "dialects/lz/IR/LzOps.h"
#include "mlir/IR/PatternMatch.h"

namespace lz {

/// The number that every element of a small constant is, if there is one.
std::optional<double> getSplatNumber(mlir::Value value);

/// True if `value` is `expected` as a number of type `type`.
bool isNumber(double value, double expected, mlir::Type type);
/// True if `value` is a constant of it.
bool isNumber(mlir::Value value, double expected);

/// A product as a number times other factors, in any order.
struct Factors {
  double number = 1;
  llvm::SmallVector<mlir::Value> values;

  /// Removes `value` once; false if it is no factor.
  bool take(mlir::Value value);
};

/// Splits what `root` computes by multiplications, divisions by numbers and
/// powers with small whole exponents. Goes through operations that only the
/// product reads, and through `root` itself.
Factors getFactors(mlir::Value root);

/// x, if `value` is `x + number` or `number + x`; otherwise null.
mlir::Value matchPlus(mlir::Value value, double number);

/// The operand of `value`, if it is a unary operation of `kind`.
mlir::Value matchUnary(mlir::Value value, UnaryKind kind);

/// The operation that defines `value`, if it is a binary one of `kind`.
BinaryOp matchBinary(mlir::Value value, BinaryKind kind);

/// The reduction that defines `value`, if it is of `kind` and keeps dimensions.
ReduceOp matchReduce(mlir::Value value, ReduceKind kind);

// The patterns of lz-raise.
void populateRaiseGeluPatterns(mlir::RewritePatternSet &patterns);
void populateRaiseLayerNormPatterns(mlir::RewritePatternSet &patterns);
void populateRaiseSoftmaxPatterns(mlir::RewritePatternSet &patterns);
void populateRaiseSwishPatterns(mlir::RewritePatternSet &patterns);

} // namespace lz

#endif // PASSES_GRAPH_RAISEMATCHERS_H
