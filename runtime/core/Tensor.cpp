//===- Tensor.cpp - element types and tensor checks -----------------------===//

#include "runtime/core/Tensor.h"
#include "runtime/core/Error.h"

#include <algorithm>
#include <cstring>

using namespace lz::rt;

namespace {
struct ElementType {
  const char *name;
  int bits;
};
} // namespace

/// By the numbers of lz_element_type.
static constexpr ElementType kTypes[] = {
    {nullptr, 0},      {"f32", 32},     {"u8", 8},         {"i8", 8},
    {"u16", 16},       {"i16", 16},     {"i32", 32},       {"i64", 64},
    {"string", 0},     {"bool", 8},     {"f16", 16},       {"f64", 64},
    {"u32", 32},       {"u64", 64},     {"c64", 64},       {"c128", 128},
    {"bf16", 16},      {"f8e4m3fn", 8}, {"f8e4m3fnuz", 8}, {"f8e5m2", 8},
    {"f8e5m2fnuz", 8}, {"u4", 4},       {"i4", 4},         {"f4e2m1", 4},
    {"f8e8m0", 8},     {"u2", 2},       {"i2", 2}};
static constexpr int32_t kTypeCount = sizeof kTypes / sizeof *kTypes;

const char *lz_element_type_name(int32_t type) {
  return type > 0 && type < kTypeCount ? kTypes[type].name : nullptr;
}

int64_t lz_element_bits(int32_t type) {
  return type > 0 && type < kTypeCount ? kTypes[type].bits : 0;
}

bool lz::rt::isInteger(int32_t type) {
  switch (type) {
  case LZ_U8:
  case LZ_I8:
  case LZ_U16:
  case LZ_I16:
  case LZ_I32:
  case LZ_I64:
  case LZ_BOOL:
  case LZ_U32:
  case LZ_U64:
    return true;
  default:
    return false;
  }
}

int64_t lz::rt::elementAlignment(int32_t type) {
  return std::max<int64_t>(1, lz_element_bits(type) / 8);
}

bool lz::rt::tensorBytes(int32_t type, const int64_t *shape, int32_t rank,
                         int64_t *bytes) {
  constexpr int64_t limit = (int64_t(1) << 62) - 1;
  int64_t count = 1;
  bool empty = false;
  for (int32_t d = 0; d != rank; ++d) {
    if (shape[d] < 0)
      return false;
    empty |= shape[d] == 0;
  }
  for (int32_t d = 0; d != rank && !empty; ++d)
    if (__builtin_mul_overflow(count, shape[d], &count) || count > limit)
      return false;
  if (empty)
    count = 0;
  int64_t bits;
  if (__builtin_mul_overflow(count, lz_element_bits(type), &bits)) {
    // Over 2^63 bits, hence whole bytes only.
    return !__builtin_mul_overflow(count, lz_element_bits(type) / 8, bytes) &&
           lz_element_bits(type) >= 8 && *bytes <= limit;
  }
  *bytes = (bits + 7) / 8;
  return true;
}

std::string lz::rt::shapeText(const int64_t *shape, int32_t rank) {
  std::string text = "[";
  for (int32_t d = 0; d != rank; ++d)
    text += (d ? ", " : "") + std::to_string(shape[d]);
  return text + "]";
}

/// True if the strides are those of a dense row-major tensor. Dimensions of
/// size 1 may have any.
static bool isDense(const lz_tensor &tensor) {
  if (!tensor.strides)
    return true;
  int64_t expected = 1;
  for (int32_t d = tensor.rank - 1; d >= 0; --d) {
    if (tensor.shape[d] == 0)
      return true;
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected)
      return false;
    if (__builtin_mul_overflow(expected, tensor.shape[d], &expected))
      return false;
  }
  return true;
}

/// Device and layout are ones that this version can read.
static lz_status checkPlacement(const char *what, const char *name,
                                const lz_tensor &tensor) {
  if (tensor.device_type != LZ_DEVICE_DEFAULT &&
      tensor.device_type != LZ_DEVICE_CPU)
    return fail(LZ_UNSUPPORTED,
                "%s '%s' is on device type %d, but this artifact runs on the "
                "CPU (%d); copy the tensor there",
                what, name, tensor.device_type, LZ_DEVICE_CPU);
  if (!isDense(tensor))
    return fail(LZ_UNSUPPORTED,
                "%s '%s' has strides %s for shape %s, but only dense row-major "
                "tensors are accepted; copy it to one",
                what, name, shapeText(tensor.strides, tensor.rank).c_str(),
                shapeText(tensor.shape, tensor.rank).c_str());
  return LZ_OK;
}

static lz_status checkType(const char *what, const lz_value_desc &value,
                           const lz_tensor &tensor) {
  const char *given = lz_element_type_name(tensor.element_type);
  if (tensor.element_type != value.element_type)
    return fail(LZ_BAD_TENSOR, "%s '%s' has element type %s, not %s", what,
                value.name, given ? given : "unknown",
                lz_element_type_name(value.element_type));
  if (!lz_element_bits(value.element_type))
    return fail(LZ_UNSUPPORTED,
                "%s '%s' is a tensor of strings, which this runtime (%s) "
                "cannot pass to a model",
                what, value.name, lz_version());
  return LZ_OK;
}

static lz_status checkShape(const char *what, const lz_value_desc &value,
                            const lz_tensor &tensor) {
  if (tensor.rank != value.rank)
    return fail(LZ_BAD_TENSOR, "%s '%s' has rank %d, not %d", what, value.name,
                tensor.rank, value.rank);
  if (tensor.rank && !tensor.shape)
    return fail(LZ_BAD_TENSOR, "%s '%s': its shape is a null pointer", what,
                value.name);
  int64_t bytes;
  if (!tensorBytes(value.element_type, tensor.shape, tensor.rank, &bytes))
    return fail(LZ_BAD_TENSOR, "%s '%s' has shape %s, which is not possible",
                what, value.name, shapeText(tensor.shape, tensor.rank).c_str());
  return LZ_OK;
}

static lz_status checkMemory(const char *what, const lz_value_desc &value,
                             const lz_tensor &tensor) {
  int64_t bytes;
  tensorBytes(value.element_type, tensor.shape, tensor.rank, &bytes);
  if (!bytes)
    return LZ_OK;
  if (!tensor.data)
    return fail(LZ_BAD_TENSOR, "%s '%s': its data is a null pointer", what,
                value.name);
  int64_t alignment = elementAlignment(value.element_type);
  if (reinterpret_cast<uintptr_t>(firstByte(tensor)) % uint64_t(alignment))
    return fail(LZ_BAD_TENSOR,
                "%s '%s': its data at %p is not aligned to %lld bytes", what,
                value.name, static_cast<void *>(firstByte(tensor)),
                (long long)alignment);
  return LZ_OK;
}

lz_status lz::rt::checkTensor(const char *what, const lz_value_desc &value,
                              const lz_tensor *tensor, bool needsData) {
  if (!tensor)
    return fail(LZ_BAD_ARGUMENT, "%s '%s': the tensor is a null pointer", what,
                value.name);
  if (lz_status s = checkStructSize("lz_tensor", tensor->size, sizeof *tensor))
    return s;
  if (lz_status s =
          checkUnknownFields("lz_tensor", tensor, tensor->size, sizeof *tensor))
    return s;
  if (lz_status s = checkType(what, value, *tensor))
    return s;
  if (lz_status s = checkShape(what, value, *tensor))
    return s;
  if (lz_status s = checkPlacement(what, value.name, *tensor))
    return s;
  return needsData ? checkMemory(what, value, *tensor) : LZ_OK;
}

template <typename T> static int64_t readAs(const void *data, int64_t index) {
  T value;
  memcpy(&value,
         static_cast<const char *>(data) + index * int64_t(sizeof value),
         sizeof value);
  return static_cast<int64_t>(value);
}

int64_t lz::rt::readInteger(const void *data, int32_t type, int64_t index) {
  switch (type) {
  case LZ_I8:
    return readAs<int8_t>(data, index);
  case LZ_U16:
    return readAs<uint16_t>(data, index);
  case LZ_I16:
    return readAs<int16_t>(data, index);
  case LZ_I32:
    return readAs<int32_t>(data, index);
  case LZ_U32:
    return readAs<uint32_t>(data, index);
  case LZ_I64:
  case LZ_U64: // beyond 2^63 - 1 it reads negative, and is out of any range
    return readAs<int64_t>(data, index);
  default:
    return readAs<uint8_t>(data, index);
  }
}
