//===- Elements.cpp - elements as numbers ---------------------------------===//

#include "Elements.h"
#include "Files.h"

#include <cmath>
#include <limits>

using namespace lz;
using namespace lz::run;

namespace {

/// A float format of at most 16 bits.
struct SmallFloat {
  int type, exponentBits, mantissaBits, bias;
  /// How the largest exponent reads: as in IEEE, or as numbers but for one NaN.
  enum { Ieee, OneNan, UnsignedZeroNan, AllNumbers } special;
};

} // namespace

static constexpr SmallFloat kSmallFloats[] = {
    {LZ_F16, 5, 10, 15, SmallFloat::Ieee},
    {LZ_BF16, 8, 7, 127, SmallFloat::Ieee},
    {LZ_F8E5M2, 5, 2, 15, SmallFloat::Ieee},
    {LZ_F8E4M3FN, 4, 3, 7, SmallFloat::OneNan},
    {LZ_F8E4M3FNUZ, 4, 3, 8, SmallFloat::UnsignedZeroNan},
    {LZ_F8E5M2FNUZ, 5, 2, 16, SmallFloat::UnsignedZeroNan},
    {LZ_F4E2M1, 2, 1, 1, SmallFloat::AllNumbers}};

static const SmallFloat *findSmallFloat(int32_t type) {
  for (const SmallFloat &format : kSmallFloats)
    if (format.type == type)
      return &format;
  return nullptr;
}

static double decode(const SmallFloat &format, uint32_t code) {
  int mantissaBits = format.mantissaBits;
  int mantissa = int(code & ((1u << mantissaBits) - 1));
  int top = (1 << format.exponentBits) - 1;
  int exponent = int(code >> mantissaBits) & top;
  bool negative = code >> (mantissaBits + format.exponentBits) & 1;
  double nan = std::numeric_limits<double>::quiet_NaN();
  if (format.special == SmallFloat::UnsignedZeroNan && negative && !exponent &&
      !mantissa)
    return nan;
  if (format.special == SmallFloat::OneNan && exponent == top &&
      mantissa == (1 << mantissaBits) - 1)
    return nan;
  double value;
  if (format.special == SmallFloat::Ieee && exponent == top)
    value = mantissa ? nan : std::numeric_limits<double>::infinity();
  else if (exponent)
    value = std::ldexp(mantissa + (1 << mantissaBits),
                       exponent - format.bias - mantissaBits);
  else
    value = std::ldexp(mantissa, 1 - format.bias - mantissaBits);
  return negative ? -value : value;
}

/// Rounds to a format of IEEE kind, ties to even.
static uint16_t encode(const SmallFloat &format, double value) {
  uint16_t sign =
      std::signbit(value)
          ? uint16_t(1 << (format.exponentBits + format.mantissaBits))
          : uint16_t(0);
  uint16_t infinity =
      uint16_t(((1 << format.exponentBits) - 1) << format.mantissaBits);
  if (std::isnan(value))
    return infinity | 1;
  value = std::fabs(value);
  if (std::isinf(value))
    return sign | infinity;
  int exponent = value > 0 ? std::ilogb(value) : -1000;
  int least = 1 - format.bias;
  exponent = std::max(exponent, least);
  // In units of the last place, which carry over into the exponent by
  // themselves.
  double units =
      std::nearbyint(std::ldexp(value, format.mantissaBits - exponent));
  double code =
      std::ldexp(double(exponent - least), format.mantissaBits) + units;
  return sign | uint16_t(std::min(code, double(infinity)));
}

uint16_t run::toHalf(double value) { return encode(kSmallFloats[0], value); }

uint16_t run::toBrain(double value) { return encode(kSmallFloats[1], value); }

bool run::isFloat(int32_t type) {
  return type == LZ_F32 || type == LZ_F64 || type == LZ_F8E8M0 ||
         findSmallFloat(type);
}

bool run::isComplex(int32_t type) { return type == LZ_C64 || type == LZ_C128; }

bool run::isInteger(int32_t type) {
  return !isFloat(type) && !isComplex(type) && lz_element_bits(type);
}

std::string run::typeName(int32_t type) {
  const char *name = lz_element_type_name(type);
  return name ? name : "unknown";
}

std::string run::shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i != shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string run::valueText(const ValueInfo &value) {
  std::string text = value.compound == LZ_SEQUENCE   ? "sequence of "
                     : value.compound == LZ_OPTIONAL ? "optional "
                     : value.compound                ? "optional sequence of "
                                                     : "";
  text += typeName(value.elementType) + " [";
  if (!value.hasRank)
    return text + "...]";
  for (size_t d = 0; d != value.shape.size(); ++d) {
    std::string size = value.shape[d] >= 0 ? std::to_string(value.shape[d])
                       : value.dimNames[d].empty() ? "?"
                                                   : value.dimNames[d];
    text += (d ? ", " : "") + size;
  }
  return text + "]";
}

std::string run::namesText(const std::vector<ValueInfo> &values) {
  std::string text;
  for (const ValueInfo &value : values)
    text += (text.empty() ? "'" : ", '") + value.name + "'";
  return text.empty() ? "none" : text;
}

int64_t run::numberCount(const Tensor &tensor) {
  return tensor.elements() * (isComplex(tensor.elementType()) ? 2 : 1);
}

uint8_t run::readPacked(const Tensor &tensor, int64_t index) {
  auto bits = int(lz_element_bits(tensor.elementType()));
  auto *bytes = static_cast<const uint8_t *>(tensor.data());
  int perByte = 8 / bits;
  return uint8_t(bytes[index / perByte] >> (index % perByte * bits) &
                 ((1 << bits) - 1));
}

void run::writePacked(const Tensor &tensor, int64_t index, uint8_t code) {
  auto bits = int(lz_element_bits(tensor.elementType()));
  auto *bytes = static_cast<uint8_t *>(tensor.data());
  int perByte = 8 / bits, shift = int(index % perByte) * bits;
  int mask = (1 << bits) - 1;
  uint8_t &byte = bytes[index / perByte];
  byte = uint8_t((byte & ~(mask << shift)) | (code & mask) << shift);
}

template <typename T>
static double readAs(const Tensor &tensor, int64_t index) {
  return double(static_cast<const T *>(tensor.data())[index]);
}

/// Elements of less than a byte.
static double readSmall(const Tensor &tensor, int64_t index) {
  int code = readPacked(tensor, index);
  if (const SmallFloat *format = findSmallFloat(tensor.elementType()))
    return decode(*format, uint32_t(code));
  bool negative = (tensor.elementType() == LZ_I4 && code >= 8) ||
                  (tensor.elementType() == LZ_I2 && code >= 2);
  return negative ? code - (tensor.elementType() == LZ_I4 ? 16 : 4) : code;
}

double run::readNumber(const Tensor &tensor, int64_t index) {
  switch (tensor.elementType()) {
  case LZ_F32:
  case LZ_C64:
    return readAs<float>(tensor, index);
  case LZ_F64:
  case LZ_C128:
    return readAs<double>(tensor, index);
  case LZ_I8:
    return readAs<int8_t>(tensor, index);
  case LZ_I16:
    return readAs<int16_t>(tensor, index);
  case LZ_U16:
    return readAs<uint16_t>(tensor, index);
  case LZ_I32:
    return readAs<int32_t>(tensor, index);
  case LZ_U32:
    return readAs<uint32_t>(tensor, index);
  case LZ_I64:
    return readAs<int64_t>(tensor, index);
  case LZ_U64:
    return readAs<uint64_t>(tensor, index);
  case LZ_F8E8M0: {
    int code = int(readAs<uint8_t>(tensor, index));
    return code == 255 ? std::numeric_limits<double>::quiet_NaN()
                       : std::ldexp(1.0, code - 127);
  }
  default:
    break;
  }
  int64_t bits = lz_element_bits(tensor.elementType());
  if (bits < 8)
    return readSmall(tensor, index);
  const SmallFloat *format = findSmallFloat(tensor.elementType());
  auto code = uint32_t(bits == 16 ? readAs<uint16_t>(tensor, index)
                                  : readAs<uint8_t>(tensor, index));
  return format ? decode(*format, code) : code;
}

void run::checkBools(const Tensor &tensor, const std::string &what) {
  if (tensor.elementType() != LZ_BOOL)
    return;
  auto *bytes = static_cast<const uint8_t *>(tensor.data());
  for (int64_t i = 0; i != tensor.elements(); ++i)
    if (bytes[i] > 1)
      throw Failure(what + ": element " + std::to_string(i) +
                    " is neither true nor false");
}
