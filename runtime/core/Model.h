//===- Model.h - an open artifact -------------------------------*- C++ -*-===//
#pragma once

#include "lezero/lz.h"

#include <atomic>
#include <cstddef>
#include <string>

/// Immutable once open, but for the count of those who hold it.
struct lz_model {
  std::atomic<int64_t> holds{1};
  std::string path;
  void *library = nullptr;
  const lz_artifact *table = nullptr;
  const char *weights = nullptr;
  void *mapping = nullptr; // of the weights file; null if inside the library
  size_t mappingBytes = 0;

  ~lz_model();
};

namespace lz::rt {

/// Element `i` of an array in the artifact, whose structs may be longer than
/// those this runtime knows.
template <typename T> const T &at(const T *array, int64_t i) {
  return *reinterpret_cast<const T *>(reinterpret_cast<const char *>(array) +
                                      uint64_t(i) * array->size);
}

inline const lz_value_desc &input(const lz_entry &entry, int64_t i) {
  return at(entry.inputs, i);
}
inline const lz_value_desc &output(const lz_entry &entry, int64_t i) {
  return at(entry.outputs, i);
}

/// What a value is that is no tensor; null for a tensor.
inline const lz_compound_desc *compound(const lz_value_desc &value) {
  return value.size >= sizeof value ? value.compound : nullptr;
}

/// The type of the elements in a value's memory.
inline int32_t elementType(const lz_value_desc &value) {
  const lz_compound_desc *whole = compound(value);
  return whole ? whole->element_type : value.element_type;
}

/// The number of places that a value takes among inputs or outputs.
inline int64_t placeCount(const lz_value_desc &value) {
  const lz_compound_desc *whole = compound(value);
  return whole ? 1 + __builtin_popcount(uint32_t(whole->parts)) : 1;
}

/// The place of value number `index` as a caller counts them.
int64_t findPlace(const lz_value_desc *values, int64_t index);

/// Fails unless everything in the table is what this runtime understands and
/// points to things that the table has.
lz_status checkTable(const char *path, const lz_artifact *table);

/// Sets `result` to an entry of the model.
lz_status findEntry(const lz_model *model, int64_t index,
                    const lz_entry **result);

/// Takes one more hold on the model.
lz_model *hold(lz_model *model);

} // namespace lz::rt
