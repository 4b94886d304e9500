//===- Error.cpp - statuses with a text -----------------------------------===//

#include "runtime/core/Error.h"

#include <cstdarg>
#include <cstdio>

using namespace lz::rt;

/// The calling thread's buffer.
static char *errorBuffer() {
  static thread_local char text[kErrorBytes];
  return text;
}

lz_status lz::rt::fail(lz_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(errorBuffer(), kErrorBytes, format, args);
  va_end(args);
  return status;
}

const char *lz::rt::lastError() { return errorBuffer(); }

lz_status lz::rt::checkStructSize(const char *name, uint64_t size,
                                  uint64_t needed) {
  if (size >= needed)
    return LZ_OK;
  return fail(LZ_BAD_ARGUMENT,
              "size of %s is %llu: set it to sizeof(%s), at least %llu", name,
              (unsigned long long)size, name, (unsigned long long)needed);
}

lz_status lz::rt::checkUnknownFields(const char *name, const void *data,
                                     uint64_t size, uint64_t known) {
  auto *bytes = static_cast<const unsigned char *>(data);
  for (uint64_t i = known; i < size; ++i)
    if (bytes[i])
      return fail(LZ_UNSUPPORTED,
                  "%s of %llu bytes sets a field that this version of the "
                  "runtime (%llu bytes) does not have",
                  name, (unsigned long long)size, (unsigned long long)known);
  return LZ_OK;
}

const char *lz_last_error(void) { return lastError(); }

const char *lz_status_name(lz_status status) {
  switch (status) {
  case LZ_OK:
    return "ok";
  case LZ_BAD_ARGUMENT:
    return "bad argument";
  case LZ_BAD_FILE:
    return "bad file";
  case LZ_BAD_ABI:
    return "bad ABI";
  case LZ_MISSING_CPU:
    return "missing CPU feature";
  case LZ_BAD_TENSOR:
    return "bad tensor";
  case LZ_ARENA_TOO_SMALL:
    return "arena too small";
  case LZ_OUT_OF_MEMORY:
    return "out of memory";
  case LZ_UNSUPPORTED:
    return "unsupported";
  case LZ_RUN_FAILED:
    return "run failed";
  case LZ_BUSY:
    return "busy";
  }
  return "unknown status";
}
