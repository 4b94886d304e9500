//===- Gru.cpp - ONNX GRU -------------------------------------------------===//

#include "kernels/Recurrent.h"

using namespace lz;

/// Adds to the hidden gate what comes from the state: R (r * h), or with
/// linear_before_reset r * (R h + its bias).
template <typename T> static void addState(Item<T> &item) {
  int64_t n = item.hidden;
  ComputeType<T> *r = item.pre + n, *g = r + n;
  if (!item.net.flag) {
    for (int64_t u = 0; u != n; ++u)
      item.extra[u] = r[u] * item.h[u];
    item.addRecurrent(2 * n, n, item.extra, g);
    return;
  }
  const T *bias = item.bias ? item.bias + item.rows + 2 * n : nullptr;
  for (int64_t u = 0; u != n; ++u)
    item.extra[u] = bias ? load(bias[u]) : ComputeType<T>(0);
  item.addRecurrent(2 * n, n, item.h, item.extra);
  for (int64_t u = 0; u != n; ++u)
    g[u] += r[u] * item.extra[u];
}

template <typename T> static void start(Item<T> &item) {
  int64_t n = item.hidden;
  item.startGates(0, 2 * n);
  item.startGates(2 * n, n, /*both=*/!item.net.flag);
}

/// One step. Gate order z, r, h; activations f, g.
template <typename T> static void step(Item<T> &item) {
  int64_t n = item.hidden;
  ComputeType<T> *z = item.pre, *g = z + 2 * n;
  item.addRecurrent(0, 2 * n, item.h, item.pre);
  item.finish(0, z, 2 * n);
  addState(item);
  item.finish(1, g, n);
  for (int64_t u = 0; u != n; ++u)
    item.h[u] = (1 - z[u]) * g[u] + z[u] * item.h[u];
}

#define LZ_GRU(name, type)                                                     \
  void lz_gru_##name(const LzRecurrent *net, const type *x,                    \
                     const type *weights, const type *recurrent,               \
                     const type *bias, const void *lengths, const type *h0,    \
                     type *y, type *yh, void *scratch, int64_t lo,             \
                     int64_t hi) {                                             \
    RecurrentOperands<type> all = {x,  weights, recurrent, bias, lengths, h0,  \
                                   {}, {},      y,         yh,   {}};          \
    runItems(                                                                  \
        net, all, static_cast<ComputeType<type> *>(scratch), 3, lo, hi,        \
        [](Item<type> &item) { start(item); },                                 \
        [](Item<type> &item) { step(item); });                                 \
  }
LZ_FLOAT_TYPES(LZ_GRU)
