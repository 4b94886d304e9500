//===- Cast.cpp - reference model of lz.cast ------------------------------===//
//
// ONNX Cast-25. Among numbers one rounding, to the nearest even; floats to
// integers truncate. Text is C's and numpy's: the shortest digits that read
// back to the same value.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include <charconv>
#include <cmath>

using namespace mlir;
using namespace lz;

/// The largest value of a small float format.
static double getLargest(const llvm::fltSemantics &semantics) {
  return APFloat::getLargest(semantics).convertToDouble();
}

/// `value` for a float of 8 bits or less. With `saturate`, what is too large
/// gives the largest value; otherwise infinity, or NaN where there is none.
static double limitToFormat(const llvm::fltSemantics &semantics, double value,
                            bool saturate) {
  double largest = getLargest(semantics);
  bool tooLarge = !std::isnan(value) && std::abs(value) > largest;
  return tooLarge && saturate ? std::copysign(largest, value) : value;
}

/// f8E8M0FNU holds powers of two only; others round up, as ONNX's default
/// `round_mode` has it.
static double roundUpToPower(double value, bool saturate) {
  if (std::isinf(value))
    return std::nan("");
  if (!(value > 0))
    return value;
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent); // in [0.5, 1)
  double power = std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
  double largest = getLargest(APFloat::Float8E8M0FNU());
  return power > largest && !saturate ? std::nan("") : power;
}

/// Stores a float that is to be converted.
static void storeFloat(RefTensor &result, int64_t index, double value,
                       bool saturate) {
  const ElementFormat &format = result.getFormat();
  if (format.kind == ElementFormat::Float && format.bits <= 8) {
    if (format.semantics == &APFloat::Float8E8M0FNU())
      value = roundUpToPower(value, saturate);
    value = limitToFormat(*format.semantics, value, saturate);
  }
  if (format.isInteger() && format.kind != ElementFormat::Bool)
    value = std::trunc(value);
  result.setDouble(index, value);
}

/// Stores the bits of an unsigned 64-bit integer as a number.
static void storeUnsigned(RefTensor &result, int64_t index, uint64_t value) {
  const ElementFormat &format = result.getFormat();
  if (format.isInteger() || value <= INT64_MAX)
    return result.setInt(index, static_cast<int64_t>(value));
  if (format.bits == 32)
    return result.setDouble(index, static_cast<float>(value));
  result.setDouble(index, static_cast<double>(value));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

template <typename T> static std::string printShortest(T value) {
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, end);
}

/// The text of element `index`.
static std::string printElement(const RefTensor &tensor, int64_t index) {
  const ElementFormat &format = tensor.getFormat();
  if (format.kind == ElementFormat::Bool)
    return tensor.getBool(index) ? "True" : "False";
  if (format.kind == ElementFormat::Unsigned)
    return std::to_string(static_cast<uint64_t>(tensor.getInt(index)));
  if (format.isInteger())
    return std::to_string(tensor.getInt(index));
  double value = tensor.getDouble(index);
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value < 0 ? "-INF" : "INF";
  return format.bits == 64 ? printShortest(value)
                           : printShortest(static_cast<float>(value));
}

/// Reads `text` into element `index`; false if it is not a number.
static bool parseElement(const std::string &text, RefTensor &result,
                         int64_t index) {
  if (result.getFormat().isInteger()) {
    StringRef digits(text);
    int64_t value = 0;
    digits.consume_front("+");
    if (digits.getAsInteger(10, value))
      return false;
    result.setInt(index, value);
    return true;
  }
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  result.setDouble(index, value);
  return end != text.c_str() && *end == '\0';
}

/// Converts to or from strings.
static LogicalResult castText(CastOp op, const RefTensor &input,
                              RefTensor &result) {
  for (int64_t i = 0; i != input.getNumElements(); ++i)
    if (input.getFormat().kind != ElementFormat::String)
      result.getMutableStrings()[i] = printElement(input, i);
    else if (!parseElement(input.getStrings()[i], result, i))
      return op.emitOpError() << "can't read '" << input.getStrings()[i]
                              << "' as " << result.getElementType();
  return success();
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

/// Converts one number.
static void castElement(const RefTensor &input, int64_t index,
                        RefTensor &result, bool saturate) {
  switch (input.getFormat().kind) {
  case ElementFormat::Float:
    return storeFloat(result, index, input.getDouble(index), saturate);
  case ElementFormat::Complex:
    return result.getFormat().kind == ElementFormat::Complex
               ? result.setComplex(index, input.getComplex(index))
               : storeFloat(result, index, input.getDouble(index), saturate);
  case ElementFormat::Unsigned:
    return storeUnsigned(result, index, input.getInt(index));
  default:
    if (result.getFormat().kind == ElementFormat::Float &&
        result.getFormat().bits <= 8)
      return storeFloat(result, index, input.getDouble(index), saturate);
    result.setInt(index, input.getInt(index));
  }
}

static LogicalResult evaluateCast(CastOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  if (input.getElementType() == op.getTo())
    return e.give(input);
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  if (failed(result))
    return failure();
  if (input.getFormat().kind == ElementFormat::String ||
      result->getFormat().kind == ElementFormat::String)
    return failed(castText(op, input, *result)) ? failure() : e.give(*result);
  for (int64_t i = 0; i != input.getNumElements(); ++i)
    castElement(input, i, *result, op.getSaturate());
  return e.give(*result);
}

/// ONNX BitCast-26.
static LogicalResult evaluateBitcast(BitcastOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  if (failed(result))
    return failure();
  llvm::copy(input.getBytes(), result->getMutableBytes().begin());
  if (op.getTo().isInteger(1))
    for (char &byte : result->getMutableBytes())
      byte = byte != 0;
  return e.give(*result);
}

static LogicalResult evaluatePack(PackOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  if (failed(result))
    return failure();
  auto bits = static_cast<int64_t>(op.getTo().getIntOrFloatBitWidth());
  MutableArrayRef<char> bytes = result->getMutableBytes();
  for (int64_t i = 0; i != input.getNumElements(); ++i) {
    auto low = static_cast<uint64_t>(input.getInt(i)) & ((1 << bits) - 1);
    bytes[i * bits / 8] |= static_cast<char>(low << i * bits % 8);
  }
  return e.give(*result);
}

void lz::attachCastModels(MLIRContext &context) {
  attachReference<BitcastOp, evaluateBitcast>(context);
  attachReference<CastOp, evaluateCast>(context);
  attachReference<PackOp, evaluatePack>(context);
}
