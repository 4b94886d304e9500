//===- IndexTest.cpp - top-k, scatter, cumsum, pack, non-zero, unique -----===//
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

//===----------------------------------------------------------------------===//
// TopK
//===----------------------------------------------------------------------===//

struct TopK {
  Floats values;
  Ints indices;

  TopK(const Floats &input, int64_t outer, int64_t n, int64_t inner, int64_t k,
       bool largest)
      : values(outer * k * inner), indices(outer * k * inner) {
    Ints scratch(k);
    lz_top_k_f32(input.data(), values.data(), indices.data(), scratch.data(), n,
                 inner, k, largest, 0, outer * inner);
  }
};

TEST(TopKTest, TakesTheLargestOfEachRow) {
  Floats input = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  TopK top(input, 3, 4, 1, 3, true);
  EXPECT_EQ(top.values, (Floats{3, 2, 1, 7, 6, 5, 11, 10, 9}));
  EXPECT_EQ(top.indices, (Ints{3, 2, 1, 3, 2, 1, 3, 2, 1}));
}

TEST(TopKTest, TakesTheSmallestOfEachColumn) {
  Floats input = {3, 1, 2, 0, 5, 4};
  TopK top(input, 1, 3, 2, 2, false);
  EXPECT_EQ(top.values, (Floats{2, 0, 3, 1}));
  EXPECT_EQ(top.indices, (Ints{1, 1, 0, 0}));
}

TEST(TopKTest, OrdersEqualElementsByIndex) {
  Floats input = {1, 2, 2, 1, 2, 1};
  TopK top(input, 1, 6, 1, 6, true);
  EXPECT_EQ(top.indices, (Ints{1, 2, 4, 0, 3, 5}));
  TopK bottom(input, 1, 6, 1, 4, false);
  EXPECT_EQ(bottom.indices, (Ints{0, 3, 5, 1}));
}

TEST(TopKTest, CountsNanAsTheLargest) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  Floats input = {1, nan, INFINITY, nan, -INFINITY};
  EXPECT_EQ(TopK(input, 1, 5, 1, 5, true).indices, (Ints{1, 3, 2, 0, 4}));
  EXPECT_EQ(TopK(input, 1, 5, 1, 5, false).indices, (Ints{4, 0, 2, 1, 3}));
}

TEST(TopKTest, TakesNothing) {
  TopK top({1, 2}, 1, 2, 1, 0, true);
  EXPECT_TRUE(top.values.empty());
}

TEST(TopKTest, ComparesIntegersExactly) {
  std::vector<uint64_t> input = {1ull << 63, (1ull << 63) + 1, 5}, values(1);
  Ints indices(1), scratch(1);
  lz_top_k_u64(input.data(), values.data(), indices.data(), scratch.data(), 3,
               1, 1, 1, 0, 1);
  EXPECT_EQ(indices[0], 1);
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

Floats scatter(const Floats &input, const Ints &dims, const Ints &indices,
               const Floats &updates, const Ints &indexDims, int64_t axis,
               LzScatterKind kind = LZ_SCATTER_NONE) {
  Floats result(input.size());
  lz_scatter_elements_f32(input.data(), indices.data(), updates.data(),
                          result.data(), dims.data(), indexDims.data(),
                          static_cast<int64_t>(dims.size()), axis, kind, 8);
  return result;
}

TEST(ScatterElementsTest, DoesTheExamplesOfTheStandard) {
  EXPECT_EQ(scatter(Floats(9), {3, 3}, {1, 0, 2, 0, 2, 1},
                    {1.0f, 1.1f, 1.2f, 2.0f, 2.1f, 2.2f}, {2, 3}, 0),
            (Floats{2.0f, 1.1f, 0, 1.0f, 0, 2.2f, 0, 2.1f, 1.2f}));
  EXPECT_EQ(scatter({1, 2, 3, 4, 5}, {1, 5}, {1, 3}, {1.1f, 2.1f}, {1, 2}, 1),
            (Floats{1, 1.1f, 3, 2.1f, 5}));
}

TEST(ScatterElementsTest, CombinesAsAsked) {
  auto run = [](LzScatterKind kind) {
    return scatter({1, 2, 3, 4}, {4}, {1, 1, -1}, {5, -6, 2}, {3}, 0, kind);
  };
  EXPECT_EQ(run(LZ_SCATTER_NONE), (Floats{1, -6, 3, 2}));
  EXPECT_EQ(run(LZ_SCATTER_ADD), (Floats{1, 1, 3, 6}));
  EXPECT_EQ(run(LZ_SCATTER_MUL), (Floats{1, -60, 3, 8}));
  EXPECT_EQ(run(LZ_SCATTER_MAX), (Floats{1, 5, 3, 4}));
  EXPECT_EQ(run(LZ_SCATTER_MIN), (Floats{1, -6, 3, 2}));
}

TEST(ScatterElementsTest, WritesAlongAMiddleAxisOfLargerData) {
  // Data [2, 3, 2], indices [1, 2, 1]: only the first row and column change.
  EXPECT_EQ(scatter(Floats(12), {2, 3, 2}, {2, 0}, {7, 8}, {1, 2, 1}, 1),
            (Floats{8, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(ScatterElementsTest, DropsWhatIsOutOfRange) {
  EXPECT_EQ(scatter({1, 2}, {2}, {2, -3, INT64_MAX, INT64_MIN, -2},
                    {9, 9, 9, 9, 5}, {5}, 0),
            (Floats{5, 2}));
}

TEST(ScatterElementsTest, TakesEmptyIndices) {
  EXPECT_EQ(scatter({1, 2}, {2}, {}, {}, {0}, 0), (Floats{1, 2}));
}

TEST(ScatterElementsTest, WrapsNarrowIntegersAndReadsNarrowIndices) {
  std::vector<int8_t> input = {100, -100}, updates = {100, 3}, result(2);
  std::vector<int32_t> indices = {0, 1};
  Ints dims = {2};
  lz_scatter_elements_i8(input.data(), indices.data(), updates.data(),
                         result.data(), dims.data(), dims.data(), 1, 0,
                         LZ_SCATTER_ADD, 4);
  EXPECT_EQ(result, (std::vector<int8_t>{-56, -97}));
  lz_scatter_elements_i8(input.data(), indices.data(), updates.data(),
                         result.data(), dims.data(), dims.data(), 1, 0,
                         LZ_SCATTER_MIN, 4);
  EXPECT_EQ(result, (std::vector<int8_t>{100, -100}));
}

Floats scatterNd(const Floats &input, const Ints &dims, const Ints &indices,
                 const Floats &updates, int64_t depth,
                 LzScatterKind kind = LZ_SCATTER_NONE) {
  Floats result(input.size());
  lz_scatter_nd_f32(input.data(), indices.data(), updates.data(), result.data(),
                    dims.data(), static_cast<int64_t>(dims.size()),
                    static_cast<int64_t>(indices.size()) / depth, depth, kind,
                    8);
  return result;
}

TEST(ScatterNdTest, DoesTheExampleOfTheStandard) {
  EXPECT_EQ(scatterNd({1, 2, 3, 4, 5, 6, 7, 8}, {8}, {4, 3, 1, 7},
                      {9, 10, 11, 12}, 1),
            (Floats{1, 11, 3, 10, 9, 6, 7, 12}));
}

TEST(ScatterNdTest, WritesSlicesAndCombines) {
  EXPECT_EQ(scatterNd({1, 2, 3, 4, 5, 6}, {3, 2}, {2, -3, 2},
                      {1, 1, 2, 2, 3, 3}, 1, LZ_SCATTER_ADD),
            (Floats{3, 4, 3, 4, 9, 10}));
  EXPECT_EQ(scatterNd({1, 2, 3, 4}, {2, 2}, {0, 1, 1, -2}, {7, 8}, 2),
            (Floats{1, 7, 8, 4}));
}

TEST(ScatterNdTest, DropsWhatIsOutOfRange) {
  EXPECT_EQ(scatterNd({1, 2, 3, 4}, {2, 2}, {0, 2, 2, 0, -3, 0, 1, 1},
                      {9, 9, 9, 5}, 2),
            (Floats{1, 2, 3, 5}));
}

//===----------------------------------------------------------------------===//
// Cumsum, Pack, NonZero and Unique
//===----------------------------------------------------------------------===//

Floats cumsum(const Floats &input, int64_t outer, int64_t n, int64_t inner,
              bool exclusive, bool reverse) {
  Floats result(input.size());
  lz_cumsum_f32(input.data(), result.data(), n, inner, exclusive, reverse, 0,
                outer);
  return result;
}

TEST(CumsumTest, DoesTheExamplesOfTheStandard) {
  EXPECT_EQ(cumsum({1, 2, 3}, 1, 3, 1, false, false), (Floats{1, 3, 6}));
  EXPECT_EQ(cumsum({1, 2, 3}, 1, 3, 1, true, false), (Floats{0, 1, 3}));
  EXPECT_EQ(cumsum({1, 2, 3}, 1, 3, 1, false, true), (Floats{6, 5, 3}));
  EXPECT_EQ(cumsum({1, 2, 3}, 1, 3, 1, true, true), (Floats{5, 3, 0}));
}

TEST(CumsumTest, SumsManyNeighbouringLines) {
  const int64_t inner = 37;
  Floats input, expected;
  for (int64_t i = 0; i != 2 * 3 * inner; ++i)
    input.push_back(static_cast<float>(i % 11));
  for (int64_t i = 0; i != 2 * 3 * inner; ++i)
    expected.push_back(input[i] + (i / inner % 3 ? expected[i - inner] : 0));
  EXPECT_EQ(cumsum(input, 2, 3, inner, false, false), expected);
}

TEST(PackTest, JoinsLowBitsFromTheLowestUp) {
  const std::vector<int8_t> input = {-1, 2, -8, 7, 3};
  std::vector<uint8_t> fours(4, 0xaa), twos(3, 0xaa);
  lz_pack4_i8(input.data(), fours.data(), 5, 0, 3);
  EXPECT_EQ(fours, (std::vector<uint8_t>{0x2f, 0x78, 0x03, 0xaa}));
  lz_pack2_i8(input.data(), twos.data(), 5, 0, 2);
  EXPECT_EQ(twos, (std::vector<uint8_t>{0b11001011, 0b11, 0xaa}));
}

TEST(PackTest, WritesOnlyItsBytes) {
  const std::vector<uint8_t> input(9, 0xf1);
  std::vector<uint8_t> bytes(5, 0xaa);
  lz_pack4_u8(input.data(), bytes.data(), 9, 1, 2);
  EXPECT_EQ(bytes, (std::vector<uint8_t>{0xaa, 0x11, 0xaa, 0xaa, 0xaa}));
  lz_pack4_u8(input.data(), bytes.data(), 9, 4, 5);
  EXPECT_EQ(bytes, (std::vector<uint8_t>{0xaa, 0x11, 0xaa, 0xaa, 0x01}));
}

TEST(CumsumTest, SumsNarrowFloatsInFloat) {
  std::vector<lz::BFloat> input(512, lz::BFloat(1)), result(512);
  lz_cumsum_bf16(input.data(), result.data(), 512, 1, 0, 0, 0, 1);
  EXPECT_EQ(result[511], 512.0f); // sums of bf16 would stop at 256
}

Floats cumprod(const Floats &input, int64_t outer, int64_t n, int64_t inner,
               bool exclusive, bool reverse) {
  Floats result(input.size());
  lz_cumprod_f32(input.data(), result.data(), n, inner, exclusive, reverse, 0,
                 outer);
  return result;
}

TEST(CumprodTest, DoesTheExamplesOfTheStandard) {
  EXPECT_EQ(cumprod({1, 2, 3}, 1, 3, 1, false, false), (Floats{1, 2, 6}));
  EXPECT_EQ(cumprod({1, 2, 3}, 1, 3, 1, true, false), (Floats{1, 1, 2}));
  EXPECT_EQ(cumprod({1, 2, 3}, 1, 3, 1, false, true), (Floats{6, 6, 3}));
  EXPECT_EQ(cumprod({1, 2, 3}, 1, 3, 1, true, true), (Floats{6, 3, 1}));
}

TEST(CumprodTest, MultipliesManyNeighbouringLines) {
  const int64_t inner = 37;
  Floats input, expected;
  for (int64_t i = 0; i != 3 * inner; ++i)
    input.push_back(static_cast<float>(i % 5) - 2);
  for (int64_t i = 0; i != 3 * inner; ++i)
    expected.push_back(i < inner ? 1 : expected[i - inner] * input[i - inner]);
  EXPECT_EQ(cumprod(input, 1, 3, inner, true, false), expected);
}

TEST(CumprodTest, WrapsIntegers) {
  std::vector<int32_t> input = {65536, 65536, 3}, result(3);
  lz_cumprod_i32(input.data(), result.data(), 3, 1, 0, 0, 0, 1);
  EXPECT_EQ(result, (std::vector<int32_t>{65536, 0, 0}));
}

TEST(NonZeroTest, FindsTheElementsInOrder) {
  Floats input = {1, -0.0f, 0, std::numeric_limits<float>::quiet_NaN(), 0, 2};
  EXPECT_EQ(lz_non_zero_count_f32(input.data(), 6), 3);
  Ints dims = {2, 3}, result(6);
  lz_non_zero_f32(input.data(), result.data(), dims.data(), 2, 3);
  EXPECT_EQ(result, (Ints{0, 1, 1, 0, 0, 2}));
}

/// One call on [outer, n, inner].
struct Unique {
  Floats values;
  Ints indices, inverse, counts;
  int64_t count = -1;

  Unique(const Floats &input, int64_t outer, int64_t n, int64_t inner,
         bool sorted)
      : values(input.size(), -1), indices(n, -1), inverse(n, -1),
        counts(n, -1) {
    Ints scratch(3 * n);
    lz_unique_f32(input.data(), values.data(), indices.data(), inverse.data(),
                  counts.data(), &count, scratch.data(), outer, n, inner,
                  sorted);
  }
};

TEST(UniqueTest, DoesTheFlatExamplesOfTheStandard) {
  Unique unsorted({2, 1, 1, 3, 4, 3}, 1, 6, 1, false);
  EXPECT_EQ(unsorted.count, 4);
  EXPECT_EQ(unsorted.values, (Floats{2, 1, 3, 4, 0, 0}));
  EXPECT_EQ(unsorted.indices, (Ints{0, 1, 3, 4, 0, 0}));
  EXPECT_EQ(unsorted.inverse, (Ints{0, 1, 1, 2, 3, 2}));
  EXPECT_EQ(unsorted.counts, (Ints{1, 2, 2, 1, 0, 0}));
  Unique sorted({1, 3, 2, 3}, 1, 4, 1, true);
  EXPECT_EQ(sorted.values, (Floats{1, 2, 3, 0}));
  EXPECT_EQ(sorted.indices, (Ints{0, 2, 1, 0}));
  EXPECT_EQ(sorted.inverse, (Ints{0, 2, 1, 2}));
  EXPECT_EQ(sorted.counts, (Ints{1, 1, 2, 0}));
}

TEST(UniqueTest, ComparesSlices) {
  Unique rows({1, 0, 0, 1, 0, 0, 2, 3, 4}, 1, 3, 3, true);
  EXPECT_EQ(rows.count, 2);
  EXPECT_EQ(rows.values, (Floats{1, 0, 0, 2, 3, 4, 0, 0, 0}));
  EXPECT_EQ(rows.inverse, (Ints{0, 0, 1}));
  Unique middle({1, 1, 0, 1, 2, 1, 0, 1, 1, 1, 0, 1, 2, 1, 0, 1}, 2, 4, 2,
                true);
  EXPECT_EQ(middle.values,
            (Floats{0, 1, 1, 1, 2, 1, 0, 0, 0, 1, 1, 1, 2, 1, 0, 0}));
  EXPECT_EQ(middle.indices, (Ints{1, 0, 2, 0}));
  EXPECT_EQ(middle.inverse, (Ints{1, 0, 2, 0}));
  EXPECT_EQ(middle.counts, (Ints{2, 1, 1, 0}));
}

TEST(UniqueTest, TakesNanAndZerosOfEitherSignForEqual) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  Unique unique({nan, 0, INFINITY, -0.0f, nan}, 1, 5, 1, true);
  EXPECT_EQ(unique.count, 3);
  EXPECT_EQ(unique.indices, (Ints{1, 2, 0, 0, 0}));
  EXPECT_EQ(unique.inverse, (Ints{2, 0, 1, 0, 2}));
}

TEST(UniqueTest, TakesNothing) {
  EXPECT_EQ(Unique({}, 1, 0, 1, true).count, 0);
  EXPECT_EQ(Unique({}, 1, 3, 0, false).counts, (Ints{3, 0, 0}));
}

TEST(UniqueTest, LeavesOutResultsAndComparesIntegersExactly) {
  std::vector<uint64_t> input = {(1ull << 63) + 1, 1ull << 63, 5};
  Ints scratch(9), indices(3);
  lz_unique_u64(input.data(), nullptr, indices.data(), nullptr, nullptr,
                nullptr, scratch.data(), 1, 3, 1, 1);
  EXPECT_EQ(indices, (Ints{2, 1, 0}));
}

//===----------------------------------------------------------------------===//
// Narrow floats
//===----------------------------------------------------------------------===//

TEST(HalfTest, ConvertsEveryNumberBothWays) {
  for (uint32_t bits = 0; bits != 0x10000; ++bits) {
    lz::Half half;
    half.bits = static_cast<uint16_t>(bits);
    float value = half;
    int exponent = static_cast<int>(bits >> 10 & 31);
    int mantissa = static_cast<int>(bits & 1023);
    if (exponent == 31 && mantissa != 0) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(lz::Half(value)));
      continue;
    }
    double truth = exponent == 31  ? INFINITY
                   : exponent == 0 ? std::ldexp(mantissa, -24)
                                   : std::ldexp(1024 + mantissa, exponent - 25);
    EXPECT_EQ(value, bits & 0x8000 ? -truth : truth);
    EXPECT_EQ(lz::Half(value).bits, bits);
  }
}

TEST(HalfTest, RoundsToNearestTiesToEven) {
  auto rounded = [](float value) { return float(lz::Half(value)); };
  EXPECT_EQ(rounded(1 + 0x1p-11f), 1);
  EXPECT_EQ(rounded(1 + 0x1.8p-10f), 1 + 0x1p-9f);
  EXPECT_EQ(rounded(1 + 0x1.002p-11f), 1 + 0x1p-10f);
  EXPECT_EQ(rounded(65519), 65504);
  EXPECT_EQ(rounded(65520), INFINITY);
  EXPECT_EQ(rounded(-1e9f), -INFINITY);
  EXPECT_EQ(rounded(0x1p-25f), 0);
  EXPECT_EQ(rounded(0x1.8p-24f), 0x1p-23f);
  EXPECT_TRUE(std::signbit(rounded(-1e-30f)));
  EXPECT_EQ(float(lz::BFloat(1 + 0x1p-8f)), 1);
  EXPECT_EQ(float(lz::BFloat(1 + 0x1.8p-7f)), 1 + 0x1p-6f);
}

} // namespace
