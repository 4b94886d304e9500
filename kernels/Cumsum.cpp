//===- Cumsum.cpp - running sums and products along a dimension -----------===//

#include "kernels/Elements.h"
#include "kernels/Kernels.h"

using namespace lz;

namespace {

struct Sum {
  static constexpr int neutral = 0;
  template <typename C> static C join(C a, C b) { return a + b; }
};

struct Product {
  static constexpr int neutral = 1;
  template <typename C> static C join(C a, C b) { return a * b; }
};

/// The lines [n, inner] that follow each other along a dimension.
template <typename T> struct Run {
  const T *input;
  T *result;
  int64_t n, inner;
  bool exclusive, reverse;

  /// Where the line of a step begins.
  int64_t getRow(int64_t step) const {
    return (reverse ? n - 1 - step : step) * inner;
  }
};

} // namespace

/// Sums `width` neighbouring lines; their sums lie in registers.
template <typename Op, typename T>
static void sumLines(const Run<T> &run, int64_t width) {
  constexpr int64_t kMost = 16;
  ComputeType<T> sums[kMost];
  for (ComputeType<T> &sum : sums)
    sum = Op::neutral;
  for (int64_t step = 0; step < run.n; ++step) {
    int64_t row = run.getRow(step);
    for (int64_t i = 0; i != width; ++i) {
      ComputeType<T> before = sums[i];
      sums[i] = Op::join(sums[i], load(run.input[row + i]));
      run.result[row + i] = store<T>(run.exclusive ? before : sums[i]);
    }
  }
}

/// The most elements of a line that are summed together: enough to read long
/// pieces of memory, few enough that the sums up to
/// the line before still lie in the first cache.
constexpr int64_t kWidth = 4096;

/// Where elements are sums as they are: each line is the sum of the line before
/// and one of the input.
template <typename Op, typename T>
static void addLines(const Run<T> &run, int64_t width) {
  int64_t back = run.reverse ? run.inner : -run.inner;
  for (int64_t step = 0; step < run.n; ++step) {
    int64_t row = run.getRow(step);
    const T *added = run.input + row + (run.exclusive ? back : 0);
    T *sums = run.result + row;
    if (step != 0) {
      for (int64_t i = 0; i != width; ++i)
        sums[i] = Op::join(sums[i + back], added[i]);
      continue;
    }
    for (int64_t i = 0; i != width; ++i)
      sums[i] = run.exclusive ? T(Op::neutral) : run.input[row + i];
  }
}

template <typename Op, typename T>
static void cumulate(const T *input, T *result, int64_t n, int64_t inner,
                     int64_t exclusive, int64_t reverse, int64_t lo,
                     int64_t hi) {
  constexpr bool isAdded = std::is_same<ComputeType<T>, T>::value;
  int64_t most = isAdded && inner >= 16 ? kWidth : 16;
  for (int64_t outer = lo; outer < hi; ++outer)
    for (int64_t i = 0; i < inner; i += most) {
      int64_t width = inner - i < most ? inner - i : most;
      int64_t start = outer * n * inner + i;
      Run<T> run = {input + start, result + start, n,
                    inner,         exclusive != 0, reverse != 0};
      if constexpr (isAdded)
        if (inner >= 16) {
          addLines<Op>(run, width);
          continue;
        }
      sumLines<Op>(run, width);
    }
}

#define LZ_CUMULATE(name, type)                                                \
  void lz_cumsum_##name(const type *input, type *result, int64_t n,            \
                        int64_t inner, int64_t exclusive, int64_t reverse,     \
                        int64_t lo, int64_t hi) {                              \
    cumulate<Sum>(input, result, n, inner, exclusive, reverse, lo, hi);        \
  }                                                                            \
  void lz_cumprod_##name(const type *input, type *result, int64_t n,           \
                         int64_t inner, int64_t exclusive, int64_t reverse,    \
                         int64_t lo, int64_t hi) {                             \
    cumulate<Product>(input, result, n, inner, exclusive, reverse, lo, hi);    \
  }
LZ_ELEMENT_TYPES(LZ_CUMULATE)
