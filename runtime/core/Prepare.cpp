//===- Prepare.cpp - ready a context for its run --------------------------===//
//
// Everything that may fail or take memory happens here, before the artifact's
// code runs. Memory is only taken when an owned arena or output must grow.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Context.h"
#include "runtime/core/Model.h"
#include "runtime/core/Tensor.h"
#include "runtime/cpu/Pool.h"

#include <algorithm>

using namespace lz::rt;

/// A value without elements still gets an address, which nobody follows.
static char *nowhere() {
  alignas(64) static char place[64];
  return place;
}

static lz_status collectInputs(lz_context &context) {
  for (size_t i = 0; i != context.inputs.size(); ++i) {
    Value &value = context.inputs[i];
    if (!value.isBound)
      return fail(LZ_BAD_ARGUMENT, "input '%s' is not bound", value.desc->name);
    char *data = value.bytes ? value.bound : nowhere();
    context.inputPointers[i] = data;
    context.inputShapes[i] = {value.shape, data};
  }
  return LZ_OK;
}

/// The threads that may get memory from the system: none but the caller's own
/// where the threads are the caller's.
static int64_t poolThreads(const lz_context &context) {
  return context.options.parallel_for ? 1 : context.threads;
}

/// The arena is the caller's, if large enough, or grows.
static lz_status placeArena(lz_context &context) {
  int64_t needed = context.state[LZ_STATE_ARENA_BYTES];
  if (!context.boundArena)
    return context.arena.ensure("the arena of entry", context.entry->name,
                                needed, poolThreads(context));
  if (context.boundArenaBytes >= needed)
    return LZ_OK;
  return fail(LZ_ARENA_TOO_SMALL,
              "the arena of %lld bytes is too small: entry '%s' needs %lld "
              "bytes for these sizes",
              (long long)context.boundArenaBytes, context.entry->name,
              (long long)needed);
}

/// An output that updates an input in place lies where that input lies.
static lz_status placeAlias(lz_context &context, Value &value, char **data) {
  const Value &source = context.inputs[size_t(value.desc->alias_input)];
  if (value.bytes != source.bytes)
    return fail(LZ_BAD_TENSOR,
                "output '%s' of %lld bytes cannot update input '%s' of %lld "
                "bytes in place",
                value.desc->name, (long long)value.bytes, source.desc->name,
                (long long)source.bytes);
  if (value.isBound && value.bytes && value.bound != source.bound)
    return fail(LZ_BAD_TENSOR,
                "output '%s' updates input '%s' in place: bind the same memory "
                "to both, or only the input",
                value.desc->name, source.desc->name);
  *data = source.bound;
  return LZ_OK;
}

static lz_status placeBound(Value &value, char **data) {
  int32_t rank = value.desc->rank;
  *data = value.bound;
  if (std::equal(value.shape, value.shape + rank, value.boundShape))
    return LZ_OK;
  return fail(LZ_BAD_TENSOR,
              "output '%s' has shape %s, but the bound tensor has %s",
              value.desc->name, shapeText(value.shape, rank).c_str(),
              shapeText(value.boundShape, rank).c_str());
}

/// An output without a bound gets its memory in the run.
static lz_status placeGrowing(Value &value, char **data) {
  value.bytes = 0;
  *data = nowhere();
  if (!value.isBound)
    return LZ_OK;
  return fail(LZ_BAD_TENSOR,
              "the size of output '%s' has no bound before the run: leave it "
              "unbound, and read it after the run",
              value.desc->name);
}

/// Derives an output's shape and finds its memory.
static lz_status placeOutput(lz_context &context, Value &value, char **data) {
  const lz_value_desc &desc = *value.desc;
  if (!lz_element_bits(elementType(desc)))
    return fail(LZ_UNSUPPORTED,
                "output '%s' is a tensor of strings, which this runtime (%s) "
                "cannot receive from a model",
                desc.name, lz_version());
  if (lz_status s = readOutputShape(*context.entry, desc, context.state.data(),
                                    value.shape))
    return s;
  if (desc.address_slot)
    return placeGrowing(value, data);
  tensorBytes(elementType(desc), value.shape, desc.rank, &value.bytes);
  if (desc.alias_input >= 0)
    return placeAlias(context, value, data);
  if (value.isBound)
    return placeBound(value, data);
  if (lz_status s = value.owned.ensure("output", desc.name, value.bytes,
                                       poolThreads(context)))
    return s;
  *data = value.owned.data();
  return LZ_OK;
}

static lz_status placeOutputs(lz_context &context) {
  for (size_t i = 0; i != context.outputs.size(); ++i) {
    char *data = nullptr;
    if (lz_status s = placeOutput(context, context.outputs[i], &data))
      return s;
    context.outputPointers[i] = context.outputs[i].bytes ? data : nowhere();
  }
  return LZ_OK;
}

/// True if [a, a + aBytes) and [b, b + bBytes) have a byte in common.
static bool overlap(const void *a, int64_t aBytes, const void *b,
                    int64_t bBytes) {
  auto x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return aBytes && bBytes && x < y + uintptr_t(bBytes) &&
         y < x + uintptr_t(aBytes);
}

static lz_status overlapError(const char *what, const char *name,
                              const char *other, const char *otherName) {
  return fail(LZ_BAD_TENSOR, "%s '%s' and %s '%s' overlap in memory", what,
              name, other, otherName);
}

/// What a run writes must not be what it reads, or writes twice.
static lz_status checkOutputOverlap(const lz_context &context, size_t index) {
  const Value &value = context.outputs[index];
  const void *data = context.outputPointers[index];
  for (size_t i = 0; i != context.inputs.size(); ++i)
    if (value.desc->alias_input != int64_t(i) &&
        overlap(data, value.bytes, context.inputPointers[i],
                context.inputs[i].bytes))
      return overlapError("output", value.desc->name, "input",
                          context.inputs[i].desc->name);
  for (size_t i = 0; i != index; ++i)
    if (overlap(data, value.bytes, context.outputPointers[i],
                context.outputs[i].bytes))
      return overlapError("output", value.desc->name, "output",
                          context.outputs[i].desc->name);
  return LZ_OK;
}

static lz_status checkOverlaps(const lz_context &context) {
  const char *entry = context.entry->name;
  const void *arena = context.boundArena;
  int64_t bytes = arena ? context.state[LZ_STATE_ARENA_BYTES] : 0;
  for (size_t i = 0; i != context.inputs.size(); ++i)
    if (overlap(arena, bytes, context.inputPointers[i],
                context.inputs[i].bytes))
      return overlapError("input", context.inputs[i].desc->name,
                          "the arena of entry", entry);
  for (size_t i = 0; i != context.outputs.size(); ++i) {
    if (overlap(arena, bytes, context.outputPointers[i],
                context.outputs[i].bytes))
      return overlapError("output", context.outputs[i].desc->name,
                          "the arena of entry", entry);
    if (lz_status s = checkOutputOverlap(context, i))
      return s;
  }
  return LZ_OK;
}

lz_status lz::rt::prepare(lz_context &context) {
  context.prepared = context.hasRun = false;
  const lz_entry &entry = *context.entry;
  if (lz_status s = collectInputs(context))
    return s;
  if (lz_status s = solveSymbols(entry, context.inputShapes.data(),
                                 context.symbols.data()))
    return s;
  if (lz_status s = evaluateState(entry, context.symbols.data(),
                                  context.threads, context.state.data()))
    return s;
  if (lz_status s = placeArena(context))
    return s;
  if (lz_status s = placeOutputs(context))
    return s;
  if (lz_status s = checkOverlaps(context))
    return s;
  if (context.threads > 1 && !context.options.parallel_for)
    Pool::process().awaitWorkers();
  context.prepared = true;
  return LZ_OK;
}
