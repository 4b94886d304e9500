//===- Context.h - one caller's use of a model ------------------*- C++ -*-===//
#pragma once

#include "lezero/lz.h"
#include "runtime/core/Buffer.h"
#include "runtime/core/Error.h"
#include "runtime/core/Plan.h"

#include <atomic>
#include <vector>

namespace lz::rt {

/// An input or output of a context.
struct Value {
  const lz_value_desc *desc = nullptr;
  int64_t *shape = nullptr;      // in the context's shapes
  int64_t *boundShape = nullptr; // what the caller said, for outputs
  char *bound = nullptr;         // the caller's memory
  bool isBound = false;
  int64_t bytes = 0;
  Buffer owned;
  bool isPart = false; // of the sequence or optional before it
  /// The tensors in a sequence or optional: the caller's, or those that a run
  /// has found; their shapes, and whether an optional has a value.
  std::vector<lz_tensor> values;
  std::vector<int64_t> valueShapes;
  bool hasValue = true;
};

/// Where a launch was seen to begin, and all its times.
struct LaunchTimes {
  int64_t start = 0, calls = 0, total = 0, least = 0, most = 0;
};

} // namespace lz::rt

struct lz_context {
  lz_model *model = nullptr;
  const lz_entry *entry = nullptr;
  lz_context_options options = {};
  int64_t threads = 1;
  lz_host host = {};

  std::vector<int64_t> shapes; // of all values
  std::vector<lz::rt::Value> inputs, outputs;
  std::vector<lz::rt::InputShape> inputShapes;
  std::vector<int64_t> symbols, state;
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;

  char *boundArena = nullptr;
  int64_t boundArenaBytes = 0;
  lz::rt::Buffer arena;

  std::vector<lz::rt::LaunchTimes> times;
  bool prepared = false;
  bool hasRun = false;        // and outputs can be read
  bool volatileSizes = false; // sizes may change between runs of one binding
  std::atomic<bool> busy{false};
  char error[lz::rt::kErrorBytes] = {};

  ~lz_context();
};

namespace lz::rt {

/// Checks, plans and gets memory for a run with what is bound now.
lz_status prepare(lz_context &context);

/// Fails because no input or output (`what`) is called `name`.
lz_status failNoValue(const lz_context &context, const char *what,
                      const std::vector<Value> &values, const char *name);

/// The value called `name`; null, with a text, if there is none.
Value *findValue(const lz_context &context, const char *what,
                 std::vector<Value> &values, const char *name);

/// Fills the functions that an artifact calls.
void setUpHost(lz_context &context);

/// Runs `body` as the only user of the context, and keeps the text of its
/// failure.
template <typename Body> lz_status use(lz_context *context, Body body) {
  if (!context)
    return fail(LZ_BAD_ARGUMENT, "the context is a null pointer");
  if (context->busy.exchange(true, std::memory_order_acquire))
    return fail(LZ_BUSY, "the context is in use by another thread: make one "
                         "context for each");
  lz_status status = body(*context);
  if (status)
    __builtin_memcpy(context->error, lastError(), kErrorBytes);
  context->busy.store(false, std::memory_order_release);
  return status;
}

} // namespace lz::rt
