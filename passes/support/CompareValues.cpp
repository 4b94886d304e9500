//===- CompareValues.cpp - how far two values are apart -------------------===//

#include "passes/support/CompareValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace lz;

/// What a float may move by, as a part of the tensor's largest magnitude: fused
/// and folded arithmetic rounds in other places.
static double getBound(Type elementType) {
  if (elementType.isF64())
    return 1e-10;
  if (elementType.isF32())
    return 1e-4;
  return elementType.isF16() ? 5e-3 : 4e-2;
}

static bool isNear(double a, double b, double bound) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= bound;
}

static std::optional<std::string> compareFloats(const RefTensor &before,
                                                const RefTensor &after) {
  double largest = 0;
  for (int64_t i = 0; i != before.getNumElements(); ++i)
    if (double value = std::abs(before.getDouble(i)); std::isfinite(value))
      largest = std::max(largest, value);
  double bound = getBound(before.getElementType()) * largest + 1e-30;
  for (int64_t i = 0; i != before.getNumElements(); ++i)
    if (double a = before.getDouble(i), b = after.getDouble(i);
        !isNear(a, b, bound))
      return llvm::formatv(
                 "element {0} was {1:e6} and is {2:e6}; it may move by {3:e1}",
                 i, a, b, bound)
          .str();
  return std::nullopt;
}

/// Compares elements that must stay equal, read by `get`.
template <typename Get>
static std::optional<std::string> compareExactly(int64_t count, Get get) {
  for (int64_t i = 0; i != count; ++i)
    if (auto [a, b] = get(i); a != b)
      return llvm::formatv("element {0} was {1} and is {2}", i, a, b).str();
  return std::nullopt;
}

static std::optional<std::string> compareTensors(const RefTensor &before,
                                                 const RefTensor &after) {
  if (before.getType() != after.getType())
    return llvm::formatv("type was {0} and is {1}", Type(before.getType()),
                         Type(after.getType()))
        .str();
  int64_t count = before.getNumElements();
  switch (before.getFormat().kind) {
  case ElementFormat::Float:
    return compareFloats(before, after);
  case ElementFormat::String:
    return compareExactly(count, [&](int64_t i) {
      return std::pair(before.getStrings()[i], after.getStrings()[i]);
    });
  case ElementFormat::Complex:
    if (before.getBytes() != after.getBytes())
      return "complex numbers changed";
    return std::nullopt;
  default:
    return compareExactly(count, [&](int64_t i) {
      return std::pair(before.getInt(i), after.getInt(i));
    });
  }
}

std::optional<std::string> lz::findDifference(const RefValue &before,
                                              const RefValue &after) {
  if (before.getKind() != after.getKind() ||
      before.getElements().size() != after.getElements().size())
    return "has another kind or length";
  if (before.getKind() == RefValue::Kind::Tensor)
    return compareTensors(before.getTensor(), after.getTensor());
  for (auto [a, b] : llvm::zip_equal(before.getElements(), after.getElements()))
    if (auto difference = findDifference(a, b))
      return difference;
  return std::nullopt;
}
