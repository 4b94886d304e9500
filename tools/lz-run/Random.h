//===- Random.h - seeded inputs -------------------------------------*- C++
//-*-===//
//
// Values for inputs that the user does not give. They depend on the seed and on
// the input's name only, so that adding an input changes no other.
//
// Number i (from 0) of an input is splitmix64's output number i from the state
// seed * 0x9e3779b97f4a7c15 + FNV-1a-64(name). Floats are lo + (hi - lo) * (its
// upper 53 bits / 2^53), in [-1, 1) unless a range is given; whole numbers are
// lo + it mod (hi - lo + 1), 0 or 1 unless a range is given, which is valid for
// masks, segments and indices alike. bool is 0 or 1. The formats of 8 and 4
// bits draw codes whose magnitude is below 1.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lezero/lezero.hpp"

#include <optional>

namespace lz::run {

/// Bounds of an input's values: [lo, hi) for floats, lo..hi for whole numbers.
struct Range {
  double lo, hi;
};

/// Fills a tensor. Throws if the range does not suit its type.
void fillRandom(const Tensor &tensor, const std::string &name, uint64_t seed,
                const std::optional<Range> &range);

} // namespace lz::run
