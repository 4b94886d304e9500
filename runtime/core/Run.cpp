//===- Run.cpp - run a context --------------------------------------------===//

#include "runtime/core/Compound.h"
#include "runtime/core/Context.h"
#include "runtime/core/Model.h"
#include "runtime/core/Tensor.h"
#include "runtime/cpu/Pool.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <immintrin.h>

using namespace lz::rt;

static int64_t nowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

static void hostParallelFor(void *user, lz_body_fn body, void *args, int64_t n,
                            int64_t grain) {
  auto &context = *static_cast<lz_context *>(user);
  if (context.options.parallel_for)
    return context.options.parallel_for(context.options.parallel_user, body,
                                        args, n, grain);
  if (context.threads == 1)
    return runSerially(body, args, n, grain);
  Pool::process().run(body, args, n, grain, context.threads);
}

static void *hostGrow(void *user, int64_t bytes, int64_t alignment) {
  auto &options = static_cast<lz_context *>(user)->options;
  return options.grow(options.grow_user, bytes, alignment);
}

/// Adds one launch to its times.
static void addTime(LaunchTimes &times, int64_t ns) {
  times.least = times.calls ? std::min(times.least, ns) : ns;
  times.most = std::max(times.most, ns);
  times.total += ns;
  ++times.calls;
}

static void hostTrace(void *user, int64_t launch, int32_t phase) {
  auto &context = *static_cast<lz_context *>(user);
  int64_t now = nowNs();
  if (launch >= 0 && uint64_t(launch) < context.times.size()) {
    LaunchTimes &times = context.times[size_t(launch)];
    if (phase == 0)
      times.start = now;
    else
      addTime(times, now - times.start);
  }
  if (context.options.trace)
    context.options.trace(context.options.trace_user, launch, phase);
}

void lz::rt::setUpHost(lz_context &context) {
  lz_host &host = context.host;
  host.size = sizeof host;
  host.context = &context;
  host.parallel_for = hostParallelFor;
  host.grow = context.options.grow ? hostGrow : nullptr;
  host.trace =
      context.options.profile || context.options.trace ? hostTrace : nullptr;
}

/// Fails with the launch, or the check, that stopped the run.
static lz_status failedLaunch(const lz_context &context, int64_t index) {
  const lz_entry &entry = *context.entry;
  if (index >= entry.launch_count)
    return failedCheck(entry, context.symbols.data(),
                       index - entry.launch_count);
  if (index < 0)
    return fail(LZ_RUN_FAILED, "entry '%s' failed", entry.name);
  const lz_launch_desc &launch = at(entry.launches, index);
  bool fixed = entry.memory_class == LZ_MEMORY_OPEN && !context.host.grow;
  return fail(LZ_RUN_FAILED, "entry '%s': node '%s' (kernel '%s') failed%s",
              entry.name, launch.nodes, launch.kernel,
              fixed ? "; it may need more memory than planned, which only a "
                      "'grow' function can give"
                    : "");
}

/// Reads one output's shape, and where its memory is if the run got it.
static lz_status updateOutput(lz_context &context, size_t index) {
  Value &value = context.outputs[index];
  const lz_value_desc &desc = *value.desc;
  int64_t planned = value.bytes;
  if (lz_status s = readOutputShape(*context.entry, desc, context.state.data(),
                                    value.shape))
    return s;
  tensorBytes(elementType(desc), value.shape, desc.rank, &value.bytes);
  if (int64_t slot = desc.address_slot) {
    if (int64_t address = context.state[size_t(slot)])
      context.outputPointers[index] = reinterpret_cast<void *>(address);
    return LZ_OK;
  }
  if (value.bytes <= planned)
    return LZ_OK;
  return fail(LZ_RUN_FAILED,
              "entry '%s': output '%s' of shape %s exceeds the %lld bytes "
              "that were planned",
              context.entry->name, desc.name,
              shapeText(value.shape, desc.rank).c_str(), (long long)planned);
}

/// Reads the shapes that only the run could find. They fit what was planned.
static lz_status updateShapes(lz_context &context) {
  for (size_t i = 0; i != context.outputs.size(); ++i)
    if (lz_status s = updateOutput(context, i))
      return s;
  return LZ_OK;
}

/// Calls the artifact, with round to nearest and denormals whatever the caller
/// has set, as the pool's threads have them: results must not depend on either.
static int64_t callArtifact(lz_context &context) {
  char *arena = context.boundArena ? context.boundArena : context.arena.data();
  unsigned saved = _mm_getcsr();
  _mm_setcsr(0x1f80);
  int64_t failed = context.entry->run(
      &context.host, context.state.data(), arena, context.model->weights,
      context.inputPointers.data(), context.outputPointers.data());
  _mm_setcsr(saved);
  return failed;
}

static lz_status runOnce(lz_context &context) {
  context.hasRun = false;
  if (!context.prepared || context.volatileSizes)
    if (lz_status s = prepare(context))
      return s;
  gatherValues(context);
  if (int64_t failed = callArtifact(context))
    return failedLaunch(context, failed - 1);
  if (context.entry->memory_class != LZ_MEMORY_EXACT)
    if (lz_status s = updateShapes(context))
      return s;
  context.hasRun = true;
  return LZ_OK;
}

lz_status lz_prepare(lz_context *context) { return use(context, prepare); }

lz_status lz_run(lz_context *context) { return use(context, runOnce); }

/// Prepares a context that is not.
static lz_status ensurePrepared(lz_context &context) {
  return context.prepared ? LZ_OK : prepare(context);
}

lz_status lz_get_plan(lz_context *context, lz_plan_info *result) {
  return use(context, [&](lz_context &c) -> lz_status {
    if (lz_status s = ensurePrepared(c))
      return s;
    lz_plan_info info = {};
    info.arena_bytes = c.state[LZ_STATE_ARENA_BYTES];
    info.memory_class = c.entry->memory_class;
    info.memory_class_node = c.entry->memory_class_node;
    return writeStruct("lz_plan_info", info, result);
  });
}

lz_status lz_get_output(lz_context *context, const char *name,
                        lz_tensor *result) {
  return use(context, [&](lz_context &c) -> lz_status {
    if (lz_status s = ensurePrepared(c))
      return s;
    for (size_t i = 0; i != c.outputs.size(); ++i) {
      const Value &value = c.outputs[i];
      if (!name || value.isPart || strcmp(value.desc->name, name))
        continue;
      if (compound(*value.desc))
        return fail(LZ_BAD_ARGUMENT,
                    "output '%s' is a sequence or an optional: read it by "
                    "lz_get_output_values",
                    name);
      lz_tensor tensor = {};
      tensor.data = c.outputPointers[i];
      tensor.device_type = LZ_DEVICE_CPU;
      tensor.element_type = value.desc->element_type;
      tensor.rank = value.desc->rank;
      tensor.shape = value.shape;
      return writeStruct("lz_tensor", tensor, result);
    }
    return failNoValue(c, "output", c.outputs, name);
  });
}

lz_status lz_get_launch_profile(const lz_context *context, int64_t index,
                                lz_launch_profile *result) {
  if (!context)
    return fail(LZ_BAD_ARGUMENT, "the context is a null pointer");
  if (!context->options.profile)
    return fail(LZ_BAD_ARGUMENT, "the context was made without 'profile'");
  if (index < 0 || index >= context->entry->launch_count)
    return fail(LZ_BAD_ARGUMENT, "launch %lld does not exist: there are %lld",
                (long long)index, (long long)context->entry->launch_count);
  const lz_launch_desc &launch = at(context->entry->launches, index);
  const LaunchTimes &times = context->times[size_t(index)];
  lz_launch_profile profile = {};
  profile.kernel = launch.kernel;
  profile.nodes = launch.nodes;
  profile.calls = times.calls;
  profile.total_ns = times.total;
  profile.min_ns = times.least;
  profile.max_ns = times.most;
  return writeStruct("lz_launch_profile", profile, result);
}

lz_status lz_reset_profile(lz_context *context) {
  return use(context, [](lz_context &c) -> lz_status {
    std::fill(c.times.begin(), c.times.end(), LaunchTimes());
    return LZ_OK;
  });
}

uint32_t lz_abi(void) { return LZ_ABI; }

const char *lz_version(void) { return LZ_VERSION; }
