//===- Context.cpp - make contexts and bind tensors -----------------------===//

#include "runtime/core/Context.h"
#include "runtime/core/Model.h"
#include "runtime/core/Tensor.h"
#include "runtime/cpu/Pool.h"

#include <algorithm>
#include <cstring>
#include <memory>

using namespace lz::rt;

lz_context::~lz_context() { lz_close(model); }

static lz_status checkOptions(lz_context_options &options, int64_t *threads) {
  if (options.communicator)
    return fail(LZ_UNSUPPORTED, "this version has no distributed runs: the "
                                "communicator must be null");
  if (options.parallel_for && !options.threads)
    options.threads = 1;
  return resolveThreads(options.threads, threads);
}

/// Gives each value its description and its place for shapes.
static void setUpValues(lz_context &context) {
  const lz_entry &entry = *context.entry;
  auto makeValues = [&](auto &get, int64_t count, std::vector<Value> &values) {
    values = std::vector<Value>(size_t(count));
    size_t dims = 0;
    int64_t parts = 0; // of the last value, end here
    for (int64_t i = 0; i != count; ++i) {
      Value &value = values[size_t(i)];
      value.desc = &get(entry, i);
      value.isPart = i < parts;
      if (!value.isPart)
        parts = i + placeCount(*value.desc);
      dims += 2 * size_t(values[size_t(i)].desc->rank);
    }
    return dims;
  };
  size_t dims = makeValues(input, entry.input_count, context.inputs) +
                makeValues(output, entry.output_count, context.outputs);
  context.shapes.resize(dims + 1);
  int64_t *next = context.shapes.data();
  for (auto *values : {&context.inputs, &context.outputs})
    for (Value &value : *values) {
      value.shape = next;
      value.boundShape = next + value.desc->rank;
      next += 2 * value.desc->rank;
    }
}

/// Gets all memory that does not depend on sizes.
static void setUp(lz_context &context) {
  const lz_entry &entry = *context.entry;
  setUpValues(context);
  context.inputShapes.resize(context.inputs.size() + 1);
  context.inputPointers.resize(context.inputs.size() + 1);
  context.outputPointers.resize(context.outputs.size() + 1);
  context.symbols.resize(size_t(entry.symbol_count) + 1);
  context.state.resize(size_t(entry.state_slots));
  if (context.options.profile)
    context.times.resize(size_t(entry.launch_count));
  context.volatileSizes = entry.memory_class != LZ_MEMORY_EXACT;
  for (int64_t i = 0; i != entry.symbol_count; ++i)
    context.volatileSizes |= at(entry.symbols, i).source != LZ_SYMBOL_DIM;
  if (context.threads > 1 && !context.options.parallel_for)
    Pool::process().ensureWorkers(context.threads - 1);
  setUpHost(context);
}

lz_status lz_create_context(lz_model *model, const lz_context_options *given,
                            lz_context **result) {
  if (!result)
    return fail(LZ_BAD_ARGUMENT, "context is a null pointer");
  *result = nullptr;
  auto context = std::make_unique<lz_context>();
  if (lz_status s = readStruct("lz_context_options", given, context->options))
    return s;
  if (lz_status s = findEntry(model, context->options.entry, &context->entry))
    return s;
  if (lz_status s = checkOptions(context->options, &context->threads))
    return s;
  context->model = hold(model);
  setUp(*context);
  *result = context.release();
  return LZ_OK;
}

void lz_destroy_context(lz_context *context) { delete context; }

const char *lz_context_error(const lz_context *context) {
  return context ? context->error : "";
}

/// "'a', 'b'": what a wrong name could have been.
static std::string namesText(const std::vector<Value> &values) {
  std::string text;
  for (const Value &value : values) {
    if (value.isPart)
      continue;
    if (text.size() > 400)
      return text + ", ...";
    text += (text.empty() ? "'" : ", '") + std::string(value.desc->name) + "'";
  }
  return text.empty() ? "none" : text;
}

lz_status lz::rt::failNoValue(const lz_context &context, const char *what,
                              const std::vector<Value> &values,
                              const char *name) {
  return fail(LZ_BAD_ARGUMENT, "entry '%s' has no %s '%s'; it has %s",
              context.entry->name, what, name ? name : "(null)",
              namesText(values).c_str());
}

Value *lz::rt::findValue(const lz_context &context, const char *what,
                         std::vector<Value> &values, const char *name) {
  for (Value &value : values)
    if (name && !value.isPart && !strcmp(value.desc->name, name))
      return &value;
  failNoValue(context, what, values, name);
  return nullptr;
}

/// Remembers a caller's tensor.
static void bind(Value &value, const lz_tensor &tensor, int64_t *shape) {
  value.isBound = true;
  value.bound = tensor.data ? firstByte(tensor) : nullptr;
  std::copy_n(tensor.shape, tensor.rank, shape);
}

lz_status lz_bind_input(lz_context *context, const char *name,
                        const lz_tensor *tensor) {
  return use(context, [&](lz_context &c) -> lz_status {
    Value *value = findValue(c, "input", c.inputs, name);
    if (!value)
      return LZ_BAD_ARGUMENT;
    if (compound(*value->desc))
      return fail(LZ_BAD_ARGUMENT,
                  "input '%s' is a sequence or an optional: bind it by "
                  "lz_bind_input_values",
                  name);
    if (lz_status s = checkTensor("input", *value->desc, tensor, true))
      return s;
    bind(*value, *tensor, value->shape);
    tensorBytes(tensor->element_type, tensor->shape, tensor->rank,
                &value->bytes);
    c.prepared = false;
    return LZ_OK;
  });
}

lz_status lz_bind_output(lz_context *context, const char *name,
                         const lz_tensor *tensor) {
  return use(context, [&](lz_context &c) -> lz_status {
    Value *value = findValue(c, "output", c.outputs, name);
    if (!value)
      return LZ_BAD_ARGUMENT;
    c.prepared = false;
    if (!tensor) {
      value->isBound = false;
      return LZ_OK;
    }
    if (compound(*value->desc))
      return fail(LZ_UNSUPPORTED,
                  "output '%s' is a sequence or an optional: leave it unbound, "
                  "and read it by lz_get_output_values",
                  name);
    if (lz_status s = checkTensor("output", *value->desc, tensor, true))
      return s;
    bind(*value, *tensor, value->boundShape);
    return LZ_OK;
  });
}

lz_status lz_bind_arena(lz_context *context, void *memory, int64_t bytes) {
  return use(context, [&](lz_context &c) -> lz_status {
    if (bytes < 0 || (bytes && !memory))
      return fail(LZ_BAD_ARGUMENT, "an arena of %lld bytes at %p",
                  (long long)bytes, memory);
    if (reinterpret_cast<uintptr_t>(memory) % 64)
      return fail(LZ_BAD_ARGUMENT, "the arena at %p is not aligned to 64 bytes",
                  memory);
    c.prepared = false;
    c.boundArena = static_cast<char *>(memory);
    c.boundArenaBytes = bytes;
    return LZ_OK;
  });
}
