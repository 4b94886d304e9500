//===- NonZero.cpp - the indices of the non-zero elements -----------------===//

#include "kernels/Elements.h"
#include "kernels/Kernels.h"

using namespace lz;

template <typename T> static bool isNonZero(T element) {
  return load(element) != 0;
}

template <typename T>
static int64_t countNonZero(const T *input, int64_t size) {
  int64_t count = 0;
  for (int64_t i = 0; i < size; ++i)
    count += isNonZero(input[i]);
  return count;
}

/// Result element [d, i] is the index along d of the i-th non-zero element.
template <typename T>
static void nonZero(const T *input, int64_t *result, const int64_t *dims,
                    int64_t rank, int64_t count) {
  int64_t size = product(dims, 0, rank), found = 0;
  for (int64_t i = 0; i < size && found < count; ++i) {
    if (!isNonZero(input[i]))
      continue;
    int64_t rest = i;
    for (int64_t dim = rank; dim-- != 0; rest /= dims[dim])
      result[dim * count + found] = rest % dims[dim];
    ++found;
  }
}

#define LZ_NON_ZERO(name, type)                                                \
  int64_t lz_non_zero_count_##name(const type *input, int64_t size) {          \
    return countNonZero(input, size);                                          \
  }                                                                            \
  void lz_non_zero_##name(const type *input, int64_t *result,                  \
                          const int64_t *dims, int64_t rank, int64_t count) {  \
    nonZero(input, result, dims, rank, count);                                 \
  }
LZ_ELEMENT_TYPES(LZ_NON_ZERO)
