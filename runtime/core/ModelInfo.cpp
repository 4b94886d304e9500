//===- ModelInfo.cpp - what a model tells about itself --------------------===//

#include "runtime/core/Error.h"
#include "runtime/core/Model.h"

#include <cstring>

using namespace lz::rt;

/// A string that is never null.
static const char *text(const char *s) { return s ? s : ""; }

/// Fails unless `index` is below `count`.
static lz_status checkIndex(const char *what, int64_t index, int64_t count) {
  if (index >= 0 && index < count)
    return LZ_OK;
  return fail(LZ_BAD_ARGUMENT, "%s %lld does not exist: there are %lld", what,
              (long long)index, (long long)count);
}

static lz_status checkModel(const lz_model *model) {
  return model ? LZ_OK : fail(LZ_BAD_ARGUMENT, "the model is a null pointer");
}

lz_status lz::rt::findEntry(const lz_model *model, int64_t index,
                            const lz_entry **result) {
  if (lz_status s = checkModel(model))
    return s;
  if (lz_status s = checkIndex("entry", index, model->table->entry_count))
    return s;
  *result = &at(model->table->entries, index);
  return LZ_OK;
}

lz_status lz_get_model_info(const lz_model *model, lz_model_info *result) {
  if (lz_status s = checkModel(model))
    return s;
  const lz_artifact &table = *model->table;
  lz_model_info info = {};
  info.producer = text(table.producer);
  info.model_name = text(table.model_name);
  info.target = text(table.target);
  info.cpu_features = text(table.cpu_features);
  info.report = text(table.report);
  info.entry_count = table.entry_count;
  info.parameter_count = table.parameter_count;
  info.metadata_count = table.metadata_count;
  info.weights_bytes = table.weights_bytes;
  return writeStruct("lz_model_info", info, result);
}

lz_status lz_get_metadata(const lz_model *model, int64_t index,
                          const char **key, const char **value) {
  if (lz_status s = checkModel(model))
    return s;
  if (!key || !value)
    return fail(LZ_BAD_ARGUMENT, "key or value is a null pointer");
  if (lz_status s = checkIndex("metadata", index, model->table->metadata_count))
    return s;
  *key = text(model->table->metadata[2 * index]);
  *value = text(model->table->metadata[2 * index + 1]);
  return LZ_OK;
}

/// The inputs or outputs as a caller sees them, each in one place.
static int64_t countValues(const lz_value_desc *values, int64_t places) {
  int64_t count = 0;
  for (int64_t i = 0; i < places; i += placeCount(at(values, i)))
    ++count;
  return count;
}

/// The number, as a caller counts, of the value that has `place`.
static int64_t findIndex(const lz_value_desc *values, int64_t place) {
  return countValues(values, place + 1) - 1;
}

int64_t lz::rt::findPlace(const lz_value_desc *values, int64_t index) {
  int64_t place = 0;
  for (; index > 0; --index)
    place += placeCount(at(values, place));
  return place;
}

lz_status lz_get_entry_info(const lz_model *model, int64_t index,
                            lz_entry_info *result) {
  const lz_entry *entry;
  if (lz_status s = findEntry(model, index, &entry))
    return s;
  lz_entry_info info = {};
  info.name = entry->name;
  info.memory_class = entry->memory_class;
  info.memory_class_node = entry->memory_class_node;
  info.input_count = countValues(entry->inputs, entry->input_count);
  info.output_count = countValues(entry->outputs, entry->output_count);
  info.symbol_count = entry->symbol_count;
  info.launch_count = entry->launch_count;
  return writeStruct("lz_entry_info", info, result);
}

int64_t lz_find_entry(const lz_model *model, const char *name) {
  if (!model || !name)
    return -1;
  for (int64_t i = 0; i != model->table->entry_count; ++i)
    if (!strcmp(at(model->table->entries, i).name, name))
      return i;
  return -1;
}

/// Sets `entry`, and `value` to one of its inputs or outputs.
static lz_status findValue(const lz_model *model, int64_t entryIndex,
                           int32_t kind, int64_t index, const lz_entry **entry,
                           const lz_value_desc **value) {
  if (lz_status s = findEntry(model, entryIndex, entry))
    return s;
  if (kind != LZ_INPUT && kind != LZ_OUTPUT)
    return fail(LZ_BAD_ARGUMENT, "%d is not a kind of values", kind);
  bool in = kind == LZ_INPUT;
  const lz_value_desc *values = in ? (*entry)->inputs : (*entry)->outputs;
  int64_t places = in ? (*entry)->input_count : (*entry)->output_count;
  if (lz_status s = checkIndex(in ? "input" : "output", index,
                               countValues(values, places)))
    return s;
  *value = &at(values, findPlace(values, index));
  return LZ_OK;
}

lz_status lz_get_value_info(const lz_model *model, int64_t entryIndex,
                            int32_t kind, int64_t index,
                            lz_value_info *result) {
  const lz_entry *entry;
  const lz_value_desc *value;
  if (lz_status s = findValue(model, entryIndex, kind, index, &entry, &value))
    return s;
  lz_value_info info = {};
  info.name = value->name;
  info.doc = value->doc;
  info.element_type = value->element_type;
  info.rank = compound(*value) ? 0 : value->rank;
  info.alias_input = kind == LZ_INPUT ? -1 : value->alias_input;
  return writeStruct("lz_value_info", info, result);
}

lz_status lz_get_compound_info(const lz_model *model, int64_t entryIndex,
                               int32_t kind, int64_t index,
                               lz_compound_info *result) {
  const lz_entry *entry;
  const lz_value_desc *value;
  if (lz_status s = findValue(model, entryIndex, kind, index, &entry, &value))
    return s;
  lz_compound_info info = {};
  if (const lz_compound_desc *whole = compound(*value)) {
    info.kind = whole->kind;
    info.element_type = whole->element_type;
    info.rank = whole->rank;
    info.shape = whole->dims;
  }
  return writeStruct("lz_compound_info", info, result);
}

/// Describes dimension `d` of a value.
static lz_dim_info describeDim(const lz_entry &entry,
                               const lz_value_desc &value, int32_t kind,
                               int64_t d) {
  lz_dim_info info = {};
  int64_t dim = value.dims[d];
  info.value = dim < 0 ? -1 : dim;
  info.symbol = kind == LZ_INPUT && dim < 0 ? -(dim + 1) : -1;
  if (value.dim_names)
    info.name = value.dim_names[d];
  if (!info.name && info.symbol >= 0)
    info.name = at(entry.symbols, info.symbol).name;
  return info;
}

lz_status lz_get_dim_info(const lz_model *model, int64_t entryIndex,
                          int32_t kind, int64_t index, int64_t dim,
                          lz_dim_info *result) {
  const lz_entry *entry;
  const lz_value_desc *value;
  if (lz_status s = findValue(model, entryIndex, kind, index, &entry, &value))
    return s;
  if (lz_status s =
          checkIndex("dimension", dim, compound(*value) ? 0 : value->rank))
    return s;
  return writeStruct("lz_dim_info", describeDim(*entry, *value, kind, dim),
                     result);
}

lz_status lz_get_symbol_info(const lz_model *model, int64_t entryIndex,
                             int64_t index, lz_symbol_info *result) {
  const lz_entry *entry;
  if (lz_status s = findEntry(model, entryIndex, &entry))
    return s;
  if (lz_status s = checkIndex("symbol", index, entry->symbol_count))
    return s;
  const lz_symbol &symbol = at(entry->symbols, index);
  lz_symbol_info info = {};
  info.name = symbol.name;
  info.min = symbol.min;
  info.max = symbol.max;
  info.input = symbol.source == LZ_SYMBOL_RUN
                   ? symbol.input
                   : findIndex(entry->inputs, symbol.input);
  info.index = symbol.index;
  info.source = symbol.source;
  return writeStruct("lz_symbol_info", info, result);
}

lz_status lz_get_parameter_info(const lz_model *model, int64_t index,
                                lz_parameter_info *result) {
  if (lz_status s = checkModel(model))
    return s;
  if (lz_status s =
          checkIndex("parameter", index, model->table->parameter_count))
    return s;
  const lz_parameter_desc &parameter = at(model->table->parameters, index);
  lz_parameter_info info = {};
  info.name = parameter.name;
  info.layout = parameter.layout;
  info.shape = parameter.dims;
  info.data = model->weights ? model->weights + parameter.offset : nullptr;
  info.bytes = parameter.bytes;
  info.element_type = parameter.element_type;
  info.rank = parameter.rank;
  return writeStruct("lz_parameter_info", info, result);
}
