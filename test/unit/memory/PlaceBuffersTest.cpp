//===- PlaceBuffersTest.cpp - arena offsets -------------------------------===//

#include "kernels/PlaceBuffers.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <random>
#include <vector>

namespace {

struct Buffers {
  std::vector<int64_t> bytes, first, last, offsets;

  void add(int64_t size, int64_t from, int64_t to) {
    bytes.push_back(size);
    first.push_back(from);
    last.push_back(to);
  }

  int64_t place() {
    offsets.assign(bytes.size(), -1);
    std::vector<int64_t> scratch(2 * bytes.size());
    return lz::placeBuffers(static_cast<int64_t>(bytes.size()), bytes.data(),
                            first.data(), last.data(), offsets.data(),
                            scratch.data());
  }

  bool together(size_t a, size_t b) const {
    return first[a] <= last[b] && first[b] <= last[a];
  }

  /// The largest sum of sizes that live at one step: no plan is smaller.
  int64_t lowerBound() const {
    int64_t most = 0;
    for (size_t step = 0; step != bytes.size(); ++step) {
      int64_t sum = 0;
      for (size_t i = 0; i != bytes.size(); ++i)
        if (first[i] <= first[step] && first[step] <= last[i])
          sum += bytes[i];
      most = std::max(most, sum);
    }
    return most;
  }
};

TEST(PlaceBuffers, NothingNeedsNothing) { EXPECT_EQ(Buffers().place(), 0); }

TEST(PlaceBuffers, BuffersThatDoNotMeetShare) {
  Buffers buffers;
  buffers.add(64, 0, 1);
  buffers.add(64, 2, 3);
  EXPECT_EQ(buffers.place(), 64);
}

TEST(PlaceBuffers, LifetimesIncludeTheirLastStep) {
  Buffers buffers;
  buffers.add(64, 0, 1);
  buffers.add(64, 1, 2);
  EXPECT_EQ(buffers.place(), 128);
}

TEST(PlaceBuffers, AChainNeedsTwoOfItsLargestNeighbours) {
  Buffers buffers;
  for (int64_t i = 0; i != 8; ++i)
    buffers.add(i == 4 ? 256 : 128, i, i + 1);
  EXPECT_EQ(buffers.place(), 384);
}

TEST(PlaceBuffers, HolesAreFilled) {
  Buffers buffers;
  buffers.add(256, 0, 9); // at 0
  buffers.add(192, 0, 3); // at 256, free from step 4
  buffers.add(128, 0, 9); // at 448
  buffers.add(64, 5, 6);  // in the hole
  EXPECT_EQ(buffers.place(), 576);
  EXPECT_EQ(buffers.offsets[3], 256);
}

TEST(PlaceBuffers, NoTwoThatLiveTogetherOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round != 50; ++round) {
    Buffers buffers;
    int64_t count = 1 + random() % 120;
    for (int64_t i = 0; i != count; ++i) {
      int64_t from = random() % 60;
      buffers.add(64 * (random() % 50), from, from + random() % 10);
    }
    int64_t end = buffers.place();
    EXPECT_GE(end, buffers.lowerBound());
    for (size_t a = 0; a != buffers.bytes.size(); ++a) {
      ASSERT_GE(buffers.offsets[a], 0);
      ASSERT_EQ(buffers.offsets[a] % 64, 0);
      ASSERT_LE(buffers.offsets[a] + buffers.bytes[a], end);
      for (size_t b = 0; b != a; ++b)
        if (buffers.together(a, b)) {
          ASSERT_TRUE(
              buffers.offsets[a] + buffers.bytes[a] <= buffers.offsets[b] ||
              buffers.offsets[b] + buffers.bytes[b] <= buffers.offsets[a]);
        }
    }
  }
}

} // namespace
