//===- Kernels.h - operators that are C++ loops -----------------*- C++ -*-===//
//
// The functions here are compiled to LLVM bitcode, and those that a model uses
// are linked into its artifact and inlined there. They allocate nothing, throw
// nothing and use no library but libm: what memory they need, their caller
// gives. They are also compiled natively for their tests.
//
//===----------------------------------------------------------------------===//
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "kernels/Elements.h"

#include <cstdint>

extern "C" {

//===----------------------------------------------------------------------===//
// Math (Math.cpp)
//===----------------------------------------------------------------------===//

// Branch-free, for inlining into loops that LLVM then vectorises. At most 2 ulp
// off (sigmoid 2.5); right at zeros, infinities and NaN.
float lz_exp_f32(float x);
float lz_expm1_f32(float x);
float lz_log_f32(float x);
float lz_log1p_f32(float x);
float lz_pow_f32(float x, float y);
float lz_sigmoid_f32(float x);
float lz_erf_f32(float x);
float lz_sin_f32(float x);
float lz_cos_f32(float x);
float lz_tan_f32(float x);
float lz_sinh_f32(float x);
float lz_cosh_f32(float x);
float lz_tanh_f32(float x);

//===----------------------------------------------------------------------===//
// Index operators
//===----------------------------------------------------------------------===//

// Tensors are dense and row-major; their dimensions around an axis are
// collapsed to [outer, n, inner]. Names end in the element type: f32, f64, f16,
// bf16, i8 to i64, u8 to u64 (bool is u8). `lo` and `hi` are the parallel
// iterations to do.

/// Iterations are the outer * inner lines. `scratch` holds k indices. Results
/// may be null. 0 <= k <= n. NaN counts as the largest value.
#define LZ_DECLARE_TOP_K(name, type)                                           \
  void lz_top_k_##name(const type *input, type *values, int64_t *indices,      \
                       int64_t *scratch, int64_t n, int64_t inner, int64_t k,  \
                       int64_t largest, int64_t lo, int64_t hi);
LZ_ELEMENT_TYPES(LZ_DECLARE_TOP_K)

/// The cases of `ScatterKind`, in its order.
enum LzScatterKind {
  LZ_SCATTER_NONE,
  LZ_SCATTER_ADD,
  LZ_SCATTER_MUL,
  LZ_SCATTER_MAX,
  LZ_SCATTER_MIN
};

/// Not split. `indices` has elements of `index_bytes` (4 or 8) and, as
/// `updates`, the dimensions `index_dims`, which but for the axis are at most
/// `dims`. `result` may be `input`.
#define LZ_DECLARE_SCATTER_ELEMENTS(name, type)                                \
  void lz_scatter_elements_##name(                                             \
      const type *input, const void *indices, const type *updates,             \
      type *result, const int64_t *dims, const int64_t *index_dims,            \
      int64_t rank, int64_t axis, int64_t kind, int64_t index_bytes);
LZ_ELEMENT_TYPES(LZ_DECLARE_SCATTER_ELEMENTS)

/// Not split. `indices` is [count, depth]; each update is a slice of the
/// dimensions from `depth` on.
#define LZ_DECLARE_SCATTER_ND(name, type)                                      \
  void lz_scatter_nd_##name(const type *input, const void *indices,            \
                            const type *updates, type *result,                 \
                            const int64_t *dims, int64_t rank, int64_t count,  \
                            int64_t depth, int64_t kind, int64_t index_bytes);
LZ_ELEMENT_TYPES(LZ_DECLARE_SCATTER_ND)

/// Elements of 2 or 4 bits from the low bits of n. Iterations are the bytes of
/// the result.
#define LZ_DECLARE_PACK(name, type)                                            \
  void lz_pack2_##name(const type *input, uint8_t *result, int64_t n,          \
                       int64_t lo, int64_t hi);                                \
  void lz_pack4_##name(const type *input, uint8_t *result, int64_t n,          \
                       int64_t lo, int64_t hi);
LZ_DECLARE_PACK(i8, int8_t)
LZ_DECLARE_PACK(u8, uint8_t)

/// Running sums and products. Iterations are the outer dimensions.
#define LZ_DECLARE_CUMSUM(name, type)                                          \
  void lz_cumsum_##name(const type *input, type *result, int64_t n,            \
                        int64_t inner, int64_t exclusive, int64_t reverse,     \
                        int64_t lo, int64_t hi);                               \
  void lz_cumprod_##name(const type *input, type *result, int64_t n,           \
                         int64_t inner, int64_t exclusive, int64_t reverse,    \
                         int64_t lo, int64_t hi);
LZ_ELEMENT_TYPES(LZ_DECLARE_CUMSUM)

/// How many of `size` elements are not zero, and where they are: `result` is
/// [rank, count].
#define LZ_DECLARE_NON_ZERO(name, type)                                        \
  int64_t lz_non_zero_count_##name(const type *input, int64_t size);           \
  void lz_non_zero_##name(const type *input, int64_t *result,                  \
                          const int64_t *dims, int64_t rank, int64_t count);
LZ_ELEMENT_TYPES(LZ_DECLARE_NON_ZERO)

/// The different slices along a dimension. Not split. Results but for `count`
/// have room for all n slices; what is left of them is zeros. Any may be null.
/// `scratch` holds 3 * n indices.
#define LZ_DECLARE_UNIQUE(name, type)                                          \
  void lz_unique_##name(const type *input, type *values, int64_t *indices,     \
                        int64_t *inverse, int64_t *counts, int64_t *count,     \
                        int64_t *scratch, int64_t outer, int64_t n,            \
                        int64_t inner, int64_t sorted);
LZ_ELEMENT_TYPES(LZ_DECLARE_UNIQUE)

//===----------------------------------------------------------------------===//
// Boxes and regions
//===----------------------------------------------------------------------===//

/// Not split. `most`, `overlap` and `threshold` are numbers of the model;
/// `threshold` may be null, and so may the results. `indices` has batch *
/// classes * limit rows, of which those that are left are zeros. `scratch`
/// holds n + limit indices.
void lz_non_max_suppression_f32(const float *boxes, const float *scores,
                                const int64_t *most, const float *overlap,
                                const float *threshold, int64_t *indices,
                                int64_t *count, int64_t *scratch, int64_t batch,
                                int64_t classes, int64_t n, int64_t limit,
                                int64_t center);

/// Sizes and attributes of RoiAlign; fields of 8 bytes, in this order.
struct LzRoiAlign {
  int64_t pictures, channels, height, width;
  int64_t rows, columns; ///< of bins
  int64_t samples;       ///< in each direction of a bin; 0: as the region needs
  double scale;
  int64_t half_pixel, is_max;
  int64_t batch_bytes; ///< of an element of `batch`: 4 or 8
};

/// Iterations are the regions * channels.
#define LZ_DECLARE_ROI_ALIGN(name, type)                                       \
  void lz_roi_align_##name(const LzRoiAlign *how, const type *input,           \
                           const type *regions, const void *batch,             \
                           type *result, int64_t lo, int64_t hi);
LZ_FLOAT_TYPES(LZ_DECLARE_ROI_ALIGN)

//===----------------------------------------------------------------------===//
// Transforms and matrices
//===----------------------------------------------------------------------===//

/// Sizes and attributes of DFT; fields of 8 bytes, in this order. The input is
/// [outer, n, inner, parts], and has outer * inner lines.
struct LzDft {
  int64_t lines, inner, n, parts;
  int64_t length; ///< at least 1
  int64_t inverse, onesided;
};

/// Lines that one iteration transforms, and the largest power of two for which
/// it does so at once.
#define LZ_DFT_LANES 4
#define LZ_DFT_SHORT 8192

/// Iterations are LZ_DFT_LANES lines. `scratch` holds (4 * lanes + 1) * size
/// doubles, where `size` is the length if that is a power of two, and else the
/// least one that is not below 2 * length - 1, for which 2 * (size + length)
/// more are needed. `lanes` is LZ_DFT_LANES, or 1 for a size above
/// LZ_DFT_SHORT.
#define LZ_DECLARE_DFT(name, type)                                             \
  void lz_dft_##name(const LzDft *how, const type *input, type *result,        \
                     double *scratch, int64_t lo, int64_t hi);
LZ_FLOAT_TYPES(LZ_DECLARE_DFT)

/// Iterations are the matrices. `scratch` holds n * n numbers.
#define LZ_DECLARE_DET(name, type)                                             \
  void lz_det_##name(const type *input, type *result, double *scratch,         \
                     int64_t n, int64_t lo, int64_t hi);
LZ_FLOAT_TYPES(LZ_DECLARE_DET)

//===----------------------------------------------------------------------===//
// Recurrent networks
//===----------------------------------------------------------------------===//

enum LzActivationKind {
  LZ_RELU,
  LZ_TANH,
  LZ_SIGMOID,
  LZ_AFFINE,
  LZ_LEAKY_RELU,
  LZ_THRESHOLDED_RELU,
  LZ_SCALED_TANH,
  LZ_HARD_SIGMOID,
  LZ_ELU,
  LZ_SOFTSIGN,
  LZ_SOFTPLUS
};

struct LzActivation {
  int64_t kind;
  double alpha, beta;
};

/// The cases of `DirectionKind`, in its order.
enum LzDirection { LZ_FORWARD, LZ_REVERSE, LZ_BIDIRECTIONAL };

/// Sizes and attributes of LSTM, GRU and RNN; fields of 8 bytes, in this order.
struct LzRecurrent {
  int64_t time, batch, input, hidden;
  int64_t direction;
  int64_t length_bytes;        ///< of an element of `lengths`: 4 or 8
  int64_t flag;                ///< LSTM: input_forget; GRU: linear_before_reset
  double clip;                 ///< infinite: none
  LzActivation activations[6]; ///< three for each direction, unused ones last
};

// ONNX layout 0. Iterations are the directions * batch sequences. Optional
// operands (bias, lengths, h0, c0, peepholes) and results may be null.
// `scratch` holds 3 * hidden + steps * (input + gates * hidden) elements of the
// compute type (float, or double for f64), where steps is the smaller of time
// and LZ_RECURRENT_BLOCK, and serves one call.
#define LZ_RECURRENT_BLOCK 24
#define LZ_DECLARE_RECURRENT(name, type)                                       \
  void lz_lstm_##name(                                                         \
      const LzRecurrent *net, const type *x, const type *weights,              \
      const type *recurrent, const type *bias, const void *lengths,            \
      const type *h0, const type *c0, const type *peepholes, type *y,          \
      type *yh, type *yc, void *scratch, int64_t lo, int64_t hi);              \
  void lz_gru_##name(const LzRecurrent *net, const type *x,                    \
                     const type *weights, const type *recurrent,               \
                     const type *bias, const void *lengths, const type *h0,    \
                     type *y, type *yh, void *scratch, int64_t lo,             \
                     int64_t hi);                                              \
  void lz_rnn_##name(const LzRecurrent *net, const type *x,                    \
                     const type *weights, const type *recurrent,               \
                     const type *bias, const void *lengths, const type *h0,    \
                     type *y, type *yh, void *scratch, int64_t lo,             \
                     int64_t hi);
LZ_FLOAT_TYPES(LZ_DECLARE_RECURRENT)

} // extern "C"

#endif // KERNELS_KERNELS_H
