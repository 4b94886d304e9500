// lz-run: how it compares outputs, reads their elements and reports to CI.
#include "tools/lz-run/Compare.h"
#include "tools/lz-run/Elements.h"
#include "tools/lz-run/JUnit.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace lz::run;

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

/// Compares vectors as one element type.
template <typename T>
static bool close(const std::vector<T> &output, const std::vector<T> &wanted,
                  Tolerance tolerance = {}) {
  auto n = int64_t(output.size()), m = int64_t(wanted.size());
  return compare(lz::Tensor::of<T>({n}, output), lz::Tensor::of<T>({m}, wanted),
                 tolerance)
      .passed;
}

TEST(Compare, FollowsItsRule) {
  float nan = NAN, inf = INFINITY;
  EXPECT_TRUE(close<float>({100, 0.009f}, {100, 0}));
  EXPECT_FALSE(close<float>({100, 0.011f}, {100, 0}));
  EXPECT_TRUE(close<float>({nan, inf, 1}, {nan, inf, 1}));
  EXPECT_FALSE(close<float>({1, 1}, {nan, 1}));
  EXPECT_FALSE(close<float>({nan, 1}, {1, 1}));
  EXPECT_FALSE(close<float>({-inf, 1}, {inf, 1}));
  EXPECT_FALSE(close<float>({inf, 1}, {1, 1}, {1e9, {}, {}}));
  EXPECT_FALSE(close<float>({1, 2}, {1}));
  EXPECT_TRUE(close<float>({}, {}));
  Tolerance relative;
  relative.rtol = 0.1;
  EXPECT_TRUE(close<float>({109, 0}, {100, 0}, relative));
  EXPECT_FALSE(close<float>({109, 0.1f}, {100, 0}, relative));
}

// f16 holds 11 bits and bf16 holds 8, so a value near 100 may move by 2/1024 or
// 2/128 of it without being wrong.
TEST(Compare, AllowsWhatTheElementTypeCanTell) {
  auto isClose = [](int32_t type, double value, Tolerance tolerance = {}) {
    lz::Tensor output(type, {1});
    *static_cast<uint16_t *>(output.data()) =
        type == LZ_F16 ? toHalf(value) : toBrain(value);
    auto reference = lz::Tensor::of<float>({1}, {100});
    return compare(output, reference, tolerance);
  };
  EXPECT_TRUE(isClose(LZ_F16, 100.125).passed);
  EXPECT_FALSE(isClose(LZ_F16, 100.25).passed);
  EXPECT_TRUE(isClose(LZ_BF16, 101.5).passed);
  EXPECT_FALSE(isClose(LZ_BF16, 102).passed);
  EXPECT_HAS(isClose(LZ_F16, 101).text, "tolerance 0.002, the default for f16");
  EXPECT_FALSE(isClose(LZ_F16, 100.125, {1e-4, {}, {}}).passed);
  EXPECT_HAS(isClose(LZ_F16, 101, {1e-4, {}, {}}).text, "tolerance 0.0001)");
  EXPECT_EQ(defaultTolerance(LZ_F32), 1e-4);
  for (int32_t type = LZ_F32; type <= LZ_I2; ++type)
    EXPECT_TRUE(defaultTolerance(type) < 1) << typeName(type);
}

TEST(Compare, LetsFewWholeNumbersBeOffByOne) {
  std::vector<int32_t> wanted(300, 5), output = wanted;
  output[0] = 6, output[1] = 4, output[2] = 6;
  EXPECT_TRUE(close(output, wanted));
  output[3] = 6;
  EXPECT_FALSE(close(output, wanted));
  EXPECT_FALSE(close<int32_t>({7, 5}, {5, 5}));
  EXPECT_TRUE(close<int32_t>({6, 5}, {5, 5}));
  EXPECT_FALSE(close<int32_t>({6, 6}, {5, 5}));
  lz::Tensor yes(LZ_BOOL, {1}), no(LZ_BOOL, {1});
  *yes.as<bool>() = true;
  EXPECT_FALSE(compare(yes, no, {}).passed);
}

TEST(Elements, DecodesSmallFloats) {
  auto value = [](int32_t type, uint8_t code) {
    lz::Tensor tensor(type, {1});
    *static_cast<uint8_t *>(tensor.data()) = code;
    return readNumber(tensor, 0);
  };
  // Largest numbers and smallest subnormals, from the formats' definitions.
  EXPECT_EQ(value(LZ_F8E4M3FN, 0x7e), 448);
  EXPECT_TRUE(std::isnan(value(LZ_F8E4M3FN, 0x7f)));
  EXPECT_EQ(value(LZ_F8E4M3FN, 0x01), std::ldexp(1, -9));
  EXPECT_EQ(value(LZ_F8E4M3FNUZ, 0x7f), 240);
  EXPECT_TRUE(std::isnan(value(LZ_F8E4M3FNUZ, 0x80)));
  EXPECT_EQ(value(LZ_F8E5M2, 0x7b), 57344);
  EXPECT_TRUE(std::isinf(value(LZ_F8E5M2, 0x7c)));
  EXPECT_EQ(value(LZ_F8E5M2FNUZ, 0x7f), 57344);
  EXPECT_EQ(value(LZ_F8E5M2FNUZ, 0x01), std::ldexp(1, -17));
  EXPECT_EQ(value(LZ_F4E2M1, 0x07), 6);
  EXPECT_EQ(value(LZ_F4E2M1, 0x09), -0.5);
  EXPECT_EQ(value(LZ_F8E8M0, 0), std::ldexp(1, -127));
  EXPECT_TRUE(std::isnan(value(LZ_F8E8M0, 255)));
}

TEST(Elements, RoundsToHalf) {
  EXPECT_EQ(toHalf(1), 0x3c00);
  EXPECT_EQ(toHalf(-65504), 0xfbff);
  EXPECT_EQ(toHalf(65520), 0x7c00);                  // a tie, to infinity
  EXPECT_EQ(toHalf(1 + std::ldexp(1, -11)), 0x3c00); // a tie, to even
  EXPECT_EQ(toHalf(1 + 3 * std::ldexp(1, -11)), 0x3c02);
  EXPECT_EQ(toHalf(std::ldexp(1, -24)), 1);
  EXPECT_EQ(toHalf(std::ldexp(1, -25)), 0);
  EXPECT_EQ(toHalf(0), 0);
  EXPECT_EQ(toBrain(1), 0x3f80);
  EXPECT_EQ(toBrain(-0.5), 0xbf00);
}

// The characters that XML 1.0 allows are from its section 2.2.
TEST(JUnit, EscapesWhatXmlCannotHold) {
  auto name = [](const std::string &text) {
    std::string report = junitReport(text, {});
    size_t from = report.find("<testsuite name=") + 16;
    return report.substr(from, report.find(" tests=", from) - from);
  };
  const char *bad = "\xef\xbf\xbd"; // U+FFFD
  EXPECT_EQ(name("a<b>&'\""), "\"a&#60;b&#62;&#38;&#39;&#34;\"");
  EXPECT_EQ(name("1\n2\t3"), "\"1&#10;2&#9;3\"");
  EXPECT_EQ(name("\u00e4\u20ac\U0001f600"), "\"\u00e4\u20ac\U0001f600\"");
  EXPECT_EQ(name(std::string("\x01\0", 2)),
            std::string("\"") + bad + bad + "\"");
  // A cut character, an overlong one, a surrogate, a noncharacter.
  EXPECT_EQ(name("\xe2\x82"), std::string("\"") + bad + bad + "\"");
  EXPECT_EQ(name("\xc0\xaf"), std::string("\"") + bad + bad + "\"");
  EXPECT_EQ(name("\xed\xa0\x80")[1], '\xef');
  EXPECT_EQ(name("\xef\xbf\xbe"), std::string("\"") + bad + bad + bad + "\"");
}
