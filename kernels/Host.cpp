//===- Host.cpp - what an artifact's prepare and run functions call -------===//

#include "kernels/PlaceBuffers.h"
#include "runtime/include/lezero/lz_artifact.h"

#include <cstring>

extern "C" {

/// See lz::placeBuffers.
int64_t lz_place_buffers(int64_t count, const int64_t *bytes,
                         const int64_t *first, const int64_t *last,
                         int64_t *offsets, int64_t *scratch) {
  return lz::placeBuffers(count, bytes, first, last, offsets, scratch);
}

/// Runs launch number `index`: alone if one chunk covers it, else in parallel.
void lz_launch(const lz_host *host, lz_body_fn body, void *args, int64_t n,
               int64_t grain, int64_t index) {
  if (host->trace)
    host->trace(host->context, index, 0);
  if (n > 0 && n <= grain)
    body(args, 0, n);
  else if (n > 0)
    host->parallel_for(host->context, body, args, n, grain);
  if (host->trace)
    host->trace(host->context, index, 1);
}

/// A copy, traced as launch number `index`.
void lz_copy(const lz_host *host, char *target, const char *source,
             int64_t bytes, int64_t index) {
  if (host->trace)
    host->trace(host->context, index, 0);
  if (bytes > 0)
    std::memcpy(target, source, static_cast<size_t>(bytes));
  if (host->trace)
    host->trace(host->context, index, 1);
}

/// Makes the buffer whose address and capacity are in `slots` at least `bytes`
/// large. 0 if the host gives no memory, else 1.
int64_t lz_grow(const lz_host *host, int64_t *slots, int64_t bytes) {
  if (slots[0] && bytes <= slots[1])
    return 1;
  int64_t capacity = bytes > 2 * slots[1] ? bytes : 2 * slots[1];
  if (capacity < 64)
    capacity = 64;
  void *memory = host->grow ? host->grow(host->context, capacity, 64) : nullptr;
  if (!memory)
    return 0;
  if (slots[1] > 0)
    std::memcpy(memory, reinterpret_cast<const void *>(slots[0]),
                static_cast<size_t>(slots[1]));
  slots[0] = reinterpret_cast<int64_t>(memory);
  slots[1] = capacity;
  return 1;
}

} // extern "C"
