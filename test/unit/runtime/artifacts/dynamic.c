/* y[n, m] = a[n, m] * b[n] for N in 1..64 and even M in 0..4096, through a copy
 * of `a` in an arena that is as large as it. Rows add up in one kernel, so that
 * the sums would show another split of the loop. */
#include "Table.h"

enum { STATE_N = LZ_STATE_FIRST_FREE, STATE_M, STATE_SLOTS };

static const int64_t aDims[] = {-1, -2};
static const int64_t bDims[] = {-1};
static const int64_t yDims[] = {-(STATE_N + 1), -(STATE_M + 1)};
static const int64_t sumDims[] = {};

static const lz_symbol symbols[] = {
    {sizeof(lz_symbol), "N", 1, 64, LZ_SYMBOL_DIM, 0, 0},
    {sizeof(lz_symbol), "M", 0, 4096, LZ_SYMBOL_DIM, 0, 1}};
static const lz_check_desc checks[] = {
    {sizeof(lz_check_desc), "reshape_3", "M must be even"}};
static const lz_value_desc inputs[] = {VALUE("a", LZ_F32, aDims, -1),
                                       VALUE("b", LZ_F32, bDims, -1)};
static const lz_value_desc outputs[] = {VALUE("y", LZ_F32, yDims, -1),
                                        VALUE("sum", LZ_F32, sumDims, -1)};

typedef struct Args {
  const float *a, *b;
  float *y, *partial;
  int64_t m;
} Args;

static void copyBody(void *p, int64_t lo, int64_t hi) {
  Args *args = p;
  for (int64_t i = lo; i != hi; ++i)
    args->partial[i] = args->a[i];
}

static void scaleBody(void *p, int64_t lo, int64_t hi) {
  Args *args = p;
  for (int64_t n = lo; n != hi; ++n)
    for (int64_t m = 0; m != args->m; ++m)
      args->y[n * args->m + m] = args->partial[n * args->m + m] * args->b[n];
}

/* Adds each chunk up by itself: other chunks would give other bits. */
static void sumBody(void *p, int64_t lo, int64_t hi) {
  Args *args = p;
  float sum = 0;
  for (int64_t i = lo; i != hi; ++i)
    sum += args->y[i];
  args->partial[lo] = sum;
}

static int64_t prepare(const int64_t *s, int64_t workers, int64_t *state) {
  (void)workers;
  if (s[1] % 2)
    return 1;
  state[LZ_STATE_ARENA_BYTES] = (s[0] * s[1] * 4 + 63) / 64 * 64;
  state[STATE_N] = s[0];
  state[STATE_M] = s[1];
  return 0;
}

static int64_t run(const lz_host *host, int64_t *state, char *arena,
                   const char *weights, const void *const *in,
                   void *const *out) {
  (void)weights;
  int64_t n = state[STATE_N], m = state[STATE_M];
  Args args = {in[0], in[1], out[0], (float *)arena, m};
  host->parallel_for(host->context, copyBody, &args, n * m, 100);
  host->parallel_for(host->context, scaleBody, &args, n, 1);
  host->parallel_for(host->context, sumBody, &args, n * m, 10);
  float sum = 0;
  for (int64_t i = 0; i < n * m; i += 10)
    sum += args.partial[i];
  *(float *)out[1] = sum;
  return 0;
}

static const lz_entry entries[] = {{.size = sizeof(lz_entry),
                                    .name = "main",
                                    .input_count = COUNT(inputs),
                                    .output_count = COUNT(outputs),
                                    .symbol_count = COUNT(symbols),
                                    .check_count = COUNT(checks),
                                    .inputs = inputs,
                                    .outputs = outputs,
                                    .symbols = symbols,
                                    .checks = checks,
                                    .state_slots = STATE_SLOTS,
                                    .prepare = prepare,
                                    .run = run}};

ARTIFACT("dynamic")
