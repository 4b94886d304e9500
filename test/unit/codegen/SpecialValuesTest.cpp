//===- SpecialValuesTest.cpp - NaN, infinities and limits -----------------===//

#include "KernelJit.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace lz::test;

static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
static constexpr float kInf = std::numeric_limits<float>::infinity();

/// A kernel `@k(%x: tensor<6xf32>) -> tensor<6x<to>>` that casts.
static std::string getCast(const std::string &to, bool saturate = true) {
  std::string attrs = saturate ? "" : " {saturate = false}";
  return "func.func private @k(%x: tensor<6xf32>) -> tensor<6x" + to +
         "> attributes {lzx.kernel} { %0 = lz.cast %x to " + to + attrs +
         " : (tensor<6xf32>) -> tensor<6x" + to + "> return %0 : tensor<6x" +
         to + "> }";
}

template <typename T>
static std::vector<T> cast(const std::string &to, std::vector<float> values,
                           bool saturate = true) {
  std::vector<T> result(6);
  KernelJit(getCast(to, saturate)).run({values.data(), result.data()}, 4);
  return result;
}

/// By hand; those of 8 bits are also what numpy and ONNX Runtime give on x86.
TEST(SpecialValues, FloatsBeyondIntegers) {
  std::vector<float> x{kNan, kInf, -kInf, 3e9f, -3e9f, -2.9f};
  EXPECT_EQ(cast<int32_t>("i32", x),
            (std::vector<int32_t>{0, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN,
                                  -2}));
  EXPECT_EQ(cast<int8_t>("i8", x), (std::vector<int8_t>{0, 0, 0, 0, 0, -2}));
  EXPECT_EQ(cast<uint8_t>("ui8", x),
            (std::vector<uint8_t>{0, 0, 0, 0, 0, 254}));
  std::vector<float> y{300, -129, 255, 256, 32767, -32769};
  EXPECT_EQ(cast<int8_t>("i8", y),
            (std::vector<int8_t>{44, 127, -1, 0, -1, -1}));
  EXPECT_EQ(cast<uint8_t>("ui8", y),
            (std::vector<uint8_t>{44, 127, 255, 0, 255, 255}));
  EXPECT_EQ(cast<int16_t>("i16", y),
            (std::vector<int16_t>{300, -129, 255, 256, 32767, 32767}));
  EXPECT_EQ(cast<int64_t>("i64", x),
            (std::vector<int64_t>{0, INT64_MAX, INT64_MIN, 3000000000,
                                  -3000000000, -2}));
  EXPECT_EQ(cast<uint64_t>("ui64", x),
            (std::vector<uint64_t>{0, UINT64_MAX, 0, 3000000000, 0, 0}));
}

/// The codes of the ONNX specification's table of 8-bit floats.
TEST(SpecialValues, EightBitFloats) {
  std::vector<float> x{kNan, kInf, -1e6f, 448, -0.0f, 0.001953125f};
  EXPECT_EQ(cast<uint8_t>("f8E4M3FN", x),
            (std::vector<uint8_t>{0x7f, 0x7e, 0xfe, 0x7e, 0x80, 0x01}));
  EXPECT_EQ(cast<uint8_t>("f8E4M3FN", x, false),
            (std::vector<uint8_t>{0x7f, 0x7f, 0xff, 0x7e, 0x80, 0x01}));
  EXPECT_EQ(cast<uint8_t>("f8E5M2", x),
            (std::vector<uint8_t>{0x7f, 0x7b, 0xfb, 0x5f, 0x80, 0x18}));
  EXPECT_EQ(cast<uint8_t>("f8E5M2", x, false)[1], 0x7c);
  EXPECT_EQ(cast<uint8_t>("f8E4M3FNUZ", x),
            (std::vector<uint8_t>{0x80, 0x7f, 0xff, 0x7f, 0x00, 0x02}));
  EXPECT_EQ(cast<uint8_t>("f8E4M3FNUZ", x, false)[2], 0x80);
}

TEST(SpecialValues, NarrowFloats) {
  std::vector<float> x{kNan, kInf, 65520, 1.00390625f, 1.01171875f, 1e-8f};
  auto halves = cast<uint16_t>("f16", x);
  EXPECT_EQ(halves[0] & 0x7e00, 0x7e00);
  EXPECT_EQ(halves[1], 0x7c00);
  EXPECT_EQ(halves[2], 0x7c00);
  auto brains = cast<uint16_t>("bf16", x);
  EXPECT_EQ(brains[0] & 0x7fc0, 0x7fc0);
  EXPECT_EQ(brains[1], 0x7f80);
  EXPECT_EQ(brains[3], 0x3f80); // halfway, to even
  EXPECT_EQ(brains[4], 0x3f82);
}

/// The elements of `x` cast by a kernel that is emitted for `cpu`.
template <typename To, typename From>
std::vector<To> castFor(const char *cpu, const char *from, const char *to,
                        const std::vector<From> &x) {
  auto type = [&](const char *element) {
    return "tensor<" + std::to_string(x.size()) + "x" + element + ">";
  };
  KernelJit kernel("func.func private @k(%x: " + type(from) + ") -> " +
                       type(to) + " attributes {lzx.kernel} {\n" +
                       "%0 = lz.cast %x to " + to + " : (" + type(from) +
                       ") -> " + type(to) + "\nreturn %0 : " + type(to) + "\n}",
                   cpu);
  std::vector<From> input = x;
  std::vector<To> result(x.size());
  kernel.run({input.data(), result.data()}, 1 << 20);
  return result;
}

// Where the CPU has no instructions for f16, integer arithmetic gives what they
// give.
TEST(SpecialValues, HalfWithoutInstructions) {
  std::vector<uint16_t> codes(1 << 16);
  std::iota(codes.begin(), codes.end(), 0);
  auto isNan = [](uint16_t code) { return (code & 0x7fff) > 0x7c00; };
  auto wide = castFor<uint32_t>("x86-64-v3", "f16", "f32", codes);
  auto computed = castFor<uint32_t>("x86-64", "f16", "f32", codes);
  for (uint16_t code : codes)
    if (!isNan(code))
      ASSERT_EQ(computed[code], wide[code]) << code;
    else
      ASSERT_EQ(computed[code] & 0x7fc00000, 0x7fc00000) << code;
  // Each code's float, its neighbours, and points between codes.
  std::vector<uint32_t> floats;
  for (uint16_t code : codes)
    if (!isNan(code))
      for (uint32_t step : {0u, 1u, ~0u, 0x1000u, 0xfffu, 0x1001u})
        if (uint32_t bits = wide[code] + step;
            (bits & 0x7fffffff) <= 0x7f800000)
          floats.push_back(bits);
  EXPECT_EQ(castFor<uint16_t>("x86-64", "f32", "f16", floats),
            castFor<uint16_t>("x86-64-v3", "f32", "f16", floats));
}

TEST(SpecialValues, NanPropagates) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<4xf32>, %y: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
        attributes {lzx.kernel} {
      %0 = lz.binary <max> %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = lz.binary <min> %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %2 = lz.unary <relu> %x : (tensor<4xf32>) -> tensor<4xf32>
      return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    })");
  float x[4] = {kNan, 1, -kInf, kInf}, y[4] = {1, kNan, 2, 2};
  float max[4], min[4], relu[4];
  kernel.run({x, y, max, min, relu}, 4);
  for (int i : {0, 1}) {
    EXPECT_TRUE(std::isnan(max[i]));
    EXPECT_TRUE(std::isnan(min[i]));
  }
  EXPECT_EQ(max[2], 2);
  EXPECT_EQ(min[2], -kInf);
  EXPECT_EQ(max[3], kInf);
  EXPECT_TRUE(std::isnan(relu[0]));
  EXPECT_EQ(relu[2], 0);
}

/// A row of a softmax that holds a NaN is NaN, wherever it stands; others are
/// not.
TEST(SpecialValues, NanFillsItsRowOfASoftmax) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<40x39xf32>) -> tensor<40x39xf32>
        attributes {lzx.kernel} {
      %0 = lz.softmax <softmax> %x axis 1 : (tensor<40x39xf32>) -> tensor<40x39xf32>
      return %0 : tensor<40x39xf32>
    })");
  std::vector<float> x(40 * 39), y(40 * 39);
  for (int i = 0; i != 40 * 39; ++i)
    x[i] = static_cast<float>(i % 7);
  for (int row = 0; row != 39; ++row)
    x[row * 39 + row] = kNan;
  kernel.run({x.data(), y.data()}, 40);
  for (int i = 0; i != 40 * 39; ++i)
    EXPECT_EQ(std::isnan(y[i]), i < 39 * 39) << i;
}

/// What the kinds reduce nothing to.
TEST(SpecialValues, ReductionOfNothing) {
  KernelJit kernel(R"(
    func.func private @k(
        %x: tensor<2x?xf32> {lz.dims = [#lz.expr<2>, #lz.expr<s0>]})
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
        attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 9, dim>]} {
      %0 = lz.reduce <sum> %x axes [1] keep_dims false : (tensor<2x?xf32>) -> tensor<2xf32>
      %1 = lz.reduce <max> %x axes [1] keep_dims false : (tensor<2x?xf32>) -> tensor<2xf32>
      %2 = lz.reduce <prod> %x axes [1] keep_dims false : (tensor<2x?xf32>) -> tensor<2xf32>
      return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    })");
  float x[1] = {7}, sum[2], max[2], prod[2];
  kernel.run({x, sum, max, prod}, 1, {{"s0", 0}});
  EXPECT_EQ(sum[1], 0);
  EXPECT_EQ(max[1], -kInf);
  EXPECT_EQ(prod[1], 1);
}
