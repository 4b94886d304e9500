/* Short forms for the tables of hand-made artifacts. */
#ifndef LZ_TEST_TABLE_H
#define LZ_TEST_TABLE_H

#include "lezero/lz_artifact.h"

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof *(array)))

#ifndef VALUE_SIZE
#define VALUE_SIZE sizeof(lz_value_desc)
#endif

#define VALUE(name_, type_, dims_, alias_)                                     \
  {.size = VALUE_SIZE,                                                         \
   .name = name_,                                                              \
   .element_type = type_,                                                      \
   .rank = (int32_t)COUNT(dims_),                                              \
   .dims = dims_,                                                              \
   .alias_input = alias_}

/* An artifact of the array `entries`, without parameters. */
#define ARTIFACT(name_)                                                        \
  static const lz_artifact artifact = {.size = sizeof(lz_artifact),            \
                                       .abi = LZ_ARTIFACT_ABI,                 \
                                       .producer = "by hand",                  \
                                       .model_name = name_,                    \
                                       .target = "x86-64",                     \
                                       .cpu_features = "",                     \
                                       .entry_count = COUNT(entries),          \
                                       .entries = entries};                    \
  EXPORT const lz_artifact *lz_artifact_v1(const lz_host *host) {              \
    (void)host;                                                                \
    return &artifact;                                                          \
  }

#define EXPORT __attribute__((visibility("default")))

#endif
