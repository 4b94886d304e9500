//===- FloatMath.h - branch-free float functions ----------------*- C++ -*-===//
//
// f32 functions that LLVM vectorises once they are inlined: no branch, no call,
// no table but for sin and cos. The fast ones work in float, the rest in
// double, where a plain polynomial is exact enough to round right almost
// always.
//
// Errors are within 2 ulp (2.5 for sigmoid and tanh) wherever the test sweeps;
// infinities, NaN and zeros are exact. Contraction to FMA is allowed, and the
// bounds hold with and without it.
//
//===----------------------------------------------------------------------===//
#ifndef KERNELS_FLOATMATH_H
#define KERNELS_FLOATMATH_H

#include <cstdint>
#include <cstring>
#include <limits>

#ifdef __clang__
#pragma clang fp contract(on)
#endif

#define LZ_INLINE static inline __attribute__((always_inline, unused))

namespace lz::math {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <typename To, typename From> LZ_INLINE To bitsTo(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

LZ_INLINE float copySign(float value, float sign) {
  return bitsTo<float>((bitsTo<uint32_t>(value) & 0x7fffffffu) |
                       (bitsTo<uint32_t>(sign) & 0x80000000u));
}

LZ_INLINE float absolute(float x) {
  return bitsTo<float>(bitsTo<uint32_t>(x) & 0x7fffffffu);
}

/// 2^n for n in the exponent range of normal numbers.
LZ_INLINE float powerOfTwo(int32_t n) {
  return bitsTo<float>(static_cast<uint32_t>(n + 127) << 23);
}
LZ_INLINE double powerOfTwo64(int64_t n) {
  return bitsTo<double>(static_cast<uint64_t>(n + 1023) << 52);
}

/// `x` rounded to an integer, for |x| < 2^22; also as an integer. Adding 1.5 *
/// 2^23 leaves the integer in the low bits: this vectorises on any CPU.
struct Rounded {
  float value;
  int32_t integer;
};
LZ_INLINE Rounded roundToInteger(float x) {
  constexpr float shift = 12582912.0f;
  float shifted = x + shift;
  return {shifted - shift,
          static_cast<int32_t>(bitsTo<uint32_t>(shifted) - 0x4b400000u)};
}
struct Rounded64 {
  double value;
  int64_t integer;
};
LZ_INLINE Rounded64 roundToInteger64(double x) {
  constexpr double shift = 6755399441055744.0; // 1.5 * 2^52
  double shifted = x + shift;
  return {shifted - shift, static_cast<int64_t>(bitsTo<uint64_t>(shifted) -
                                                0x4338000000000000u)};
}

/// x, or the bound that it is beyond. NaN stays what it is, so that functions
/// need not ask for it.
LZ_INLINE float atMost(float bound, float x) { return bound < x ? bound : x; }
LZ_INLINE float atLeast(float bound, float x) { return bound > x ? bound : x; }

/// x = n ln 2 + r with |r| <= ln 2 / 2, for |x| < 2^20; the power is
/// 2^(n + Bias), if that is a normal number.
struct Reduced {
  float r, power;
};
/// The sum with 1.5 * 2^23 + 127 + Bias has the power's exponent in its low
/// bits.
template <int Bias> LZ_INLINE Reduced reduce(float x) {
  constexpr float shift = 12582912.0f + 127 + Bias;
  float shifted = x * 1.44269504f + shift;
  float n = shifted - shift;
  float r = x - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  return {r, bitsTo<float>(bitsTo<uint32_t>(shifted) << 23)};
}

/// e^x. x = 2 n ln 2 + r; a polynomial for e^r; 2^n twice, which never leaves
/// the normal range, so that results below it are rounded once.
LZ_INLINE float exp(float x) {
  constexpr float shift = 12582912.0f + 127;
  float inside = atLeast(-104.0f, atMost(104.0f, x));
  float shifted = inside * 0.72134752f + shift;
  float n = shifted - shift;
  float r = inside - n * 1.38671875f;
  r = r - n * -4.24388880e-4f;
  float p = 2.44394687e-5f;
  p = p * r + 2.01103278e-4f;
  p = p * r + 1.38937205e-3f;
  p = p * r + 8.33252445e-3f;
  p = p * r + 4.16665263e-2f;
  p = p * r + 1.66666746e-1f;
  p = p * r + 5.00000000e-1f;
  p = p * (r * r) + r + 1.0f;
  float power = bitsTo<float>(bitsTo<uint32_t>(shifted) << 23);
  return p * power * power;
}

/// e^x - 1 without cancellation, for |x| < 80 or NaN.
LZ_INLINE float smallExpm1(float x) {
  auto [r, power] = reduce<0>(x);
  float p = 1.38825097e-3f;
  p = p * r + 8.36658012e-3f;
  p = p * r + 4.16672006e-2f;
  p = p * r + 1.66665435e-1f;
  p = p * r + 5.00000000e-1f;
  p = p * (r * r) + r;
  return p * power + (power - 1.0f);
}

/// ln x. x = m 2^e with m in [sqrt(1/2), sqrt(2)); a polynomial for ln m.
LZ_INLINE float log(float x) {
  bool small = x < 1.17549435e-38f;
  float scaled = small ? x * 8388608.0f : x;
  uint32_t bits = bitsTo<uint32_t>(scaled) - 0x3f3504f3u;
  auto e = static_cast<float>(static_cast<int32_t>(bits) >> 23) -
           (small ? 23.0f : 0.0f);
  float m = bitsTo<float>((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  float z = m * m;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  float y = m * z * p + e * -2.12194440e-4f - 0.5f * z;
  float result = m + y + e * 0.693359375f;
  result = x == kInfinity ? x : result;
  result = x == 0.0f ? -kInfinity : result;
  return x >= 0.0f ? result : kNan;
}

/// e^x / (1 + e^x), both times 2^64, so that small results keep their digits.
LZ_INLINE float sigmoid(float x) {
  auto [r, power] = reduce<64>(atLeast(-104.0f, atMost(18.0f, x)));
  float p = 1.38144672e-3f;
  p = p * r + 8.36878084e-3f;
  p = p * r + 4.16683927e-2f;
  p = p * r + 1.66665196e-1f;
  p = p * r + 4.99999940e-1f;
  p = p * (r * r) + r + 1.0f;
  float scaled = p * power;
  return scaled / (18446744073709551616.0f + scaled);
}

/// With u = e^2|x| - 1: u / (u + 2).
LZ_INLINE float tanh(float x) {
  float a = atMost(9.1f, absolute(x));
  float u = smallExpm1(a + a);
  return copySign(u / (u + 2.0f), x);
}

/// 1 - e^p, where p is a polynomial for ln(1 - erf |x|).
LZ_INLINE float erf(float x) {
  float a = atMost(3.95f, absolute(x));
  float p = 9.25689983e-6f;
  p = p * a - 1.17647115e-4f;
  p = p * a + 6.32858952e-4f;
  p = p * a - 1.66707009e-3f;
  p = p * a + 1.60441603e-4f;
  p = p * a + 1.91530380e-2f;
  p = p * a - 1.02777824e-1f;
  p = p * a - 6.36619389e-1f;
  p = p * a - 1.28379166e-1f;
  p = p * a - a;
  return copySign(smallExpm1(p), x);
}

/// e^x in double for |x| < 700, to a relative 2^-38.
LZ_INLINE double exp64(double x) {
  Rounded64 n = roundToInteger64(x * 1.4426950408889634);
  double r = x - n.value * 0.69314718055994531;
  double p = 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p * powerOfTwo64(n.integer);
}

/// ln x in double for positive normal x, to a relative 2^-38, from the series
/// of atanh.
LZ_INLINE double log64(double x) {
  constexpr uint64_t root = 0x3fe6a09e667f3bcdu; // sqrt(1/2)
  uint64_t bits = bitsTo<uint64_t>(x) - root;
  // The exponent as a double, without a 64-bit conversion.
  auto e = static_cast<double>(
      static_cast<int32_t>(static_cast<int64_t>(bits) >> 52));
  double m = bitsTo<double>((bits & 0xfffffffffffffu) + root);
  double s = (m - 1.0) / (m + 1.0);
  double z = s * s;
  double p = 2.0 / 15;
  p = p * z + 2.0 / 13;
  p = p * z + 2.0 / 11;
  p = p * z + 2.0 / 9;
  p = p * z + 2.0 / 7;
  p = p * z + 2.0 / 5;
  p = p * z + 2.0 / 3;
  p = p * z + 2.0;
  return e * 0.69314718055994531 + p * s;
}

/// A double to within what a finite or infinite float needs.
LZ_INLINE double clampExponent(double x) {
  x = x < 200.0 ? x : 200.0;
  return x > -200.0 ? x : -200.0;
}

/// x^y with the special cases of C's powf.
LZ_INLINE float pow(float x, float y) {
  float a = absolute(x);
  double l = y * log64(a);
  float r = static_cast<float>(exp64(clampExponent(l)));
  r = a == 1.0f ? 1.0f : r;
  bool growing = (a > 1.0f) == (y > 0.0f);
  bool edge = a == 0.0f || a == kInfinity || absolute(y) == kInfinity;
  float limit = a == 1.0f ? 1.0f : growing ? kInfinity : 0.0f;
  r = edge ? limit : r;
  // Every float of 2^24 or more is even.
  float half = absolute(y) < 16777216.0f ? y * 0.5f : 0.0f;
  bool integer = absolute(y) >= 8388608.0f || roundToInteger(y).value == y;
  bool odd = integer && absolute(y) < 16777216.0f &&
             static_cast<float>(static_cast<int32_t>(half)) != half;
  bool negative = bitsTo<int32_t>(x) < 0;
  r = negative && odd ? -r : r;
  r = x < 0.0f && x != -kInfinity && !integer ? kNan : r;
  r = x != x || y != y ? kNan : r;
  return y == 0.0f || x == 1.0f ? 1.0f : r;
}

LZ_INLINE float expm1(float x) {
  double d = x;
  double small = 1.0 / 40320;
  small = small * d + 1.0 / 5040;
  small = small * d + 1.0 / 720;
  small = small * d + 1.0 / 120;
  small = small * d + 1.0 / 24;
  small = small * d + 1.0 / 6;
  small = small * d + 0.5;
  small = small * d * d + d;
  double large = exp64(clampExponent(d)) - 1.0;
  double result = absolute(x) < 0.25f ? small : large;
  return x != x || x == 0.0f ? x : static_cast<float>(result);
}

LZ_INLINE float log1p(float x) {
  double d = x;
  double small = d * (d * (1.0 / 3) - 0.5) * d + d;
  bool valid = x > -1.0f && x < kInfinity;
  double large = log64(valid ? 1.0 + d : 1.0);
  float result = static_cast<float>(absolute(x) < 9.765625e-4f ? small : large);
  result = x == kInfinity ? x : result;
  result = x == -1.0f ? -kInfinity : result;
  result = x < -1.0f ? kNan : result;
  return x != x || x == 0.0f ? x : result;
}

LZ_INLINE float sinh(float x) {
  double d = x, z = d * d;
  double small = ((z * (1.0 / 5040) + 1.0 / 120) * z + 1.0 / 6) * z * d + d;
  double e = exp64(clampExponent(d));
  double large = 0.5 * (e - 1.0 / e);
  float result = static_cast<float>(absolute(x) < 0.25f ? small : large);
  return x != x || x == 0.0f ? x : result;
}

LZ_INLINE float cosh(float x) {
  double e = exp64(clampExponent(x));
  return x != x ? x : static_cast<float>(0.5 * (e + 1.0 / e));
}

//===----------------------------------------------------------------------===//
// sin, cos, tan
//===----------------------------------------------------------------------===//

/// The first 256 bits of 2/pi after the point.
constexpr uint64_t kTwoOverPi[4] = {0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u,
                                    0xdb6295993c439041u, 0xfe5163abdebbc561u};

/// `count` < 64 bits of 2/pi from the bit of value 2^-(position + 1) on; bits
/// before the point are zero.
constexpr uint64_t piBits(int position, int count) {
  uint64_t bits = 0;
  for (int i = position; i != position + count; ++i)
    bits = bits << 1 | (i < 0 ? 0 : kTwoOverPi[i / 64] >> (63 - i % 64) & 1);
  return bits;
}

constexpr double scaledDown(uint64_t bits, int shift) {
  auto value = static_cast<double>(bits);
  for (int i = 0; i != shift; ++i)
    value *= 0.5;
  return value;
}

/// For each exponent e >= 0 of a float: 2/pi * 2^(e - 23) without its multiples
/// of 4, in parts of 27, 27 and 53 bits. A 24-bit significand times the first
/// two is exact.
struct PiParts {
  double parts[128][3];
};
constexpr PiParts makePiParts() {
  PiParts table = {};
  for (int e = 0; e != 128; ++e) {
    int first = e - 23 - 2; // the bit of value 2^1
    table.parts[e][0] = scaledDown(piBits(first, 27), 25);
    table.parts[e][1] = scaledDown(piBits(first + 27, 27), 52);
    table.parts[e][2] = scaledDown(piBits(first + 54, 53), 105);
  }
  return table;
}
inline constexpr PiParts kPiParts = makePiParts();

/// sin and cos of x reduced to [-pi/4, pi/4], and the quadrant.
struct Circle {
  double sine, cosine;
  int32_t quadrant;
};

/// Works in quarter turns: x * 2/pi modulo 4 loses nothing, however large x.
LZ_INLINE Circle circle(float x) {
  uint32_t bits = bitsTo<uint32_t>(x);
  int32_t e = static_cast<int32_t>(bits >> 23 & 0xff) - 127;
  e = e < 0 ? 0 : e;
  e = e > 127 ? 127 : e;
  double m = static_cast<double>(x) * powerOfTwo(23 - e);
  double first = m * kPiParts.parts[e][0];
  Rounded64 n = roundToInteger64(first);
  double rest = (first - n.value) + m * kPiParts.parts[e][1];
  Rounded64 more = roundToInteger64(rest);
  double t = (rest - more.value) + m * kPiParts.parts[e][2];
  double r = t * 1.5707963267948966, z = r * r;
  double sine =
      (((z * (1.0 / 362880) - 1.0 / 5040) * z + 1.0 / 120) * z - 1.0 / 6) * z *
          r +
      r;
  double cosine =
      ((((z * (-1.0 / 3628800) + 1.0 / 40320) * z - 1.0 / 720) * z + 1.0 / 24) *
           z -
       0.5) *
          z +
      1.0;
  return {sine, cosine, static_cast<int32_t>(n.integer + more.integer)};
}

LZ_INLINE bool isFinite(float x) { return absolute(x) < kInfinity; }

LZ_INLINE float sin(float x) {
  Circle c = circle(x);
  double value = c.quadrant & 1 ? c.cosine : c.sine;
  auto result = static_cast<float>(c.quadrant & 2 ? -value : value);
  result = isFinite(x) ? result : kNan;
  return x == 0.0f ? x : result;
}

LZ_INLINE float cos(float x) {
  Circle c = circle(x);
  double value = c.quadrant & 1 ? c.sine : c.cosine;
  bool negative = (c.quadrant + 1) & 2;
  auto result = static_cast<float>(negative ? -value : value);
  return isFinite(x) ? result : kNan;
}

LZ_INLINE float tan(float x) {
  Circle c = circle(x);
  double value = c.quadrant & 1 ? -c.cosine / c.sine : c.sine / c.cosine;
  float result = isFinite(x) ? static_cast<float>(value) : kNan;
  return x == 0.0f ? x : result;
}

} // namespace lz::math

#endif // KERNELS_FLOATMATH_H
