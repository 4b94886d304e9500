//===- Det.cpp - determinants ---------------------------------------------===//
//
// Elimination with the largest pivot of each column, in double. A matrix is one
// iteration.
//
//===----------------------------------------------------------------------===//

#include "kernels/Elements.h"
#include "kernels/Kernels.h"

#include <algorithm>
#include <cmath>

using namespace lz;

/// The row from `k` on with the largest element in column `k`.
static int64_t findPivot(const double *matrix, int64_t n, int64_t k) {
  int64_t pivot = k;
  for (int64_t row = k + 1; row < n; ++row)
    if (std::fabs(matrix[row * n + k]) > std::fabs(matrix[pivot * n + k]))
      pivot = row;
  return pivot;
}

/// Takes multiples of row `k` off the rows below, so that column `k` is zero
/// there.
static void clearColumn(double *matrix, int64_t n, int64_t k) {
  const double *top = matrix + k * n;
  for (int64_t row = k + 1; row < n; ++row) {
    double *line = matrix + row * n;
    double factor = line[k] / top[k];
    for (int64_t column = k + 1; column < n; ++column)
      line[column] -= factor * top[column];
  }
}

/// The determinant of a matrix, which is overwritten.
static double eliminate(double *matrix, int64_t n) {
  double product = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = findPivot(matrix, n, k);
    if (matrix[pivot * n + k] == 0)
      return 0;
    if (pivot != k) {
      std::swap_ranges(matrix + pivot * n, matrix + pivot * n + n,
                       matrix + k * n);
      product = -product;
    }
    product *= matrix[k * n + k];
    clearColumn(matrix, n, k);
  }
  return product;
}

template <typename T>
static void det(const T *input, T *result, double *scratch, int64_t n,
                int64_t lo, int64_t hi) {
  for (int64_t item = lo; item < hi; ++item) {
    const T *matrix = input + item * n * n;
    for (int64_t i = 0; i < n * n; ++i)
      scratch[i] = load(matrix[i]);
    result[item] = store<T>(static_cast<ComputeType<T>>(eliminate(scratch, n)));
  }
}

#define LZ_DET(name, type)                                                     \
  void lz_det_##name(const type *input, type *result, double *scratch,         \
                     int64_t n, int64_t lo, int64_t hi) {                      \
    det(input, result, scratch, n, lo, hi);                                    \
  }
LZ_FLOAT_TYPES(LZ_DET)
