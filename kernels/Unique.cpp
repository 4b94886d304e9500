//===- Unique.cpp - the different slices along a dimension ----------------===//

#include "kernels/Elements.h"
#include "kernels/Kernels.h"

#include <algorithm>

using namespace lz;

namespace {

/// The slices along the middle dimension of [outer, n, inner].
template <typename T> struct Slices {
  const T *input;
  int64_t outer, n, inner;

  /// -1, 0 or 1 as `a` is less than, like or greater than `b`; NaN is the
  /// largest.
  static int compare(T a, T b) {
    if (isLess(a, b))
      return -1;
    return isLess(b, a) ? 1 : isNan(a) - isNan(b);
  }

  int compareSlices(int64_t a, int64_t b) const {
    for (int64_t o = 0; o < outer; ++o) {
      const T *left = input + (o * n + a) * inner;
      const T *right = input + (o * n + b) * inner;
      for (int64_t i = 0; i < inner; ++i)
        if (int order = compare(left[i], right[i]))
          return order;
    }
    return 0;
  }

  /// The order in which they are sorted: equal ones by index.
  bool operator()(int64_t a, int64_t b) const {
    int order = compareSlices(a, b);
    return order < 0 || (order == 0 && a < b);
  }
};

} // namespace

/// Lists at `first` which slice is the first of each group of equal ones, in
/// the order of the result, and at `firstOf` for each slice the first of its
/// group. Returns the number of groups.
template <typename T>
static int64_t groupSlices(Slices<T> slices, bool sorted, int64_t *first,
                           int64_t *firstOf) {
  for (int64_t i = 0; i < slices.n; ++i)
    first[i] = i;
  std::sort(first, first + slices.n, slices);
  // Groups are never more than the slices seen: the list shrinks in place.
  int64_t groups = 0;
  for (int64_t i = 0; i < slices.n; ++i) {
    int64_t slice = first[i];
    if (groups == 0 || slices.compareSlices(first[groups - 1], slice) != 0)
      first[groups++] = slice;
    firstOf[slice] = first[groups - 1];
  }
  if (!sorted)
    std::sort(first, first + groups);
  return groups;
}

/// Copies the listed slices; what is left of the result is zeros.
template <typename T>
static void copySlices(Slices<T> slices, const int64_t *first, int64_t groups,
                       T *values) {
  for (int64_t o = 0; o < slices.outer; ++o)
    for (int64_t g = 0; g < slices.n; ++g) {
      T *target = values + (o * slices.n + g) * slices.inner;
      if (g >= groups)
        std::fill(target, target + slices.inner, T());
      else
        std::copy_n(slices.input + (o * slices.n + first[g]) * slices.inner,
                    slices.inner, target);
    }
}

/// Says of each slice which group it is in, and of each group how many are.
static void countSlices(const int64_t *firstOf, const int64_t *numberOf,
                        int64_t n, int64_t *inverse, int64_t *counts) {
  if (counts)
    std::fill(counts, counts + n, 0);
  for (int64_t i = 0; i < n; ++i) {
    int64_t number = numberOf[firstOf[i]];
    if (inverse)
      inverse[i] = number;
    if (counts)
      ++counts[number];
  }
}

template <typename T>
static void unique(Slices<T> slices, bool sorted, T *values, int64_t *indices,
                   int64_t *inverse, int64_t *counts, int64_t *count,
                   int64_t *scratch) {
  int64_t n = slices.n;
  int64_t *first = scratch, *firstOf = first + n, *numberOf = firstOf + n;
  int64_t groups = groupSlices(slices, sorted, first, firstOf);
  for (int64_t g = 0; g != groups; ++g)
    numberOf[first[g]] = g;
  if (values)
    copySlices(slices, first, groups, values);
  if (indices)
    std::fill(std::copy_n(first, groups, indices), indices + n, 0);
  countSlices(firstOf, numberOf, n, inverse, counts);
  if (count)
    *count = groups;
}

#define LZ_UNIQUE(name, type)                                                  \
  void lz_unique_##name(const type *input, type *values, int64_t *indices,     \
                        int64_t *inverse, int64_t *counts, int64_t *count,     \
                        int64_t *scratch, int64_t outer, int64_t n,            \
                        int64_t inner, int64_t sorted) {                       \
    unique(Slices<type>{input, outer, n, inner}, sorted != 0, values, indices, \
           inverse, counts, count, scratch);                                   \
  }
LZ_ELEMENT_TYPES(LZ_UNIQUE)
