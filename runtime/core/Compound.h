//===- Compound.h - sequences and optionals of a context --------*- C++ -*-===//
//
// An artifact takes and gives the tensors of a sequence beside each other in
// one block of memory; callers have them one by one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Context.h"

namespace lz::rt {

/// Copies what callers have bound into the blocks that the artifact reads.
void gatherValues(lz_context &context);

} // namespace lz::rt
