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

/// The most elements of a line that are summed together: enough to read long
/// pieces of memory, few enough that the sums up to
/// the line before still lie in the first cache.
constexpr int64_t kWidth = 4096;

/// Where elements are sums as they are: each line is the sum of the line before
/// and one of the input.
template <typename T>
static void addLines(const T *input, T *result, int64_t n, int64_t inner,
                     int64_t width, bool exclusive, bool reverse) {
  int64_t back = reverse ? inner : -inner;
  for (int64_t step = 0; step != n; ++step) {
    int64_t row = (reverse ? n - 1 - step : step) * inner;
    const T *added = input + row + (exclusive ? back : 0);
    T *sums = result + row;
    if (step != 0) {
      for (int64_t i = 0; i != width; ++i)
        sums[i] = static_cast<T>(sums[i + back] + added[i]);
      continue;
    }
    for (int64_t i = 0; i != width; ++i)
      sums[i] = exclusive ? T() : input[row + i];
  }
}

template <typename T>
static void cumsum(const T *input, T *result, int64_t n, int64_t inner,
                   int64_t exclusive, int64_t reverse, int64_t lo, int64_t hi) {
  constexpr bool isAdded = std::is_same<ComputeType<T>, T>::value;
  int64_t most = isAdded && inner >= 16 ? kWidth : 16;
  for (int64_t outer = lo; outer < hi; ++outer)
    for (int64_t i = 0; i < inner; i += most) {
      int64_t width = inner - i < most ? inner - i : most;
      int64_t start = outer * n * inner + i;
      if constexpr (isAdded)
        if (inner >= 16) {
          addLines(input + start, result + start, n, inner, width,
                   exclusive != 0, reverse != 0);
          continue;
        }
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
