//===- SizeLimits.h - what no memory can hold -------------------*- C++ -*-===//
#ifndef DIALECTS_LZ_SYMBOLS_SIZELIMITS_H
#define DIALECTS_LZ_SYMBOLS_SIZELIMITS_H

#include <cstdint>

namespace lz {

/// No tensor takes more bytes: a process can't address more.
constexpr int64_t kMaxTensorBytes = int64_t(1) << 47;

/// No arena is larger: a plan beyond it is an overflow in all but name.
constexpr int64_t kMaxArenaBytes = int64_t(1) << 46;

} // namespace lz

#endif // DIALECTS_LZ_SYMBOLS_SIZELIMITS_H
