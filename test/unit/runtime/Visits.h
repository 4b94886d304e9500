// A loop body that counts how often each iteration was done.
#pragma once

#include "gtest/gtest.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace lz::test {

/// Counts visits of each iteration, and checks where chunks start.
struct Visits {
  explicit Visits(int64_t n, int64_t grain) : grain(grain), counts(size_t(n)) {}

  static void body(void *self, int64_t lo, int64_t hi) {
    auto *visits = static_cast<Visits *>(self);
    if (lo % visits->grain || hi - lo > visits->grain || lo >= hi)
      visits->wrongChunks++;
    for (int64_t i = lo; i != hi; ++i)
      visits->counts[size_t(i)]++;
  }
  void expectEachOnce(int times = 1) {
    EXPECT_EQ(wrongChunks, 0);
    for (auto &count : counts)
      ASSERT_EQ(count, times);
  }

  int64_t grain;
  std::vector<std::atomic<int>> counts;
  std::atomic<int> wrongChunks{0};
};

} // namespace lz::test
