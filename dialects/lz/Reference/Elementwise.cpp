//===- Elementwise.cpp - reference models of elementwise operations -------===//
//
// Floats are computed in double and rounded once to the element type. Integers
// wrap; a division by zero gives 0, so that no operand stops the machine.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include <cmath>

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

/// The remainder with the sign of the divisor, as Python's `%`.
static double floorMod(double a, double b) {
  double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static double applyBinary(BinaryKind kind, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (kind) {
  case BinaryKind::add:
    return a + b;
  case BinaryKind::sub:
    return a - b;
  case BinaryKind::mul:
    return a * b;
  case BinaryKind::div:
    return a / b;
  case BinaryKind::mod:
    return floorMod(a, b);
  case BinaryKind::fmod:
    return std::fmod(a, b);
  case BinaryKind::pow:
    return std::pow(a, b);
  case BinaryKind::max:
    return unordered ? std::nan("") : std::max(a, b);
  case BinaryKind::min:
    return unordered ? std::nan("") : std::min(a, b);
  case BinaryKind::prelu:
    return a < 0 ? a * b : a;
  default:
    return std::nan("");
  }
}

/// True for the kinds that only integers have.
static bool isLogical(BinaryKind kind) {
  return kind >= BinaryKind::logical_and;
}

/// a to the power of b, wrapping; a negative power truncates as 1 / a^-b does.
static uint64_t raise(int64_t a, int64_t b) {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1, base = static_cast<uint64_t>(a);
  for (; b > 0; b >>= 1, base *= base)
    if (b & 1)
      result *= base;
  return result;
}

/// The quotient, truncated; 0 for a division by zero. The smallest integer by
/// -1 wraps to itself.
template <typename T> static T divide(T a, T b) {
  if (b == 0)
    return 0;
  return std::is_signed_v<T> && b == T(-1) ? T(-static_cast<uint64_t>(a))
                                           : a / b;
}

/// The remainder of `divide`; 0 for a division by zero.
template <typename T> static T remainder(T a, T b) {
  return b == 0 || (std::is_signed_v<T> && b == T(-1)) ? 0 : a % b;
}

template <typename T> static T floorRemainder(T a, T b) {
  T r = remainder(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/// Logic and shifts; the result is cut to the element type when stored.
template <typename T>
static uint64_t applyBits(BinaryKind kind, T a, T b, unsigned width) {
  bool far = b < 0 || static_cast<uint64_t>(b) >= width;
  switch (kind) {
  case BinaryKind::logical_and:
    return a != 0 && b != 0;
  case BinaryKind::logical_or:
    return a != 0 || b != 0;
  case BinaryKind::logical_xor:
    return (a != 0) != (b != 0);
  case BinaryKind::bit_and:
    return a & b;
  case BinaryKind::bit_or:
    return a | b;
  case BinaryKind::bit_xor:
    return a ^ b;
  case BinaryKind::shift_left:
    return far ? 0 : static_cast<uint64_t>(a) << b;
  default:
    return far ? 0 : static_cast<uint64_t>(a >> b);
  }
}

template <typename T>
static uint64_t applyInteger(BinaryKind kind, T a, T b, unsigned width) {
  auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (kind) {
  case BinaryKind::add:
    return x + y;
  case BinaryKind::sub:
    return x - y;
  case BinaryKind::mul:
    return x * y;
  case BinaryKind::div:
    return divide(a, b);
  case BinaryKind::mod:
    return floorRemainder(a, b);
  case BinaryKind::fmod:
    return remainder(a, b);
  case BinaryKind::pow:
    return raise(a, b);
  case BinaryKind::max:
    return std::max(a, b);
  case BinaryKind::min:
    return std::min(a, b);
  case BinaryKind::prelu:
    return a < 0 ? x * y : x;
  default:
    return applyBits(kind, a, b, width);
  }
}

/// One element of a binary operation, into `result`.
static void computeBinary(BinaryKind kind, const RefTensor &a, int64_t i,
                          const RefTensor &b, int64_t j, RefTensor &result,
                          int64_t position) {
  const ElementFormat &format = a.getFormat();
  if (!format.isInteger() || !b.getFormat().isInteger())
    return result.setDouble(position,
                            applyBinary(kind, a.getDouble(i), b.getDouble(j)));
  if (format.kind == ElementFormat::Unsigned)
    return result.setInt(
        position,
        applyInteger<uint64_t>(kind, a.getInt(i), b.getInt(j), format.bits));
  result.setInt(position, applyInteger<int64_t>(kind, a.getInt(i), b.getInt(j),
                                                format.bits));
}

/// The four operations that complex numbers have.
static std::complex<double>
applyComplex(BinaryKind kind, std::complex<double> a, std::complex<double> b) {
  switch (kind) {
  case BinaryKind::add:
    return a + b;
  case BinaryKind::sub:
    return a - b;
  case BinaryKind::mul:
    return a * b;
  default:
    return a / b;
  }
}

/// ONNX Add-14, Sub-14, Mul-14, Div-14, Mod-13, Pow-15, Max-13, Min-13,
/// PRelu-16, And-7, Or-7, Xor-7, BitwiseAnd-18, BitwiseOr-18, BitwiseXor-18,
/// BitShift-11.
static LogicalResult evaluateBinary(BinaryOp op, Evaluation &e) {
  const RefTensor &a = e.get(op.getLhs()), &b = e.get(op.getRhs());
  auto shape = broadcastShapes(op, {a.getShape(), b.getShape()});
  if (failed(shape))
    return failure();
  ElementFormat::Kind format = a.getFormat().kind;
  bool complex = format == ElementFormat::Complex;
  if (format == ElementFormat::String ||
      (complex && op.getKind() > BinaryKind::div) ||
      (format == ElementFormat::Float && isLogical(op.getKind())))
    return op.emitOpError() << "is not defined for " << a.getElementType();
  FailureOr<RefTensor> result = e.makeResult(*shape);
  if (failed(result))
    return failure();
  BroadcastMap left(a.getShape(), *shape), right(b.getShape(), *shape);
  int64_t position = 0;
  forEachIndex(*shape, [&](ArrayRef<int64_t> index) {
    int64_t i = left.at(index), j = right.at(index);
    if (complex)
      result->setComplex(position++, applyComplex(op.getKind(), a.getComplex(i),
                                                  b.getComplex(j)));
    else
      computeBinary(op.getKind(), a, i, b, j, *result, position++);
  });
  return e.give(*result);
}

//===----------------------------------------------------------------------===//
// Compare and select
//===----------------------------------------------------------------------===//

template <typename T>
static bool compare(CompareKind kind, const T &a, const T &b) {
  switch (kind) {
  case CompareKind::eq:
    return a == b;
  case CompareKind::ne:
    return a != b;
  case CompareKind::lt:
    return a < b;
  case CompareKind::le:
    return a <= b;
  case CompareKind::gt:
    return a > b;
  case CompareKind::ge:
    return a >= b;
  }
  return false;
}

static bool compareElements(CompareKind kind, const RefTensor &a, int64_t i,
                            const RefTensor &b, int64_t j) {
  switch (a.getFormat().kind) {
  case ElementFormat::String:
    return compare(kind, a.getStrings()[i], b.getStrings()[j]);
  case ElementFormat::Float:
  case ElementFormat::Complex:
    return compare(kind, a.getDouble(i), b.getDouble(j));
  case ElementFormat::Unsigned:
    return compare<uint64_t>(kind, a.getInt(i), b.getInt(j));
  default:
    return compare(kind, a.getInt(i), b.getInt(j));
  }
}

/// ONNX Equal-19, Less-13, LessOrEqual-16, Greater-13, GreaterOrEqual-16.
static LogicalResult evaluateCompare(CompareOp op, Evaluation &e) {
  const RefTensor &a = e.get(op.getLhs()), &b = e.get(op.getRhs());
  auto shape = broadcastShapes(op, {a.getShape(), b.getShape()});
  if (failed(shape))
    return failure();
  if (a.getFormat().kind == ElementFormat::Complex)
    return op.emitOpError() << "is not defined for " << a.getElementType();
  FailureOr<RefTensor> result = e.makeResult(*shape);
  if (failed(result))
    return failure();
  BroadcastMap left(a.getShape(), *shape), right(b.getShape(), *shape);
  int64_t position = 0;
  forEachIndex(*shape, [&](ArrayRef<int64_t> index) {
    result->setInt(position++, compareElements(op.getKind(), a, left.at(index),
                                               b, right.at(index)));
  });
  return e.give(*result);
}

/// ONNX Where-16.
static LogicalResult evaluateSelect(SelectOp op, Evaluation &e) {
  const RefTensor &condition = e.get(op.getCondition());
  const RefTensor &a = e.get(op.getOnTrue()), &b = e.get(op.getOnFalse());
  auto shape =
      broadcastShapes(op, {condition.getShape(), a.getShape(), b.getShape()});
  if (failed(shape))
    return failure();
  FailureOr<RefTensor> result = e.makeResult(*shape);
  if (failed(result))
    return failure();
  BroadcastMap test(condition.getShape(), *shape), left(a.getShape(), *shape),
      right(b.getShape(), *shape);
  int64_t position = 0;
  forEachIndex(*shape, [&](ArrayRef<int64_t> index) {
    if (condition.getBool(test.at(index)))
      result->copyElement(position++, a, left.at(index));
    else
      result->copyElement(position++, b, right.at(index));
  });
  return e.give(*result);
}

void lz::attachElementwiseModels(MLIRContext &context) {
  attachReference<BinaryOp, evaluateBinary>(context);
  attachReference<CompareOp, evaluateCompare>(context);
  attachReference<SelectOp, evaluateSelect>(context);
}
