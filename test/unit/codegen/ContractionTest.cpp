//===- ContractionTest.cpp - matmul and convolutions against plain loops --===//

#include "KernelJit.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace lz::test;

namespace {

using Floats = std::vector<float>;

/// Small numbers whose products and sums are exact in float.
Floats fill(int64_t count, int64_t seed) {
  Floats values;
  for (int64_t i = 0; i != count; ++i)
    values.push_back(static_cast<float>((i * 7 + seed * 5) % 13 - 6) / 4);
  return values;
}

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

/// lhs [m, k] (or [k, m]) times rhs [k, n] (or [n, k]).
Floats multiply(const Floats &lhs, const Floats &rhs, int64_t m, int64_t k,
                int64_t n, bool swapLhs = false, bool swapRhs = false) {
  Floats result(m * n);
  for (int64_t i = 0; i != m; ++i)
    for (int64_t j = 0; j != n; ++j)
      for (int64_t t = 0; t != k; ++t)
        result[i * n + j] += (swapLhs ? lhs[t * m + i] : lhs[i * k + t]) *
                             (swapRhs ? rhs[j * k + t] : rhs[t * n + j]);
  return result;
}

TEST(MatmulKernel, MultipliesMatricesOfAnySize) {
  KernelJit kernel(R"(
    func.func private @k(
        %x: tensor<?x?xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<s1>]},
        %y: tensor<?x?xf32> {lz.dims = [#lz.expr<s1>, #lz.expr<s2>]})
        -> tensor<?x?xf32>
        attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 9999, dim>,
          #lz.symbol<s1, 0, 9999, dim>, #lz.symbol<s2, 0, 9999, dim>]} {
      %0 = lz.matmul %x, %y
          : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    })");
  for (auto [m, k, n] : {std::array<int64_t, 3>{1, 1, 1},
                         {7, 5, 33},
                         {13, 64, 16},
                         {0, 3, 4},
                         {3, 0, 4},
                         {3, 4, 0},
                         {600, 3, 70}})
    for (int64_t chunk : {1, 1000}) {
      Floats x = fill(m * k, 1), y = fill(k * n, 2), z(m * n, -99);
      kernel.run({x.data(), y.data(), z.data()}, chunk,
                 {{"s0", m}, {"s1", k}, {"s2", n}});
      EXPECT_EQ(z, multiply(x, y, m, k, n)) << m << " " << k << " " << n;
    }
}

TEST(MatmulKernel, MultipliesTransposedOperands) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<5x9xf32>, %y: tensor<21x5xf32>)
        -> tensor<9x21xf32> attributes {lzx.kernel} {
      %0 = lz.matmul %x, %y {transpose_lhs, transpose_rhs}
          : (tensor<5x9xf32>, tensor<21x5xf32>) -> tensor<9x21xf32>
      return %0 : tensor<9x21xf32>
    })");
  Floats x = fill(45, 1), y = fill(105, 2), z(9 * 21);
  kernel.run({x.data(), y.data(), z.data()}, 1);
  EXPECT_EQ(z, multiply(x, y, 9, 5, 21, true, true));
}

TEST(MatmulKernel, BroadcastsBatches) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<2x1x3x4xf32>, %y: tensor<3x4x5xf32>)
        -> tensor<2x3x3x5xf32> attributes {lzx.kernel} {
      %0 = lz.matmul %x, %y
          : (tensor<2x1x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x3x5xf32>
      return %0 : tensor<2x3x3x5xf32>
    })");
  Floats x = fill(24, 1), y = fill(60, 2), z(90), expected;
  for (int64_t a = 0; a != 2; ++a)
    for (int64_t b = 0; b != 3; ++b) {
      Floats part = multiply(
          Floats(x.begin() + a * 12, x.begin() + a * 12 + 12),
          Floats(y.begin() + b * 20, y.begin() + b * 20 + 20), 3, 4, 5);
      expected.insert(expected.end(), part.begin(), part.end());
    }
  kernel.run({x.data(), y.data(), z.data()}, 2);
  EXPECT_EQ(z, expected);
}

TEST(MatmulKernel, MultipliesVectors) {
  KernelJit rows(R"(
    func.func private @k(%x: tensor<2x3x4xf32>, %y: tensor<4xf32>)
        -> tensor<2x3xf32> attributes {lzx.kernel} {
      %0 = lz.matmul %x, %y
          : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    })");
  Floats x = fill(24, 1), y = fill(4, 2), z(6);
  rows.run({x.data(), y.data(), z.data()}, 1);
  EXPECT_EQ(z, multiply(x, y, 6, 4, 1));
  KernelJit columns(R"(
    func.func private @k(%x: tensor<4xf32>, %y: tensor<4x40xf32>)
        -> tensor<40xf32> attributes {lzx.kernel} {
      %0 = lz.matmul %x, %y : (tensor<4xf32>, tensor<4x40xf32>) -> tensor<40xf32>
      return %0 : tensor<40xf32>
    })");
  Floats wide = fill(160, 3), result(40);
  columns.run({y.data(), wide.data(), result.data()}, 1);
  EXPECT_EQ(result, multiply(y, wide, 1, 4, 40));
}

/// A bias of the columns, an activation, and a second result.
TEST(MatmulKernel, AppliesWhatFollows) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<7x5xf32>, %y: tensor<5x19xf32>,
                         %b: tensor<19xf32>)
        -> (tensor<7x19xf32>, tensor<7x19xi1>) attributes {lzx.kernel} {
      %0 = lz.matmul %x, %y
          : (tensor<7x5xf32>, tensor<5x19xf32>) -> tensor<7x19xf32>
      %1 = lz.binary <add> %0, %b
          : (tensor<7x19xf32>, tensor<19xf32>) -> tensor<7x19xf32>
      %2 = lz.unary <relu> %1 : (tensor<7x19xf32>) -> tensor<7x19xf32>
      %3 = lz.compare <lt> %0, %2
          : (tensor<7x19xf32>, tensor<7x19xf32>) -> tensor<7x19xi1>
      return %2, %3 : tensor<7x19xf32>, tensor<7x19xi1>
    })");
  Floats x = fill(35, 1), y = fill(95, 2), b = fill(19, 3), z(133);
  std::vector<char> less(133, 7);
  kernel.run({x.data(), y.data(), b.data(), z.data(), less.data()}, 1);
  Floats product = multiply(x, y, 7, 5, 19);
  for (int64_t i = 0; i != 133; ++i) {
    float relu = std::max(product[i] + b[i % 19], 0.0f);
    EXPECT_EQ(z[i], relu) << i;
    EXPECT_EQ(less[i], product[i] < relu) << i;
  }
}

TEST(MatmulKernel, ComputesInOtherTypes) {
  KernelJit doubles(R"(
    func.func private @k(%x: tensor<3x4xf64>, %y: tensor<4x9xf64>)
        -> tensor<3x9xf64> attributes {lzx.kernel} {
      %0 = lz.matmul %x, %y
          : (tensor<3x4xf64>, tensor<4x9xf64>) -> tensor<3x9xf64>
      return %0 : tensor<3x9xf64>
    })");
  Floats fx = fill(12, 1), fy = fill(36, 2),
         expected = multiply(fx, fy, 3, 4, 9);
  std::vector<double> dx(fx.begin(), fx.end()), dy(fy.begin(), fy.end()),
      dz(27);
  doubles.run({dx.data(), dy.data(), dz.data()}, 1);
  EXPECT_EQ(Floats(dz.begin(), dz.end()), expected);
  KernelJit ints(R"(
    func.func private @k(%x: tensor<3x4xi32>, %y: tensor<4x9xi32>)
        -> tensor<3x9xi32> attributes {lzx.kernel} {
      %0 = lz.matmul %x, %y
          : (tensor<3x4xi32>, tensor<4x9xi32>) -> tensor<3x9xi32>
      return %0 : tensor<3x9xi32>
    })");
  std::vector<int32_t> ix, iy, iz(27);
  for (float value : fx)
    ix.push_back(static_cast<int32_t>(value * 4));
  for (float value : fy)
    iy.push_back(static_cast<int32_t>(value * 4));
  ints.run({ix.data(), iy.data(), iz.data()}, 1);
  for (int64_t i = 0; i != 27; ++i)
    EXPECT_EQ(static_cast<float>(iz[i]), expected[i] * 16);
}

/// Sums of narrow floats stay in f32: 300 ones would stop at 256 in bf16.
TEST(MatmulKernel, SumsNarrowFloatsInF32) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<1x300xbf16>, %y: tensor<300x1xbf16>)
        -> tensor<1x1xbf16> attributes {lzx.kernel} {
      %0 = lz.matmul %x, %y
          : (tensor<1x300xbf16>, tensor<300x1xbf16>) -> tensor<1x1xbf16>
      return %0 : tensor<1x1xbf16>
    })");
  std::vector<uint16_t> ones(300, 0x3f80), sum(1);
  kernel.run({ones.data(), ones.data(), sum.data()}, 1);
  EXPECT_EQ(sum[0], 0x4396); // 300
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Two spatial dimensions, as the standard's text has it.
struct Conv2d {
  int64_t n = 1, c = 1, h = 1, w = 1, m = 1, kh = 1, kw = 1;
  int64_t strideH = 1, strideW = 1, lowH = 0, lowW = 0, dilationH = 1,
          dilationW = 1, groups = 1;
  int64_t oh = 1, ow = 1;

  Floats forward(const Floats &x, const Floats &f, const Floats &b) const {
    Floats y(n * m * oh * ow);
    int64_t cg = c / groups, mg = m / groups;
    for (int64_t i = 0; i != n * m * oh * ow; ++i) {
      int64_t ox = i % ow, oy = i / ow % oh, o = i / ow / oh % m;
      int64_t batch = i / ow / oh / m;
      y[i] = b.empty() ? 0 : b[o];
      for (int64_t t = 0; t != cg * kh * kw; ++t) {
        int64_t kx = t % kw, ky = t / kw % kh, ic = t / kw / kh;
        int64_t ix = ox * strideW + kx * dilationW - lowW;
        int64_t iy = oy * strideH + ky * dilationH - lowH;
        if (ix < 0 || ix >= w || iy < 0 || iy >= h)
          continue;
        int64_t channel = o / mg * cg + ic;
        y[i] += x[((batch * c + channel) * h + iy) * w + ix] *
                f[(o * cg + ic) * kh * kw + ky * kw + kx];
      }
    }
    return y;
  }

  /// Scatters: each input element adds to the outputs it reaches.
  Floats transposed(const Floats &x, const Floats &f, const Floats &b) const {
    Floats y(n * m * oh * ow);
    for (size_t i = 0; i != y.size(); ++i)
      y[i] = b.empty() ? 0 : b[i / (oh * ow) % m];
    int64_t cg = c / groups, mg = m / groups;
    for (int64_t i = 0; i != n * c * h * w; ++i) {
      int64_t ix = i % w, iy = i / w % h, ic = i / w / h % c;
      int64_t batch = i / w / h / c;
      for (int64_t t = 0; t != mg * kh * kw; ++t) {
        int64_t kx = t % kw, ky = t / kw % kh, o = t / kw / kh;
        int64_t ox = ix * strideW + kx * dilationW - lowW;
        int64_t oy = iy * strideH + ky * dilationH - lowH;
        if (ox < 0 || ox >= ow || oy < 0 || oy >= oh)
          continue;
        int64_t channel = ic / cg * mg + o;
        y[((batch * m + channel) * oh + oy) * ow + ox] +=
            x[i] * f[(ic * mg + o) * kh * kw + ky * kw + kx];
      }
    }
    return y;
  }
};

TEST(ConvKernel, PadsStridesAndDilates) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<2x3x9x8xf32>, %f: tensor<7x3x3x2xf32>,
                         %b: tensor<7xf32>)
        -> tensor<2x7x5x7xf32> attributes {lzx.kernel} {
      %0 = lz.conv %x, %f bias %b strides [2, 1] low [1, 0] high [2, 1]
          dilations [1, 2] groups 1
          : (tensor<2x3x9x8xf32>, tensor<7x3x3x2xf32>, tensor<7xf32>)
          -> tensor<2x7x5x7xf32>
      %1 = lz.unary <relu> %0 : (tensor<2x7x5x7xf32>) -> tensor<2x7x5x7xf32>
      return %1 : tensor<2x7x5x7xf32>
    })");
  Conv2d conv;
  conv.n = 2, conv.c = 3, conv.h = 9, conv.w = 8, conv.m = 7, conv.kh = 3,
  conv.kw = 2, conv.strideH = 2, conv.lowH = 1, conv.dilationW = 2, conv.oh = 5,
  conv.ow = 7;
  Floats x = fill(2 * 3 * 72, 1), f = fill(7 * 18, 2), b = fill(7, 3);
  Floats expected = conv.forward(x, f, b);
  for (float &value : expected)
    value = std::max(value, 0.0f);
  for (int64_t chunk : {1, 100}) {
    Floats y(expected.size(), -99);
    kernel.run({x.data(), f.data(), b.data(), y.data()}, chunk);
    EXPECT_EQ(y, expected);
  }
}

TEST(ConvKernel, GroupsChannelsOfAnyPicture) {
  KernelJit kernel(R"(
    func.func private @k(
        %x: tensor<?x4x?x?xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<4>,
                                            #lz.expr<s1>, #lz.expr<s2>]},
        %f: tensor<8x2x3x3xf32>) -> tensor<?x8x?x?xf32>
        attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 9, dim>,
          #lz.symbol<s1, 1, 99, dim>, #lz.symbol<s2, 1, 99, dim>]} {
      %0 = lz.conv %x, %f strides [1, 1] low [1, 1] high [1, 1]
          dilations [1, 1] groups 2
          : (tensor<?x4x?x?xf32>, tensor<8x2x3x3xf32>) -> tensor<?x8x?x?xf32>
      return %0 : tensor<?x8x?x?xf32>
    })");
  for (auto [n, h, w] :
       {std::array<int64_t, 3>{1, 1, 1}, {2, 5, 6}, {1, 11, 17}}) {
    Conv2d conv;
    conv.n = n, conv.c = 4, conv.h = conv.oh = h, conv.w = conv.ow = w,
    conv.m = 8, conv.kh = conv.kw = 3, conv.lowH = conv.lowW = 1,
    conv.groups = 2;
    Floats x = fill(n * 4 * h * w, 1), f = fill(144, 2), y(n * 8 * h * w, -99);
    kernel.run({x.data(), f.data(), y.data()}, 1,
               {{"s0", n}, {"s1", h}, {"s2", w}});
    EXPECT_EQ(y, conv.forward(x, f, {})) << n << " " << h << " " << w;
  }
}

/// Depthwise, then a product with one number for each channel.
TEST(ConvKernel, ConvolvesEachChannelAlone) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<1x5x6x7xf32>, %f: tensor<5x1x3x3xf32>,
                         %s: tensor<1x5x1x1xf32>)
        -> tensor<1x5x3x4xf32> attributes {lzx.kernel} {
      %0 = lz.conv %x, %f strides [2, 2] low [1, 1] high [1, 1]
          dilations [1, 1] groups 5
          : (tensor<1x5x6x7xf32>, tensor<5x1x3x3xf32>) -> tensor<1x5x3x4xf32>
      %1 = lz.binary <mul> %0, %s
          : (tensor<1x5x3x4xf32>, tensor<1x5x1x1xf32>) -> tensor<1x5x3x4xf32>
      return %1 : tensor<1x5x3x4xf32>
    })");
  Conv2d conv;
  conv.c = conv.m = conv.groups = 5, conv.h = 6, conv.w = 7,
  conv.kh = conv.kw = 3, conv.strideH = conv.strideW = 2,
  conv.lowH = conv.lowW = 1, conv.oh = 3, conv.ow = 4;
  Floats x = fill(210, 1), f = fill(45, 2), s = fill(5, 3), y(60);
  Floats expected = conv.forward(x, f, {});
  for (int64_t i = 0; i != 60; ++i)
    expected[i] *= s[i / 12];
  kernel.run({x.data(), f.data(), s.data(), y.data()}, 1);
  EXPECT_EQ(y, expected);
}

/// One tap: the input is the matrix, and a residual is added.
TEST(ConvKernel, MultipliesPointsAndAddsAResidual) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<2x5x4x9xf32>, %f: tensor<40x5x1x1xf32>,
                         %r: tensor<2x40x4x9xf32>)
        -> tensor<2x40x4x9xf32> attributes {lzx.kernel} {
      %0 = lz.conv %x, %f strides [1, 1] low [0, 0] high [0, 0]
          dilations [1, 1] groups 1
          : (tensor<2x5x4x9xf32>, tensor<40x5x1x1xf32>) -> tensor<2x40x4x9xf32>
      %1 = lz.binary <add> %0, %r
          : (tensor<2x40x4x9xf32>, tensor<2x40x4x9xf32>) -> tensor<2x40x4x9xf32>
      return %1 : tensor<2x40x4x9xf32>
    })");
  Conv2d conv;
  conv.n = 2, conv.c = 5, conv.h = conv.oh = 4, conv.w = conv.ow = 9,
  conv.m = 40;
  Floats x = fill(360, 1), f = fill(200, 2), r = fill(2880, 3), y(2880);
  Floats expected = conv.forward(x, f, {});
  for (size_t i = 0; i != expected.size(); ++i)
    expected[i] += r[i];
  kernel.run({x.data(), f.data(), r.data(), y.data()}, 1);
  EXPECT_EQ(y, expected);
}

TEST(ConvKernel, ConvolvesOneAndThreeDimensions) {
  KernelJit line(R"(
    func.func private @k(%x: tensor<1x2x11xf32>, %f: tensor<3x2x4xf32>)
        -> tensor<1x3x4xf32> attributes {lzx.kernel} {
      %0 = lz.conv %x, %f strides [2] low [0] high [0] dilations [1] groups 1
          : (tensor<1x2x11xf32>, tensor<3x2x4xf32>) -> tensor<1x3x4xf32>
      return %0 : tensor<1x3x4xf32>
    })");
  Conv2d conv;
  conv.c = 2, conv.w = 11, conv.m = 3, conv.kw = 4, conv.strideW = 2,
  conv.ow = 4;
  Floats x = fill(22, 1), f = fill(24, 2), y(12);
  line.run({x.data(), f.data(), y.data()}, 1);
  EXPECT_EQ(y, conv.forward(x, f, {}));
  // A third dimension of one tap: two pictures side by side.
  KernelJit space(R"(
    func.func private @k(%x: tensor<1x1x2x5x4xf32>, %f: tensor<1x1x1x2x3xf32>)
        -> tensor<1x1x2x4x2xf32> attributes {lzx.kernel} {
      %0 = lz.conv %x, %f strides [1, 1, 1] low [0, 0, 0] high [0, 0, 0]
          dilations [1, 1, 1] groups 1
          : (tensor<1x1x2x5x4xf32>, tensor<1x1x1x2x3xf32>)
          -> tensor<1x1x2x4x2xf32>
      return %0 : tensor<1x1x2x4x2xf32>
    })");
  Conv2d picture;
  picture.n = 2, picture.h = 5, picture.w = 4, picture.kh = 2, picture.kw = 3,
  picture.oh = 4, picture.ow = 2;
  Floats x3 = fill(40, 1), f3 = fill(6, 2), y3(16);
  space.run({x3.data(), f3.data(), y3.data()}, 1);
  EXPECT_EQ(y3, picture.forward(x3, f3, {}));
}

TEST(ConvTransposeKernel, SpreadsTheInput) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<2x4x3x5xf32>, %f: tensor<4x3x3x2xf32>,
                         %b: tensor<6xf32>)
        -> tensor<2x6x6x6xf32> attributes {lzx.kernel} {
      %0 = lz.conv_transpose %x, %f bias %b strides [2, 1] low [1, 0]
          high [1, 1] extra [1, 0] dilations [1, 2] groups 2
          : (tensor<2x4x3x5xf32>, tensor<4x3x3x2xf32>, tensor<6xf32>)
          -> tensor<2x6x6x6xf32>
      return %0 : tensor<2x6x6x6xf32>
    })");
  Conv2d conv;
  conv.n = 2, conv.c = 4, conv.h = 3, conv.w = 5, conv.m = 6, conv.kh = 3,
  conv.kw = 2, conv.strideH = 2, conv.lowH = 1, conv.dilationW = 2,
  conv.groups = 2, conv.oh = 6, conv.ow = 6;
  Floats x = fill(120, 1), f = fill(72, 2), b = fill(6, 3);
  for (int64_t chunk : {1, 100}) {
    Floats y(2 * 6 * 36, -99);
    kernel.run({x.data(), f.data(), b.data(), y.data()}, chunk);
    EXPECT_EQ(y, conv.transposed(x, f, b));
  }
}

} // namespace
