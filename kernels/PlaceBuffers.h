//===- PlaceBuffers.h - arena offsets from sizes and lifetimes --*- C++ -*-===//
//
// One algorithm for two callers: the compiler, when every size is known, and
// the artifact's prepare function otherwise. Largest first, each at the lowest
// offset that is free for its whole lifetime.
//
//===----------------------------------------------------------------------===//
#ifndef KERNELS_PLACEBUFFERS_H
#define KERNELS_PLACEBUFFERS_H

#include <cstdint>

namespace lz {

/// Sorts indices by size, largest first, equal sizes by index.
inline void sortBySize(int64_t count, const int64_t *bytes, int64_t *order) {
  for (int64_t i = 0; i != count; ++i) {
    int64_t at = i;
    for (; at > 0 && bytes[order[at - 1]] < bytes[i]; --at)
      order[at] = order[at - 1];
    order[at] = i;
  }
}

/// Writes an offset for each of `count` buffers of `bytes[i]` bytes that live
/// during steps `first[i]` to `last[i]`, so that no two that live together
/// overlap, and returns the end of the highest. `scratch` has 2 * count
/// elements. Sizes are multiples of the wanted alignment; O(count^2).
inline int64_t placeBuffers(int64_t count, const int64_t *bytes,
                            const int64_t *first, const int64_t *last,
                            int64_t *offsets, int64_t *scratch) {
  int64_t *order = scratch;
  int64_t *placed = scratch + count; // by offset
  sortBySize(count, bytes, order);
  int64_t end = 0;
  for (int64_t n = 0; n != count; ++n) {
    int64_t buffer = order[n], offset = 0;
    for (int64_t p = 0; p != n; ++p) {
      int64_t other = placed[p];
      bool together =
          first[other] <= last[buffer] && first[buffer] <= last[other];
      if (!together || offsets[other] + bytes[other] <= offset)
        continue;
      if (offsets[other] >= offset + bytes[buffer])
        break;
      offset = offsets[other] + bytes[other];
    }
    offsets[buffer] = offset;
    int64_t at = n;
    for (; at > 0 && offsets[placed[at - 1]] > offset; --at)
      placed[at] = placed[at - 1];
    placed[at] = buffer;
    if (offset + bytes[buffer] > end)
      end = offset + bytes[buffer];
  }
  return end;
}

} // namespace lz

#endif // KERNELS_PLACEBUFFERS_H
