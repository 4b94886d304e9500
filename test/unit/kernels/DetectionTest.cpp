//===- DetectionTest.cpp - kernels for boxes and regions ------------------===//
//
// Expected values are from the ONNX standard's examples, or written down by
// hand.
//
//===----------------------------------------------------------------------===//

#include "kernels/Kernels.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <vector>

namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

//===----------------------------------------------------------------------===//
// NonMaxSuppression
//===----------------------------------------------------------------------===//

/// One call; what it gives are the rows that are set.
struct Suppression {
  Floats boxes, scores;
  int64_t batch = 1, classes = 1, limit = 6, most = 6;
  float overlap = 0.5f;
  const float *threshold = nullptr;
  bool isCenter = false;

  Ints run() const {
    auto n = static_cast<int64_t>(scores.size()) / (batch * classes);
    Ints indices(3 * batch * classes * limit, -1), scratch(n + limit);
    int64_t count = -1;
    lz_non_max_suppression_f32(
        boxes.data(), scores.data(), &most, &overlap, threshold, indices.data(),
        &count, scratch.data(), batch, classes, n, limit, isCenter);
    for (size_t i = 3 * count; i != indices.size(); ++i)
      EXPECT_EQ(indices[i], 0) << "what is left must be zeros";
    indices.resize(3 * count);
    return indices;
  }
};

/// The boxes and scores of the standard's examples.
Suppression makeExample() {
  return {{0, 0,  1, 1,  0, 0.1f,  1, 1.1f,  0, -0.1f, 1, 0.9f,
           0, 10, 1, 11, 0, 10.1f, 1, 11.1f, 0, 100,   1, 101},
          {0.9f, 0.75f, 0.6f, 0.95f, 0.5f, 0.3f}};
}

TEST(NonMaxSuppressionTest, DoesTheExamplesOfTheStandard) {
  Suppression example = makeExample();
  EXPECT_EQ(example.run(), (Ints{0, 0, 3, 0, 0, 0, 0, 0, 5}));
  example.most = 2;
  EXPECT_EQ(example.run(), (Ints{0, 0, 3, 0, 0, 0}));
  float threshold = 0.4f;
  example.most = 3;
  example.threshold = &threshold;
  EXPECT_EQ(example.run(), (Ints{0, 0, 3, 0, 0, 0}));
}

TEST(NonMaxSuppressionTest, TakesCornersInAnyOrder) {
  Suppression flipped = makeExample();
  for (size_t box = 0; box != 24; box += 4)
    std::swap(flipped.boxes[box + 1], flipped.boxes[box + 3]);
  EXPECT_EQ(flipped.run(), makeExample().run());
}

TEST(NonMaxSuppressionTest, TakesCenterAndSize) {
  Suppression example = makeExample();
  example.boxes = {0.5f, 0.5f,  1, 1, 0.5f, 0.6f,  1, 1, 0.5f, 0.4f,   1, 1,
                   0.5f, 10.5f, 1, 1, 0.5f, 10.6f, 1, 1, 0.5f, 100.5f, 1, 1};
  example.isCenter = true;
  EXPECT_EQ(example.run(), (Ints{0, 0, 3, 0, 0, 0, 0, 0, 5}));
}

TEST(NonMaxSuppressionTest, KeepsWhatOverlapsByTheThreshold) {
  // A seventh of what the two cover is shared: (1/2)^2 / (2 - 1/4).
  Suppression boxes = {{0, 0, 1, 1, 0.5f, 0.5f, 1.5f, 1.5f}, {0.9f, 0.8f}};
  boxes.overlap = 0.25f / 1.75f;
  EXPECT_EQ(boxes.run(), (Ints{0, 0, 0, 0, 0, 1}));
  boxes.overlap = std::nextafter(boxes.overlap, 0.0f);
  EXPECT_EQ(boxes.run(), (Ints{0, 0, 0}));
}

TEST(NonMaxSuppressionTest, SelectsInEachBatchAndClass) {
  Suppression boxes = {{0, 0, 1, 1, 0, 5, 1, 6, 0, 0, 1, 1, 0, 0, 1, 1},
                       {1, 2, 4, 3, 1, 2, 4, 3}};
  boxes.batch = boxes.classes = 2;
  boxes.limit = 2;
  EXPECT_EQ(boxes.run(), (Ints{0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 1, //
                               1, 0, 1, 1, 1, 0}));
}

TEST(NonMaxSuppressionTest, OrdersEqualScoresByIndexAndNanLast) {
  Suppression boxes;
  boxes.boxes = {0, 0, 1, 1, 0, 1, 1, 2, 0, 2, 1, 3, 0, 3, 1, 4, 0, 4, 1, 5};
  boxes.scores = {kNan, 1, -INFINITY, 1, kNan};
  EXPECT_EQ(boxes.run(), (Ints{0, 0, 1, 0, 0, 3, 0, 0, 2, 0, 0, 0, 0, 0, 4}));
  float threshold = -INFINITY;
  boxes.threshold = &threshold;
  EXPECT_EQ(boxes.run(), (Ints{0, 0, 1, 0, 0, 3}));
}

TEST(NonMaxSuppressionTest, TakesAnyNumbers) {
  Suppression example = makeExample();
  for (int64_t most : {int64_t(0), int64_t(-1), INT64_MIN}) {
    example.most = most;
    EXPECT_TRUE(example.run().empty());
  }
  example.most = INT64_MAX;
  example.limit = 1;
  EXPECT_EQ(example.run(), (Ints{0, 0, 3}));
  example.limit = 6;
  example.overlap = kNan;
  EXPECT_EQ(example.run().size(), 18u);
  for (float &number : example.boxes)
    number = kNan;
  EXPECT_EQ(example.run().size(), 18u);
  EXPECT_TRUE(Suppression().run().empty());
}

TEST(NonMaxSuppressionTest, LeavesOutResults) {
  Suppression example = makeExample();
  Ints scratch(12);
  int64_t count = 0;
  lz_non_max_suppression_f32(example.boxes.data(), example.scores.data(),
                             &example.most, &example.overlap, nullptr, nullptr,
                             &count, scratch.data(), 1, 1, 6, 6, 0);
  EXPECT_EQ(count, 3);
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

/// One call on pictures of 2 x 2 pixels.
struct Align {
  Floats regions;
  Ints batch = {0};
  int64_t bins = 1, samples = 0;
  bool isHalf = true, isMax = false;
  Floats input = {1, 2, 3, 4};
  double scale = 1;

  Floats run() const {
    auto pictures = static_cast<int64_t>(input.size()) / 4;
    auto count = static_cast<int64_t>(batch.size());
    LzRoiAlign how = {pictures, 1,     2,      2,     bins, bins,
                      samples,  scale, isHalf, isMax, 8};
    Floats result(count * bins * bins, kNan);
    lz_roi_align_f32(&how, input.data(), regions.data(), batch.data(),
                     result.data(), 0, count);
    return result;
  }
};

TEST(RoiAlignTest, InterpolatesBetweenPixels) {
  Align align = {{0, 0, 2, 2}};
  align.samples = 1;
  EXPECT_EQ(align.run(), (Floats{2.5f}));
  align.isHalf = false; // at (1, 1)
  EXPECT_EQ(align.run(), (Floats{4}));
  align.isHalf = true;
  align.bins = 2;
  EXPECT_EQ(align.run(), (Floats{1, 2, 3, 4}));
  align = {{0, 0, 1, 0.5f}}; // at (-0.25, 0), taken for (0, 0)
  EXPECT_EQ(align.run(), (Floats{1}));
  align.scale = 2; // at (0, 0.5)
  align.samples = 1;
  EXPECT_EQ(align.run(), (Floats{1.5f}));
}

TEST(RoiAlignTest, TakesAsManySamplesAsThereArePixels) {
  Align align = {{0, 0, 2, 2}};
  EXPECT_EQ(align.run(), (Floats{2.5f})); // of all four pixels
  align.isMax = true;
  EXPECT_EQ(align.run(), (Floats{4}));
  // The middle of the picture: four pixels, each with a weight of a quarter.
  align.samples = 1;
  EXPECT_EQ(align.run(), (Floats{1}));
}

TEST(RoiAlignTest, CountsWhatLiesOutsideAsZeros) {
  // Points are half a pixel and one and a half from the corner: with 1.5 taken
  // for the last pixel, 2.5 + 3 + 3.5 + 4 of 4000 x 4000.
  Align align = {{0, 0, 4000, 4000}};
  align.isHalf = false;
  EXPECT_FLOAT_EQ(align.run()[0], 13 / 16e6f);
  align.isMax = true;
  EXPECT_EQ(align.run(), (Floats{4}));
  align.input = {-1, -2, -3, -4};
  EXPECT_EQ(align.run(), (Floats{0}));
  align.regions = {50, 50, 52, 52};
  EXPECT_EQ(align.run(), (Floats{0}));
}

TEST(RoiAlignTest, TakesAnyRegion) {
  for (float x : {kNan, INFINITY, -INFINITY, 1e30f, -1e30f})
    for (float y : {kNan, INFINITY, -INFINITY, 3e38f, 0.0f})
      for (bool isHalf : {false, true})
        for (int64_t samples : {0, 2}) {
          Align align = {{x, y, y, x}};
          align.samples = samples;
          align.isHalf = isHalf;
          EXPECT_LE(std::fabs(align.run()[0]), 4);
        }
  Align backwards = {{2, 2, 0, 0}};
  EXPECT_EQ(backwards.run(), (Floats{0}));
}

TEST(RoiAlignTest, TakesTheNearestPicture) {
  Align align = {{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}};
  align.batch = {-7, 1, INT64_MAX};
  align.input = {1, 1, 1, 1, 2, 2, 2, 2};
  EXPECT_EQ(align.run(), (Floats{1, 2, 2}));
  align.input = {};
  EXPECT_EQ(align.run(), (Floats{0, 0, 0}));
}

/// Points that are found once for all channels, and those that are too many.
TEST(RoiAlignTest, GivesTheSameWhereverItIsSplit) {
  for (int64_t samples : {2, 40}) {
    LzRoiAlign how = {1, 3, 2, 2, 2, 2, samples, 1, 1, 0, 4};
    Floats input, regions = {0.1f, 0.2f, 1.7f, 1.9f, -0.3f, 0.4f, 2, 2.2f};
    for (int i = 0; i != 12; ++i)
      input.push_back(static_cast<float>(i * i % 7));
    std::vector<int32_t> batch = {0, 0};
    Floats whole(24), parts(24);
    lz_roi_align_f32(&how, input.data(), regions.data(), batch.data(),
                     whole.data(), 0, 6);
    for (int64_t i : {5, 1, 0, 3, 4, 2})
      lz_roi_align_f32(&how, input.data(), regions.data(), batch.data(),
                       parts.data(), i, i + 1);
    EXPECT_EQ(whole, parts);
  }
}

} // namespace
