//===- SymPolynomial.cpp - the normal form of size expressions ------------===//

#include "dialects/lz/Symbols/SymPolynomial.h"

#include "dialects/lz/IR/LzDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

int lz::compareExprs(SymExpr a, SymExpr b) {
  if (a == b)
    return 0;
  auto compare = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (int order = compare(a.getKind(), b.getKind()))
    return order;
  if (int order = a.getName().compare(b.getName()))
    return order;
  SmallVector<SymExpr, 4> left = a.getOperands(), right = b.getOperands();
  if (int order = compare(left.size(), right.size()))
    return order;
  for (auto [x, y] : llvm::zip_equal(left, right))
    if (int order = compareExprs(x, y))
      return order;
  return compare(a.getValue(), b.getValue());
}

bool MonomialOrder::operator()(const Monomial &a, const Monomial &b) const {
  if (a.size() != b.size())
    return a.size() < b.size();
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      ExprOrder());
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

int64_t SymPolynomial::getConstant() const {
  auto found = terms.find(Monomial());
  return found == terms.end() ? 0 : found->second;
}

void SymPolynomial::addTerm(const Monomial &monomial, int64_t factor) {
  auto [entry, isNew] = terms.try_emplace(monomial, 0);
  if (llvm::AddOverflow(entry->second, factor, entry->second) ||
      terms.size() > kMaxTerms || monomial.size() > kMaxDegree)
    valid = false;
  if (entry->second == 0 || !valid)
    terms.erase(entry);
}

void SymPolynomial::add(SymExpr expr, int64_t factor) {
  int64_t value = 0;
  bool scaled = expr.getKind() == SymExpr::Constant ||
                expr.getKind() == SymExpr::Sum ||
                expr.getKind() == SymExpr::Product;
  if (expr.isUndefined() ||
      (scaled && llvm::MulOverflow(factor, expr.getValue(), value)))
    valid = false;
  if (!valid)
    return;
  if (expr.getKind() == SymExpr::Product)
    return addTerm(Monomial(expr.getOperands()), value);
  if (!scaled)
    return addTerm({expr}, factor);
  addTerm({}, value);
  for (SymExpr operand : expr.getOperands())
    add(operand, factor);
}

void SymPolynomial::add(const SymPolynomial &other, const Monomial &monomial,
                        int64_t factor) {
  valid &= other.valid;
  for (const auto &[otherMonomial, otherFactor] : other.terms) {
    int64_t product;
    if (!valid || llvm::MulOverflow(factor, otherFactor, product)) {
      valid = false;
      return;
    }
    Monomial joined(monomial);
    joined.append(otherMonomial.begin(), otherMonomial.end());
    llvm::sort(joined, ExprOrder());
    addTerm(joined, product);
  }
}

SymPolynomial lz::operator*(const SymPolynomial &a, const SymPolynomial &b) {
  SymPolynomial product;
  if (!a.isValid())
    return a;
  for (const auto &[monomial, factor] : a.getTerms())
    product.add(b, monomial, factor);
  return b.isValid() ? product : b;
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

/// `monomial / divisor`; none if an atom of `divisor` is missing.
static std::optional<Monomial> cancel(Monomial monomial,
                                      const Monomial &divisor) {
  for (SymExpr atom : divisor) {
    auto *found = llvm::find(monomial, atom);
    if (found == monomial.end())
      return std::nullopt;
    monomial.erase(found);
  }
  return monomial;
}

std::optional<SymPolynomial>
SymPolynomial::divideExactly(const SymPolynomial &divisor) const {
  if (!valid || !divisor.valid || divisor.terms.empty())
    return std::nullopt;
  const auto &[leadMonomial, leadFactor] = *divisor.terms.rbegin();
  SymPolynomial quotient, rest = *this;
  for (size_t step = 0; !rest.terms.empty() && step != kMaxTerms; ++step) {
    const auto &[monomial, factor] = *rest.terms.rbegin();
    auto part = cancel(monomial, leadMonomial);
    bool exact = leadFactor != -1 && factor % leadFactor == 0;
    exact |= leadFactor == -1 && factor != INT64_MIN;
    if (!part || !exact)
      return std::nullopt;
    int64_t scale = factor / leadFactor;
    if (scale == INT64_MIN)
      return std::nullopt;
    quotient.addTerm(*part, scale);
    rest.add(divisor, *part, -scale);
    if (!rest.valid || !quotient.valid)
      return std::nullopt;
  }
  return rest.terms.empty() ? std::optional(quotient) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

SymExpr lz::makeExpr(MLIRContext *context, SymExpr::Kind kind, int64_t value,
                     StringRef name, ArrayRef<SymExpr> operands) {
  SmallVector<Attribute> attrs = llvm::map_to_vector(
      operands, [](SymExpr operand) { return operand.getAttr(); });
  return SymExpr(ExprAttr::get(context, kind, value, name, attrs));
}

static SymExpr fromTerm(MLIRContext *context, const Monomial &monomial,
                        int64_t factor) {
  if (monomial.size() == 1 && factor == 1)
    return monomial.front();
  return makeExpr(context, SymExpr::Product, factor, "", monomial);
}

SymExpr SymPolynomial::toExpr(MLIRContext *context) const {
  if (!valid)
    return SymExpr::undefined(context);
  SmallVector<SymExpr> operands;
  size_t nodes = 1;
  for (const auto &[monomial, factor] : terms) {
    if (monomial.empty())
      continue;
    operands.push_back(fromTerm(context, monomial, factor));
    nodes += operands.back().countNodes(kMaxNodes);
    if (nodes > kMaxNodes)
      return SymExpr::undefined(context);
  }
  int64_t addend = getConstant();
  if (operands.empty())
    return SymExpr::constant(context, addend);
  if (operands.size() == 1 && addend == 0)
    return operands.front();
  return makeExpr(context, SymExpr::Sum, addend, "", operands);
}
