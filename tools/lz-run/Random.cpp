//===- Random.cpp - seeded inputs -----------------------------------------===//

#include "Random.h"
#include "Elements.h"
#include "Files.h"

#include <cmath>

using namespace lz;
using namespace lz::run;

namespace {

/// The generator that Random.h describes.
class Stream {
public:
  Stream(const std::string &name, uint64_t seed) {
    uint64_t hash = 0xcbf29ce484222325;
    for (unsigned char c : name)
      hash = (hash ^ c) * 0x100000001b3;
    state = seed * 0x9e3779b97f4a7c15 + hash;
  }
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  double real(const Range &range) {
    return range.lo + (range.hi - range.lo) * (double(next() >> 11) * 0x1p-53);
  }
  int64_t whole(const Range &range) {
    uint64_t count = uint64_t(range.hi - range.lo) + 1;
    return int64_t(range.lo) + int64_t(next() % count);
  }

private:
  uint64_t state;
};

} // namespace

/// The codes below that of 1.0, or those near 1 for the format of powers of
/// two.
static uint8_t smallFloatCode(int32_t type, uint64_t bits) {
  uint64_t sign = bits >> 63;
  switch (type) {
  case LZ_F8E8M0:
    return uint8_t(120 + bits % 8);
  case LZ_F4E2M1:
    return uint8_t(sign << 3 | bits % 2);
  case LZ_F8E4M3FN: // 1.0 is 0x38
    return uint8_t(sign << 7 | bits % 0x38);
  case LZ_F8E5M2: // 1.0 is 0x3c
    return uint8_t(sign << 7 | bits % 0x3c);
  default: { // 1.0 is 0x40, and minus zero is no number
    uint64_t magnitude = bits % 0x40;
    return uint8_t((magnitude ? sign << 7 : 0) | magnitude);
  }
  }
}

/// Stores a whole number, cut to the element's size.
static void storeWhole(const Tensor &tensor, int64_t index, int64_t value) {
  switch (lz_element_bits(tensor.elementType())) {
  case 64:
    static_cast<int64_t *>(tensor.data())[index] = value;
    return;
  case 32:
    static_cast<int32_t *>(tensor.data())[index] = int32_t(value);
    return;
  case 16:
    static_cast<int16_t *>(tensor.data())[index] = int16_t(value);
    return;
  case 8:
    static_cast<int8_t *>(tensor.data())[index] = int8_t(value);
    return;
  default:
    writePacked(tensor, index, uint8_t(value));
  }
}

static void storeReal(const Tensor &tensor, int64_t index, double value) {
  switch (tensor.elementType()) {
  case LZ_F64:
  case LZ_C128:
    static_cast<double *>(tensor.data())[index] = value;
    return;
  case LZ_F32:
  case LZ_C64:
    static_cast<float *>(tensor.data())[index] = float(value);
    return;
  case LZ_F16:
    static_cast<uint16_t *>(tensor.data())[index] = toHalf(value);
    return;
  default:
    static_cast<uint16_t *>(tensor.data())[index] = toBrain(value);
  }
}

/// The least and greatest whole number of a type, as far as a double knows it.
static Range wholeLimits(int32_t type) {
  auto bits = int(lz_element_bits(type));
  bool isSigned = type == LZ_I8 || type == LZ_I16 || type == LZ_I32 ||
                  type == LZ_I64 || type == LZ_I4 || type == LZ_I2;
  if (type == LZ_BOOL)
    return {0, 1};
  if (bits == 64)
    return {isSigned ? -0x1p53 : 0, 0x1p53};
  return {isSigned ? -std::ldexp(1, bits - 1) : 0,
          std::ldexp(1, isSigned ? bits - 1 : bits) - 1};
}

static void fillWhole(const Tensor &tensor, const std::string &name,
                      Stream &stream, const Range &range) {
  Range limits = wholeLimits(tensor.elementType());
  if (range.lo > range.hi || range.lo < limits.lo || range.hi > limits.hi ||
      range.lo != std::floor(range.lo) || range.hi != std::floor(range.hi))
    throw Failure("--range: input '" + name + "' of " +
                  typeName(tensor.elementType()) +
                  " needs two whole numbers lo:hi that it can hold");
  for (int64_t i = 0; i != tensor.elements(); ++i)
    storeWhole(tensor, i, stream.whole(range));
}

static void fillSmall(const Tensor &tensor, Stream &stream) {
  bool packed = lz_element_bits(tensor.elementType()) < 8;
  for (int64_t i = 0; i != tensor.elements(); ++i) {
    uint8_t code = smallFloatCode(tensor.elementType(), stream.next());
    if (packed)
      writePacked(tensor, i, code);
    else
      static_cast<uint8_t *>(tensor.data())[i] = code;
  }
}

void run::fillRandom(const Tensor &tensor, const std::string &name,
                     uint64_t seed, const std::optional<Range> &range) {
  Stream stream(name, seed);
  int32_t type = tensor.elementType();
  if (isInteger(type))
    return fillWhole(tensor, name, stream, range.value_or(Range{0, 1}));
  if (!lz_element_bits(type))
    throw Failure("input '" + name +
                  "' is a tensor of strings, which "
                  "lz-run cannot make");
  if (lz_element_bits(type) <= 8) {
    if (range)
      throw Failure("--range: input '" + name + "' of " + typeName(type) +
                    " takes none");
    return fillSmall(tensor, stream);
  }
  Range bounds = range.value_or(Range{-1, 1});
  if (!(bounds.lo <= bounds.hi) || std::isinf(bounds.hi - bounds.lo))
    throw Failure("--range: input '" + name +
                  "' needs numbers lo:hi with "
                  "lo <= hi");
  for (int64_t i = 0; i != numberCount(tensor); ++i)
    storeReal(tensor, i, stream.real(bounds));
}
