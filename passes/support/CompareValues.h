//===- CompareValues.h - how far two values are apart -----------*- C++ -*-===//
#ifndef PASSES_SUPPORT_COMPAREVALUES_H
#define PASSES_SUPPORT_COMPAREVALUES_H

#include "dialects/lz/Reference/RefValue.h"

#include <optional>
#include <string>

namespace lz {

/// How `after` differs from `before` by more than a pass may move it, in words
/// with the numbers; none if it doesn't.
std::optional<std::string> findDifference(const RefValue &before,
                                          const RefValue &after);

} // namespace lz

#endif // PASSES_SUPPORT_COMPAREVALUES_H
