//===- Recurrent.h - what LSTM, GRU and RNN have in common ------*- C++ -*-===//
//
// A sequence of the batch in one direction is one item, and depends on no
// other: items are the parallel iterations. Within an item the steps follow
// each other. What they add up from the input depends on no step before, and is
// a product of matrices for a block of steps; what they add up from the state
// is a product of a matrix and a vector, which takes what reading the matrix
// takes.
//
//===----------------------------------------------------------------------===//
#ifndef KERNELS_RECURRENT_H
#define KERNELS_RECURRENT_H

#include "kernels/Elements.h"
#include "kernels/Kernels.h"

#include <cmath>

namespace lz {

template <typename C> struct VectorOf { // of 32 bytes
  typedef C Type __attribute__((vector_size(32)));
};
using FloatVector = VectorOf<float>::Type;
using DoubleVector = VectorOf<double>::Type;

// Lane i of the result is the sum of the lanes of v[i].
LZ_INLINE FloatVector sumLanes(const FloatVector *v) {
  auto addPairs = [](FloatVector a, FloatVector b) {
    return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
  };
  auto addFour = [&](const FloatVector *w) {
    return addPairs(addPairs(w[0], w[1]), addPairs(w[2], w[3]));
  };
  FloatVector a = addFour(v), b = addFour(v + 4);
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}

LZ_INLINE DoubleVector sumLanes(const DoubleVector *v) {
  auto addPairs = [](DoubleVector a, DoubleVector b) {
    return __builtin_shufflevector(a, b, 0, 4, 2, 6) +
           __builtin_shufflevector(a, b, 1, 5, 3, 7);
  };
  DoubleVector a = addPairs(v[0], v[1]), b = addPairs(v[2], v[3]);
  return __builtin_shufflevector(a, b, 0, 1, 4, 5) +
         __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

/// out[s][r] += sum over c of matrix[r][c] * vectors[s][c], for `Rows` rows and
/// `Steps` vectors. Each sum is added up in the same order for any of them.
template <int Rows, int Steps, typename T, typename C>
LZ_INLINE void addTile(const T *matrix, const C *vectors, int64_t columns,
                       C *out, int64_t stride) {
  using Vec = typename VectorOf<C>::Type;
  constexpr int64_t lanes = 32 / sizeof(C), count = Rows * Steps;
  Vec sums[(count + lanes - 1) / lanes * lanes] = {}; // row by row
  int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    Vec right[Steps], left;
    for (int s = 0; s != Steps; ++s)
      memcpy(&right[s], vectors + s * columns + c, sizeof(Vec));
    for (int r = 0; r != Rows; ++r) {
      const T *row = matrix + r * columns + c;
      if constexpr (std::is_same_v<T, C>)
        memcpy(&left, row, sizeof left);
      else
        for (int64_t l = 0; l != lanes; ++l)
          left[l] = load(row[l]);
      for (int s = 0; s != Steps; ++s)
        sums[r * Steps + s] += left * right[s];
    }
  }
  for (int64_t first = 0; first < count; first += lanes) {
    Vec total = sumLanes(sums + first);
    for (int64_t i = first; i != count && i != first + lanes; ++i) {
      int64_t r = i / Steps, s = i % Steps;
      C sum = total[i - first];
      for (int64_t k = c; k != columns; ++k)
        sum += load(matrix[r * columns + k]) * vectors[s * columns + k];
      out[s * stride + r] += sum;
    }
  }
}

/// addTile for `Rows` rows and `steps` vectors.
template <int Rows, typename T, typename C>
LZ_INLINE void addRows(const T *matrix, const C *vectors, int64_t steps,
                       int64_t columns, C *out, int64_t stride) {
  constexpr int64_t most = 3; // and 4 rows: sums fill the registers
  int64_t s = 0;
  for (; s + most <= steps; s += most)
    addTile<Rows, most>(matrix, vectors + s * columns, columns,
                        out + s * stride, stride);
  for (; s != steps; ++s)
    addTile<Rows, 1>(matrix, vectors + s * columns, columns, out + s * stride,
                     stride);
}

/// out[s] += matrix * vectors[s], for `steps` vectors; those of `out` are
/// `stride` apart. The matrix is read once.
template <typename T, typename C>
static void addProducts(const T *matrix, const C *vectors, int64_t steps,
                        int64_t rows, int64_t columns, C *out, int64_t stride) {
  int64_t r = 0;
  for (; steps == 1 && r + 8 <= rows; r += 8)
    addTile<8, 1>(matrix + r * columns, vectors, columns, out + r, stride);
  for (; r + 4 <= rows; r += 4)
    addRows<4>(matrix + r * columns, vectors, steps, columns, out + r, stride);
  for (; r != rows; ++r)
    addRows<1>(matrix + r * columns, vectors, steps, columns, out + r, stride);
}

LZ_INLINE float expOf(float x) { return math::exp(x); }
LZ_INLINE double expOf(double x) { return std::exp(x); }
LZ_INLINE float expm1Of(float x) { return math::expm1(x); }
LZ_INLINE double expm1Of(double x) { return std::expm1(x); }
LZ_INLINE float log1pOf(float x) { return math::log1p(x); }
LZ_INLINE double log1pOf(double x) { return std::log1p(x); }
LZ_INLINE float tanhOf(float x) { return math::tanh(x); }
LZ_INLINE double tanhOf(double x) { return std::tanh(x); }
LZ_INLINE float sigmoidOf(float x) { return math::sigmoid(x); }
LZ_INLINE double sigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }

/// values[i] = function(values[i]).
template <typename C, typename Function>
LZ_INLINE void map(C *values, int64_t n, Function function) {
  for (int64_t i = 0; i != n; ++i)
    values[i] = function(values[i]);
}

/// Applies an activation to `n` values.
template <typename C>
static void activate(const LzActivation &activation, C *values, int64_t n) {
  auto a = static_cast<C>(activation.alpha);
  auto b = static_cast<C>(activation.beta);
  switch (activation.kind) {
  case LZ_RELU:
    return map(values, n, [](C x) { return x < 0 ? C(0) : x; });
  case LZ_TANH:
    return map(values, n, [](C x) { return tanhOf(x); });
  case LZ_SIGMOID:
    return map(values, n, [](C x) { return sigmoidOf(x); });
  case LZ_AFFINE:
    return map(values, n, [=](C x) { return a * x + b; });
  case LZ_LEAKY_RELU:
    return map(values, n, [=](C x) { return x < 0 ? a * x : x; });
  case LZ_THRESHOLDED_RELU:
    return map(values, n, [=](C x) { return x < a ? C(0) : x; });
  case LZ_SCALED_TANH:
    return map(values, n, [=](C x) { return a * tanhOf(b * x); });
  case LZ_HARD_SIGMOID:
    return map(values, n, [=](C x) {
      C y = a * x + b;
      y = y < 0 ? C(0) : y;
      return y > 1 ? C(1) : y;
    });
  case LZ_ELU:
    return map(values, n, [=](C x) { return x < 0 ? a * expm1Of(x) : x; });
  case LZ_SOFTSIGN:
    return map(values, n, [](C x) { return x / (1 + (x < 0 ? -x : x)); });
  case LZ_SOFTPLUS: // log(1 + e^x) without overflow
    return map(values, n, [](C x) {
      C above = x > 0 ? x : C(0);
      return above + log1pOf(expOf(x > 0 ? -x : x));
    });
  }
}

/// The operands of an op; null where absent.
template <typename T> struct RecurrentOperands {
  const T *x, *weights, *recurrent, *bias;
  const void *lengths;
  const T *h0, *c0, *peepholes;
  T *y, *yh, *yc;
};

/// Steps whose input is multiplied at a time.
constexpr int64_t kBlockSteps = LZ_RECURRENT_BLOCK;

/// One item: a sequence in a direction, with its part of every operand and of
/// the scratch. `gates` is the number of matrices stacked in the weights.
template <typename T> struct Item {
  using C = ComputeType<T>;

  Item(const LzRecurrent &net, const RecurrentOperands<T> &all, C *scratch,
       int64_t gates, int64_t index)
      : net(net), direction(index / net.batch), b(index % net.batch),
        index(index), hidden(net.hidden), rows(gates * net.hidden),
        weights(all.weights + direction * rows * net.input),
        recurrent(all.recurrent + direction * rows * hidden),
        bias(all.bias ? all.bias + direction * 2 * rows : nullptr),
        activations(net.activations + 3 * direction), h(scratch), c(h + hidden),
        extra(c + hidden), pres(extra + hidden), pre(pres),
        inputs(pres + getBlock() * rows) {}

  /// The most steps of a block.
  int64_t getBlock() const {
    return net.time < kBlockSteps ? net.time : kBlockSteps;
  }
  /// Goes to step `number` of the block.
  void setStep(int64_t number) { pre = pres + number * rows; }

  /// pre[first..] = both biases, or only that of the input.
  void startGates(int64_t first, int64_t count, bool both = true) {
    for (int64_t i = first; i != first + count; ++i) {
      C wb = bias ? load(bias[i]) : C(0);
      C rb = bias && both ? load(bias[rows + i]) : C(0);
      pre[i] = wb + rb;
    }
  }
  /// pre += W x, for each of `steps` steps of the block.
  void addInputs(int64_t steps) {
    addProducts(weights, inputs, steps, rows, net.input, pres, rows);
  }
  /// out += R vector, for rows first..
  void addRecurrent(int64_t first, int64_t count, const C *vector, C *out) {
    addProducts(recurrent + first * hidden, vector, 1, count, hidden, out, 0);
  }
  /// Limits `n` inputs of an activation, then applies it.
  void finish(int64_t which, C *values, int64_t n) {
    auto limit = static_cast<C>(net.clip);
    map(values, n, [=](C v) {
      v = v < -limit ? -limit : v;
      return v > limit ? limit : v;
    });
    activate(activations[which], values, n);
  }

  const LzRecurrent &net;
  int64_t direction, b, index, hidden, rows;
  const T *weights, *recurrent, *bias;
  const LzActivation *activations;
  // Scratch. `pre` is the step's part of `pres`.
  C *h, *c, *extra, *pres, *pre, *inputs;
};

template <typename T>
static void loadState(const T *initial, int64_t start, int64_t n,
                      ComputeType<T> *state) {
  for (int64_t i = 0; i != n; ++i)
    state[i] = initial ? load(initial[start + i]) : ComputeType<T>(0);
}

template <typename T>
static void storeState(const ComputeType<T> *state, int64_t n, int64_t start,
                       T *result) {
  for (int64_t i = 0; result && i != n; ++i)
    result[start + i] = store<T>(state[i]);
}

/// The number of steps of sequence `b`, whatever its length claims.
template <typename T>
static int64_t stepsOf(const LzRecurrent &net, const RecurrentOperands<T> &all,
                       int64_t b) {
  if (!all.lengths)
    return net.time;
  int64_t length = loadIndex(all.lengths, net.length_bytes, b);
  length = length < 0 ? 0 : length;
  return length > net.time ? net.time : length;
}

/// Runs one item. `start(item)` sets what a step adds to, and `step(item)` does
/// the rest when the input has been added.
template <typename T, typename Start, typename Step>
static void runItem(Item<T> &item, const RecurrentOperands<T> &all, Start start,
                    Step step) {
  const LzRecurrent &net = item.net;
  int64_t n = net.hidden, steps = stepsOf(net, all, item.b);
  bool backward = net.direction == LZ_REVERSE || item.direction == 1;
  loadState(all.h0, item.index * n, n, item.h);
  loadState(all.c0, item.index * n, n, item.c);
  auto rowOf = [&](int64_t t) {
    int64_t directions = net.direction == LZ_BIDIRECTIONAL ? 2 : 1;
    return ((t * directions + item.direction) * net.batch + item.b) * n;
  };
  auto timeOf = [&](int64_t s) { return backward ? steps - 1 - s : s; };
  for (int64_t first = 0, count; first != steps; first += count) {
    count = steps - first < kBlockSteps ? steps - first : kBlockSteps;
    for (int64_t s = 0; s != count; ++s) {
      int64_t row = timeOf(first + s) * net.batch + item.b;
      loadState(all.x, row * net.input, net.input, item.inputs + s * net.input);
      item.setStep(s);
      start(item);
    }
    item.addInputs(count);
    for (int64_t s = 0; s != count; ++s) {
      item.setStep(s);
      step(item);
      storeState(item.h, n, rowOf(timeOf(first + s)), all.y);
    }
  }
  for (int64_t t = steps; all.y && t != net.time; ++t)
    for (int64_t i = 0; i != n; ++i)
      all.y[rowOf(t) + i] = store<T>(0);
  storeState(item.h, n, item.index * n, all.yh);
  storeState(item.c, n, item.index * n, all.yc);
}

/// Runs items [lo, hi).
template <typename T, typename Start, typename Step>
static void runItems(const LzRecurrent *net, const RecurrentOperands<T> &all,
                     ComputeType<T> *scratch, int64_t gates, int64_t lo,
                     int64_t hi, Start start, Step step) {
  for (int64_t index = lo; index < hi; ++index) {
    Item<T> item(*net, all, scratch, gates, index);
    runItem(item, all, start, step);
  }
}

} // namespace lz

#endif // KERNELS_RECURRENT_H
