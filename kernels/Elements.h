//===- Elements.h - element types of the kernels ----------------*- C++ -*-===//
//
// Narrow floats are stored in 16 bits and computed in float. They are converted
// by integer arithmetic, so that no CPU feature and no library is needed.
//
//===----------------------------------------------------------------------===//
#ifndef KERNELS_ELEMENTS_H
#define KERNELS_ELEMENTS_H

#include "kernels/FloatMath.h"

#include <type_traits>

/// X(name, type) for every element type: the names end those of the kernels.
#define LZ_FLOAT_TYPES(X)                                                      \
  X(f32, float)                                                                \
  X(f64, double)                                                               \
  X(f16, lz::Half)                                                             \
  X(bf16, lz::BFloat)
#define LZ_ELEMENT_TYPES(X)                                                    \
  LZ_FLOAT_TYPES(X)                                                            \
  X(i8, int8_t)                                                                \
  X(i16, int16_t)                                                              \
  X(i32, int32_t)                                                              \
  X(i64, int64_t)                                                              \
  X(u8, uint8_t)                                                               \
  X(u16, uint16_t)                                                             \
  X(u32, uint32_t)                                                             \
  X(u64, uint64_t)

namespace lz {

/// IEEE binary16.
struct Half {
  uint16_t bits;

  Half() = default;
  explicit Half(float value) : bits(round(value)) {}

  operator float() const {
    uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    uint32_t rest = bits & 0x7fffu;
    // As a float the exponent is 112 too small; a product sets it right, for
    // denormal numbers too.
    float value = math::bitsTo<float>(rest << 13) * 0x1p112f;
    uint32_t special = (rest << 13) | 0x7f800000u;
    uint32_t number = rest >= 0x7c00u ? special : math::bitsTo<uint32_t>(value);
    return math::bitsTo<float>(number | sign);
  }

private:
  /// To nearest, ties to even.
  static uint16_t round(float value) {
    uint32_t all = math::bitsTo<uint32_t>(value);
    uint32_t sign = all >> 16 & 0x8000u, rest = all & 0x7fffffffu;
    if (rest > 0x7f800000u)
      return static_cast<uint16_t>(sign | 0x7e00u);
    if (rest >= 0x47800000u) // 65536 and more
      return static_cast<uint16_t>(sign | 0x7c00u);
    if (rest < 0x38800000u) { // denormal: adding 0.5 leaves multiples of 2^-24
      float shifted = math::bitsTo<float>(rest) + 0.5f;
      return static_cast<uint16_t>(
          sign | (math::bitsTo<uint32_t>(shifted) - 0x3f000000u));
    }
    uint32_t odd = rest >> 13 & 1;
    uint32_t rounded = rest - 0x38000000u + 0xfffu + odd;
    return static_cast<uint16_t>(sign | rounded >> 13);
  }
};

/// The upper half of a float.
struct BFloat {
  uint16_t bits;

  BFloat() = default;
  explicit BFloat(float value) : bits(round(value)) {}

  operator float() const {
    return math::bitsTo<float>(static_cast<uint32_t>(bits) << 16);
  }

private:
  static uint16_t round(float value) {
    uint32_t all = math::bitsTo<uint32_t>(value);
    if (value != value)
      return static_cast<uint16_t>(all >> 16 | 0x40u);
    return static_cast<uint16_t>((all + 0x7fffu + (all >> 16 & 1)) >> 16);
  }
};

template <typename T> constexpr bool isNarrowFloat = false;
template <> inline constexpr bool isNarrowFloat<Half> = true;
template <> inline constexpr bool isNarrowFloat<BFloat> = true;

/// The type in which elements of T are computed: float for narrow floats, and
/// for integers 64 unsigned bits, whose sums and products wrap.
template <typename T>
using ComputeType =
    std::conditional_t<isNarrowFloat<T>, float,
                       std::conditional_t<std::is_integral_v<T>, uint64_t, T>>;

template <typename T> LZ_INLINE ComputeType<T> load(T element) {
  return static_cast<ComputeType<T>>(element);
}
template <typename T> LZ_INLINE T store(ComputeType<T> value) {
  return static_cast<T>(value);
}

/// Orders elements of T; comparisons with NaN are false.
template <typename T> LZ_INLINE bool isLess(T a, T b) {
  if constexpr (isNarrowFloat<T>)
    return load(a) < load(b);
  else
    return a < b;
}

template <typename T> LZ_INLINE bool isNan(T value) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return load(value) != load(value);
}

/// Element `i` of an index tensor whose elements have 4 or 8 bytes.
LZ_INLINE int64_t loadIndex(const void *indices, int64_t bytes, int64_t i) {
  return bytes == 4 ? static_cast<const int32_t *>(indices)[i]
                    : static_cast<const int64_t *>(indices)[i];
}

/// A product of sizes.
LZ_INLINE int64_t product(const int64_t *sizes, int64_t first, int64_t last) {
  int64_t result = 1;
  for (int64_t i = first; i < last; ++i)
    result *= sizes[i];
  return result;
}

} // namespace lz

#endif // KERNELS_ELEMENTS_H
