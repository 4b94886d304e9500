/* y = 2 * x + bias over f32[4, 6], in two launches by way of an arena of 128
 * bytes, the last of which is written. A second entry, "negate", has no arena.
 */
#include "Table.h"

static const int64_t xDims[] = {4, 6};
static const float bias[] __attribute__((aligned(64))) = {1, 2, 3, 4, 5, 6};
static const int64_t biasDims[] = {6};

static const lz_value_desc inputs[] = {VALUE("x", LZ_F32, xDims, -1)};
static const lz_value_desc outputs[] = {VALUE("y", LZ_F32, xDims, -1)};
static const lz_launch_desc launches[] = {
    {sizeof(lz_launch_desc), "lz_double", "mul_0"},
    {sizeof(lz_launch_desc), "lz_bias", "add_1,relu_2"}};
static const lz_parameter_desc parameters[] = {{sizeof(lz_parameter_desc),
                                                "bias", LZ_F32, 1, biasDims,
                                                "row-major", 0, sizeof bias}};
static const char *const metadata[] = {"author", "test", "license", "none"};

typedef struct Args {
  const float *x, *bias;
  float *y;
} Args;

static void doubleBody(void *p, int64_t lo, int64_t hi) {
  Args *args = p;
  for (int64_t i = lo; i != hi; ++i)
    args->y[i] = 2 * args->x[i];
}

static void biasBody(void *p, int64_t lo, int64_t hi) {
  Args *args = p;
  for (int64_t i = lo; i != hi; ++i)
    args->y[i] = args->x[i] + args->bias[i % 6];
}

static void negateBody(void *p, int64_t lo, int64_t hi) {
  Args *args = p;
  for (int64_t i = lo; i != hi; ++i)
    args->y[i] = -args->x[i];
}

static void trace(const lz_host *host, int64_t launch, int32_t phase) {
  if (host->trace)
    host->trace(host->context, launch, phase);
}

static int64_t prepare(const int64_t *symbols, int64_t workers,
                       int64_t *state) {
  (void)symbols, (void)workers;
  state[LZ_STATE_ARENA_BYTES] = 128;
  return 0;
}

static int64_t prepareNothing(const int64_t *symbols, int64_t workers,
                              int64_t *state) {
  (void)symbols, (void)workers;
  state[LZ_STATE_ARENA_BYTES] = 0;
  return 0;
}

static int64_t run(const lz_host *host, int64_t *state, char *arena,
                   const char *weights, const void *const *in,
                   void *const *out) {
  float *doubled = (float *)arena;
  arena[state[LZ_STATE_ARENA_BYTES] - 1] = 1;
  Args first = {in[0], 0, doubled};
  trace(host, 0, 0);
  host->parallel_for(host->context, doubleBody, &first, 24, 5);
  trace(host, 0, 1);
  Args second = {doubled, (const float *)weights, out[0]};
  trace(host, 1, 0);
  host->parallel_for(host->context, biasBody, &second, 24, 7);
  trace(host, 1, 1);
  return 0;
}

static int64_t negate(const lz_host *host, int64_t *state, char *arena,
                      const char *weights, const void *const *in,
                      void *const *out) {
  (void)state, (void)arena, (void)weights;
  Args args = {in[0], 0, out[0]};
  host->parallel_for(host->context, negateBody, &args, 24, 24);
  return 0;
}

static const lz_entry entries[] = {{.size = sizeof(lz_entry),
                                    .name = "main",
                                    .input_count = 1,
                                    .output_count = 1,
                                    .launch_count = COUNT(launches),
                                    .inputs = inputs,
                                    .outputs = outputs,
                                    .launches = launches,
                                    .state_slots = LZ_STATE_FIRST_FREE,
                                    .prepare = prepare,
                                    .run = run},
                                   {.size = sizeof(lz_entry),
                                    .name = "negate",
                                    .input_count = 1,
                                    .output_count = 1,
                                    .inputs = inputs,
                                    .outputs = outputs,
                                    .state_slots = LZ_STATE_FIRST_FREE,
                                    .prepare = prepareNothing,
                                    .run = negate}};

static const lz_artifact artifact = {.size = sizeof(lz_artifact),
                                     .abi = LZ_ARTIFACT_ABI,
                                     .producer = "by hand",
                                     .model_name = "exact",
                                     .target = "x86-64",
                                     .cpu_features = "sse2,cx8",
                                     .entry_count = COUNT(entries),
                                     .parameter_count = COUNT(parameters),
                                     .entries = entries,
                                     .parameters = parameters,
                                     .weights = (const char *)bias,
                                     .weights_bytes = sizeof bias,
                                     .metadata_count = 2,
                                     .metadata = metadata,
                                     .report = "{}"};

EXPORT const lz_artifact *lz_artifact_v1(const lz_host *host) {
  (void)host;
  return &artifact;
}
