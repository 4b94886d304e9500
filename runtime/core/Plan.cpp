//===- Plan.cpp - from input shapes to sizes ------------------------------===//

#include "runtime/core/Plan.h"
#include "runtime/core/Error.h"
#include "runtime/core/Model.h"
#include "runtime/core/Tensor.h"
#include "runtime/cpu/CpuCount.h"
#include "runtime/cpu/Pool.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

using namespace lz::rt;

int64_t lz_default_threads(void) {
  return std::min(availableCpus(), kMaxThreads);
}

lz_status lz::rt::resolveThreads(int64_t asked, int64_t *threads) {
  if (asked < 0 || asked > kMaxThreads)
    return fail(LZ_BAD_ARGUMENT, "%lld threads: must be 0 (default) to %lld",
                (long long)asked, (long long)kMaxThreads);
  *threads = asked ? asked : lz_default_threads();
  return LZ_OK;
}

/// "dimension 0 of input 'x'"
static std::string sourceText(const lz_entry &entry, const lz_symbol &symbol) {
  const char *what = symbol.source == LZ_SYMBOL_DIM ? "dimension " : "element ";
  return what + std::to_string(symbol.index) + " of input '" +
         input(entry, symbol.input).name + "'";
}

/// Reads element `symbol.index` of an input, on which a size depends.
static lz_status readElement(const lz_entry &entry, const lz_symbol &symbol,
                             const InputShape &from, int64_t *value) {
  const lz_value_desc &desc = input(entry, symbol.input);
  int64_t count = 1;
  for (int32_t d = 0; d != desc.rank; ++d)
    count *= from.shape[d];
  if (symbol.index >= count)
    return fail(LZ_BAD_TENSOR,
                "input '%s' has %lld elements, but symbol '%s' is its element "
                "%lld",
                desc.name, (long long)count, symbol.name,
                (long long)symbol.index);
  if (!from.data)
    return fail(LZ_BAD_TENSOR,
                "a size depends on %s (symbol '%s'): give that input's data",
                sourceText(entry, symbol).c_str(), symbol.name);
  *value = readInteger(from.data, desc.element_type, symbol.index);
  return LZ_OK;
}

static lz_status solveSymbol(const lz_entry &entry, const lz_symbol &symbol,
                             const InputShape *inputs, int64_t *value) {
  *value = 0; // for those found during the run
  if (symbol.source == LZ_SYMBOL_RUN)
    return LZ_OK;
  const InputShape &from = inputs[symbol.input];
  if (symbol.source == LZ_SYMBOL_DIM)
    *value = from.shape[symbol.index];
  else if (lz_status s = readElement(entry, symbol, from, value))
    return s;
  if (*value >= symbol.min && *value <= symbol.max)
    return LZ_OK;
  const char *advice = symbol.source == LZ_SYMBOL_ELEMENT
                           ? "; values outside have to be constants of the "
                             "model when it is compiled"
                           : "";
  return fail(LZ_BAD_TENSOR,
              "symbol '%s' (%s) is %lld, which is outside of its range %lld to "
              "%lld%s",
              symbol.name, sourceText(entry, symbol).c_str(), (long long)*value,
              (long long)symbol.min, (long long)symbol.max, advice);
}

/// Fails because an input's dimension is not what the entry says.
static lz_status wrongDim(const lz_entry &entry, const lz_value_desc &value,
                          int32_t d, int64_t given, const int64_t *symbols) {
  int64_t dim = value.dims[d];
  if (dim >= 0)
    return fail(LZ_BAD_TENSOR, "input '%s': dimension %d is %lld, not %lld",
                value.name, d, (long long)given, (long long)dim);
  const lz_symbol &symbol = at(entry.symbols, -(dim + 1));
  return fail(LZ_BAD_TENSOR,
              "input '%s': dimension %d is %lld, but symbol '%s' is %lld by %s",
              value.name, d, (long long)given, symbol.name,
              (long long)symbols[-(dim + 1)],
              sourceText(entry, symbol).c_str());
}

/// Checks every dimension; `symbols` is null to check the known ones only.
static lz_status checkDims(const lz_entry &entry, const InputShape *inputs,
                           const int64_t *symbols) {
  for (int64_t i = 0; i != entry.input_count; ++i) {
    const lz_value_desc &value = input(entry, i);
    for (int32_t d = 0; d != value.rank; ++d) {
      int64_t dim = value.dims[d], given = inputs[i].shape[d];
      if (dim < 0 && !symbols)
        continue;
      if (given != (dim < 0 ? symbols[-(dim + 1)] : dim))
        return wrongDim(entry, value, d, given, symbols);
    }
  }
  return LZ_OK;
}

lz_status lz::rt::solveSymbols(const lz_entry &entry, const InputShape *inputs,
                               int64_t *symbols) {
  if (lz_status s = checkDims(entry, inputs, nullptr))
    return s;
  for (int64_t i = 0; i != entry.symbol_count; ++i)
    if (lz_status s =
            solveSymbol(entry, at(entry.symbols, i), inputs, &symbols[i]))
      return s;
  return checkDims(entry, inputs, symbols);
}

lz_status lz::rt::failedCheck(const lz_entry &entry, const int64_t *symbols,
                              int64_t index) {
  if (index < 0 || index >= entry.check_count)
    return fail(LZ_RUN_FAILED, "entry '%s' refuses these sizes", entry.name);
  std::string values;
  for (int64_t i = 0; i != entry.symbol_count; ++i)
    if (at(entry.symbols, i).source != LZ_SYMBOL_RUN)
      values += (values.empty() ? " (with " : ", ") +
                std::string(at(entry.symbols, i).name) + " = " +
                std::to_string(symbols[i]);
  const lz_check_desc &check = at(entry.checks, index);
  // The check of all sizes together is of no node.
  std::string node =
      *check.node ? "node '" + std::string(check.node) + "': " : "";
  return fail(LZ_BAD_TENSOR, "entry '%s': %s%s%s", entry.name, node.c_str(),
              check.message, values.empty() ? "" : (values + ")").c_str());
}

lz_status lz::rt::evaluateState(const lz_entry &entry, const int64_t *symbols,
                                int64_t workers, int64_t *state) {
  if (int64_t check = entry.prepare(symbols, workers, state))
    return failedCheck(entry, symbols, check - 1);
  if (state[LZ_STATE_ARENA_BYTES] < 0)
    return fail(LZ_BAD_TENSOR,
                "entry '%s' would need more memory than can be addressed for "
                "these sizes",
                entry.name);
  return LZ_OK;
}

lz_status lz::rt::readOutputShape(const lz_entry &entry,
                                  const lz_value_desc &output,
                                  const int64_t *state, int64_t *shape) {
  for (int32_t d = 0; d != output.rank; ++d) {
    int64_t dim = output.dims[d];
    shape[d] = dim >= 0 ? dim : state[-(dim + 1)];
  }
  if (output.address_slot && std::any_of(shape, shape + output.rank,
                                         [](int64_t size) { return size < 0; }))
    return LZ_OK;
  int64_t bytes;
  if (tensorBytes(elementType(output), shape, output.rank, &bytes))
    return LZ_OK;
  return fail(LZ_BAD_TENSOR,
              "entry '%s': output '%s' would have shape %s, which is not "
              "possible",
              entry.name, output.name, shapeText(shape, output.rank).c_str());
}

/// Solves a plan for a caller's tensors.
static lz_status plan(const lz_entry &entry, const lz_tensor *tensors,
                      int64_t count, int64_t workers,
                      std::vector<int64_t> &state) {
  for (int64_t i = 0; i != entry.input_count; ++i)
    if (compound(input(entry, i)))
      return fail(LZ_UNSUPPORTED,
                  "input '%s' is a sequence or an optional: bind it to a "
                  "context, and ask lz_get_plan",
                  input(entry, i).name);
  if (count != entry.input_count)
    return fail(LZ_BAD_ARGUMENT, "entry '%s' has %lld inputs, not %lld",
                entry.name, (long long)entry.input_count, (long long)count);
  if (count && !tensors)
    return fail(LZ_BAD_ARGUMENT, "inputs is a null pointer");
  std::vector<InputShape> inputs(size_t(count) + 1);
  for (int64_t i = 0; i != count; ++i) {
    const lz_tensor &tensor = at(tensors, i);
    if (lz_status s = checkTensor("input", input(entry, i), &tensor, false))
      return s;
    inputs[size_t(i)].shape = tensor.shape;
    inputs[size_t(i)].data = tensor.data ? firstByte(tensor) : nullptr;
  }
  std::vector<int64_t> symbols(size_t(entry.symbol_count) + 1);
  if (lz_status s = solveSymbols(entry, inputs.data(), symbols.data()))
    return s;
  state.assign(size_t(entry.state_slots), 0);
  return evaluateState(entry, symbols.data(), workers, state.data());
}

lz_status lz_plan(const lz_model *model, int64_t index, const lz_tensor *inputs,
                  int64_t count, int64_t workers, lz_plan_info *result) {
  const lz_entry *entry;
  if (lz_status s = findEntry(model, index, &entry))
    return s;
  if (lz_status s = resolveThreads(workers, &workers))
    return s;
  std::vector<int64_t> state;
  if (lz_status s = plan(*entry, inputs, count, workers, state))
    return s;
  lz_plan_info info = {};
  info.arena_bytes = state[LZ_STATE_ARENA_BYTES];
  info.memory_class = entry->memory_class;
  info.memory_class_node = entry->memory_class_node;
  return writeStruct("lz_plan_info", info, result);
}

lz_status lz_plan_output_shape(const lz_model *model, int64_t index,
                               const lz_tensor *inputs, int64_t count,
                               int64_t number, int64_t *shape) {
  const lz_entry *entry;
  if (lz_status s = findEntry(model, index, &entry))
    return s;
  lz_entry_info info = {};
  info.size = sizeof info;
  lz_get_entry_info(model, index, &info);
  if (number < 0 || number >= info.output_count)
    return fail(LZ_BAD_ARGUMENT, "output %lld does not exist: there are %lld",
                (long long)number, (long long)info.output_count);
  const lz_value_desc &value =
      output(*entry, findPlace(entry->outputs, number));
  if (compound(value))
    return fail(LZ_UNSUPPORTED,
                "output '%s' is a sequence or an optional, which has no shape",
                value.name);
  if (!shape)
    return fail(LZ_BAD_ARGUMENT, "shape is a null pointer");
  std::vector<int64_t> state;
  if (lz_status s = plan(*entry, inputs, count, 1, state))
    return s;
  return readOutputShape(*entry, value, state.data(), shape);
}
