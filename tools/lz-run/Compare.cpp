//===- Compare.cpp - outputs against a reference --------------------------===//

#include "Compare.h"
#include "Elements.h"

#include <cmath>
#include <cstdio>

using namespace lz;
using namespace lz::run;

namespace {

/// What a pass over all numbers finds.
struct Differences {
  int64_t count = 0, wrong = 0, first = -1;
  double largest = 0, reference = 0; // finite ones
};

} // namespace

/// "1.2e-05"
static std::string number(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.3g", value);
  return text;
}

/// True if both are the same infinity, or no numbers.
static bool sameSpecial(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

static double largestMagnitude(const Tensor &tensor) {
  double largest = 0;
  for (int64_t i = 0; i != numberCount(tensor); ++i) {
    double value = std::fabs(readNumber(tensor, i));
    if (std::isfinite(value))
      largest = std::max(largest, value);
  }
  return largest;
}

/// Counts the numbers that are further off than `limit` of their reference.
template <typename Limit>
static Differences findDifferences(const Tensor &output,
                                   const Tensor &reference, Limit limit) {
  Differences found;
  found.count = numberCount(output);
  for (int64_t i = 0; i != found.count; ++i) {
    double a = readNumber(output, i), b = readNumber(reference, i);
    if (sameSpecial(a, b))
      continue;
    double off = std::fabs(a - b);
    if (std::isfinite(off))
      found.largest = std::max(found.largest, off);
    if (off <= limit(b) && std::isfinite(off))
      continue;
    found.first = found.wrong++ ? found.first : i;
  }
  return found;
}

/// The verdict on whole numbers: off by one, and rarely.
static Comparison judgeWhole(const Tensor &output, const Tensor &reference) {
  double step = output.elementType() == LZ_BOOL ? 0 : 1;
  auto any = findDifferences(output, reference, [](double) { return 0.0; });
  auto large = findDifferences(output, reference, [&](double) { return step; });
  int64_t allowed = step == 0 ? 0 : std::max<int64_t>(1, any.count / 100);
  Comparison result;
  result.passed = !large.wrong && any.wrong <= allowed;
  result.text = std::to_string(any.wrong) + " of " + std::to_string(any.count) +
                " elements differ, by at most " + number(any.largest) +
                " (allowed: " + std::to_string(allowed) + ", by 1)";
  return result;
}

static Comparison judge(const Tensor &output, const Tensor &reference,
                        const Differences &found, const std::string &allowed) {
  Comparison result;
  result.passed = !found.wrong;
  result.text = "max|d| " + number(found.largest) + " (allowed: " + allowed +
                "), max|reference| " + number(largestMagnitude(reference));
  if (found.wrong)
    result.text += "; " + std::to_string(found.wrong) + " of " +
                   std::to_string(found.count) + " numbers are off, first " +
                   std::to_string(found.first) + ": " +
                   number(readNumber(output, found.first)) + " for " +
                   number(readNumber(reference, found.first));
  return result;
}

double run::defaultTolerance(int32_t elementType) {
  switch (elementType) {
  case LZ_F16:
    return 2e-3;
  case LZ_BF16:
    return 1.6e-2;
  case LZ_F8E4M3FN:
  case LZ_F8E4M3FNUZ:
    return 0.125;
  case LZ_F8E5M2:
  case LZ_F8E5M2FNUZ:
    return 0.25;
  case LZ_F8E8M0:
  case LZ_F4E2M1:
    return 0.5;
  default:
    return 1e-4;
  }
}

/// Allows floats a part of the reference's largest magnitude.
static Comparison judgeFloats(const Tensor &output, const Tensor &reference,
                              std::optional<double> tolerance) {
  double part = tolerance.value_or(defaultTolerance(output.elementType()));
  double limit = part * largestMagnitude(reference) + 1e-6;
  auto found =
      findDifferences(output, reference, [&](double) { return limit; });
  std::string allowed = number(limit) + " by tolerance " + number(part);
  if (!tolerance)
    allowed += ", the default for " + typeName(output.elementType());
  return judge(output, reference, found, allowed);
}

Comparison run::compare(const Tensor &output, const Tensor &reference,
                        const Tolerance &tolerance) {
  if (output.shape() != reference.shape())
    return {false, "shape " + shapeText(output.shape()) +
                       ", but the reference has " +
                       shapeText(reference.shape())};
  if (isComplex(output.elementType()) != isComplex(reference.elementType()))
    return {false, "only one of both is complex"};
  if (tolerance.rtol || tolerance.atol) {
    double rtol = tolerance.rtol.value_or(0), atol = tolerance.atol.value_or(0);
    auto found = findDifferences(output, reference, [&](double b) {
      return atol + rtol * std::fabs(b);
    });
    return judge(output, reference, found,
                 number(atol) + " + " + number(rtol) + " * |reference|");
  }
  if (isInteger(output.elementType()))
    return judgeWhole(output, reference);
  return judgeFloats(output, reference, tolerance.tolerance);
}
