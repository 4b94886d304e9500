//===- TensorData.cpp - the bytes of ONNX tensors -------------------------===//

#include "frontends/onnx/TensorData.h"

#include "dialects/lz/IR/LzDialect.h"
#include "frontends/onnx/Types.h"
#include "frontends/onnx/Weights.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;
using namespace lz;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using onnx::TensorProto;

/// An error about `tensor`.
static Error makeError(const TensorProto &tensor, const Twine &text) {
  return createStringError("tensor '" + tensor.name() + "': " + text);
}

//===----------------------------------------------------------------------===//
// Type
//===----------------------------------------------------------------------===//

static Expected<RankedTensorType> getType(MLIRContext *context,
                                          const TensorProto &tensor) {
  Type element = getElementType(context, tensor.data_type());
  if (!element)
    return makeError(tensor, "unknown element type " +
                                 Twine(tensor.data_type()) +
                                 "; ONNX defines 1 to 26");
  for (int64_t size : tensor.dims())
    if (size < 0)
      return makeError(tensor, "negative dimension " + Twine(size));
  SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  auto type = RankedTensorType::get(shape, element);
  auto bytes = RankedTensorType::get(shape, Float64Type::get(context));
  if (!getByteSize(bytes))
    return makeError(
        tensor, "its dimensions [" +
                    llvm::join(llvm::map_range(shape,
                                               [](int64_t size) {
                                                 return std::to_string(size);
                                               }),
                               ", ") +
                    "] are larger than any memory");
  return type;
}

//===----------------------------------------------------------------------===//
// External data
//===----------------------------------------------------------------------===//

/// The entries of external_data; each key may stand only once.
static Expected<std::map<std::string, std::string>>
getEntries(const TensorProto &tensor) {
  std::map<std::string, std::string> entries;
  for (const auto &entry : tensor.external_data())
    if (!entries.try_emplace(entry.key(), entry.value()).second)
      return makeError(tensor,
                       "external data states '" + entry.key() + "' twice");
  return entries;
}

/// The number in `entries[key]`, or `fallback` if there is none.
static Expected<uint64_t>
getNumber(const TensorProto &tensor,
          const std::map<std::string, std::string> &entries, const char *key,
          uint64_t fallback) {
  auto found = entries.find(key);
  if (found == entries.end())
    return fallback;
  uint64_t value;
  if (StringRef(found->second).getAsInteger(10, value))
    return makeError(tensor, "external data has " + Twine(key) + " '" +
                                 found->second + "', expected a number");
  return value;
}

/// Refuses locations that lead out of the model's folder.
Error TensorReader::checkLocation(const std::string &location,
                                  StringRef target) const {
  using namespace llvm::sys;
  auto refuse = [&](const Twine &why) {
    return createStringError("external data file '" + location + "' " + why +
                             "; it must lie in the model's folder");
  };
  if (location.empty() || path::is_absolute(location) ||
      location.find('\0') != std::string::npos)
    return refuse("is not a relative path");
  for (StringRef part :
       llvm::make_range(path::begin(location), path::end(location)))
    if (part == "..")
      return refuse("has '..' in its path");
  SmallString<256> folder, real;
  StringRef parent = path::parent_path(this->path);
  if (fs::real_path(parent.empty() ? "." : parent, folder))
    return refuse("is in a folder that cannot be read");
  if (std::error_code error = fs::real_path(target, real))
    return createStringError(error, "external data file '" + location +
                                        "' cannot be opened; put it beside "
                                        "the model");
  if (!folder.ends_with("/"))
    folder += '/';
  if (!real.str().starts_with(folder))
    return refuse("is a link out of the model's folder");
  if (!fs::is_regular_file(real))
    return refuse("is not a regular file");
  return Error::success();
}

Expected<std::shared_ptr<llvm::MemoryBuffer>>
TensorReader::openExternal(const std::string &location) {
  auto [entry, isNew] = externals.try_emplace(location);
  if (!isNew)
    return entry->second;
  SmallString<256> target(llvm::sys::path::parent_path(path));
  llvm::sys::path::append(target, location);
  Error error = checkLocation(location, target);
  if (!error) {
    auto buffer = llvm::MemoryBuffer::getFile(target, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (buffer) {
      entry->second = std::move(*buffer);
      return entry->second;
    }
    error = createStringError(
        buffer.getError(), "cannot read external data file '" + location + "'");
  }
  externals.erase(entry);
  return std::move(error);
}

Expected<ArrayRef<char>>
TensorReader::readExternal(const TensorProto &tensor, uint64_t size,
                           std::shared_ptr<const void> &owner) {
  auto entries = getEntries(tensor);
  if (!entries)
    return entries.takeError();
  auto location = entries->find("location");
  if (location == entries->end())
    return makeError(tensor, "external data without a location");
  auto offset = getNumber(tensor, *entries, "offset", 0);
  if (!offset)
    return offset.takeError();
  auto length = getNumber(tensor, *entries, "length", size);
  if (!length)
    return length.takeError();
  // What ModelFile left in the mapping; a file that says so itself gets no
  // further than its own bytes either.
  std::shared_ptr<llvm::MemoryBuffer> buffer = file->bytes;
  if (location->second != "#") {
    auto opened = openExternal(location->second);
    if (!opened)
      return makeError(tensor, toString(opened.takeError()));
    buffer = *opened;
  }
  uint64_t available = buffer->getBufferSize();
  if (*offset > available || *length > available - *offset)
    return makeError(tensor, "bytes " + Twine(*offset) + " to " +
                                 Twine(*offset) + " + " + Twine(*length) +
                                 " do not lie in '" + location->second +
                                 "' of " + Twine(available) + " bytes");
  owner = buffer;
  return ArrayRef<char>(buffer->getBufferStart() + *offset, *length);
}

//===----------------------------------------------------------------------===//
// Data in the message
//===----------------------------------------------------------------------===//

template <typename T> static ArrayRef<char> asBytes(const T &field) {
  return {reinterpret_cast<const char *>(field.data()),
          field.size() * sizeof(*field.data())};
}

/// The values of `field`, each cut to `width` bytes.
template <typename T>
static ArrayRef<char> narrow(const T &field, unsigned width,
                             std::shared_ptr<const void> &owner) {
  auto copy = std::make_shared<std::vector<char>>(field.size() * width);
  for (int64_t i = 0; i != field.size(); ++i)
    std::memcpy(copy->data() + i * width, &field.data()[i], width);
  owner = copy;
  return {copy->data(), copy->size()};
}

/// The bytes that the typed fields of `tensor` hold.
static ArrayRef<char> readTyped(const TensorProto &tensor,
                                std::shared_ptr<const void> &owner) {
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
  case TensorProto::COMPLEX64:
    return asBytes(tensor.float_data());
  case TensorProto::DOUBLE:
  case TensorProto::COMPLEX128:
    return asBytes(tensor.double_data());
  case TensorProto::INT64:
    return asBytes(tensor.int64_data());
  case TensorProto::UINT64:
    return asBytes(tensor.uint64_data());
  case TensorProto::UINT32:
    return narrow(tensor.uint64_data(), 4, owner);
  case TensorProto::INT32:
    return asBytes(tensor.int32_data());
  case TensorProto::INT16:
  case TensorProto::UINT16:
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return narrow(tensor.int32_data(), 2, owner);
  default:
    return narrow(tensor.int32_data(), 1, owner);
  }
}

/// The number of places in which `tensor` keeps data.
static int countFields(const TensorProto &tensor) {
  return tensor.has_raw_data() + (tensor.float_data_size() > 0) +
         (tensor.double_data_size() > 0) + (tensor.int32_data_size() > 0) +
         (tensor.int64_data_size() > 0) + (tensor.uint64_data_size() > 0) +
         (tensor.string_data_size() > 0);
}

static Expected<TensorData> readStrings(const TensorProto &tensor,
                                        TensorData data) {
  if (tensor.string_data_size() != data.type.getNumElements())
    return makeError(tensor, "has " + Twine(tensor.string_data_size()) +
                                 " strings, but its shape needs " +
                                 Twine(data.type.getNumElements()));
  for (const std::string &string : tensor.string_data())
    data.strings.push_back(string);
  return data;
}

Expected<TensorData> TensorReader::read(MLIRContext *context,
                                        const TensorProto &tensor) {
  auto type = getType(context, tensor);
  if (!type)
    return type.takeError();
  TensorData data{*type, {}, file, {}};
  bool external = tensor.data_location() == TensorProto::EXTERNAL;
  if (countFields(tensor) + external > 1)
    return makeError(tensor, "has data in more than one place");
  std::optional<uint64_t> size = getByteSize(*type);
  if (!size)
    return readStrings(tensor, std::move(data));
  if (external) {
    auto bytes = readExternal(tensor, *size, data.owner);
    if (!bytes)
      return bytes.takeError();
    data.bytes = *bytes;
  } else {
    data.bytes = tensor.has_raw_data() ? asBytes(tensor.raw_data())
                                       : readTyped(tensor, data.owner);
  }
  if (data.bytes.size() != *size)
    return makeError(tensor, "has " + Twine(data.bytes.size()) +
                                 " bytes of data, but " +
                                 getOnnxTypeName(*type) +
                                 " of its shape "
                                 "needs " +
                                 Twine(*size));
  return data;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

bool lz::isSmall(const TensorData &data) {
  Type element = data.type.getElementType();
  int64_t limit = isa<IntegerType>(element) ? 1024 : 63;
  return isa<StringType>(element) || data.type.getNumElements() <= limit;
}

/// Elements of fewer than eight bits (or bools), each on its own.
static DenseElementsAttr unpack(const TensorData &data) {
  Type element = data.type.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  unsigned stored = bits == 1 ? 8 : bits;
  SmallVector<Attribute> values;
  for (int64_t i = 0; i != data.type.getNumElements(); ++i) {
    unsigned byte = static_cast<uint8_t>(data.bytes[i * stored / 8]);
    unsigned value =
        bits == 1 ? byte != 0 : (byte >> (i * stored % 8)) & ((1 << bits) - 1);
    APInt number(bits, value);
    if (auto type = dyn_cast<FloatType>(element))
      values.push_back(
          FloatAttr::get(type, APFloat(type.getFloatSemantics(), number)));
    else
      values.push_back(IntegerAttr::get(element, number));
  }
  return DenseElementsAttr::get(data.type, values);
}

ElementsAttr lz::getElements(const TensorData &data, StringRef name) {
  Type element = data.type.getElementType();
  if (isa<StringType>(element))
    return DenseStringElementsAttr::get(data.type, data.strings);
  if (!isSmall(data))
    return getMappedWeights(data.type, name, data.bytes, data.owner);
  if (!isa<ComplexType>(element) && element.getIntOrFloatBitWidth() < 8)
    return unpack(data);
  // The attribute reads elements in place: they must not lie just anywhere.
  std::vector<char> copy(data.bytes.begin(), data.bytes.end());
  return DenseElementsAttr::getFromRawBuffer(data.type, copy);
}
