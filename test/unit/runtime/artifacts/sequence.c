/* Copies its inputs: a sequence `s` of f32 of up to three dimensions, an optional
 * f32 `o` of two elements, and an optional sequence `q` of i64 scalars.
 * BROKEN_... says what is wrong with the table. */
#include "Table.h"

enum { SLOT_E = LZ_STATE_FIRST_FREE, SLOT_N, SLOT_O, SLOT_Q, STATE_SLOTS };

#ifdef BROKEN_PARTS
#define COLUMNS 0
#else
#define COLUMNS 4
#endif

static const lz_symbol symbols[] = {
    {sizeof(lz_symbol), "s_elements", 0, 1000, LZ_SYMBOL_DIM, 0, 0},
    {sizeof(lz_symbol), "s_length", 0, 100, LZ_SYMBOL_DIM, 1, 0},
    {sizeof(lz_symbol), "o_length", 0, 1, LZ_SYMBOL_DIM, 2, 0},
    {sizeof(lz_symbol), "q_length", 0, 100, LZ_SYMBOL_DIM, 3, 0}};

static const int64_t two[] = {2};
static const lz_compound_desc sequence = {
    sizeof(lz_compound_desc), LZ_SEQUENCE, LZ_F32, -1, LZ_PART_SHAPES, 0};
static const lz_compound_desc optional = {
    sizeof(lz_compound_desc), LZ_OPTIONAL, LZ_F32, 1, 0, two};
static const lz_compound_desc optionalSequence = {
    sizeof(lz_compound_desc), LZ_OPTIONAL_SEQUENCE, LZ_I64, 0, LZ_PART_HAS, 0};

#define COMPOUND(name_, dims_, compound_)                                      \
  {.size = sizeof(lz_value_desc),                                              \
   .name = name_,                                                              \
   .rank = (int32_t)COUNT(dims_),                                              \
   .dims = dims_,                                                              \
   .alias_input = -1,                                                          \
   .compound = &compound_}

static const int64_t eIn[] = {-1}, nIn[] = {-2, COLUMNS}, oIn[] = {-3, 2},
                     qIn[] = {-4}, none[] = {};
static const lz_value_desc inputs[] = {
    COMPOUND("s", eIn, sequence), VALUE("s.shapes", LZ_I64, nIn, -1),
    COMPOUND("o", oIn, optional), COMPOUND("q", qIn, optionalSequence),
    VALUE("q.has", LZ_BOOL, none, -1)};

static const int64_t eOut[] = {-(SLOT_E + 1)}, nOut[] = {-(SLOT_N + 1), COLUMNS},
                     oOut[] = {-(SLOT_O + 1), 2}, qOut[] = {-(SLOT_Q + 1)};
static const lz_value_desc outputs[] = {
    COMPOUND("t", eOut, sequence), VALUE("t.shapes", LZ_I64, nOut, -1),
    COMPOUND("p", oOut, optional), COMPOUND("r", qOut, optionalSequence),
    VALUE("r.has", LZ_BOOL, none, -1)};

static int64_t prepare(const int64_t *s, int64_t workers, int64_t *state) {
  (void)workers;
  state[LZ_STATE_ARENA_BYTES] = 0;
  for (int i = 0; i != 4; ++i)
    state[SLOT_E + i] = s[i];
  return 0;
}

static void copy(void *to, const void *from, int64_t bytes) {
  for (int64_t i = 0; i != bytes; ++i)
    ((char *)to)[i] = ((const char *)from)[i];
}

static int64_t run(const lz_host *host, int64_t *state, char *arena,
                   const char *weights, const void *const *in,
                   void *const *out) {
  (void)host, (void)arena, (void)weights;
  copy(out[0], in[0], state[SLOT_E] * 4);
  copy(out[1], in[1], state[SLOT_N] * COLUMNS * 8);
  copy(out[2], in[2], state[SLOT_O] * 2 * 4);
  copy(out[3], in[3], state[SLOT_Q] * 8);
  copy(out[4], in[4], 1);
  return 0;
}

static const lz_entry entries[] = {{.size = sizeof(lz_entry),
                                    .name = "main",
                                    .input_count = COUNT(inputs),
                                    .output_count = COUNT(outputs),
                                    .symbol_count = COUNT(symbols),
                                    .inputs = inputs,
                                    .outputs = outputs,
                                    .symbols = symbols,
                                    .state_slots = STATE_SLOTS,
                                    .prepare = prepare,
                                    .run = run}};

ARTIFACT("sequence")
