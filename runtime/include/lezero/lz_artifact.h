/*===- lz_artifact.h - what a compiled model exports ----------------*- C -*-===
 *
 * The contract between an artifact (the shared library that lzc writes) and
 * whatever loads it. An artifact exports one symbol, LZ_ARTIFACT_SYMBOL, of
 * type lz_artifact_fn. Everything else is reached through the const table it
 * returns.
 *
 * The artifact owns no thread, no memory and no file: what it needs from its
 * process comes through lz_host. Users of models want lz.h, which checks
 * everything that this header takes on trust.
 *
 * Every struct starts with its own size, so that a newer table can be read by
 * an older loader and the other way round. Pointers in the table live as long
 * as the library is loaded.
 *
 *===------------------------------------------------------------------------===*/
#ifndef LEZERO_LZ_ARTIFACT_H
#define LEZERO_LZ_ARTIFACT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when an old loader could misread a new table. */
#define LZ_ARTIFACT_ABI 1
#define LZ_ARTIFACT_SYMBOL "lz_artifact_v1"

/* Element types. The numbers are those of ONNX's TensorProto.DataType, and the
 * list is open: a loader meeting an unknown one must refuse, not guess. Bytes
 * are as in ONNX's raw_data: little endian, bool one byte, 4-bit and 2-bit
 * types packed from the low bits up. */
enum lz_element_type {
  LZ_UNDEFINED = 0,
  LZ_F32 = 1,
  LZ_U8 = 2,
  LZ_I8 = 3,
  LZ_U16 = 4,
  LZ_I16 = 5,
  LZ_I32 = 6,
  LZ_I64 = 7,
  LZ_STRING = 8,
  LZ_BOOL = 9,
  LZ_F16 = 10,
  LZ_F64 = 11,
  LZ_U32 = 12,
  LZ_U64 = 13,
  LZ_C64 = 14,
  LZ_C128 = 15,
  LZ_BF16 = 16,
  LZ_F8E4M3FN = 17,
  LZ_F8E4M3FNUZ = 18,
  LZ_F8E5M2 = 19,
  LZ_F8E5M2FNUZ = 20,
  LZ_U4 = 21,
  LZ_I4 = 22,
  LZ_F4E2M1 = 23,
  LZ_F8E8M0 = 24,
  LZ_U2 = 25,
  LZ_I2 = 26
};

/* How well the memory of a run is known before it; see lz_plan in lz.h. */
enum lz_memory_class {
  LZ_MEMORY_EXACT = 0,
  LZ_MEMORY_BOUND = 1,
  LZ_MEMORY_OPEN = 2
};

/* One piece of a parallel loop: iterations [lo, hi). */
typedef void (*lz_body_fn)(void *args, int64_t lo, int64_t hi);

/* What the process gives to a run. */
typedef struct lz_host {
  uint64_t size; /* sizeof(lz_host) */
  void *context; /* handed back to each function below */

  /* Runs `body` over chunks of at most `grain` iterations that cover [0, n)
   * once, and returns when all are done. Chunks start at multiples of `grain`
   * whatever the number of threads, so that results do not depend on it. */
  void (*parallel_for)(void *context, lz_body_fn body, void *args, int64_t n,
                       int64_t grain);

  /* Memory beyond the planned arena, for programs of class open; null when the
   * host gives none. Freed by the host when the run's outputs, which may lie
   * there, have been read: at the latest when the next run begins. */
  void *(*grow)(void *context, int64_t bytes, int64_t alignment);

  /* Called before (phase 0) and after (phase 1) launch number `launch` of the
   * entry; may be null. */
  void (*trace)(void *context, int64_t launch, int32_t phase);
} lz_host;

/* A free size of an entry: a dimension of an input, or an element of an integer
 * input on whose value a size depends. */
enum lz_symbol_source {
  LZ_SYMBOL_DIM = 0,     /* dimension `index` of input `input` */
  LZ_SYMBOL_ELEMENT = 1, /* element `index` of the data of input `input` */
  LZ_SYMBOL_RUN = 2      /* found during the run; `max` bounds nothing */
};

typedef struct lz_symbol {
  uint64_t size;
  const char *name;
  int64_t min, max; /* inclusive; anything outside is refused */
  int32_t source;   /* lz_symbol_source */
  int32_t input;
  int64_t index;
} lz_symbol;

/* What an input or output is that is no tensor. */
enum lz_compound_kind {
  LZ_SEQUENCE = 1,         /* of tensors */
  LZ_OPTIONAL = 2,         /* a tensor, or nothing */
  LZ_OPTIONAL_SEQUENCE = 3 /* a sequence of tensors, or nothing */
};

/* What follows the data of a sequence or optional among inputs or outputs. */
enum lz_compound_part {
  LZ_PART_SHAPES = 1, /* i64 [count, columns]: the shape of each value */
  LZ_PART_HAS = 2     /* bool []: an optional sequence is there */
};

/* A sequence or optional takes several places among its entry's inputs or
 * outputs: its data, then the parts that are named. Without LZ_PART_SHAPES all
 * values have one shape, and data is [count, shape...]; with it, data is
 * [elements], those of all values one after the other. An optional tensor is a
 * sequence of at most one value. */
typedef struct lz_compound_desc {
  uint64_t size;
  int32_t kind;         /* lz_compound_kind */
  int32_t element_type; /* of the values */
  int32_t rank;  /* of the values; -1: any, and a row of shapes is the rank and
                    as many sizes as it has room for, 0 beyond the rank */
  int32_t parts; /* lz_compound_part, or-ed */
  const int64_t *dims; /* of the values; -1 where they may differ */
} lz_compound_desc;

typedef struct lz_value_desc {
  uint64_t size;
  const char *name;
  int32_t element_type; /* lz_element_type */
  int32_t rank;
  /* Non-negative: the size. Negative, for an input: symbol -(d + 1); for an
   * output: state slot -(d + 1), filled by prepare (and, in programs that are
   * not exact, by run). */
  const int64_t *dims;
  const char *const *dim_names; /* null, or null for dimensions without one */
  const char *doc;              /* null if none */
  int32_t alias_input;          /* output: input it updates in place, or -1 */
  /* Output without a bound, in programs of class open: the state slot in which
   * run leaves the address of its memory, which it got from grow; prepare
   * leaves -1 in the slots of its free sizes. 0 for all others. */
  int64_t address_slot;
  /* Null for a tensor. Otherwise this is the data of a sequence or optional,
   * and element_type is LZ_UNDEFINED, so that a loader that does not know of
   * them refuses. Structs of 64 bytes end before this field. */
  const lz_compound_desc *compound;
} lz_value_desc;

/* A condition on sizes that only a call can decide, or that a run can break. */
typedef struct lz_check_desc {
  uint64_t size;
  const char *node;    /* the node of the model, as the user knows it */
  const char *message; /* what must hold */
} lz_check_desc;

typedef struct lz_launch_desc {
  uint64_t size;
  const char *kernel; /* launches of equal kernels have equal names */
  const char *nodes;  /* the model's nodes it computes, comma-separated */
} lz_launch_desc;

/* State slots that prepare always fills. */
enum lz_state_slot {
  LZ_STATE_ARENA_BYTES = 0,
  LZ_STATE_RESERVED = 1,
  LZ_STATE_FIRST_FREE = 2
};

typedef struct lz_entry {
  uint64_t size;
  const char *name;
  int32_t memory_class;          /* lz_memory_class */
  const char *memory_class_node; /* the node that set it; null for exact */
  int64_t input_count, output_count, symbol_count, check_count, launch_count;
  const lz_value_desc *inputs, *outputs;
  const lz_symbol *symbols;
  const lz_check_desc *checks;
  const lz_launch_desc *launches;

  /* The number of int64 slots of the state that prepare writes and run reads.
   */
  int64_t state_slots;

  /* Derives sizes and arena offsets from symbol values (already within their
   * ranges). Returns 0, or 1 + the index of the check that failed. A pure
   * function: no allocation, no input but its arguments. */
  int64_t (*prepare)(const int64_t *symbols, int64_t workers, int64_t *state);

  /* Runs the entry. `arena` is 64-byte aligned and state[0] bytes long;
   * `inputs` and `outputs` are dense, row major and aligned to their element's
   * size. `weights` is lz_artifact.weights, or the mapped file. Returns 0, or 1
   * + the index of the launch that failed, or 1 + launch_count + the index of
   * the check that failed. */
  int64_t (*run)(const lz_host *host, int64_t *state, char *arena,
                 const char *weights, const void *const *inputs,
                 void *const *outputs);
} lz_entry;

/* A parameter as it lies in the weights. */
typedef struct lz_parameter_desc {
  uint64_t size;
  const char *name;
  int32_t element_type;
  int32_t rank;
  const int64_t *dims; /* logical shape, all known */
  const char *layout;  /* "row-major", or the name of an invertible packing */
  int64_t offset, bytes;
} lz_parameter_desc;

typedef struct lz_artifact {
  uint64_t size;
  uint32_t abi; /* LZ_ARTIFACT_ABI */
  uint32_t reserved;
  const char *producer;     /* "LeZero <version>" */
  const char *model_name;   /* of the source model; may be empty */
  const char *target;       /* the recorded target, e.g. "x86-64-v3" */
  const char *cpu_features; /* needed features, comma-separated: "avx2,fma" */
  int64_t entry_count, parameter_count;
  const lz_entry *entries;
  const lz_parameter_desc *parameters;

  const char *weights; /* null when they are in a file beside the library */
  int64_t weights_bytes;
  const char *weights_file; /* file name without folder; null when inside */
  const char *weights_hash; /* of that file, lower-case hex SHA-256 */

  /* The model's metadata_props, 2 * metadata_count strings: key, value. */
  int64_t metadata_count;
  const char *const *metadata;
  const char *report; /* the build report, JSON */
} lz_artifact;

/* `host` may be null: the table does not depend on it today, but a later
 * artifact may refuse a host that lacks what it needs by returning null. */
typedef const lz_artifact *(*lz_artifact_fn)(const lz_host *host);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LEZERO_LZ_ARTIFACT_H */
