//===- Buffer.h - memory of a context ---------------------------*- C++ -*-===//
#pragma once

#include "lezero/lz.h"

namespace lz::rt {

/// Memory aligned to 64 bytes that only grows.
class Buffer {
public:
  Buffer() = default;
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  /// Makes it at least `bytes` large, or fails; `what` is for the text. Up to
  /// `threads` threads of the process's pool get the memory from the system.
  lz_status ensure(const char *what, const char *name, int64_t bytes,
                   int64_t threads);
  char *data() const { return memory; }

private:
  char *memory = nullptr;
  int64_t capacity = 0;
};

} // namespace lz::rt
