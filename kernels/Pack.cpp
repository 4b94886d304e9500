//===- Pack.cpp - elements that share bytes -------------------------------===//

#include "kernels/Kernels.h"

template <int64_t Bits, typename T>
static void pack(const T *input, uint8_t *result, int64_t n, int64_t lo,
                 int64_t hi) {
  constexpr int64_t kCount = 8 / Bits;
  constexpr unsigned kMask = (1u << Bits) - 1;
  int64_t whole = hi < n / kCount ? hi : n / kCount;
  for (int64_t i = lo; i < whole; ++i) {
    unsigned byte = 0;
    for (int64_t k = 0; k != kCount; ++k)
      byte |= (static_cast<unsigned>(input[i * kCount + k]) & kMask)
              << k * Bits;
    result[i] = static_cast<uint8_t>(byte);
  }
  if (whole == hi)
    return;
  unsigned last = 0;
  for (int64_t i = whole * kCount; i != n; ++i)
    last |= (static_cast<unsigned>(input[i]) & kMask) << i % kCount * Bits;
  result[whole] = static_cast<uint8_t>(last);
}

#define LZ_PACK(name, type)                                                    \
  void lz_pack2_##name(const type *input, uint8_t *result, int64_t n,          \
                       int64_t lo, int64_t hi) {                               \
    pack<2>(input, result, n, lo, hi);                                         \
  }                                                                            \
  void lz_pack4_##name(const type *input, uint8_t *result, int64_t n,          \
                       int64_t lo, int64_t hi) {                               \
    pack<4>(input, result, n, lo, hi);                                         \
  }
LZ_PACK(i8, int8_t)
LZ_PACK(u8, uint8_t)
