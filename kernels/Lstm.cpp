//===- Lstm.cpp - ONNX LSTM -----------------------------------------------===//

#include "kernels/Recurrent.h"

using namespace lz;

/// values[i] += weights[i] * cell[i], if there are peepholes.
template <typename T>
static void addPeephole(const T *weights, const ComputeType<T> *cell, int64_t n,
                        ComputeType<T> *values) {
  for (int64_t i = 0; weights && i != n; ++i)
    values[i] += load(weights[i]) * cell[i];
}

/// One step. Gate order i, o, f, c; activations f, g, h; peepholes i, o, f.
template <typename T> static void step(Item<T> &item, const T *peepholes) {
  using C = ComputeType<T>;
  int64_t n = item.hidden;
  const T *pi = peepholes ? peepholes + item.direction * 3 * n : nullptr;
  const T *po = pi ? pi + n : nullptr, *pf = pi ? pi + 2 * n : nullptr;
  C *i = item.pre, *o = i + n, *f = o + n, *g = f + n;

  item.addRecurrent(0, 4 * n, item.h, item.pre);
  addPeephole(pi, item.c, n, i);
  addPeephole(pf, item.c, n, f);
  item.finish(0, i, n);
  item.finish(0, f, n);
  item.finish(1, g, n);
  for (int64_t u = 0; u != n; ++u) {
    C keep = item.net.flag ? 1 - i[u] : f[u];
    item.c[u] = keep * item.c[u] + i[u] * g[u];
    item.extra[u] = item.c[u];
  }
  addPeephole(po, item.c, n, o);
  item.finish(0, o, n);
  activate(item.activations[2], item.extra, n);
  for (int64_t u = 0; u != n; ++u)
    item.h[u] = o[u] * item.extra[u];
}

#define LZ_LSTM(name, type)                                                    \
  void lz_lstm_##name(                                                         \
      const LzRecurrent *net, const type *x, const type *weights,              \
      const type *recurrent, const type *bias, const void *lengths,            \
      const type *h0, const type *c0, const type *peepholes, type *y,          \
      type *yh, type *yc, void *scratch, int64_t lo, int64_t hi) {             \
    RecurrentOperands<type> all = {                                            \
        x, weights, recurrent, bias, lengths, h0, c0, peepholes, y, yh, yc};   \
    runItems(                                                                  \
        net, all, static_cast<ComputeType<type> *>(scratch), 4, lo, hi,        \
        [](Item<type> &item) { item.startGates(0, 4 * item.hidden); },         \
        [&](Item<type> &item) { step(item, peepholes); });                     \
  }
LZ_FLOAT_TYPES(LZ_LSTM)
