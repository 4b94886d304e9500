//===- SymExpr.cpp - integer expressions over size symbols ----------------===//

#include "dialects/lz/Symbols/SymExpr.h"

#include "dialects/lz/IR/LzDialect.h"
#include "dialects/lz/Symbols/SymPolynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

static ExprAttr get(Attribute attr) { return cast<ExprAttr>(attr); }

SymExpr SymExpr::constant(MLIRContext *context, int64_t value) {
  return makeExpr(context, Constant, value, "", {});
}

SymExpr SymExpr::symbol(MLIRContext *context, StringRef name) {
  return makeExpr(context, Symbol, 0, name, {});
}

SymExpr SymExpr::undefined(MLIRContext *context) {
  return makeExpr(context, FloorDiv, 0, "",
                  {constant(context, 1), constant(context, 0)});
}

bool SymExpr::isUndefined() const {
  return getKind() == FloorDiv && getOperands()[1].isConstant(0);
}

SymExpr::Kind SymExpr::getKind() const {
  return static_cast<Kind>(get(attr).getKind());
}
int64_t SymExpr::getValue() const { return get(attr).getValue(); }
StringRef SymExpr::getName() const { return get(attr).getName(); }

SmallVector<SymExpr, 4> SymExpr::getOperands() const {
  return llvm::map_to_vector<4>(get(attr).getOperands(), [](Attribute operand) {
    return SymExpr(operand);
  });
}

std::optional<int64_t> SymExpr::getConstant() const {
  if (!attr || getKind() != Constant)
    return std::nullopt;
  return getValue();
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

SymExpr SymExpr::operator+(SymExpr other) const {
  SymPolynomial sum(*this);
  sum.add(other, 1);
  return sum.toExpr(getContext());
}

SymExpr SymExpr::operator-(SymExpr other) const {
  SymPolynomial sum(*this);
  sum.add(other, -1);
  return sum.toExpr(getContext());
}

SymExpr SymExpr::operator*(SymExpr other) const {
  return (SymPolynomial(*this) * SymPolynomial(other)).toExpr(getContext());
}

SymExpr SymExpr::operator+(int64_t other) const {
  return *this + constant(getContext(), other);
}

SymExpr SymExpr::operator-(int64_t other) const {
  return *this - constant(getContext(), other);
}

SymExpr SymExpr::operator*(int64_t other) const {
  return *this * constant(getContext(), other);
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

/// An atom of two operands; undefined if it would be too large.
static SymExpr makeAtom(SymExpr::Kind kind, SymExpr a, SymExpr b) {
  constexpr size_t limit = SymPolynomial::kMaxNodes;
  if (a.countNodes(limit) + b.countNodes(limit) > limit)
    return SymExpr::undefined(a.getContext());
  return makeExpr(a.getContext(), kind, 0, "", {a, b});
}

/// Splits `sum` into `divisor * multiples + rest`, the constant of `rest` being
/// in [0, divisor).
static std::pair<SymPolynomial, SymPolynomial>
splitMultiples(const SymPolynomial &sum, int64_t divisor) {
  SymPolynomial multiples, rest;
  for (const auto &[monomial, factor] : sum.getTerms()) {
    int64_t quotient = llvm::divideFloorSigned(factor, divisor);
    int64_t remainder = factor - quotient * divisor;
    if (monomial.empty() || remainder == 0) {
      multiples.addTerm(monomial, quotient);
      rest.addTerm(monomial, remainder);
    } else {
      rest.addTerm(monomial, factor);
    }
  }
  return {multiples, rest};
}

/// The greatest common divisor of `divisor` and the factors of the terms of
/// `sum` that are not constant.
static int64_t getCommonDivisor(const SymPolynomial &sum, int64_t divisor) {
  uint64_t common = divisor;
  for (const auto &[monomial, factor] : sum.getTerms())
    if (!monomial.empty())
      common = std::gcd(common, llvm::AbsoluteValue(factor));
  return static_cast<int64_t>(common);
}

/// floordiv(g * x + c, g * d) = floordiv(x + floordiv(c, g), d)
static SymPolynomial divideByCommon(const SymPolynomial &sum, int64_t common) {
  SymPolynomial result;
  for (const auto &[monomial, factor] : sum.getTerms())
    result.addTerm(monomial, llvm::divideFloorSigned(factor, common));
  return result;
}

/// floordiv(floordiv(x, a) + c, b) = floordiv(x + a * c, a * b); null if `sum`
/// is not such a quotient plus a constant.
static SymExpr mergeQuotients(const SymPolynomial &sum, int64_t divisor) {
  if (sum.getTerms().empty())
    return {};
  const auto &[monomial, factor] = *sum.getTerms().rbegin();
  if (sum.getTerms().size() > 1 + (sum.getConstant() != 0) || factor != 1 ||
      monomial.size() != 1 || monomial.front().getKind() != SymExpr::FloorDiv)
    return {};
  SmallVector<SymExpr, 4> inner = monomial.front().getOperands();
  std::optional<int64_t> innerDivisor = inner[1].getConstant();
  if (!innerDivisor || *innerDivisor <= 0)
    return {};
  SymExpr by = inner[1] * divisor;
  SymExpr shifted = inner[0] + inner[1] * sum.getConstant();
  // Where this would overflow the nested quotient is as good.
  return by.isUndefined() || shifted.isUndefined() ? SymExpr()
                                                   : shifted.floorDiv(by);
}

/// The quotient of `sum` by a positive constant.
static SymExpr divideByConstant(MLIRContext *context, const SymPolynomial &sum,
                                int64_t divisor) {
  // floordiv(k * x + y, k) = x + floordiv(y, k)
  auto [multiples, rest] = splitMultiples(sum, divisor);
  SymExpr whole = multiples.toExpr(context);
  if (rest.toExpr(context).getConstant())
    return whole; // in [0, divisor)
  int64_t common = getCommonDivisor(rest, divisor);
  SymPolynomial reduced = divideByCommon(rest, common);
  if (SymExpr merged = mergeQuotients(reduced, divisor / common))
    return whole + merged;
  return whole + makeAtom(SymExpr::FloorDiv, reduced.toExpr(context),
                          SymExpr::constant(context, divisor / common));
}

SymExpr SymExpr::floorDiv(SymExpr divisor) const {
  MLIRContext *context = getContext();
  if (isUndefined() || divisor.isUndefined() || divisor.isConstant(0))
    return undefined(context);
  SymPolynomial sum(*this);
  if (auto quotient = sum.divideExactly(SymPolynomial(divisor)))
    return quotient->toExpr(context);
  std::optional<int64_t> value = divisor.getConstant();
  if (!value)
    return makeAtom(FloorDiv, *this, divisor);
  if (*value == INT64_MIN)
    return undefined(context);
  if (*value < 0) // floordiv(x, -k) = floordiv(-x, k)
    return (*this * -1).floorDiv(divisor * -1);
  return divideByConstant(context, sum, *value);
}

SymExpr SymExpr::ceilDiv(SymExpr divisor) const {
  return (*this * -1).floorDiv(divisor) * -1;
}

SymExpr SymExpr::mod(SymExpr divisor) const {
  return *this - floorDiv(divisor) * divisor;
}

//===----------------------------------------------------------------------===//
// Extremes and broadcasts
//===----------------------------------------------------------------------===//

/// Operands of one maximum or broadcast that are brought into normal form; a
/// longer list is nested as it comes.
static constexpr size_t kMaxOperands = 16;

/// Appends the operands of `expr` if it is `kind(...) + constant`, else `expr`.
static void flatten(SymExpr expr, SymExpr::Kind kind,
                    SmallVectorImpl<SymExpr> &operands) {
  SymExpr atom = expr;
  int64_t addend = 0;
  if (kind == SymExpr::Max && expr.getKind() == SymExpr::Sum &&
      expr.getOperands().size() == 1) {
    atom = expr.getOperands().front();
    addend = expr.getValue();
  }
  if (atom.getKind() != kind) {
    operands.push_back(expr);
    return;
  }
  for (SymExpr operand : atom.getOperands())
    flatten(operand + addend, kind, operands);
}

/// Nests `kind` over `operands`, which are made unique and sorted.
static SymExpr nest(SymExpr::Kind kind, SmallVectorImpl<SymExpr> &operands) {
  llvm::sort(operands, ExprOrder());
  operands.erase(llvm::unique(operands), operands.end());
  SymExpr result = operands.front();
  for (SymExpr operand : llvm::drop_begin(operands))
    result = result.isUndefined() ? result : makeAtom(kind, result, operand);
  return result;
}

/// Removes each operand that another is provably not below.
static void dropSmaller(SmallVectorImpl<SymExpr> &operands) {
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t j = 0; j < operands.size(); ++j)
      if (i != j && (operands[i] - operands[j]).isAtLeast(0)) {
        operands.erase(operands.begin() + j);
        i -= j < i;
        j = -1;
      }
}

/// The smallest addend of the operands that are not constants.
static int64_t getSharedAddend(ArrayRef<SymExpr> operands) {
  std::optional<int64_t> shared;
  for (SymExpr operand : operands) {
    int64_t addend = operand.getKind() == SymExpr::Sum ? operand.getValue() : 0;
    if (!operand.getConstant())
      shared = std::min(shared.value_or(addend), addend);
  }
  return shared.value_or(0);
}

SymExpr SymExpr::max(SymExpr other) const {
  if (isUndefined() || other.isUndefined())
    return undefined(getContext());
  SmallVector<SymExpr> operands;
  flatten(*this, Max, operands);
  flatten(other, Max, operands);
  if (operands.size() > kMaxOperands)
    operands = {*this, other};
  dropSmaller(operands);
  if (operands.size() == 1)
    return operands.front();
  // max(a + c, b + c) = max(a, b) + c
  int64_t shared = getSharedAddend(operands);
  SmallVector<SymExpr> moved = llvm::map_to_vector(
      operands, [&](SymExpr operand) { return operand - shared; });
  if (llvm::any_of(moved, [](SymExpr e) { return e.isUndefined(); }))
    return nest(Max, operands);
  return nest(Max, moved) + shared;
}

SymExpr SymExpr::min(SymExpr other) const { return *this + other - max(other); }

SymExpr SymExpr::bcast(SymExpr other) const {
  if (isUndefined() || other.isUndefined())
    return undefined(getContext());
  SmallVector<SymExpr> operands;
  flatten(*this, Bcast, operands);
  flatten(other, Bcast, operands);
  llvm::erase_if(operands, [](SymExpr e) { return e.isConstant(1); });
  if (operands.empty())
    return constant(getContext(), 1);
  // A constant other than 1 decides: the other sizes must be it or 1.
  for (SymExpr operand : operands)
    if (operand.getConstant())
      return operand;
  return nest(Bcast, operands);
}
