//===- Recurrent.h - what LSTM, GRU and RNN have in common ------*- C++ -*-===//
//
// A sequence of the batch in one direction is one item, and depends on no
// other: items are the parallel iterations. Within an item the steps follow
// each other; each is a few products of a matrix and a vector, whose rows are
// computed four at a time.
//
//===----------------------------------------------------------------------===//
#ifndef KERNELS_RECURRENT_H
#define KERNELS_RECURRENT_H

#include "kernels/Elements.h"
#include "kernels/Kernels.h"

#include <cmath>

namespace lz {

/// out[r] += sum over c of matrix[r][c] * vector[c], for `Rows` rows.
template <int Rows, typename T>
LZ_INLINE void addRows(const T *matrix, const ComputeType<T> *vector,
                       int64_t columns, ComputeType<T> *out) {
  using C = ComputeType<T>;
  typedef C Vec __attribute__((vector_size(64)));
  constexpr int64_t lanes = 64 / sizeof(C);
  Vec sums[Rows] = {};
  int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    Vec v, w;
    memcpy(&v, vector + c, sizeof v);
    for (int r = 0; r != Rows; ++r) {
      const T *row = matrix + r * columns + c;
      if constexpr (std::is_same_v<T, C>)
        memcpy(&w, row, sizeof w);
      else
        for (int64_t l = 0; l != lanes; ++l)
          w[l] = load(row[l]);
      sums[r] += w * v;
    }
  }
  for (int r = 0; r != Rows; ++r) {
    C sum = 0;
    for (int64_t i = c; i != columns; ++i)
      sum += load(matrix[r * columns + i]) * vector[i];
    for (int64_t l = 0; l != lanes; ++l)
      sum += sums[r][l];
    out[r] += sum;
  }
}

/// out += matrix * vector.
template <typename T>
static void addProduct(const T *matrix, const ComputeType<T> *vector,
                       int64_t rows, int64_t columns, ComputeType<T> *out) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4)
    addRows<4>(matrix + r * columns, vector, columns, out + r);
  for (; r != rows; ++r)
    addRows<1>(matrix + r * columns, vector, columns, out + r);
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
        activations(net.activations + 3 * direction), x(scratch),
        h(x + net.input), c(h + hidden), extra(c + hidden),
        pre(extra + hidden) {}

  /// pre[first..] = both biases, or only that of the input.
  void startGates(int64_t first, int64_t count, bool both = true) {
    for (int64_t i = first; i != first + count; ++i) {
      C wb = bias ? load(bias[i]) : C(0);
      C rb = bias && both ? load(bias[rows + i]) : C(0);
      pre[i] = wb + rb;
    }
  }
  /// pre[first..] += W x.
  void addInput(int64_t first, int64_t count) {
    addProduct(weights + first * net.input, x, count, net.input, pre + first);
  }
  /// out += R vector, for rows first..
  void addRecurrent(int64_t first, int64_t count, const C *vector, C *out) {
    addProduct(recurrent + first * hidden, vector, count, hidden, out);
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
  C *x, *h, *c, *extra, *pre; // scratch
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

/// Runs one item by calling `step(item)` for each step.
template <typename T, typename Step>
static void runItem(Item<T> &item, const RecurrentOperands<T> &all, Step step) {
  const LzRecurrent &net = item.net;
  int64_t n = net.hidden, steps = stepsOf(net, all, item.b);
  bool backward = net.direction == LZ_REVERSE || item.direction == 1;
  loadState(all.h0, item.index * n, n, item.h);
  loadState(all.c0, item.index * n, n, item.c);
  auto rowOf = [&](int64_t t) {
    int64_t directions = net.direction == LZ_BIDIRECTIONAL ? 2 : 1;
    return ((t * directions + item.direction) * net.batch + item.b) * n;
  };
  for (int64_t s = 0; s != steps; ++s) {
    int64_t t = backward ? steps - 1 - s : s;
    loadState(all.x, (t * net.batch + item.b) * net.input, net.input, item.x);
    step(item);
    storeState(item.h, n, rowOf(t), all.y);
  }
  for (int64_t t = steps; all.y && t != net.time; ++t)
    for (int64_t i = 0; i != n; ++i)
      all.y[rowOf(t) + i] = store<T>(0);
  storeState(item.h, n, item.index * n, all.yh);
  storeState(item.c, n, item.index * n, all.yc);
}

/// Runs items [lo, hi).
template <typename T, typename Step>
static void runItems(const LzRecurrent *net, const RecurrentOperands<T> &all,
                     ComputeType<T> *scratch, int64_t gates, int64_t lo,
                     int64_t hi, Step step) {
  for (int64_t index = lo; index < hi; ++index) {
    Item<T> item(*net, all, scratch, gates, index);
    runItem(item, all, step);
  }
}

} // namespace lz

#endif // KERNELS_RECURRENT_H
