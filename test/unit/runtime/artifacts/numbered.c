/* One of ten models of equal symbols: y = NUMBER * x + 1 over f32[1000]. */
#include "Table.h"

static const int64_t dims[] = {1000};
static const lz_value_desc inputs[] = {VALUE("x", LZ_F32, dims, -1)};
static const lz_value_desc outputs[] = {VALUE("y", LZ_F32, dims, -1)};

typedef struct Args {
  const float *x;
  float *y, *t;
} Args;

static void scaleBody(void *p, int64_t lo, int64_t hi) {
  Args *args = p;
  for (int64_t i = lo; i != hi; ++i)
    args->t[i] = NUMBER * args->x[i];
}

static void addBody(void *p, int64_t lo, int64_t hi) {
  Args *args = p;
  for (int64_t i = lo; i != hi; ++i)
    args->y[i] = args->t[999 - i] + 1;
}

static int64_t prepare(const int64_t *symbols, int64_t workers,
                       int64_t *state) {
  (void)symbols, (void)workers;
  state[LZ_STATE_ARENA_BYTES] = 4032;
  return 0;
}

static int64_t run(const lz_host *host, int64_t *state, char *arena,
                   const char *weights, const void *const *in,
                   void *const *out) {
  (void)state, (void)weights;
  Args args = {in[0], out[0], (float *)arena};
  host->parallel_for(host->context, scaleBody, &args, 1000, 30);
  host->parallel_for(host->context, addBody, &args, 1000, 30);
  return 0;
}

static const lz_entry entries[] = {{.size = sizeof(lz_entry),
                                    .name = "main",
                                    .input_count = 1,
                                    .output_count = 1,
                                    .inputs = inputs,
                                    .outputs = outputs,
                                    .state_slots = LZ_STATE_FIRST_FREE,
                                    .prepare = prepare,
                                    .run = run}};

ARTIFACT("numbered")
