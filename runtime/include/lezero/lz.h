/*===- lz.h - run compiled models from C ----------------------------*- C -*-===
 *
 * The C interface of the LeZero runtime. A model is opened from the shared
 * library that lzc wrote; it is immutable and may be shared by any number of
 * threads. Each caller makes its own context, binds tensors to it and runs it;
 * contexts never wait for each other.
 *
 *     lz_model *model;
 *     lz_context *context;
 *     if (lz_open("model.so", NULL, &model) ||
 *         lz_create_context(model, NULL, &context) ||
 *         lz_bind_input(context, "image", &image) || lz_run(context) ||
 *         lz_get_output(context, "logits", &logits))
 *       puts(lz_last_error());
 *
 * Every struct starts with its own size, which the caller sets to sizeof before
 * the call, so that programs and libraries of different versions can meet. In a
 * struct that the caller fills, zero means "the default" for every field.
 *
 * Functions return LZ_OK or a status, and never throw, print or end the
 * process.
 *
 *===------------------------------------------------------------------------===*/
#ifndef LEZERO_LZ_H
#define LEZERO_LZ_H

#include "lezero/lz_artifact.h" /* element types, memory classes, lz_body_fn */

#ifdef __cplusplus
extern "C" {
#endif

#define LZ_API __attribute__((visibility("default")))

/* Changes when a program compiled against an older lz.h could misbehave. */
#define LZ_ABI 1

typedef int32_t lz_status;
enum {
  LZ_OK = 0,
  LZ_BAD_ARGUMENT = 1, /* a null pointer, an unknown name, a wrong size */
  LZ_BAD_FILE = 2,     /* not an artifact, truncated, damaged */
  LZ_BAD_ABI = 3,      /* an artifact for another version of the runtime */
  LZ_MISSING_CPU = 4,  /* this CPU lacks a feature that the artifact needs */
  LZ_BAD_TENSOR = 5,   /* type, rank, dimension, memory of a tensor */
  LZ_ARENA_TOO_SMALL = 6,
  LZ_OUT_OF_MEMORY = 7,
  LZ_UNSUPPORTED = 8, /* valid, but not done by this version */
  LZ_RUN_FAILED = 9,  /* the model itself stopped */
  LZ_BUSY = 10        /* the context is in use by another thread */
};

/* "bad tensor", ...; never null. */
LZ_API const char *lz_status_name(lz_status status);

/* The text of this thread's last failure; empty if there was none. Valid until
 * the thread's next failure. */
LZ_API const char *lz_last_error(void);

/* LZ_ABI of the library, to be compared with the header's. */
LZ_API uint32_t lz_abi(void);

/* "1.2.3" */
LZ_API const char *lz_version(void);

/* "f32", ...; null for a number that this version does not know. */
LZ_API const char *lz_element_type_name(int32_t element_type);

/* Bits of one element; 0 for strings and unknown types. */
LZ_API int64_t lz_element_bits(int32_t element_type);

/* The number of threads a context has by default: the CPUs that this process
 * may use by its affinity mask and its cgroup quota. */
LZ_API int64_t lz_default_threads(void);

/*===- Tensors
 * --------------------------------------------------------------===*/

/* Device types have DLPack's numbers. This version runs on the CPU only. */
enum { LZ_DEVICE_DEFAULT = 0, LZ_DEVICE_CPU = 1, LZ_DEVICE_CUDA = 2 };

typedef struct lz_tensor {
  uint64_t size; /* sizeof(lz_tensor) */
  void *data;
  uint64_t byte_offset; /* of the first element, from data */
  int32_t device_type;
  int32_t device_index;
  int32_t element_type; /* lz_element_type */
  int32_t rank;
  const int64_t *shape;
  /* In elements; null for dense row major, the only layout that this version
   * takes. */
  const int64_t *strides;
} lz_tensor;

/*===- Models
 * ---------------------------------------------------------------===*/

typedef struct lz_model lz_model;

typedef struct lz_open_options {
  uint64_t size; /* sizeof(lz_open_options) */
  /* 1: read the whole weights file beside the artifact and check its SHA-256.
   * Its size is always checked. */
  int32_t verify_weights;
  int32_t reserved;
} lz_open_options;

/* Opens the artifact at `path`. `options` may be null. The file must not change
 * while the model is open; replace it by renaming a new file over it. */
LZ_API lz_status lz_open(const char *path, const lz_open_options *options,
                         lz_model **model);

/* Drops the caller's hold on the model; contexts keep theirs. Null is fine. */
LZ_API void lz_close(lz_model *model);

/* All strings belong to the model. */
typedef struct lz_model_info {
  uint64_t size; /* sizeof(lz_model_info) */
  const char *producer;
  const char *model_name;
  const char *target;
  const char *cpu_features;
  const char *report; /* JSON; empty if none */
  int64_t entry_count;
  int64_t parameter_count;
  int64_t metadata_count;
  int64_t weights_bytes;
} lz_model_info;

LZ_API lz_status lz_get_model_info(const lz_model *model, lz_model_info *info);

LZ_API lz_status lz_get_metadata(const lz_model *model, int64_t index,
                                 const char **key, const char **value);

typedef struct lz_entry_info {
  uint64_t size; /* sizeof(lz_entry_info) */
  const char *name;
  const char *memory_class_node; /* the node that set the class; or null */
  int64_t input_count;
  int64_t output_count;
  int64_t symbol_count;
  int64_t launch_count;
  int32_t memory_class; /* lz_memory_class */
  int32_t reserved;
} lz_entry_info;

LZ_API lz_status lz_get_entry_info(const lz_model *model, int64_t entry,
                                   lz_entry_info *info);

/* The index of an entry; -1 if there is none of that name. */
LZ_API int64_t lz_find_entry(const lz_model *model, const char *name);

enum { LZ_INPUT = 0, LZ_OUTPUT = 1 };

typedef struct lz_value_info {
  uint64_t size; /* sizeof(lz_value_info) */
  const char *name;
  const char *doc; /* null if none */
  int32_t element_type;
  int32_t rank;
  int32_t alias_input; /* output: the input it updates in place, or -1 */
  int32_t reserved;
} lz_value_info;

/* `kind` is LZ_INPUT or LZ_OUTPUT. */
LZ_API lz_status lz_get_value_info(const lz_model *model, int64_t entry,
                                   int32_t kind, int64_t index,
                                   lz_value_info *info);

typedef struct lz_dim_info {
  uint64_t size;    /* sizeof(lz_dim_info) */
  int64_t value;    /* the size; -1 if it is not known before a run */
  const char *name; /* of the symbol or dimension; null if it has none */
  int64_t symbol;   /* input: index of the symbol; -1 if there is none */
} lz_dim_info;

LZ_API lz_status lz_get_dim_info(const lz_model *model, int64_t entry,
                                 int32_t kind, int64_t index, int64_t dim,
                                 lz_dim_info *info);

/* An input or output that is a sequence or an optional. lz_get_value_info gives
 * its element type as LZ_UNDEFINED. */
typedef struct lz_compound_info {
  uint64_t size;        /* sizeof(lz_compound_info) */
  int32_t kind;         /* lz_compound_kind; 0 for a tensor */
  int32_t element_type; /* of its values */
  int32_t rank;         /* of its values; -1 if it may differ */
  int32_t reserved;
  const int64_t *shape; /* of its values; -1 where it may differ */
} lz_compound_info;

LZ_API lz_status lz_get_compound_info(const lz_model *model, int64_t entry,
                                      int32_t kind, int64_t index,
                                      lz_compound_info *info);

/* A free size of an entry; see lz_symbol in lz_artifact.h. */
typedef struct lz_symbol_info {
  uint64_t size; /* sizeof(lz_symbol_info) */
  const char *name;
  int64_t min, max; /* inclusive */
  int64_t input;    /* index of the input that decides it */
  int64_t index;    /* dimension, or element, of that input */
  int32_t source;   /* lz_symbol_source */
  int32_t reserved;
} lz_symbol_info;

LZ_API lz_status lz_get_symbol_info(const lz_model *model, int64_t entry,
                                    int64_t index, lz_symbol_info *info);

typedef struct lz_parameter_info {
  uint64_t size; /* sizeof(lz_parameter_info) */
  const char *name;
  const char *layout;   /* "row-major", or the name of a packing */
  const int64_t *shape; /* logical */
  const void *data;     /* packed as `layout` says */
  int64_t bytes;
  int32_t element_type;
  int32_t rank;
} lz_parameter_info;

LZ_API lz_status lz_get_parameter_info(const lz_model *model, int64_t index,
                                       lz_parameter_info *info);

/*===- Memory plans
 * ---------------------------------------------------------===*/

typedef struct lz_plan_info {
  uint64_t size;       /* sizeof(lz_plan_info) */
  int64_t arena_bytes; /* what lz_bind_arena must offer */
  const char *memory_class_node;
  int32_t memory_class; /* lz_memory_class */
  int32_t reserved;
} lz_plan_info;

/* Returns the memory that a run needs beside inputs, outputs and weights. Not
 * for entries that take sequences or optionals: bind them and ask lz_get_plan.
 * `inputs` holds the entry's inputs in their order; their data may be null,
 * save where a symbol's source is LZ_SYMBOL_ELEMENT. `workers` is the number of
 * threads, 0 for the default. */
LZ_API lz_status lz_plan(const lz_model *model, int64_t entry,
                         const lz_tensor *inputs, int64_t input_count,
                         int64_t workers, lz_plan_info *plan);

/* Writes the shape that output number `output` will have, its rank in number,
 * to `shape`: what a caller must know to bind memory of its own. In programs
 * that are not of class exact these are upper bounds. */
LZ_API lz_status lz_plan_output_shape(const lz_model *model, int64_t entry,
                                      const lz_tensor *inputs,
                                      int64_t input_count, int64_t output,
                                      int64_t *shape);

/*===- Contexts
 * -------------------------------------------------------------===*/

typedef struct lz_context lz_context;

/* See lz_host in lz_artifact.h for what these must do. */
typedef void (*lz_parallel_for_fn)(void *user, lz_body_fn body, void *args,
                                   int64_t n, int64_t grain);
typedef void *(*lz_grow_fn)(void *user, int64_t bytes, int64_t alignment);
typedef void (*lz_trace_fn)(void *user, int64_t launch, int32_t phase);

typedef struct lz_context_options {
  uint64_t size; /* sizeof(lz_context_options) */
  int64_t entry; /* index of the entry to run */
  /* Threads that a run may use, the caller's included; 0 for the default. With
   * 1 no thread is ever made. */
  int64_t threads;
  /* Replaces the process's own thread pool, which then is never made. It is
   * handed `parallel_user`; `threads` says how many it has (0 counts as 1). */
  lz_parallel_for_fn parallel_for;
  void *parallel_user;
  /* Memory beyond the plan, for programs of class open. Freed by the caller
   * after the run. */
  lz_grow_fn grow;
  void *grow_user;
  /* Called before (phase 0) and after (phase 1) each launch, on the thread that
   * runs the context. */
  lz_trace_fn trace;
  void *trace_user;
  void *communicator; /* for distributed runs; must be null in this version */
  int32_t profile;    /* 1: measure launches; see lz_get_launch_profile */
  int32_t reserved;
} lz_context_options;

/* Makes a context. `options` may be null. */
LZ_API lz_status lz_create_context(lz_model *model,
                                   const lz_context_options *options,
                                   lz_context **context);

LZ_API void lz_destroy_context(lz_context *context);

/* The text of the context's last failure; empty if there was none. */
LZ_API const char *lz_context_error(const lz_context *context);

/* Makes the model read its input `name` from the caller's memory, which must
 * stay valid while runs may use it. The tensor's shape is copied. */
LZ_API lz_status lz_bind_input(lz_context *context, const char *name,
                               const lz_tensor *tensor);

/* The same for an input that is a sequence of `count` tensors, or an optional.
 * An optional tensor has `count` 1; LZ_NO_VALUE stands for an optional without
 * a value. The tensors' memory is read at each run, and put together in memory
 * of the context's. */
#define LZ_NO_VALUE (-1)
LZ_API lz_status lz_bind_input_values(lz_context *context, const char *name,
                                      const lz_tensor *values, int64_t count);

/* Makes the model write its output `name` to the caller's memory. A null tensor
 * gives it back to the context, which owns the memory of every output that is
 * not bound. */
LZ_API lz_status lz_bind_output(lz_context *context, const char *name,
                                const lz_tensor *tensor);

/* Makes runs work in the caller's memory, aligned to 64 bytes. A null pointer
 * goes back to an arena that the context owns. */
LZ_API lz_status lz_bind_arena(lz_context *context, void *memory,
                               int64_t bytes);

/* Ends binding: checks shapes against each other, plans, and gets the memory
 * that the caller did not bind. lz_run does this when it was not done; done
 * before, no run of an exact or bound program takes memory, threads or files
 * from the system. */
LZ_API lz_status lz_prepare(lz_context *context);

/* Runs the entry once. One thread at a time may use a context. */
LZ_API lz_status lz_run(lz_context *context);

/* The plan of the bound inputs; prepares if need be. */
LZ_API lz_status lz_get_plan(lz_context *context, lz_plan_info *plan);

/* Describes an output after lz_prepare or lz_run. Shape and, unless bound, data
 * belong to the context and last until its next binding. */
LZ_API lz_status lz_get_output(lz_context *context, const char *name,
                               lz_tensor *tensor);

/* The values of an output that is a sequence or an optional, after lz_run. They
 * belong to the context and last until its next run or binding. `count` is
 * LZ_NO_VALUE for an optional without a value. */
LZ_API lz_status lz_get_output_values(lz_context *context, const char *name,
                                      const lz_tensor **values, int64_t *count);

/*===- Profiling
 * ------------------------------------------------------------===*/

typedef struct lz_launch_profile {
  uint64_t size;      /* sizeof(lz_launch_profile) */
  const char *kernel; /* equal for launches of the same code */
  const char *nodes;  /* the model's nodes it computes, comma-separated */
  int64_t calls;
  int64_t total_ns, min_ns, max_ns;
} lz_launch_profile;

/* What launch number `launch` took in all runs of the context so far. */
LZ_API lz_status lz_get_launch_profile(const lz_context *context,
                                       int64_t launch,
                                       lz_launch_profile *profile);

LZ_API lz_status lz_reset_profile(lz_context *context);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LEZERO_LZ_H */
