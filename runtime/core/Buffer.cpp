//===- Buffer.cpp - memory of a context -----------------------------------===//
//
// A run writes all of its arena, and getting it from the system page by page,
// by threads that wait for each other, would be most of what the first run
// takes beyond the later ones. So it is taken before, by all threads at once:
// large memory in huge pages if the system has them, which are a third of the
// work, and less of it in small ones, since a huge page that a virtual
// machine's host has taken back costs twenty times as much as one that it has
// not.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Buffer.h"
#include "runtime/core/Error.h"
#include "runtime/cpu/Pool.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

using namespace lz::rt;

static constexpr int64_t kLine = 64, kPage = 4096, kHugePage = 2 << 20;
/// What is at least so large is taken in huge pages.
static constexpr int64_t kLarge = 10 << 20;

static int64_t roundUp(int64_t bytes, int64_t to) {
  return (bytes + to - 1) / to * to;
}

namespace {
struct Pages {
  char *memory;
  int64_t bytes;
};
} // namespace

/// Takes pieces [first, last), of the size of huge pages, from the system.
static void populate(void *args, int64_t first, int64_t last) {
  auto *pages = static_cast<Pages *>(args);
  int64_t begin = first * kHugePage;
  int64_t end = std::min(last * kHugePage, pages->bytes);
  madvise(pages->memory + begin, size_t(end - begin),
          MADV_POPULATE_WRITE); // only a wish
}

/// Takes `bytes` at `memory`, which is aligned to huge pages. A last piece that
/// is mostly not needed is taken in small pages.
static void takePages(void *memory, int64_t bytes, int64_t threads) {
  int64_t huge = (bytes + kHugePage / 2) / kHugePage * kHugePage;
  Pages pages = {static_cast<char *>(memory), roundUp(bytes, kPage)};
  if (bytes >= kLarge) {
    madvise(memory, size_t(huge), MADV_HUGEPAGE);
    pages.bytes = std::max(huge, pages.bytes);
  }
  Pool::process().run(populate, &pages, roundUp(bytes, kHugePage) / kHugePage,
                      1, threads);
  // Small pages may still become huge ones while the process lives on.
  if (bytes < kLarge)
    madvise(memory, size_t(huge), MADV_HUGEPAGE);
}

/// Returns aligned memory, or null.
static void *allocate(int64_t bytes, int64_t threads) {
  int64_t alignment = bytes < kHugePage ? kLine : kHugePage;
  void *memory = nullptr;
  if (bytes > INT64_MAX - alignment)
    return nullptr;
  if (posix_memalign(&memory, size_t(alignment),
                     size_t(roundUp(bytes, alignment))))
    return nullptr;
  if (alignment == kHugePage)
    takePages(memory, bytes, threads);
  return memory;
}

Buffer::~Buffer() { free(memory); }

lz_status Buffer::ensure(const char *what, const char *name, int64_t bytes,
                         int64_t threads) {
  bytes = std::max<int64_t>(bytes, 1);
  if (bytes <= capacity)
    return LZ_OK;
  free(memory);
  capacity = 0;
  memory = static_cast<char *>(allocate(bytes, threads));
  if (!memory)
    return fail(LZ_OUT_OF_MEMORY, "cannot get %lld bytes for %s '%s'",
                (long long)bytes, what, name);
  capacity = bytes;
  return LZ_OK;
}
