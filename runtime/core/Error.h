//===- Error.h - statuses with a text ---------------------------*- C++ -*-===//
//
// How the runtime fails: a status for programs and a text for people. The text
// lives in a fixed buffer of the thread, so that failing needs no memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lezero/lz.h"

#include <cstddef>

namespace lz::rt {

constexpr size_t kErrorBytes = 1024;

/// Sets this thread's error text and returns `status`.
[[gnu::format(printf, 2, 3)]] lz_status fail(lz_status status,
                                             const char *format, ...);

/// This thread's error text.
const char *lastError();

/// Fails unless `size`, the first field of a caller's struct, covers the
/// struct's first version.
lz_status checkStructSize(const char *name, uint64_t size, uint64_t needed);

/// Fails if a caller's struct, larger than this version's, uses fields that
/// this version would ignore.
lz_status checkUnknownFields(const char *name, const void *data, uint64_t size,
                             uint64_t known);

/// Reads a struct that a caller filled; null gives the defaults.
template <typename T>
lz_status readStruct(const char *name, const T *given, T &result) {
  result = T();
  result.size = sizeof(T);
  if (!given)
    return LZ_OK;
  if (lz_status s = checkStructSize(name, given->size, sizeof(T)))
    return s;
  if (lz_status s = checkUnknownFields(name, given, given->size, sizeof(T)))
    return s;
  result = *given;
  return LZ_OK;
}

/// Writes a struct for a caller, which set its size.
template <typename T>
lz_status writeStruct(const char *name, T value, T *result) {
  if (!result)
    return fail(LZ_BAD_ARGUMENT, "%s is a null pointer", name);
  if (lz_status s = checkStructSize(name, result->size, sizeof(T)))
    return s;
  value.size = result->size;
  *result = value;
  return LZ_OK;
}

} // namespace lz::rt
