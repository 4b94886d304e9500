//===- LinearTest.cpp - kernels for transforms and matrices ---------------===//
//
// Expected values are from numpy, or written down by hand.
//
//===----------------------------------------------------------------------===//

#include "kernels/Kernels.h"

#include "gtest/gtest.h"

#include <cmath>
#include <complex>
#include <vector>

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

//===----------------------------------------------------------------------===//
// DFT
//===----------------------------------------------------------------------===//

/// The doubles that a transform needs.
size_t getScratchSize(int64_t length) {
  int64_t size = 1;
  bool isPower = (length & (length - 1)) == 0;
  while (size < (isPower ? length : 2 * length - 1))
    size *= 2;
  int64_t lanes = size <= LZ_DFT_SHORT ? LZ_DFT_LANES : 1;
  return (4 * lanes + 1) * size + (isPower ? 0 : 2 * (size + length));
}

/// Transforms with iterations of their own, backwards, with scratch memory of
/// just the size.
Doubles run(const LzDft &how, const Doubles &input) {
  bool isHalf = how.onesided && !how.inverse;
  int64_t size = isHalf ? how.length / 2 + 1 : how.length;
  Doubles result(how.lines * size * (how.onesided && how.inverse ? 1 : 2), NAN);
  for (int64_t i = (how.lines + LZ_DFT_LANES - 1) / LZ_DFT_LANES; i-- > 0;) {
    Doubles scratch(getScratchSize(how.length), NAN);
    lz_dft_f64(&how, input.data(), result.data(), scratch.data(), i, i + 1);
  }
  return result;
}

/// Of one line.
Doubles transform(const Doubles &input, int64_t parts, int64_t length,
                  bool inverse = false, bool onesided = false) {
  auto n = static_cast<int64_t>(input.size()) / parts;
  return run({1, 1, n, parts, length, inverse, onesided}, input);
}

void expectNear(const Doubles &got, const Doubles &expected,
                double tolerance = 1e-14) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i != got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], tolerance) << "element " << i;
}

TEST(DftTest, TransformsAPowerOfTwo) {
  EXPECT_EQ(transform({1, 2, 3, 4}, 1, 4),
            (Doubles{10, 0, -2, 2, -2, 0, -2, -2}));
  EXPECT_EQ(transform({7}, 1, 1), (Doubles{7, 0}));
  EXPECT_EQ(transform({1, 2, 5, -3}, 2, 2), (Doubles{6, -1, -4, 5}));
}

TEST(DftTest, TransformsOtherLengths) {
  double half = std::sqrt(3) / 2;
  expectNear(transform({1, 2, 3}, 1, 3), {6, 0, -1.5, half, -1.5, -half});
  // numpy.fft.fft([1 + 1j, 2, 0, -1, 3])
  expectNear(transform({1, 1, 2, 0, 0, 0, -1, 0, 3, 0}, 2, 5),
             {5, 1, 3.3541019662496847, 1.3632712640026803, //
              -3.3541019662496847, 2.5388417685876266,      //
              -3.3541019662496847, -0.5388417685876266,     //
              3.3541019662496847, 0.6367287359973197});
}

TEST(DftTest, InvertsItself) {
  for (int64_t length : {1, 2, 3, 7, 8, 15, 16, 100}) {
    Doubles signal;
    for (int64_t i = 0; i != 2 * length; ++i)
      signal.push_back(static_cast<double>(i * i % 11) - 5);
    expectNear(transform(transform(signal, 2, length), 2, length, true), signal,
               1e-13);
  }
}

TEST(DftTest, LeavesOutTheMirroredHalf) {
  EXPECT_EQ(transform({1, 2, 3, 4}, 1, 4, false, true),
            (Doubles{10, 0, -2, 2, -2, 0}));
  expectNear(transform({1, 2, 3}, 1, 3, false, true),
             {6, 0, -1.5, std::sqrt(3) / 2});
  for (int64_t length : {1, 2, 5, 6, 8, 9}) {
    Doubles signal;
    for (int64_t i = 0; i != length; ++i)
      signal.push_back(static_cast<double>(i * i % 7) - 3);
    Doubles half = transform(signal, 1, length, false, true);
    expectNear(transform(half, 2, length, true, true), signal, 1e-13);
  }
  // What is its own mirror image counts as real: numpy.fft.irfft.
  expectNear(transform({10, 9, -2, 2, -2, 5}, 2, 4, true, true), {1, 2, 3, 4});
}

TEST(DftTest, CutsAndFillsUp) {
  EXPECT_EQ(transform({1, 2, 3, 4}, 1, 2), (Doubles{3, 0, -1, 0}));
  EXPECT_EQ(transform({1, 2}, 1, 4), (Doubles{3, 0, 1, -2, -1, 0, 1, 2}));
  EXPECT_EQ(transform({}, 1, 2), (Doubles{0, 0, 0, 0}));
  // numpy.fft.irfft([4 + 1j, 2 - 1j], 4): the third is zero.
  expectNear(transform({4, 1, 2, -1}, 2, 4, true, true), {2, 1.5, 0, 0.5});
}

/// A single one at position 1 becomes the circle, in small and large memory.
TEST(DftTest, TransformsLongSignals) {
  for (int64_t length : {1000, 8192, 8193, 16384, 30011}) {
    Doubles signal(length);
    signal[1] = 1;
    Doubles circle = transform(signal, 1, length);
    for (int64_t k = 0; k != length; ++k) {
      auto angle =
          -2 * M_PI * static_cast<double>(k) / static_cast<double>(length);
      auto point = std::polar(1.0, angle);
      ASSERT_NEAR(circle[2 * k], point.real(), 1e-12) << k << " of " << length;
      ASSERT_NEAR(circle[2 * k + 1], point.imag(), 1e-12);
    }
  }
}

/// Six lines along the middle of [2, n, 3], which fill more than one iteration.
TEST(DftTest, TransformsLinesSideBySide) {
  for (int64_t n : {4, 5}) {
    Doubles input;
    for (int64_t i = 0; i != 2 * n * 3; ++i)
      input.push_back(static_cast<double>(i * i % 13));
    Doubles all = run({6, 3, n, 1, n, 0, 0}, input);
    for (int64_t line = 0; line != 6; ++line) {
      int64_t first = line / 3 * n * 3 + line % 3;
      Doubles own;
      for (int64_t k = 0; k != n; ++k)
        own.push_back(input[first + 3 * k]);
      Doubles expected = transform(own, 1, n);
      for (int64_t k = 0; k != n; ++k) {
        EXPECT_EQ(all[2 * (first + 3 * k)], expected[2 * k]);
        EXPECT_EQ(all[2 * (first + 3 * k) + 1], expected[2 * k + 1]);
      }
    }
  }
}

TEST(DftTest, TransformsNarrowFloats) {
  std::vector<lz::Half> input = {lz::Half(1), lz::Half(2), lz::Half(3)};
  std::vector<lz::Half> result(6);
  Doubles scratch(getScratchSize(3));
  LzDft how = {1, 1, 3, 1, 3, 0, 0};
  lz_dft_f16(&how, input.data(), result.data(), scratch.data(), 0, 1);
  Floats expected = {6, 0, -1.5f, 0.86621094f, -1.5f, -0.86621094f};
  for (size_t i = 0; i != 6; ++i)
    EXPECT_EQ(float(result[i]), expected[i]);
}

//===----------------------------------------------------------------------===//
// Det
//===----------------------------------------------------------------------===//

Floats det(const Floats &input, int64_t n, int64_t count) {
  Floats result(count, NAN);
  Doubles scratch(n * n);
  lz_det_f32(input.data(), result.data(), scratch.data(), n, 0, count);
  return result;
}

TEST(DetTest, DoesTheExamplesOfTheStandard) {
  EXPECT_EQ(det({0, 1, 2, 3}, 2, 1), (Floats{-2}));
  EXPECT_EQ(det({1, 2, 3, 4, 1, 2, 2, 1, 1, 3, 3, 1}, 2, 3),
            (Floats{-2, -3, -8}));
}

TEST(DetTest, CountsExchangedRows) {
  EXPECT_EQ(det({0, 1, 0, 0, 0, 1, 1, 0, 0}, 3, 1), (Floats{1}));
  EXPECT_EQ(det({0, 1, 0, 1, 0, 0, 0, 0, 1}, 3, 1), (Floats{-1}));
  EXPECT_FLOAT_EQ(det({2, -1, 3, 4, 5, -2, 7, 0, 1}, 3, 1)[0], -77);
}

TEST(DetTest, TakesSingularAndEmptyMatrices) {
  EXPECT_EQ(det({1, 2, 2, 4}, 2, 1), (Floats{0}));
  EXPECT_EQ(det(Floats(9), 3, 1), (Floats{0}));
  EXPECT_EQ(det({}, 0, 2), (Floats{1, 1}));
  EXPECT_EQ(det({-5}, 1, 1), (Floats{-5}));
  EXPECT_TRUE(std::isnan(det({NAN, 1, 2, 3}, 2, 1)[0]));
}

TEST(DetTest, RoundsNarrowFloatsOnce) {
  std::vector<lz::Half> input = {lz::Half(300), lz::Half(1), lz::Half(299),
                                 lz::Half(2)};
  lz::Half result;
  Doubles scratch(4);
  lz_det_f16(input.data(), &result, scratch.data(), 2, 0, 1);
  EXPECT_EQ(float(result), 301);
}

} // namespace
