/* A model that copies x to y, with one thing wrong that the loader must see:
 * BROKEN_... says which. */
#include "Table.h"

#ifdef BROKEN_ABI
#define ABI 99
#else
#define ABI LZ_ARTIFACT_ABI
#endif
#ifdef BROKEN_SIZE
#define SIZE 40
#else
#define SIZE sizeof(lz_artifact)
#endif
#ifdef BROKEN_ENTRY_SIZE
#define ENTRY_SIZE 64
#else
#define ENTRY_SIZE sizeof(lz_entry)
#endif
#ifdef BROKEN_TYPE
#define TYPE 77
#else
#define TYPE LZ_F32
#endif
#ifdef BROKEN_SYMBOL
#define DIM -5
#else
#define DIM 4
#endif
#ifdef BROKEN_RUN
#define RUN 0
#else
#define RUN run
#endif
#if defined(BROKEN_FEATURES)
#define FEATURES "sse2,avx512f,nonexistent"
#elif defined(HASWELL)
#define FEATURES "sse2,avx2,fma"
#else
#define FEATURES ""
#endif
#if defined(BROKEN_WEIGHTS_NAME)
#define WEIGHTS_FILE "../weights.lzw"
#elif defined(BROKEN_WEIGHTS)
#define WEIGHTS_FILE "missing.lzw"
#elif defined(EXTERNAL_WEIGHTS)
#define WEIGHTS_FILE "external.lzw"
#else
#define WEIGHTS_FILE 0
#endif

static const int64_t dims[] = {DIM};
static const lz_value_desc inputs[] = {VALUE("x", TYPE, dims, -1)};
static const lz_value_desc outputs[] = {VALUE("y", TYPE, dims, -1)};

static int64_t prepare(const int64_t *symbols, int64_t workers,
                       int64_t *state) {
  (void)symbols, (void)workers;
  state[LZ_STATE_ARENA_BYTES] = 0;
  return 0;
}

/* Adds the weights where there are any. */
__attribute__((unused)) static int64_t run(const lz_host *host, int64_t *state,
                                           char *arena, const char *weights,
                                           const void *const *in,
                                           void *const *out) {
  (void)host, (void)state, (void)arena;
  for (int i = 0; i != 4; ++i)
    ((float *)out[0])[i] =
        ((const float *)in[0])[i] + (weights ? ((const float *)weights)[i] : 0);
  return 0;
}

static const lz_entry entries[] = {{.size = ENTRY_SIZE,
                                    .name = "main",
                                    .input_count = 1,
                                    .output_count = 1,
                                    .inputs = inputs,
                                    .outputs = outputs,
                                    .state_slots = LZ_STATE_FIRST_FREE,
                                    .prepare = prepare,
                                    .run = RUN}};

/* The hash is that of the floats 1, 2, 3, 4, by sha256sum. */
static const lz_artifact artifact = {.size = SIZE,
                                     .abi = ABI,
                                     .producer = "by hand",
                                     .target = "x86-64-v4",
                                     .cpu_features = FEATURES,
                                     .entry_count = 1,
                                     .entries = entries,
                                     .weights_bytes = WEIGHTS_FILE ? 16 : 0,
                                     .weights_file = WEIGHTS_FILE,
                                     .weights_hash =
                                         WEIGHTS_FILE ? WEIGHTS_HASH : 0};

EXPORT const lz_artifact *lz_artifact_v1(const lz_host *host) {
  (void)host;
#ifdef BROKEN_NULL
  return host ? 0 : &artifact;
#else
  return &artifact;
#endif
}
