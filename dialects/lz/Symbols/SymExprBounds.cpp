//===- SymExprBounds.cpp - proofs that sizes are not negative -------------===//
//
// `floordiv(h - 1, 2) + 1 >= 0` holds for every h >= 0, but no part of it shows
// this alone. So atoms that stand for an inequality are replaced by their
// bound:
//
//   k * floordiv(x, k) <= x,   k * floordiv(x, k) >= x - (k - 1)
//   max(a, b) >= a,            max(a, b) is one of a and b
//   bcast(a, b) is one of a and b
//
// until what is left is a sum of things that are never negative.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Symbols/SymPolynomial.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

/// True if each part of `expr` shows that it is not negative.
static bool isPlainlyNonNegative(SymExpr expr) {
  SmallVector<SymExpr, 4> operands = expr.getOperands();
  switch (expr.getKind()) {
  case SymExpr::Constant:
    return expr.getValue() >= 0;
  case SymExpr::Symbol:
    return true;
  case SymExpr::Max:
    return llvm::any_of(operands, isPlainlyNonNegative);
  case SymExpr::Mod:
    return isPlainlyNonNegative(operands[1]);
  case SymExpr::FloorDiv:
  case SymExpr::Bcast:
    return llvm::all_of(operands, isPlainlyNonNegative);
  case SymExpr::Sum:
  case SymExpr::Product:
    return expr.getValue() >= 0 && llvm::all_of(operands, isPlainlyNonNegative);
  }
  return false;
}

namespace {

/// Searches for a proof, with a bound on its length.
class NonNegativeProof {
public:
  bool prove(SymExpr expr);

private:
  bool replace(SymExpr expr, SymExpr atom, int64_t factor);
  bool replaceQuotient(SymExpr rest, SymExpr atom, int64_t factor);

  int steps = 32;
};

} // namespace

bool NonNegativeProof::prove(SymExpr expr) {
  if (expr.isUndefined() || --steps < 0)
    return false;
  if (isPlainlyNonNegative(expr))
    return true;
  SymPolynomial sum(expr);
  for (const auto &[monomial, factor] : sum.getTerms())
    if (monomial.size() == 1 && replace(expr, monomial.front(), factor))
      return true;
  return false;
}

/// Proves `expr`, which has the term `factor * atom`, by a bound of `atom`.
bool NonNegativeProof::replace(SymExpr expr, SymExpr atom, int64_t factor) {
  SymExpr rest = expr - atom * factor;
  SmallVector<SymExpr, 4> operands = atom.getOperands();
  auto proves = [&](SymExpr operand) { return prove(rest + operand * factor); };
  switch (atom.getKind()) {
  case SymExpr::FloorDiv:
    return replaceQuotient(rest, atom, factor);
  case SymExpr::Max:
    return factor > 0 ? llvm::any_of(operands, proves)
                      : llvm::all_of(operands, proves);
  case SymExpr::Bcast:
    return llvm::all_of(operands, proves);
  default:
    return false;
  }
}

/// Proves `rest + factor * atom`, `atom` being a quotient by a constant, from
/// its multiple by that constant.
bool NonNegativeProof::replaceQuotient(SymExpr rest, SymExpr atom,
                                       int64_t factor) {
  SymExpr dividend = atom.getOperands()[0], divisor = atom.getOperands()[1];
  if (divisor.getConstant().value_or(0) <= 0)
    return false;
  SymExpr bound = factor > 0 ? dividend - divisor + 1 : dividend;
  return prove(rest * divisor + bound * factor);
}

bool SymExpr::isAtLeast(int64_t bound) const {
  return NonNegativeProof().prove(*this - bound);
}
