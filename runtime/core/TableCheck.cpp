//===- TableCheck.cpp - check an artifact's table -------------------------===//
//
// The table was written by a compiler, perhaps a newer one. What is checked
// here, once, need not be checked again in each run.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Error.h"
#include "runtime/core/Model.h"
#include "runtime/core/Tensor.h"

#include <cstddef>
#include <cstring>

using namespace lz::rt;

namespace {

/// The checks of one artifact; `path` is for the texts.
class TableCheck {
public:
  TableCheck(const char *path, const lz_artifact &table)
      : path(path), table(table) {}
  lz_status run();

private:
  lz_status damaged(const char *what, int64_t index) const {
    return fail(LZ_BAD_FILE,
                "%s: the artifact's table is not valid: %s (number %lld); "
                "compile the model again",
                path, what, (long long)index);
  }
  /// The array holds `count` structs that cover what this runtime knows of
  /// them.
  template <typename T>
  lz_status array(const char *what, const T *base, int64_t count,
                  size_t least = sizeof(T)) const;
  lz_status checkEntry(int64_t index) const;
  lz_status checkSymbols(const lz_entry &entry) const;
  lz_status checkNames(const lz_entry &entry) const;
  lz_status checkValue(const lz_value_desc &value) const;
  lz_status checkCompound(const lz_value_desc *values, int64_t index,
                          int64_t count) const;
  lz_status checkInputs(const lz_entry &entry) const;
  lz_status checkOutputs(const lz_entry &entry) const;
  lz_status checkParameters() const;
  lz_status checkWeights() const;

  const char *path;
  const lz_artifact &table;
};

} // namespace

template <typename T>
lz_status TableCheck::array(const char *what, const T *base, int64_t count,
                            size_t least) const {
  if (count < 0 || (count > 0 && !base))
    return damaged(what, count);
  if (count > 0 && base->size < least)
    return fail(LZ_BAD_ABI,
                "%s: the artifact's %s structs have %llu bytes, at least %zu "
                "are needed; compile the model again",
                path, what, (unsigned long long)base->size, least);
  return LZ_OK;
}

lz_status TableCheck::checkValue(const lz_value_desc &value) const {
  if (!value.name || value.rank < 0 || value.rank > kMaxRank ||
      (value.rank && !value.dims))
    return damaged("an input or output", value.rank);
  if (!lz_element_type_name(elementType(value)))
    return fail(LZ_UNSUPPORTED,
                "%s: '%s' has element type %d, which this runtime (%s) does "
                "not know; update the runtime",
                path, value.name, elementType(value), lz_version());
  return LZ_OK;
}

/// The parts of a sequence or optional, the first of which is `index`, are what
/// it says they are.
lz_status TableCheck::checkCompound(const lz_value_desc *values, int64_t index,
                                    int64_t count) const {
  const lz_compound_desc *whole = compound(at(values, index));
  if (!whole)
    return LZ_OK;
  bool hasShapes = whole->parts & LZ_PART_SHAPES;
  bool hasFlag = whole->parts & LZ_PART_HAS;
  if (whole->size < sizeof *whole || whole->kind < LZ_SEQUENCE ||
      whole->kind > LZ_OPTIONAL_SEQUENCE || whole->rank < -1 ||
      whole->rank > kMaxRank || (whole->rank > 0 && !whole->dims) ||
      whole->parts & ~(LZ_PART_SHAPES | LZ_PART_HAS) ||
      hasFlag != (whole->kind == LZ_OPTIONAL_SEQUENCE) ||
      (whole->rank < 0 && !hasShapes) ||
      placeCount(at(values, index)) > count - index ||
      at(values, index).rank != (hasShapes ? 1 : whole->rank + 1))
    return damaged("a sequence", index);
  if (hasShapes) {
    const lz_value_desc &shapes = at(values, index + 1);
    if (compound(shapes) || shapes.element_type != LZ_I64 || shapes.rank != 2 ||
        !shapes.dims || shapes.dims[1] < 1 || shapes.dims[1] > kMaxRank + 1 ||
        (whole->rank >= 0 && shapes.dims[1] != whole->rank))
      return damaged("the shapes of a sequence", index);
  }
  if (hasFlag) {
    const lz_value_desc &flag =
        at(values, index + placeCount(at(values, index)) - 1);
    if (compound(flag) || flag.element_type != LZ_BOOL || flag.rank != 0)
      return damaged("the flag of an optional", index);
  }
  return LZ_OK;
}

lz_status TableCheck::checkInputs(const lz_entry &entry) const {
  for (int64_t i = 0; i != entry.input_count; ++i) {
    const lz_value_desc &value = input(entry, i);
    if (lz_status s = checkValue(value))
      return s;
    if (lz_status s = checkCompound(entry.inputs, i, entry.input_count))
      return s;
    for (int32_t d = 0; d != value.rank; ++d)
      if (value.dims[d] < -entry.symbol_count)
        return damaged("a dimension of an input", i);
  }
  return LZ_OK;
}

lz_status TableCheck::checkOutputs(const lz_entry &entry) const {
  for (int64_t i = 0; i != entry.output_count; ++i) {
    const lz_value_desc &value = output(entry, i);
    if (lz_status s = checkValue(value))
      return s;
    if (lz_status s = checkCompound(entry.outputs, i, entry.output_count))
      return s;
    for (int32_t d = 0; d != value.rank; ++d)
      if (value.dims[d] < -entry.state_slots)
        return damaged("a dimension of an output", i);
    if (value.alias_input < -1 || value.alias_input >= entry.input_count)
      return damaged("the alias of an output", i);
    if (value.address_slot < 0 || value.address_slot >= entry.state_slots)
      return damaged("the address of an output", i);
  }
  return LZ_OK;
}

/// Every symbol comes from something that the inputs have.
lz_status TableCheck::checkSymbols(const lz_entry &entry) const {
  for (int64_t i = 0; i != entry.symbol_count; ++i) {
    const lz_symbol &symbol = at(entry.symbols, i);
    if (!symbol.name || symbol.min > symbol.max ||
        (symbol.source == LZ_SYMBOL_DIM && symbol.min < 0))
      return damaged("a symbol", i);
    if (symbol.source == LZ_SYMBOL_RUN)
      continue;
    if (symbol.input < 0 || symbol.input >= entry.input_count ||
        symbol.index < 0)
      return damaged("the source of a symbol", i);
    const lz_value_desc &from = input(entry, symbol.input);
    if (symbol.source == LZ_SYMBOL_DIM && symbol.index >= from.rank)
      return damaged("the dimension of a symbol", i);
    if (symbol.source == LZ_SYMBOL_ELEMENT && !isInteger(from.element_type))
      return damaged("the element of a symbol", i);
    if (symbol.source != LZ_SYMBOL_DIM && symbol.source != LZ_SYMBOL_ELEMENT)
      return damaged("the source of a symbol", i);
  }
  return LZ_OK;
}

/// Texts that messages will print are there.
lz_status TableCheck::checkNames(const lz_entry &entry) const {
  for (int64_t i = 0; i != entry.check_count; ++i)
    if (!at(entry.checks, i).node || !at(entry.checks, i).message)
      return damaged("a check", i);
  for (int64_t i = 0; i != entry.launch_count; ++i)
    if (!at(entry.launches, i).kernel || !at(entry.launches, i).nodes)
      return damaged("a launch", i);
  return LZ_OK;
}

lz_status TableCheck::checkEntry(int64_t index) const {
  const lz_entry &entry = at(table.entries, index);
  // Tables of the first version end before what sequences need.
  constexpr size_t least = offsetof(lz_value_desc, compound);
  if (lz_status s = array("input", entry.inputs, entry.input_count, least))
    return s;
  if (lz_status s = array("output", entry.outputs, entry.output_count, least))
    return s;
  if (lz_status s = array("symbol", entry.symbols, entry.symbol_count))
    return s;
  if (lz_status s = array("check", entry.checks, entry.check_count))
    return s;
  if (lz_status s = array("launch", entry.launches, entry.launch_count))
    return s;
  if (!entry.name || !entry.prepare || !entry.run ||
      entry.state_slots < LZ_STATE_FIRST_FREE ||
      entry.memory_class < LZ_MEMORY_EXACT ||
      entry.memory_class > LZ_MEMORY_OPEN)
    return damaged("an entry", index);
  for (auto step : {&TableCheck::checkInputs, &TableCheck::checkOutputs,
                    &TableCheck::checkSymbols, &TableCheck::checkNames})
    if (lz_status s = (this->*step)(entry))
      return s;
  return LZ_OK;
}

lz_status TableCheck::checkParameters() const {
  for (int64_t i = 0; i != table.parameter_count; ++i) {
    const lz_parameter_desc &p = at(table.parameters, i);
    if (!p.name || !p.layout || p.rank < 0 || (p.rank && !p.dims) ||
        p.offset < 0 || p.bytes < 0 || p.offset > table.weights_bytes ||
        p.bytes > table.weights_bytes - p.offset)
      return damaged("a parameter", i);
  }
  return LZ_OK;
}

lz_status TableCheck::checkWeights() const {
  if (table.weights_bytes < 0 ||
      (table.weights_bytes && !table.weights && !table.weights_file))
    return damaged("the weights", table.weights_bytes);
  const char *file = table.weights_file;
  if (file && (!*file || strchr(file, '/') || !strcmp(file, "..")))
    return damaged("the name of the weights file", 0);
  return LZ_OK;
}

lz_status TableCheck::run() {
  if (lz_status s = array("entry", table.entries, table.entry_count))
    return s;
  if (lz_status s = array("parameter", table.parameters, table.parameter_count))
    return s;
  if (!table.entry_count)
    return damaged("there is no entry", 0);
  if (table.metadata_count < 0 || (table.metadata_count && !table.metadata))
    return damaged("the metadata", table.metadata_count);
  if (lz_status s = checkWeights())
    return s;
  for (int64_t i = 0; i != table.entry_count; ++i)
    if (lz_status s = checkEntry(i))
      return s;
  return checkParameters();
}

lz_status lz::rt::checkTable(const char *path, const lz_artifact *table) {
  return TableCheck(path, *table).run();
}
