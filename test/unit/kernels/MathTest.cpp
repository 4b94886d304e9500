//===- MathTest.cpp - f32 functions against double libm -------------------===//
//
// Sweeps bit patterns over all exponents and both signs. The true value is
// libm's in double, whose own error is far below half a float ulp.
//
//===----------------------------------------------------------------------===//

#include "kernels/Kernels.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct UnaryCase {
  const char *name;
  float (*function)(float);
  double (*truth)(double);
  double ulps;
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

float floatOfBits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// The distance of two floats' neighbours at `x`.
double ulpOf(double x) {
  int exponent = x == 0 ? -149 : std::ilogb(x) - 23;
  return std::ldexp(1.0, exponent < -149 ? -149 : exponent);
}

/// How many ulps `got` is off `truth`; infinite if one is NaN or infinite and
/// the other is not (overflow at the rounding boundary excepted).
double ulpsOff(float got, double truth) {
  auto rounded = static_cast<float>(truth);
  if (std::isnan(got) || std::isnan(rounded))
    return std::isnan(got) && std::isnan(rounded) ? 0 : kInf;
  if (got == rounded)
    return 0;
  constexpr double most = std::numeric_limits<float>::max();
  if (std::isinf(got) || std::isinf(rounded))
    return std::isinf(got) && std::fabs(truth) > most * (1 - 1e-7) ? 1 : kInf;
  return std::fabs(got - truth) / ulpOf(truth);
}

/// Returns true if this machine can run the code under test.
bool canRun() {
#ifdef LZ_TEST_FMA
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

class MathTest : public testing::Test {
  void SetUp() override {
    if (!canRun())
      GTEST_SKIP() << "this CPU has no FMA";
  }
};
class PowTest : public MathTest {};
class TrigonometryTest : public MathTest {};
class UnaryTest : public MathTest,
                  public testing::WithParamInterface<UnaryCase> {};

TEST_P(UnaryTest, IsWithinItsBoundOverAllExponents) {
  const UnaryCase &test = GetParam();
  double worst = 0;
  float where = 0;
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 9001) {
    float x = floatOfBits(static_cast<uint32_t>(bits));
    double off = ulpsOff(test.function(x), test.truth(x));
    if (off > worst)
      worst = off, where = x;
  }
  EXPECT_LE(worst, test.ulps)
      << test.name << " at " << where << ": " << test.function(where) << " for "
      << test.truth(where);
}

/// Every float in [0.5, 2] of both signs: where results cancel or turn.
TEST_P(UnaryTest, IsWithinItsBoundNearOne) {
  const UnaryCase &test = GetParam();
  double worst = 0;
  float where = 0;
  for (uint32_t bits = 0x3f000000u; bits <= 0x40000000u; bits += 7)
    for (uint32_t sign : {0u, 0x80000000u}) {
      float x = floatOfBits(bits | sign);
      double off = ulpsOff(test.function(x), test.truth(x));
      if (off > worst)
        worst = off, where = x;
    }
  EXPECT_LE(worst, test.ulps) << test.name << " at " << where;
}

TEST_P(UnaryTest, IsExactAtSpecialValues) {
  const UnaryCase &test = GetParam();
  for (float x : {0.0f, -0.0f, kInf, -kInf, kNan}) {
    auto truth = static_cast<float>(test.truth(x));
    float got = test.function(x);
    if (std::isnan(truth)) {
      EXPECT_TRUE(std::isnan(got)) << test.name << " of " << x;
      continue;
    }
    EXPECT_EQ(got, truth) << test.name << " of " << x;
    EXPECT_EQ(std::signbit(got), std::signbit(truth))
        << test.name << " of " << x;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, UnaryTest,
    testing::Values(UnaryCase{"exp", lz_exp_f32, std::exp, 2},
                    UnaryCase{"expm1", lz_expm1_f32, std::expm1, 1},
                    UnaryCase{"log", lz_log_f32, std::log, 2},
                    UnaryCase{"log1p", lz_log1p_f32, std::log1p, 1},
                    UnaryCase{"sigmoid", lz_sigmoid_f32, sigmoid, 2.5},
                    UnaryCase{"erf", lz_erf_f32, std::erf, 2},
                    UnaryCase{"sin", lz_sin_f32, std::sin, 1},
                    UnaryCase{"cos", lz_cos_f32, std::cos, 1},
                    UnaryCase{"tan", lz_tan_f32, std::tan, 1},
                    UnaryCase{"sinh", lz_sinh_f32, std::sinh, 1},
                    UnaryCase{"cosh", lz_cosh_f32, std::cosh, 1},
                    UnaryCase{"tanh", lz_tanh_f32, std::tanh, 2.5}),
    [](const auto &info) { return std::string(info.param.name); });

TEST_F(PowTest, IsWithinOneUlp) {
  double worst = 0;
  float worstX = 0, worstY = 0;
  for (uint64_t a = 0; a <= 0xffffffffu; a += 5000011)
    for (uint64_t b = 0; b <= 0xffffffffu; b += 7000003) {
      float x = floatOfBits(static_cast<uint32_t>(a));
      float y = floatOfBits(static_cast<uint32_t>(b));
      double off = ulpsOff(lz_pow_f32(x, y), std::pow(double(x), double(y)));
      if (off > worst)
        worst = off, worstX = x, worstY = y;
    }
  EXPECT_LE(worst, 1) << worstX << " to the " << worstY << ": "
                      << lz_pow_f32(worstX, worstY);
}

TEST_F(PowTest, HasTheSpecialCasesOfC) {
  for (float x : {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 2.0f, -2.0f, kInf,
                  -kInf, kNan, 1e-42f, -1e-42f, 3e38f})
    for (float y : {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 2.0f, 3.0f, -3.0f,
                    kInf, -kInf, kNan, 16777215.0f, 16777216.0f, 1e30f}) {
      float got = lz_pow_f32(x, y), truth = std::pow(x, y);
      EXPECT_TRUE(std::isnan(truth) ? std::isnan(got)
                                    : got == truth && std::signbit(got) ==
                                                          std::signbit(truth))
          << x << " to the " << y << ": " << got << " for " << truth;
    }
}

/// Numbers that lie closest to multiples of pi / 2, and the largest ones.
TEST_F(TrigonometryTest, ReducesLargeArgumentsWithoutLoss) {
  for (uint32_t bits = 0x4b000000u; bits < 0x7f800000u; bits += 10007) {
    float x = floatOfBits(bits);
    ASSERT_LE(ulpsOff(lz_sin_f32(x), std::sin(double(x))), 1) << x;
    ASSERT_LE(ulpsOff(lz_cos_f32(x), std::cos(double(x))), 1) << x;
  }
  float nearest = 0x1.e45fbcp76f; // next to a multiple of pi / 2
  EXPECT_LE(ulpsOff(lz_sin_f32(nearest), std::sin(double(nearest))), 1);
  EXPECT_LE(ulpsOff(lz_cos_f32(nearest), std::cos(double(nearest))), 1);
}

} // namespace
