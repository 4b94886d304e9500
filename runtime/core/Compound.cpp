//===- Compound.cpp - sequences and optionals of a context ----------------===//

#include "runtime/core/Compound.h"
#include "runtime/core/Model.h"
#include "runtime/core/Tensor.h"

#include <algorithm>
#include <cstring>

using namespace lz::rt;

static const char *kindText(const lz_compound_desc &whole) {
  return whole.kind == LZ_SEQUENCE   ? "a sequence"
         : whole.kind == LZ_OPTIONAL ? "an optional tensor"
                                     : "an optional sequence";
}

/// The name of one value, for errors.
static std::string valueName(const Value &head, int64_t index) {
  return std::string(head.desc->name) + "[" + std::to_string(index) + "]";
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static lz_status checkCount(const Value &head, const lz_tensor *values,
                            int64_t count) {
  const lz_compound_desc &whole = *compound(*head.desc);
  bool isSequence = whole.kind != LZ_OPTIONAL;
  if (count == LZ_NO_VALUE && whole.kind == LZ_SEQUENCE)
    return fail(LZ_BAD_ARGUMENT,
                "input '%s' is a sequence, which can be empty but not absent",
                head.desc->name);
  if (count < LZ_NO_VALUE || (count > 0 && !values) ||
      (!isSequence && count != 1 && count != LZ_NO_VALUE))
    return fail(LZ_BAD_ARGUMENT,
                "input '%s' is %s, which can't have %lld "
                "values%s",
                head.desc->name, kindText(whole), (long long)count,
                count > 0 && !values ? " at a null pointer" : "");
  return LZ_OK;
}

/// Fails unless a value's sizes are those that all must have.
static lz_status checkSizes(const Value &head, int64_t index,
                            const lz_tensor &value, const lz_tensor &first,
                            int64_t columns) {
  const lz_compound_desc &whole = *compound(*head.desc);
  std::string name = valueName(head, index);
  for (int32_t d = 0; whole.rank > 0 && d != value.rank; ++d)
    if (whole.dims[d] >= 0 && value.shape[d] != whole.dims[d])
      return fail(LZ_BAD_TENSOR, "input '%s': dimension %d is %lld, not %lld",
                  name.c_str(), d, (long long)value.shape[d],
                  (long long)whole.dims[d]);
  if (!(whole.parts & LZ_PART_SHAPES) &&
      !std::equal(value.shape, value.shape + value.rank, first.shape))
    return fail(LZ_BAD_TENSOR, "input '%s' has shape %s, but '%s' has %s",
                name.c_str(), shapeText(value.shape, value.rank).c_str(),
                valueName(head, 0).c_str(),
                shapeText(first.shape, first.rank).c_str());
  if (whole.rank < 0 && value.rank >= columns)
    return fail(LZ_UNSUPPORTED,
                "input '%s' has rank %d; values of any rank may have up to "
                "%lld dimensions",
                name.c_str(), value.rank, (long long)columns - 1);
  return LZ_OK;
}

/// The elements of a tensor whose shape has been checked.
static int64_t countOf(const lz_tensor &value) {
  int64_t count = 1;
  if (std::find(value.shape, value.shape + value.rank, 0) !=
      value.shape + value.rank)
    return 0;
  for (int32_t d = 0; d != value.rank; ++d)
    count *= value.shape[d];
  return count;
}

static lz_status checkValue(const Value &head, int64_t index,
                            const lz_tensor *value) {
  const lz_compound_desc &whole = *compound(*head.desc);
  std::string name = valueName(head, index);
  lz_value_desc desc = {};
  desc.size = sizeof desc;
  desc.name = name.c_str();
  desc.element_type = whole.element_type;
  desc.rank =
      whole.rank < 0 ? std::clamp(value->rank, 0, kMaxRank) : whole.rank;
  if (lz_status s = checkTensor("input", desc, value, true))
    return s;
  int64_t bits = lz_element_bits(whole.element_type);
  if (bits < 8 && countOf(*value) * bits % 8)
    return fail(LZ_UNSUPPORTED,
                "input '%s' does not fill whole bytes, which values in a "
                "sequence must",
                name.c_str());
  return LZ_OK;
}

static lz_status checkValues(const Value &head, const lz_tensor *values,
                             int64_t count, int64_t columns) {
  if (lz_status s = checkCount(head, values, count))
    return s;
  for (int64_t i = 0; i < count; ++i) {
    if (lz_status s = checkValue(head, i, &at(values, i)))
      return s;
    if (lz_status s =
            checkSizes(head, i, at(values, i), at(values, 0), columns))
      return s;
  }
  return LZ_OK;
}

/// Keeps descriptions of the caller's tensors.
static void keepValues(Value &head, const lz_tensor *values, int64_t count) {
  head.values.clear();
  head.valueShapes.clear();
  for (int64_t i = 0; i < count; ++i) {
    const lz_tensor &value = at(values, i);
    head.values.push_back(value);
    head.valueShapes.insert(head.valueShapes.end(), value.shape,
                            value.shape + value.rank);
  }
  const int64_t *shape = head.valueShapes.data();
  for (lz_tensor &value : head.values) {
    value.shape = shape;
    value.strides = nullptr;
    shape += value.rank;
  }
}

static int64_t bytesOf(const lz_tensor &value) {
  int64_t bytes = 0;
  tensorBytes(value.element_type, value.shape, value.rank, &bytes);
  return bytes;
}

/// Gives part `value` of a bound input memory for its shape.
static lz_status bindPart(Value &value) {
  int32_t type = elementType(*value.desc);
  if (!tensorBytes(type, value.shape, value.desc->rank, &value.bytes))
    return fail(LZ_BAD_TENSOR, "input '%s' has too many elements",
                value.desc->name);
  value.isBound = true;
  if (lz_status s = value.owned.ensure("input", value.desc->name,
                                       std::max<int64_t>(value.bytes, 1), 1))
    return s;
  value.bound = value.owned.data();
  return LZ_OK;
}

/// The shape of the block of values.
static void shapeData(const lz_entry &entry, Value &head) {
  const lz_compound_desc &whole = *compound(*head.desc);
  int64_t count = int64_t(head.values.size());
  if (whole.parts & LZ_PART_SHAPES) {
    int64_t elements = 0;
    for (const lz_tensor &value : head.values)
      if (__builtin_add_overflow(elements, countOf(value), &elements))
        elements = -1; // refused as a size
    head.shape[0] = elements;
    return;
  }
  head.shape[0] = count;
  for (int32_t d = 1; d != head.desc->rank; ++d) {
    int64_t dim = head.desc->dims[d];
    // Without a value, a free size may be any in its range.
    head.shape[d] = count      ? head.values[0].shape[d - 1]
                    : dim >= 0 ? dim
                               : at(entry.symbols, -(dim + 1)).min;
  }
}

/// Writes the shape of each value to a row.
static void writeShapes(const Value &head, Value &part) {
  int64_t columns = part.shape[1];
  auto *row = reinterpret_cast<int64_t *>(part.bound);
  for (const lz_tensor &value : head.values) {
    std::fill_n(row, columns, 0);
    int64_t *sizes = row;
    if (compound(*head.desc)->rank < 0)
      *sizes++ = value.rank;
    std::copy_n(value.shape, value.rank, sizes);
    row += columns;
  }
}

/// Binds the parts of the value at `head`, whose values are kept in it.
static lz_status bindParts(const lz_entry &entry, Value *head,
                           int64_t columns) {
  const lz_compound_desc &whole = *compound(*head->desc);
  shapeData(entry, *head);
  if (lz_status s = bindPart(*head))
    return s;
  Value *next = head + 1;
  if (whole.parts & LZ_PART_SHAPES) {
    next->shape[0] = int64_t(head->values.size());
    next->shape[1] = columns;
    if (lz_status s = bindPart(*next))
      return s;
    writeShapes(*head, *next++);
  }
  if (!(whole.parts & LZ_PART_HAS))
    return LZ_OK;
  if (lz_status s = bindPart(*next))
    return s;
  *next->bound = head->hasValue;
  return LZ_OK;
}

lz_status lz_bind_input_values(lz_context *context, const char *name,
                               const lz_tensor *values, int64_t count) {
  return use(context, [&](lz_context &c) -> lz_status {
    Value *head = findValue(c, "input", c.inputs, name);
    if (!head)
      return LZ_BAD_ARGUMENT;
    const lz_compound_desc *whole = compound(*head->desc);
    if (!whole)
      return fail(LZ_BAD_ARGUMENT,
                  "input '%s' is a tensor: bind it by lz_bind_input", name);
    int64_t columns = whole->parts & LZ_PART_SHAPES ? head[1].desc->dims[1] : 0;
    if (lz_status s = checkValues(*head, values, count, columns))
      return s;
    c.prepared = c.hasRun = false;
    keepValues(*head, values, count);
    head->hasValue = count != LZ_NO_VALUE;
    return bindParts(*c.entry, head, columns);
  });
}

void lz::rt::gatherValues(lz_context &context) {
  for (Value &head : context.inputs) {
    if (!compound(*head.desc))
      continue;
    char *target = head.bound;
    for (const lz_tensor &value : head.values) {
      int64_t bytes = bytesOf(value);
      if (bytes)
        memcpy(target, firstByte(value), size_t(bytes));
      target += bytes;
    }
  }
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// The rank and the first size in a row of shapes.
static const int64_t *readRow(const Value &head, const Value &part,
                              const void *memory, int64_t index,
                              int64_t *rank) {
  const int64_t *row =
      static_cast<const int64_t *>(memory) + index * part.shape[1];
  *rank = compound(*head.desc)->rank;
  if (*rank < 0)
    *rank = *row++;
  return row;
}

static lz_status badValues(const Value &head) {
  return fail(LZ_RUN_FAILED,
              "output '%s': the shapes of its values don't fit its data",
              head.desc->name);
}

/// Describes the values that a run has left in the places from `place` on.
static lz_status readValues(lz_context &context, size_t place) {
  Value &head = context.outputs[place];
  const lz_compound_desc &whole = *compound(*head.desc);
  bool varies = whole.parts & LZ_PART_SHAPES;
  const Value &part = context.outputs[place + (varies ? 1 : 0)];
  int64_t count = part.shape[0];
  auto *data = static_cast<char *>(context.outputPointers[place]);
  char *end = data + head.bytes;
  head.values.assign(size_t(count), lz_tensor());
  for (int64_t i = 0; i != count; ++i) {
    int64_t rank = whole.rank;
    const int64_t *shape = head.shape + 1;
    if (varies)
      shape = readRow(head, part, context.outputPointers[place + 1], i, &rank);
    lz_tensor &value = head.values[size_t(i)];
    value.size = sizeof value;
    value.device_type = LZ_DEVICE_CPU;
    value.element_type = whole.element_type;
    value.rank = int32_t(rank);
    value.shape = shape;
    value.data = data;
    int64_t bytes = 0;
    if (rank < 0 || rank > kMaxRank ||
        !tensorBytes(whole.element_type, shape, value.rank, &bytes) ||
        bytes > end - data)
      return badValues(head);
    data += bytes;
  }
  head.hasValue = whole.kind == LZ_OPTIONAL ? count == 1 : true;
  if (whole.parts & LZ_PART_HAS)
    head.hasValue = *static_cast<const char *>(
        context.outputPointers[place + size_t(placeCount(*head.desc)) - 1]);
  return LZ_OK;
}

lz_status lz_get_output_values(lz_context *context, const char *name,
                               const lz_tensor **values, int64_t *count) {
  return use(context, [&](lz_context &c) -> lz_status {
    if (!values || !count)
      return fail(LZ_BAD_ARGUMENT, "values or count is a null pointer");
    Value *head = findValue(c, "output", c.outputs, name);
    if (!head)
      return LZ_BAD_ARGUMENT;
    if (!compound(*head->desc))
      return fail(LZ_BAD_ARGUMENT,
                  "output '%s' is a tensor: read it by lz_get_output", name);
    if (!c.hasRun)
      return fail(LZ_BAD_ARGUMENT,
                  "output '%s' has its values after a run: call lz_run", name);
    if (lz_status s = readValues(c, size_t(head - c.outputs.data())))
      return s;
    *values = head->values.data();
    *count = head->hasValue ? int64_t(head->values.size()) : LZ_NO_VALUE;
    return LZ_OK;
  });
}
