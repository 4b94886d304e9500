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

#define EXPORT __attribute__((visibility("default")))

#endif
