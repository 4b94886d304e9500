//===- TopK.cpp - the k largest or smallest elements ----------------------===//
//
// The best k so far are kept as a heap with the worst on top: n log k steps,
// and room for k indices only.
//
//===----------------------------------------------------------------------===//

#include "kernels/Elements.h"
#include "kernels/Kernels.h"

#include <algorithm>

using namespace lz;

namespace {

/// The order of the result for one line of the input.
template <typename T> struct Before {
  const T *line;
  int64_t stride;
  bool largest;

  /// NaN counts as the largest value.
  static bool isGreater(T a, T b) {
    return isNan(a) ? !isNan(b) : isLess(b, a);
  }
  bool operator()(int64_t i, int64_t j) const {
    T a = line[i * stride], b = line[j * stride];
    bool before = largest ? isGreater(a, b) : isGreater(b, a);
    bool after = largest ? isGreater(b, a) : isGreater(a, b);
    return before || (!after && i < j);
  }
};

} // namespace

/// Fills `best` with the first k of n indices in the order `before`.
template <typename T>
static void selectBest(int64_t *best, int64_t n, int64_t k, Before<T> before) {
  for (int64_t i = 0; i != k; ++i)
    best[i] = i;
  std::make_heap(best, best + k, before);
  for (int64_t i = k; i < n; ++i) {
    if (!before(i, best[0]))
      continue;
    std::pop_heap(best, best + k, before);
    best[k - 1] = i;
    std::push_heap(best, best + k, before);
  }
  std::sort_heap(best, best + k, before);
}

template <typename T>
static void topK(const T *input, T *values, int64_t *indices, int64_t *scratch,
                 int64_t n, int64_t inner, int64_t k, int64_t largest,
                 int64_t lo, int64_t hi) {
  if (k <= 0)
    return;
  for (int64_t row = lo; row < hi; ++row) {
    int64_t outer = row / inner, column = row % inner;
    const T *line = input + outer * n * inner + column;
    selectBest(scratch, n, k, Before<T>{line, inner, largest != 0});
    for (int64_t i = 0; i != k; ++i) {
      int64_t target = (outer * k + i) * inner + column;
      if (values)
        values[target] = line[scratch[i] * inner];
      if (indices)
        indices[target] = scratch[i];
    }
  }
}

#define LZ_TOP_K(name, type)                                                   \
  void lz_top_k_##name(const type *input, type *values, int64_t *indices,      \
                       int64_t *scratch, int64_t n, int64_t inner, int64_t k,  \
                       int64_t largest, int64_t lo, int64_t hi) {              \
    topK(input, values, indices, scratch, n, inner, k, largest, lo, hi);       \
  }
LZ_ELEMENT_TYPES(LZ_TOP_K)
