//===- SymPolynomial.h - the normal form of size expressions ----*- C++ -*-===//
//
// A map from products of atoms to integer factors. Arithmetic never wraps: a
// sum that overflows, or that grows past what any model needs (a hostile one
// could ask for exponentially many terms), makes the polynomial invalid for
// good.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LZ_SYMBOLS_SYMPOLYNOMIAL_H
#define DIALECTS_LZ_SYMBOLS_SYMPOLYNOMIAL_H

#include "dialects/lz/Symbols/SymExpr.h"

#include <map>

namespace lz {

/// Orders expressions by kind, name, value and operands, which no run depends
/// on. Negative, zero or positive as `a` is before, equal to or after `b`.
int compareExprs(SymExpr a, SymExpr b);

struct ExprOrder {
  bool operator()(SymExpr a, SymExpr b) const { return compareExprs(a, b) < 0; }
};

/// A product of atoms, sorted.
using Monomial = llvm::SmallVector<SymExpr, 2>;

/// By degree, then lexicographically: an order that products respect.
struct MonomialOrder {
  bool operator()(const Monomial &a, const Monomial &b) const;
};

class SymPolynomial {
public:
  using Terms = std::map<Monomial, int64_t, MonomialOrder>;
  static constexpr size_t kMaxTerms = 256;
  static constexpr size_t kMaxDegree = 16;
  static constexpr size_t kMaxNodes = 2048;

  SymPolynomial() = default;
  explicit SymPolynomial(SymExpr expr) { add(expr, 1); }

  bool isValid() const { return valid; }
  bool isZero() const { return valid && terms.empty(); }
  const Terms &getTerms() const { return terms; }
  /// The factor of the empty product.
  int64_t getConstant() const;

  void addTerm(const Monomial &monomial, int64_t factor);
  /// Adds `factor * expr`.
  void add(SymExpr expr, int64_t factor);
  /// Adds `factor * monomial * other`.
  void add(const SymPolynomial &other, const Monomial &monomial,
           int64_t factor);

  /// The exact quotient by `divisor`; none if there is a remainder.
  std::optional<SymPolynomial>
  divideExactly(const SymPolynomial &divisor) const;

  /// The expression; the undefined one if this is invalid or too large.
  SymExpr toExpr(mlir::MLIRContext *context) const;

private:
  Terms terms;
  bool valid = true;
};

SymPolynomial operator*(const SymPolynomial &a, const SymPolynomial &b);

/// Builds an attribute as it is, without normalizing.
SymExpr makeExpr(mlir::MLIRContext *context, SymExpr::Kind kind, int64_t value,
                 llvm::StringRef name, llvm::ArrayRef<SymExpr> operands);

} // namespace lz

#endif // DIALECTS_LZ_SYMBOLS_SYMPOLYNOMIAL_H
