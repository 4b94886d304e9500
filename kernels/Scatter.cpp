//===- Scatter.cpp - writes steered by index data -------------------------===//
//
// Updates apply in row-major order, so that the last of several to one place
// wins. A negative index counts from the end; one out of range is dropped.
//
//===----------------------------------------------------------------------===//

#include "kernels/Elements.h"
#include "kernels/Kernels.h"

using namespace lz;

/// Combines one update into `target`.
template <typename T>
LZ_INLINE void combine(int64_t kind, T &target, T update) {
  switch (kind) {
  case LZ_SCATTER_ADD:
    target = store<T>(load(target) + load(update));
    return;
  case LZ_SCATTER_MUL:
    target = store<T>(load(target) * load(update));
    return;
  case LZ_SCATTER_MAX:
    target = isLess(target, update) ? update : target;
    return;
  case LZ_SCATTER_MIN:
    target = isLess(update, target) ? update : target;
    return;
  default:
    target = update;
  }
}

/// Brings an index into [0, size), or returns -1.
static int64_t normalize(int64_t index, int64_t size) {
  index += index < 0 ? size : 0;
  return index >= 0 && index < size ? index : -1;
}

template <typename T>
static void copyInput(const T *input, T *result, int64_t count) {
  if (count != 0)
    memmove(static_cast<void *>(result), input,
            static_cast<size_t>(count) * sizeof(T));
}

/// The position in a tensor of `dims` of element `flat` of a tensor of
/// `other`, both of `rank`, with dimension `axis` left out.
static int64_t positionWithout(const int64_t *dims, const int64_t *other,
                               int64_t rank, int64_t axis, int64_t flat) {
  int64_t position = 0, stride = 1;
  for (int64_t dim = rank; dim-- != 0;) {
    if (dim != axis)
      position += flat % other[dim] * stride;
    flat /= other[dim];
    stride *= dims[dim];
  }
  return position;
}

template <typename T>
static void scatterElements(const T *input, const void *indices,
                            const T *updates, T *result, const int64_t *dims,
                            const int64_t *indexDims, int64_t rank,
                            int64_t axis, int64_t kind, int64_t indexBytes) {
  copyInput(input, result, product(dims, 0, rank));
  int64_t count = product(indexDims, 0, rank);
  int64_t stride = product(dims, axis + 1, rank);
  int64_t line = rank == 0 ? 1 : indexDims[rank - 1];
  for (int64_t start = 0; start < count; start += line) {
    // Positions along the last dimension follow each other.
    int64_t base = positionWithout(dims, indexDims, rank, axis, start);
    int64_t step = axis == rank - 1 ? 0 : 1;
    for (int64_t i = 0; i != line; ++i) {
      int64_t index =
          normalize(loadIndex(indices, indexBytes, start + i), dims[axis]);
      if (index >= 0)
        combine(kind, result[base + i * step + index * stride],
                updates[start + i]);
    }
  }
}

template <typename T>
static void scatterNd(const T *input, const void *indices, const T *updates,
                      T *result, const int64_t *dims, int64_t rank,
                      int64_t count, int64_t depth, int64_t kind,
                      int64_t indexBytes) {
  copyInput(input, result, product(dims, 0, rank));
  int64_t slice = product(dims, depth, rank);
  for (int64_t tuple = 0; tuple != count; ++tuple) {
    int64_t position = 0;
    bool inside = true;
    for (int64_t d = 0; d != depth; ++d) {
      int64_t index =
          normalize(loadIndex(indices, indexBytes, tuple * depth + d), dims[d]);
      inside &= index >= 0;
      position = position * dims[d] + index;
    }
    for (int64_t i = 0; inside && i != slice; ++i)
      combine(kind, result[position * slice + i], updates[tuple * slice + i]);
  }
}

#define LZ_SCATTER(name, type)                                                 \
  void lz_scatter_elements_##name(                                             \
      const type *input, const void *indices, const type *updates,             \
      type *result, const int64_t *dims, const int64_t *index_dims,            \
      int64_t rank, int64_t axis, int64_t kind, int64_t index_bytes) {         \
    scatterElements(input, indices, updates, result, dims, index_dims, rank,   \
                    axis, kind, index_bytes);                                  \
  }                                                                            \
  void lz_scatter_nd_##name(                                                   \
      const type *input, const void *indices, const type *updates,             \
      type *result, const int64_t *dims, int64_t rank, int64_t count,          \
      int64_t depth, int64_t kind, int64_t index_bytes) {                      \
    scatterNd(input, indices, updates, result, dims, rank, count, depth, kind, \
              index_bytes);                                                    \
  }
LZ_ELEMENT_TYPES(LZ_SCATTER)
