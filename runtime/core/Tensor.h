//===- Tensor.h - element types and tensor checks ---------------*- C++ -*-===//
#pragma once

#include "lezero/lz.h"

#include <string>

namespace lz::rt {

/// Ranks beyond this are refused everywhere.
constexpr int32_t kMaxRank = 64;

/// True for bool and whole numbers of at least a byte, which can hold sizes.
bool isInteger(int32_t elementType);

/// Bytes to which a tensor's memory must be aligned.
int64_t elementAlignment(int32_t elementType);

/// Sets `bytes` to the size of a dense tensor. False if it exceeds 2^62 - 1 or
/// a dimension is negative.
bool tensorBytes(int32_t elementType, const int64_t *shape, int32_t rank,
                 int64_t *bytes);

/// "[2, 3]"
std::string shapeText(const int64_t *shape, int32_t rank);

/// Fails unless a caller's tensor has the type and rank of `value`, lies
/// densely on the CPU and, with `needsData`, has memory. `what` is "input" or
/// "output".
lz_status checkTensor(const char *what, const lz_value_desc &value,
                      const lz_tensor *tensor, bool needsData);

/// The first byte of a tensor.
inline char *firstByte(const lz_tensor &tensor) {
  return static_cast<char *>(tensor.data) + tensor.byte_offset;
}

/// Element `index` of an integer tensor at `data`.
int64_t readInteger(const void *data, int32_t elementType, int64_t index);

} // namespace lz::rt
