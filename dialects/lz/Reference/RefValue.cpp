//===- RefValue.cpp - values of the reference evaluator -------------------===//
//
// Every element type is read and written here, through llvm::APFloat where the
// machine has no such type.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Reference/RefValue.h"

#include "dialects/lz/IR/LzDialect.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace lz;
using llvm::APFloat;
using llvm::APInt;

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

ElementFormat::ElementFormat(Type type) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    kind = Float;
    bits = floating.getWidth();
    semantics = &floating.getFloatSemantics();
  } else if (auto complex = dyn_cast<ComplexType>(type)) {
    ElementFormat part(complex.getElementType());
    kind = Complex;
    bits = 2 * part.bits;
    semantics = part.semantics;
  } else if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isBool = integer.isSignless() && integer.getWidth() == 1;
    kind = isBool ? Bool : integer.isUnsigned() ? Unsigned : Signed;
    bits = isBool ? 8 : integer.getWidth();
  } else {
    kind = String;
  }
}

/// `value` in the format of `semantics`. f4E2M1FN, which has neither infinity
/// nor NaN, takes its largest value and, as in ONNX's Python types, minus zero;
/// f8E8M0FNU, which has neither zero nor signs, its smallest value and NaN.
static APFloat toFormat(const llvm::fltSemantics &semantics, double value) {
  bool negative = std::signbit(value);
  if (&semantics == &APFloat::Float8E8M0FNU() && (value == 0 || negative))
    return std::isnan(value) || value != 0 ? APFloat::getNaN(semantics)
                                           : APFloat::getSmallest(semantics);
  if (&semantics == &APFloat::Float4E2M1FN() && std::isnan(value))
    return APFloat::getZero(semantics, !negative);
  if (&semantics == &APFloat::Float4E2M1FN() && std::abs(value) > 6)
    return APFloat::getLargest(semantics, negative);
  APFloat converted(value);
  bool lossy = false;
  converted.convert(semantics, APFloat::rmNearestTiesToEven, &lossy);
  return converted;
}

double lz::roundToType(Type type, double value) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  APFloat rounded = toFormat(cast<FloatType>(type).getFloatSemantics(), value);
  return rounded.convertToDouble();
}

/// The nearest integer towards zero that T holds; 0 for NaN.
template <typename T> static T saturate(double value) {
  if (std::isnan(value))
    return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

/// `value` as an integer: the nearest one of 32 or 64 bits, and for less the
/// low bits of a signed one of 32 bits, or of 0 beyond that.
static uint64_t toInteger(const ElementFormat &format, double value) {
  bool isSigned = format.kind == ElementFormat::Signed;
  if (format.bits < 32)
    return std::abs(value) < 0x1p31 ? static_cast<int32_t>(value) : 0;
  if (format.bits == 32)
    return isSigned ? saturate<int32_t>(value) : saturate<uint32_t>(value);
  return isSigned ? saturate<int64_t>(value) : saturate<uint64_t>(value);
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

RefTensor::RefTensor(RankedTensorType type)
    : type(type), format(type.getElementType()) {
  if (format.kind == ElementFormat::String) {
    strings = std::make_shared<std::vector<std::string>>(getNumElements());
    return;
  }
  own =
      std::make_shared<std::vector<char>>(format.getNumBytes(getNumElements()));
  bytes = *own;
}

RefTensor::RefTensor(RankedTensorType type, ArrayRef<char> bytes,
                     std::shared_ptr<const void> owner)
    : type(type), format(type.getElementType()), bytes(bytes),
      owner(std::move(owner)) {
  assert(static_cast<int64_t>(bytes.size()) ==
             format.getNumBytes(getNumElements()) &&
         "the bytes must be the tensor's");
}

MutableArrayRef<char> RefTensor::getMutableBytes() {
  if (!own || own.use_count() > 1) {
    own = std::make_shared<std::vector<char>>(bytes.begin(), bytes.end());
    owner.reset();
    bytes = *own;
  }
  return *own;
}

std::vector<std::string> &RefTensor::getMutableStrings() {
  if (strings.use_count() > 1)
    strings = std::make_shared<std::vector<std::string>>(*strings);
  return *strings;
}

uint64_t RefTensor::loadBits(int64_t index) const {
  if (format.bits < 8) {
    uint64_t byte = static_cast<uint8_t>(bytes[index * format.bits / 8]);
    return (byte >> (index * format.bits % 8)) &
           llvm::maskTrailingOnes<uint64_t>(format.bits);
  }
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + index * (format.bits / 8),
              format.bits / 8);
  return value;
}

void RefTensor::storeBits(int64_t index, uint64_t value) {
  char *data = getMutableBytes().data();
  if (format.bits >= 8) {
    std::memcpy(data + index * (format.bits / 8), &value, format.bits / 8);
    return;
  }
  unsigned shift = index * format.bits % 8;
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(format.bits);
  char &byte = data[index * format.bits / 8];
  byte =
      static_cast<char>((byte & ~(mask << shift)) | ((value & mask) << shift));
}

RefTensor RefTensor::reshaped(ArrayRef<int64_t> shape) const {
  RefTensor result = *this;
  result.type = RankedTensorType::get(shape, getElementType());
  assert(result.getNumElements() == getNumElements() &&
         "a reshape keeps the number of elements");
  return result;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The value of the low bits of `bits` as a float of the format.
static double decodeFloat(const llvm::fltSemantics &semantics, uint64_t bits) {
  if (&semantics == &APFloat::IEEEdouble())
    return llvm::bit_cast<double>(bits);
  if (&semantics == &APFloat::IEEEsingle())
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  unsigned width = APFloat::getSizeInBits(semantics);
  return APFloat(semantics, APInt(width, bits)).convertToDouble();
}

static uint64_t encodeFloat(const llvm::fltSemantics &semantics, double value) {
  if (&semantics == &APFloat::IEEEdouble())
    return llvm::bit_cast<uint64_t>(value);
  if (&semantics == &APFloat::IEEEsingle())
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  return toFormat(semantics, value).bitcastToAPInt().getZExtValue();
}

double RefTensor::getDouble(int64_t index) const {
  if (format.kind == ElementFormat::Complex)
    return getComplex(index).real();
  uint64_t bits = loadBits(index);
  if (format.kind == ElementFormat::Float)
    return decodeFloat(*format.semantics, bits);
  if (format.kind == ElementFormat::Signed)
    return static_cast<double>(llvm::SignExtend64(bits, format.bits));
  return static_cast<double>(bits);
}

int64_t RefTensor::getInt(int64_t index) const {
  if (!format.isInteger())
    return saturate<int64_t>(getDouble(index));
  uint64_t bits = loadBits(index);
  return format.kind == ElementFormat::Signed
             ? llvm::SignExtend64(bits, format.bits)
             : static_cast<int64_t>(bits);
}

bool RefTensor::getBool(int64_t index) const {
  return format.isInteger() ? getInt(index) != 0 : getDouble(index) != 0;
}

void RefTensor::setDouble(int64_t index, double value) {
  switch (format.kind) {
  case ElementFormat::Float:
    return storeBits(index, encodeFloat(*format.semantics, value));
  case ElementFormat::Complex:
    return setComplex(index, value);
  case ElementFormat::Bool:
    return storeBits(index, value != 0);
  default:
    storeBits(index, toInteger(format, value));
  }
}

void RefTensor::setInt(int64_t index, int64_t value) {
  if (format.kind == ElementFormat::Bool)
    return storeBits(index, value != 0);
  if (format.isInteger())
    return storeBits(index, static_cast<uint64_t>(value));
  if (format.kind == ElementFormat::Complex || format.bits <= 8)
    return setDouble(index, static_cast<double>(value));
  // One rounding, not one to double and another.
  APFloat converted(*format.semantics);
  converted.convertFromAPInt(APInt(64, value, /*isSigned=*/true),
                             /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
  storeBits(index, converted.bitcastToAPInt().getZExtValue());
}

std::complex<double> RefTensor::getComplex(int64_t index) const {
  if (format.kind != ElementFormat::Complex)
    return getDouble(index);
  size_t width = format.bits / 16;
  uint64_t parts[2] = {0, 0};
  for (size_t part : {0, 1})
    std::memcpy(&parts[part], bytes.data() + (2 * index + part) * width, width);
  return {decodeFloat(*format.semantics, parts[0]),
          decodeFloat(*format.semantics, parts[1])};
}

void RefTensor::setComplex(int64_t index, std::complex<double> value) {
  size_t width = format.bits / 16;
  uint64_t parts[2] = {encodeFloat(*format.semantics, value.real()),
                       encodeFloat(*format.semantics, value.imag())};
  char *data = getMutableBytes().data();
  for (size_t part : {0, 1})
    std::memcpy(data + (2 * index + part) * width, &parts[part], width);
}

void RefTensor::copyElement(int64_t index, const RefTensor &source,
                            int64_t from) {
  assert(getElementType() == source.getElementType() &&
         "elements are copied between tensors of one element type");
  if (format.kind == ElementFormat::String)
    getMutableStrings()[index] = source.getStrings()[from];
  else if (format.bits == 128)
    setComplex(index, source.getComplex(from));
  else
    storeBits(index, source.loadBits(from));
}

int RefTensor::compare(int64_t i, int64_t j) const {
  auto order = [](auto a, auto b) { return a < b ? -1 : b < a ? 1 : 0; };
  if (format.kind == ElementFormat::Unsigned)
    return order(static_cast<uint64_t>(getInt(i)),
                 static_cast<uint64_t>(getInt(j)));
  if (format.isInteger())
    return order(getInt(i), getInt(j));
  return order(getDouble(i), getDouble(j));
}

std::vector<double> RefTensor::getDoubles() const {
  std::vector<double> values(getNumElements());
  for (size_t i = 0; i != values.size(); ++i)
    values[i] = getDouble(i);
  return values;
}

std::vector<int64_t> RefTensor::getInts() const {
  std::vector<int64_t> values(getNumElements());
  for (size_t i = 0; i != values.size(); ++i)
    values[i] = getInt(i);
  return values;
}

//===----------------------------------------------------------------------===//
// Sequences and optionals
//===----------------------------------------------------------------------===//

RefValue RefValue::sequence(std::vector<RefValue> elements) {
  RefValue value;
  value.kind = Kind::Sequence;
  value.elements = std::move(elements);
  return value;
}

RefValue RefValue::none() {
  RefValue value;
  value.kind = Kind::Optional;
  return value;
}

RefValue RefValue::some(RefValue contents) {
  RefValue value = none();
  value.elements.push_back(std::move(contents));
  return value;
}
