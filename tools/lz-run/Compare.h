//===- Compare.h - outputs against a reference ----------------------*- C++
//-*-===//
#pragma once

#include "lezero/lezero.hpp"

#include <optional>

namespace lz::run {

/// How far a value may be off. With rtol or atol, each number must be within
/// atol + rtol * |reference|, as in numpy.allclose. Without, floats must be
/// within tolerance * max|reference| + 1e-6, whole numbers may differ by one
/// step in 1 % of the elements (or in one element), and bool must be equal.
struct Tolerance {
  std::optional<double> tolerance; // default: that of the element type
  std::optional<double> rtol, atol;
};

/// What floats of a type may be off by, as a part of the largest: 1e-4, or for
/// types that are coarser two steps of the largest number's last place, one for
/// those of 8 bits and less.
double defaultTolerance(int32_t elementType);

struct Comparison {
  bool passed = false;
  std::string text; // one line, for people
};

/// Compares an output with what it should be.
Comparison compare(const Tensor &output, const Tensor &reference,
                   const Tolerance &tolerance);

} // namespace lz::run
