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
  double tolerance = 1e-4;
  std::optional<double> rtol, atol;
};

struct Comparison {
  bool passed = false;
  std::string text; // one line, for people
};

/// Compares an output with what it should be.
Comparison compare(const Tensor &output, const Tensor &reference,
                   const Tolerance &tolerance);

} // namespace lz::run
