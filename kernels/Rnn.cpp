//===- Rnn.cpp - ONNX RNN -------------------------------------------------===//

#include "kernels/Recurrent.h"

using namespace lz;

/// One step: h = f(W x + R h + biases).
template <typename T> static void step(Item<T> &item) {
  int64_t n = item.hidden;
  item.addRecurrent(0, n, item.h, item.pre);
  item.finish(0, item.pre, n);
  for (int64_t u = 0; u != n; ++u)
    item.h[u] = item.pre[u];
}

#define LZ_RNN(name, type)                                                     \
  void lz_rnn_##name(const LzRecurrent *net, const type *x,                    \
                     const type *weights, const type *recurrent,               \
                     const type *bias, const void *lengths, const type *h0,    \
                     type *y, type *yh, void *scratch, int64_t lo,             \
                     int64_t hi) {                                             \
    RecurrentOperands<type> all = {x,  weights, recurrent, bias, lengths, h0,  \
                                   {}, {},      y,         yh,   {}};          \
    runItems(                                                                  \
        net, all, static_cast<ComputeType<type> *>(scratch), 1, lo, hi,        \
        [](Item<type> &item) { item.startGates(0, item.hidden); },             \
        [](Item<type> &item) { step(item); });                                 \
  }
LZ_FLOAT_TYPES(LZ_RNN)
