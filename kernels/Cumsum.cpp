//===- Cumsum.cpp - running sums along a dimension ------------------------===//

#include "kernels/Elements.h"
#include "kernels/Kernels.h"

using namespace lz;

/// Sums `width` neighbouring lines; their sums lie in registers.
template <typename T>
static void sumLines(const T *input, T *result, int64_t n, int64_t inner,
                     int64_t width, bool exclusive, bool reverse) {
  constexpr int64_t kMost = 16;
  ComputeType<T> sums[kMost] = {};
  for (int64_t step = 0; step != n; ++step) {
    int64_t row = (reverse ? n - 1 - step : step) * inner;
    for (int64_t i = 0; i != width; ++i) {
      ComputeType<T> before = sums[i];
      sums[i] += load(input[row + i]);
      result[row + i] = store<T>(exclusive ? before : sums[i]);
    }
  }
}

template <typename T>
static void cumsum(const T *input, T *result, int64_t n, int64_t inner,
                   int64_t exclusive, int64_t reverse, int64_t lo, int64_t hi) {
  for (int64_t outer = lo; outer < hi; ++outer)
    for (int64_t i = 0; i < inner; i += 16) {
      int64_t width = inner - i < 16 ? inner - i : 16;
      int64_t start = outer * n * inner + i;
      sumLines(input + start, result + start, n, inner, width, exclusive != 0,
               reverse != 0);
    }
}

#define LZ_CUMSUM(name, type)                                                  \
  void lz_cumsum_##name(const type *input, type *result, int64_t n,            \
                        int64_t inner, int64_t exclusive, int64_t reverse,     \
                        int64_t lo, int64_t hi) {                              \
    cumsum(input, result, n, inner, exclusive, reverse, lo, hi);               \
  }
LZ_ELEMENT_TYPES(LZ_CUMSUM)
