//===- RaiseMatchers.cpp - arithmetic as exporters spell it ---------------===//

#include "passes/graph/RaiseMatchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace lz;

std::optional<double> lz::getSplatNumber(Value value) {
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                        : DenseElementsAttr();
  if (!dense || !dense.isSplat() || !isa<FloatType>(dense.getElementType()))
    return std::nullopt;
  return dense.getSplatValue<APFloat>().convertToDouble();
}

bool lz::isNumber(double value, double expected, Type type) {
  // Half a unit in the last place, and what exporters leave of pi's digits.
  double tolerance = type.isF16() ? 1e-3 : type.isBF16() ? 8e-3 : 2e-6;
  return std::abs(value - expected) <= tolerance * std::abs(expected);
}

bool lz::isNumber(Value value, double expected) {
  std::optional<double> number = getSplatNumber(value);
  return number && isNumber(*number, expected, getElementTypeOrSelf(value));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

bool Factors::take(Value value) {
  auto *found = llvm::find(values, value);
  if (found == values.end())
    return false;
  values.erase(found);
  return true;
}

/// Appends `value` as often as `power` says; false if that is no power of it.
static bool appendPower(BinaryOp power, Factors &factors) {
  std::optional<double> exponent = getSplatNumber(power.getRhs());
  if (!exponent || (*exponent != 2 && *exponent != 3))
    return false;
  factors.values.append(static_cast<size_t>(*exponent), power.getLhs());
  return true;
}

static void collectFactors(Value value, Factors &factors, int depth);

/// Splits what `op` computes; false if it is not a product.
static bool splitProduct(BinaryOp op, Factors &factors, int depth) {
  switch (op.getKind()) {
  case BinaryKind::mul:
    collectFactors(op.getLhs(), factors, depth);
    collectFactors(op.getRhs(), factors, depth);
    return true;
  case BinaryKind::div:
    if (std::optional<double> divisor = getSplatNumber(op.getRhs())) {
      factors.number /= *divisor;
      collectFactors(op.getLhs(), factors, depth);
      return true;
    }
    return false;
  case BinaryKind::pow:
    return appendPower(op, factors);
  default:
    return false;
  }
}

static void collectFactors(Value value, Factors &factors, int depth) {
  if (std::optional<double> number = getSplatNumber(value)) {
    factors.number *= *number;
    return;
  }
  auto op = value.getDefiningOp<BinaryOp>();
  constexpr int maxDepth = 8;
  bool inner = depth == 0 || (depth < maxDepth && op && op->hasOneUse());
  if (!op || !inner || !splitProduct(op, factors, depth + 1))
    factors.values.push_back(value);
}

Factors lz::getFactors(Value root) {
  Factors factors;
  collectFactors(root, factors, 0);
  return factors;
}

//===----------------------------------------------------------------------===//
// Single operations
//===----------------------------------------------------------------------===//

Value lz::matchPlus(Value value, double number) {
  BinaryOp sum = matchBinary(value, BinaryKind::add);
  if (!sum)
    return {};
  if (isNumber(sum.getRhs(), number))
    return sum.getLhs();
  return isNumber(sum.getLhs(), number) ? sum.getRhs() : Value();
}

Value lz::matchUnary(Value value, UnaryKind kind) {
  auto op = value ? value.getDefiningOp<UnaryOp>() : UnaryOp();
  return op && op.getKind() == kind ? op.getInput() : Value();
}

BinaryOp lz::matchBinary(Value value, BinaryKind kind) {
  auto op = value ? value.getDefiningOp<BinaryOp>() : BinaryOp();
  return op && op.getKind() == kind ? op : BinaryOp();
}

ReduceOp lz::matchReduce(Value value, ReduceKind kind) {
  auto op = value ? value.getDefiningOp<ReduceOp>() : ReduceOp();
  return op && op.getKind() == kind && op.getKeepDims() ? op : ReduceOp();
}
