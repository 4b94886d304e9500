//===- SymExpr.cpp - integer expressions over size symbols ----------------===//

#include "dialects/lz/Symbols/SymExpr.h"

#include "dialects/lz/IR/LzDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Polynomials: the normal form as a map from monomials to coefficients
//===----------------------------------------------------------------------===//

namespace {

/// Orders expressions by kind and text, which no run depends on.
struct TextOrder {
  bool operator()(SymExpr a, SymExpr b) const {
    return a != b && a.str() < b.str();
  }
};

/// A product of atoms, sorted.
using Monomial = SmallVector<SymExpr, 2>;

struct MonomialOrder {
  bool operator()(const Monomial &a, const Monomial &b) const {
    if (a.size() != b.size())
      return a.size() < b.size();
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        TextOrder());
  }
};

using Polynomial = std::map<Monomial, int64_t, MonomialOrder>;

} // namespace

static SymExpr make(MLIRContext *context, SymExpr::Kind kind, int64_t value,
                    StringRef name, ArrayRef<SymExpr> operands) {
  SmallVector<Attribute> attrs = llvm::map_to_vector(
      operands, [](SymExpr operand) { return operand.getAttr(); });
  return SymExpr(ExprAttr::get(context, kind, value, name, attrs));
}

static void addTerm(Polynomial &sum, const Monomial &monomial, int64_t factor) {
  int64_t &entry = sum[monomial];
  entry = static_cast<int64_t>(static_cast<uint64_t>(entry) +
                               static_cast<uint64_t>(factor));
  if (entry == 0)
    sum.erase(monomial);
}

/// Adds `factor * expr` to `sum`.
static void addExpr(Polynomial &sum, SymExpr expr, int64_t factor) {
  switch (expr.getKind()) {
  case SymExpr::Constant:
    return addTerm(sum, {}, factor * expr.getValue());
  case SymExpr::Sum:
    addTerm(sum, {}, factor * expr.getValue());
    for (SymExpr operand : expr.getOperands())
      addExpr(sum, operand, factor);
    return;
  case SymExpr::Product:
    return addTerm(sum, Monomial(expr.getOperands()), factor * expr.getValue());
  default:
    return addTerm(sum, {expr}, factor);
  }
}

static Polynomial toPolynomial(SymExpr expr) {
  Polynomial sum;
  addExpr(sum, expr, 1);
  return sum;
}

static SymExpr fromTerm(MLIRContext *context, const Monomial &monomial,
                        int64_t factor) {
  if (monomial.size() == 1 && factor == 1)
    return monomial.front();
  return make(context, SymExpr::Product, factor, "", monomial);
}

static SymExpr fromPolynomial(MLIRContext *context, const Polynomial &sum) {
  int64_t addend = 0;
  SmallVector<SymExpr> terms;
  for (const auto &[monomial, factor] : sum) {
    if (monomial.empty())
      addend = factor;
    else
      terms.push_back(fromTerm(context, monomial, factor));
  }
  if (terms.empty())
    return SymExpr::constant(context, addend);
  if (terms.size() == 1 && addend == 0)
    return terms.front();
  return make(context, SymExpr::Sum, addend, "", terms);
}

static Polynomial multiply(const Polynomial &a, const Polynomial &b) {
  Polynomial product;
  for (const auto &[left, leftFactor] : a)
    for (const auto &[right, rightFactor] : b) {
      Monomial joined(left);
      joined.append(right.begin(), right.end());
      llvm::sort(joined, TextOrder());
      addTerm(product, joined, leftFactor * rightFactor);
    }
  return product;
}

/// Removes the atoms of `divisor` from `monomial`; false if one is missing.
static bool cancel(Monomial &monomial, const Monomial &divisor) {
  for (SymExpr atom : divisor) {
    auto *found = llvm::find(monomial, atom);
    if (found == monomial.end())
      return false;
    monomial.erase(found);
  }
  return true;
}

/// The exact quotient of `sum` by one term, if every term is divisible.
static std::optional<Polynomial>
divideExactly(const Polynomial &sum, const Monomial &divisor, int64_t factor) {
  Polynomial quotient;
  for (const auto &[monomial, coefficient] : sum) {
    Monomial rest(monomial);
    if (coefficient % factor != 0 || !cancel(rest, divisor))
      return std::nullopt;
    addTerm(quotient, rest, coefficient / factor);
  }
  return quotient;
}

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

static ExprAttr get(Attribute attr) { return cast<ExprAttr>(attr); }

SymExpr SymExpr::constant(MLIRContext *context, int64_t value) {
  return make(context, Constant, value, "", {});
}

SymExpr SymExpr::symbol(MLIRContext *context, StringRef name) {
  return make(context, Symbol, 0, name, {});
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
// Arithmetic
//===----------------------------------------------------------------------===//

SymExpr SymExpr::operator+(SymExpr other) const {
  Polynomial sum = toPolynomial(*this);
  addExpr(sum, other, 1);
  return fromPolynomial(getContext(), sum);
}

SymExpr SymExpr::operator-(SymExpr other) const {
  Polynomial sum = toPolynomial(*this);
  addExpr(sum, other, -1);
  return fromPolynomial(getContext(), sum);
}

SymExpr SymExpr::operator*(SymExpr other) const {
  return fromPolynomial(getContext(),
                        multiply(toPolynomial(*this), toPolynomial(other)));
}

SymExpr SymExpr::operator+(int64_t other) const {
  return *this + constant(getContext(), other);
}

SymExpr SymExpr::operator*(int64_t other) const {
  return *this * constant(getContext(), other);
}

/// Splits `sum` into the terms that a constant divides and the others.
static std::pair<Polynomial, Polynomial> splitMultiples(const Polynomial &sum,
                                                        int64_t divisor) {
  Polynomial multiples, rest;
  for (const auto &[monomial, factor] : sum) {
    if (!monomial.empty() && factor % divisor == 0)
      multiples[monomial] = factor / divisor;
    else if (monomial.empty()) {
      int64_t quotient = llvm::divideFloorSigned(factor, divisor);
      addTerm(multiples, monomial, quotient);
      addTerm(rest, monomial, factor - quotient * divisor);
    } else
      rest[monomial] = factor;
  }
  return {multiples, rest};
}

SymExpr SymExpr::floorDiv(SymExpr divisor) const {
  MLIRContext *context = getContext();
  Polynomial sum = toPolynomial(*this), by = toPolynomial(divisor);
  if (by.size() == 1)
    if (auto quotient =
            divideExactly(sum, by.begin()->first, by.begin()->second))
      return fromPolynomial(context, *quotient);
  std::optional<int64_t> constantDivisor = divisor.getConstant();
  if (!constantDivisor || *constantDivisor <= 0)
    return make(context, FloorDiv, 0, "", {*this, divisor});
  // floordiv(k * x + y, k) = x + floordiv(y, k)
  auto [multiples, rest] = splitMultiples(sum, *constantDivisor);
  SymExpr inner = fromPolynomial(context, rest);
  if (std::optional<int64_t> value = inner.getConstant())
    addTerm(multiples, {}, llvm::divideFloorSigned(*value, *constantDivisor));
  else
    addTerm(multiples, {make(context, FloorDiv, 0, "", {inner, divisor})}, 1);
  return fromPolynomial(context, multiples);
}

SymExpr SymExpr::ceilDiv(SymExpr divisor) const {
  return (constant(getContext(), 0) - *this).floorDiv(divisor) * -1;
}

SymExpr SymExpr::mod(SymExpr divisor) const {
  if (divisor.isConstant(0))
    return make(getContext(), Mod, 0, "", {*this, divisor});
  return *this - floorDiv(divisor) * divisor;
}

/// Moves a shared addend out: max(a + c, b + c) = max(a, b) + c.
static int64_t extractAddend(SymExpr &a, SymExpr &b) {
  auto addendOf = [](SymExpr e) {
    return e.getKind() == SymExpr::Sum || e.getKind() == SymExpr::Constant
               ? e.getValue()
               : 0;
  };
  int64_t left = addendOf(a), right = addendOf(b);
  int64_t shared = a.getConstant()   ? right
                   : b.getConstant() ? left
                                     : std::min(left, right);
  a = a - shared;
  b = b - shared;
  return shared;
}

SymExpr SymExpr::max(SymExpr other) const {
  SymExpr a = *this, b = other;
  SymExpr difference = a - b;
  if (difference.isAtLeast(0))
    return a;
  if ((b - a).isAtLeast(0))
    return b;
  int64_t shared = extractAddend(a, b);
  if (TextOrder()(b, a))
    std::swap(a, b);
  return make(getContext(), Max, 0, "", {a, b}) + shared;
}

SymExpr SymExpr::min(SymExpr other) const { return *this + other - max(other); }

SymExpr SymExpr::bcast(SymExpr other) const {
  if (*this == other || other.isConstant(1))
    return *this;
  if (isConstant(1))
    return other;
  // A constant other than 1 decides: the other side must be it or 1.
  if (getConstant())
    return *this;
  if (other.getConstant())
    return other;
  SymExpr a = *this, b = other;
  if (TextOrder()(b, a))
    std::swap(a, b);
  return make(getContext(), Bcast, 0, "", {a, b});
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

void SymExpr::collectSymbols(SmallVectorImpl<StringRef> &names) const {
  if (getKind() == Symbol && !llvm::is_contained(names, getName()))
    names.push_back(getName());
  for (SymExpr operand : getOperands())
    operand.collectSymbols(names);
}

/// True if symbols are never negative and `expr` is then never negative.
static bool isNonNegative(SymExpr expr) {
  SmallVector<SymExpr, 4> operands = expr.getOperands();
  switch (expr.getKind()) {
  case SymExpr::Constant:
    return expr.getValue() >= 0;
  case SymExpr::Symbol:
  case SymExpr::Mod:
    return true;
  case SymExpr::Max:
    return llvm::any_of(operands, isNonNegative);
  case SymExpr::FloorDiv:
    return isNonNegative(operands[0]) && isNonNegative(operands[1]);
  case SymExpr::Sum:
  case SymExpr::Product:
    return expr.getValue() >= 0 && llvm::all_of(operands, isNonNegative);
  case SymExpr::Bcast:
    return llvm::all_of(operands, isNonNegative);
  }
  return false;
}

/// x - max(x, c)-like sums: `max(a, b) - a` is never negative.
static bool isMaxMinusOperand(SymExpr expr) {
  Polynomial sum = toPolynomial(expr);
  for (const auto &[monomial, factor] : sum) {
    if (factor != 1 || monomial.size() != 1 ||
        monomial.front().getKind() != SymExpr::Max)
      continue;
    for (SymExpr operand : monomial.front().getOperands()) {
      SymExpr rest = expr - monomial.front() + operand;
      if (isNonNegative(rest))
        return true;
    }
  }
  return false;
}

bool SymExpr::isAtLeast(int64_t bound) const {
  SymExpr shifted = *this - bound;
  return isNonNegative(shifted) || isMaxMinusOperand(shifted);
}

//===----------------------------------------------------------------------===//
// Evaluation and substitution
//===----------------------------------------------------------------------===//

static std::optional<int64_t> applyBinary(SymExpr::Kind kind, int64_t a,
                                          int64_t b) {
  switch (kind) {
  case SymExpr::FloorDiv:
  case SymExpr::Mod: {
    if (b == 0 || (b == -1 && a == INT64_MIN))
      return std::nullopt;
    int64_t quotient = llvm::divideFloorSigned(a, b);
    return kind == SymExpr::FloorDiv ? quotient : a - quotient * b;
  }
  case SymExpr::Max:
    return std::max(a, b);
  default:
    return a == 1 ? b : a;
  }
}

std::optional<int64_t> SymExpr::evaluate(
    llvm::function_ref<std::optional<int64_t>(StringRef)> symbols) const {
  if (getKind() == Symbol)
    return symbols(getName());
  SmallVector<int64_t> values;
  for (SymExpr operand : getOperands()) {
    std::optional<int64_t> value = operand.evaluate(symbols);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  if (getKind() > Product)
    return applyBinary(getKind(), values[0], values[1]);
  int64_t result = getValue();
  for (int64_t value : values)
    if (getKind() == Sum ? llvm::AddOverflow(result, value, result)
                         : llvm::MulOverflow(result, value, result))
      return std::nullopt;
  return result;
}

static SymExpr rebuild(SymExpr expr, ArrayRef<SymExpr> operands) {
  MLIRContext *context = expr.getContext();
  SymExpr result = SymExpr::constant(context, expr.getValue());
  switch (expr.getKind()) {
  case SymExpr::Sum:
    for (SymExpr operand : operands)
      result = result + operand;
    return result;
  case SymExpr::Product:
    for (SymExpr operand : operands)
      result = result * operand;
    return result;
  case SymExpr::FloorDiv:
    return operands[0].floorDiv(operands[1]);
  case SymExpr::Mod:
    return operands[0].mod(operands[1]);
  case SymExpr::Max:
    return operands[0].max(operands[1]);
  case SymExpr::Bcast:
    return operands[0].bcast(operands[1]);
  default:
    return expr;
  }
}

SymExpr
SymExpr::substitute(llvm::function_ref<SymExpr(StringRef)> symbols) const {
  if (getKind() == Symbol) {
    SymExpr replacement = symbols(getName());
    return replacement ? replacement : *this;
  }
  SmallVector<SymExpr> operands = llvm::map_to_vector(
      getOperands(), [&](SymExpr e) { return e.substitute(symbols); });
  return rebuild(*this, operands);
}

//===----------------------------------------------------------------------===//
// Lists and names
//===----------------------------------------------------------------------===//

SymExpr lz::getProduct(MLIRContext *context, ArrayRef<SymExpr> sizes) {
  SymExpr product = SymExpr::constant(context, 1);
  for (SymExpr size : sizes)
    product = product * size;
  return product;
}

ArrayAttr lz::getExprArray(MLIRContext *context, ArrayRef<SymExpr> exprs) {
  return ArrayAttr::get(context, llvm::map_to_vector(exprs, [](SymExpr e) {
                          return e.getAttr();
                        }));
}

ArrayAttr lz::getExprArray(MLIRContext *context, ArrayRef<int64_t> values) {
  return getExprArray(context, llvm::map_to_vector(values, [&](int64_t value) {
                        return SymExpr::constant(context, value);
                      }));
}

SymShape lz::getExprs(ArrayAttr attr) {
  SymShape exprs;
  for (Attribute element : attr)
    exprs.push_back(SymExpr(element));
  return exprs;
}

std::string lz::getSymbolName(StringRef name) {
  std::string result;
  for (char c : name)
    result.push_back(llvm::isAlnum(c) || c == '_' || c == '.' ? c : '_');
  if (result.empty() || !(llvm::isAlpha(result[0]) || result[0] == '_'))
    result.insert(0, "_");
  return result;
}
