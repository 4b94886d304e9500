/* One entry for each of the less usual things: an output that updates an input,
 * a size that is an input's value, a size found during the run, memory beyond
 * the plan, a launch that fails, an output without a bound. */
#include "Table.h"

enum { STATE_SIZE = LZ_STATE_FIRST_FREE, STATE_ADDRESS, STATE_SLOTS };

static const int64_t four[] = {4}, one[] = {1}, symbolic[] = {-1};
static const int64_t fromState[] = {-(STATE_SIZE + 1)};

/* update: total += step, in place. */
static const lz_value_desc updateInputs[] = {VALUE("total", LZ_I64, four, -1),
                                             VALUE("step", LZ_I64, four, -1)};
static const lz_value_desc updateOutputs[] = {
    VALUE("new_total", LZ_I64, four, 0)};

static int64_t noArena(const int64_t *symbols, int64_t workers,
                       int64_t *state) {
  (void)symbols, (void)workers;
  state[LZ_STATE_ARENA_BYTES] = 0;
  return 0;
}

static int64_t runUpdate(const lz_host *host, int64_t *state, char *arena,
                         const char *weights, const void *const *in,
                         void *const *out) {
  (void)host, (void)state, (void)arena, (void)weights;
  for (int i = 0; i != 4; ++i)
    ((int64_t *)out[0])[i] += ((const int64_t *)in[1])[i];
  return 0;
}

/* ramp: y = 0, 1, ..., count - 1. */
static const lz_symbol rampSymbols[] = {
    {sizeof(lz_symbol), "count", 0, 1000, LZ_SYMBOL_ELEMENT, 0, 0}};
static const lz_value_desc rampInputs[] = {VALUE("count", LZ_I32, one, -1)};
static const lz_value_desc rampOutputs[] = {VALUE("y", LZ_I32, fromState, -1)};

static int64_t prepareRamp(const int64_t *symbols, int64_t workers,
                           int64_t *state) {
  (void)workers;
  state[LZ_STATE_ARENA_BYTES] = 0;
  state[STATE_SIZE] = symbols[0];
  return 0;
}

static int64_t runRamp(const lz_host *host, int64_t *state, char *arena,
                       const char *weights, const void *const *in,
                       void *const *out) {
  (void)host, (void)arena, (void)weights, (void)in;
  for (int64_t i = 0; i != state[STATE_SIZE]; ++i)
    ((int32_t *)out[0])[i] = (int32_t)i;
  return 0;
}

/* compact: the non-zero elements of x. */
static const lz_symbol compactSymbols[] = {
    {sizeof(lz_symbol), "N", 0, 1000, LZ_SYMBOL_DIM, 0, 0}};
static const lz_value_desc compactInputs[] = {VALUE("x", LZ_I32, symbolic, -1)};

static int64_t runCompact(const lz_host *host, int64_t *state, char *arena,
                          const char *weights, const void *const *in,
                          void *const *out) {
  (void)host, (void)arena, (void)weights;
  int64_t kept = 0;
  for (int64_t i = 0; i != state[STATE_SIZE]; ++i)
    if (((const int32_t *)in[0])[i])
      ((int32_t *)out[0])[kept++] = ((const int32_t *)in[0])[i];
  state[STATE_SIZE] = kept;
  return 0;
}

/* growing: copies x by way of memory that was not planned. */
static const lz_launch_desc growLaunches[] = {
    {sizeof(lz_launch_desc), "lz_copy", "loop_7"}};

static int64_t runGrowing(const lz_host *host, int64_t *state, char *arena,
                          const char *weights, const void *const *in,
                          void *const *out) {
  (void)arena, (void)weights;
  int64_t n = state[STATE_SIZE];
  int32_t *copy = host->grow ? host->grow(host->context, 4 * n + 4, 64) : 0;
  if (!copy)
    return 1;
  for (int64_t i = 0; i != n; ++i)
    copy[i] = ((const int32_t *)in[0])[i];
  for (int64_t i = 0; i != n; ++i)
    ((int32_t *)out[0])[i] = copy[i];
  return 0;
}

/* endless: y = 0, 1, ..., sum of x - 1, which may be 50 at most. */
static const lz_value_desc endlessOutputs[] = {{.size = sizeof(lz_value_desc),
                                                .name = "y",
                                                .element_type = LZ_I32,
                                                .rank = 1,
                                                .dims = fromState,
                                                .alias_input = -1,
                                                .address_slot = STATE_ADDRESS}};
static const lz_check_desc endlessChecks[] = {
    {sizeof(lz_check_desc), "loop_8", "gives too many"},
    {sizeof(lz_check_desc), "loop_8", "gets no memory"}};

static int64_t prepareEndless(const int64_t *symbols, int64_t workers,
                              int64_t *state) {
  (void)workers;
  state[LZ_STATE_ARENA_BYTES] = 0;
  state[LZ_STATE_RESERVED] = symbols[0];
  state[STATE_SIZE] = -1;
  return 0;
}

static int64_t runEndless(const lz_host *host, int64_t *state, char *arena,
                          const char *weights, const void *const *in,
                          void *const *out) {
  (void)arena, (void)weights, (void)out;
  int64_t sum = 0;
  for (int64_t i = 0; i != state[LZ_STATE_RESERVED]; ++i)
    sum += ((const int32_t *)in[0])[i];
  if (sum > 50)
    return 1 + 0 + 0; /* no launches; the first check */
  int32_t *y = host->grow ? host->grow(host->context, 4 * sum + 4, 64) : 0;
  if (!y)
    return 1 + 0 + 1;
  for (int64_t i = 0; i != sum; ++i)
    y[i] = (int32_t)i;
  state[STATE_SIZE] = sum;
  state[STATE_ADDRESS] = (int64_t)y;
  return 0;
}

#define ENTRY(name_, class_, node_, in_, out_, symbols_, count_, prepare_,     \
              run_)                                                            \
  .size = sizeof(lz_entry), .name = name_, .memory_class = class_,             \
  .memory_class_node = node_, .input_count = COUNT(in_),                       \
  .output_count = COUNT(out_), .inputs = in_, .outputs = out_,                 \
  .symbol_count = count_, .symbols = symbols_, .state_slots = STATE_SLOTS,     \
  .prepare = prepare_, .run = run_

static const lz_entry entries[] = {
    {ENTRY("update", LZ_MEMORY_EXACT, 0, updateInputs, updateOutputs, 0, 0,
           noArena, runUpdate)},
    {ENTRY("ramp", LZ_MEMORY_EXACT, 0, rampInputs, rampOutputs, rampSymbols, 1,
           prepareRamp, runRamp)},
    {ENTRY("compact", LZ_MEMORY_BOUND, "nonzero_4", compactInputs, rampOutputs,
           compactSymbols, 1, prepareRamp, runCompact)},
    {ENTRY("growing", LZ_MEMORY_OPEN, "loop_7", compactInputs, rampOutputs,
           compactSymbols, 1, prepareRamp, runGrowing),
     .launch_count = COUNT(growLaunches), .launches = growLaunches},
    {ENTRY("endless", LZ_MEMORY_OPEN, "loop_8", compactInputs, endlessOutputs,
           compactSymbols, 1, prepareEndless, runEndless),
     .check_count = COUNT(endlessChecks), .checks = endlessChecks}};

ARTIFACT("special")
