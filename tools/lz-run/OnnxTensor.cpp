//===- OnnxTensor.cpp - ONNX's TensorProto files --------------------------===//
//
// The protobuf wire format is read by hand, so that lz-run needs neither
// protobuf nor ONNX. Fields are those of onnx.proto's TensorProto.
//
//===----------------------------------------------------------------------===//

#include "OnnxTensor.h"
#include "Elements.h"
#include "Files.h"

#include <cstring>

using namespace lz;
using namespace lz::run;

namespace {

enum Field {
  Dims = 1,
  DataType = 2,
  Segment = 3,
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  Name = 8,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11,
  ExternalData = 13,
  DataLocation = 14
};

/// Reads one message.
class Reader {
public:
  Reader(const std::string &content, const std::string &what)
      : at(content.data()), end(at + content.size()), what(what) {}

  NamedTensor run();

private:
  [[noreturn]] void damaged(const char *why) const {
    throw Failure(what + ": not a sound ONNX tensor: " + why);
  }
  uint64_t varint();
  std::string bytes(uint64_t count);
  void field();
  void varintField(uint32_t number, uint64_t value);
  void bytesField(uint32_t number, const std::string &value);
  void packedVarints(std::vector<uint64_t> &into, const std::string &value);
  void fixedField(uint32_t number, const std::string &value);
  std::string encode(int64_t bytesWanted) const;
  template <typename T> std::string narrow() const;

  const char *at, *end;
  const std::string &what;
  NamedTensor result;
  std::vector<uint64_t> dims, integers;
  std::string raw; // raw_data, float_data or double_data
  uint64_t type = 0, location = 0;
};

} // namespace

uint64_t Reader::varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at == end)
      damaged("it ends too early");
    auto byte = static_cast<unsigned char>(*at++);
    if (shift < 64)
      value |= uint64_t(byte & 127) << shift;
    if (byte < 128)
      return value;
  }
  damaged("a number is too long");
}

std::string Reader::bytes(uint64_t count) {
  if (count > uint64_t(end - at))
    damaged("it ends too early");
  std::string value(at, count);
  at += count;
  return value;
}

void Reader::field() {
  uint64_t key = varint();
  auto number = uint32_t(key >> 3);
  if (!number || key >> 3 > 0x1fffffff)
    damaged("a field has a wrong number");
  switch (key & 7) {
  case 0:
    return varintField(number, varint());
  case 1:
    return fixedField(number, bytes(8));
  case 2:
    return bytesField(number, bytes(varint()));
  case 5:
    return fixedField(number, bytes(4));
  default:
    damaged("a field has an unknown form");
  }
}

void Reader::varintField(uint32_t number, uint64_t value) {
  switch (number) {
  case Dims:
    return dims.push_back(value);
  case DataType:
    type = value;
    return;
  case Int32Data:
  case Int64Data:
  case Uint64Data:
    return integers.push_back(value);
  case DataLocation:
    location = value;
    return;
  default:
    return;
  }
}

void Reader::fixedField(uint32_t number, const std::string &value) {
  if ((number == FloatData && value.size() == 4) ||
      (number == DoubleData && value.size() == 8))
    raw += value;
}

void Reader::packedVarints(std::vector<uint64_t> &into,
                           const std::string &value) {
  Reader packed(value, what);
  while (packed.at != packed.end)
    into.push_back(packed.varint());
}

void Reader::bytesField(uint32_t number, const std::string &value) {
  switch (number) {
  case Dims:
    return packedVarints(dims, value);
  case Int32Data:
  case Int64Data:
  case Uint64Data:
    return packedVarints(integers, value);
  case FloatData:
  case DoubleData:
  case RawData:
    raw += value;
    return;
  case Name:
    result.name = value;
    return;
  case Segment:
  case StringData:
    throw Failure(what + ": strings and segments are not supported");
  case ExternalData:
    location = 1;
    return;
  default:
    return;
  }
}

/// The integers cut to the element's size.
template <typename T> std::string Reader::narrow() const {
  std::string result;
  for (uint64_t value : integers) {
    auto element = static_cast<T>(value);
    result.append(reinterpret_cast<const char *>(&element), sizeof element);
  }
  return result;
}

/// The elements' bytes, from whichever field holds them.
std::string Reader::encode(int64_t bytesWanted) const {
  if (integers.empty() || !bytesWanted)
    return raw;
  if (!raw.empty())
    damaged("it has two kinds of data");
  switch (lz_element_bits(int32_t(type))) {
  case 64:
    return narrow<uint64_t>();
  case 32:
    return narrow<uint32_t>();
  case 16:
    return narrow<uint16_t>();
  default: // the smaller types are packed to bytes already
    return narrow<uint8_t>();
  }
}

NamedTensor Reader::run() {
  while (at != end)
    field();
  if (type > 1000 || !lz_element_bits(int32_t(type)))
    throw Failure(what + ": a tensor of element type " + std::to_string(type) +
                  ", which is not supported");
  if (location)
    throw Failure(what + ": its data is in another file, which is not "
                         "supported");
  if (dims.size() > 64)
    damaged("its rank exceeds 64");
  std::vector<int64_t> shape(dims.begin(), dims.end());
  uint8_t none = 0;
  int64_t wanted = Tensor::borrow(int32_t(type), shape, &none).bytes();
  std::string data = encode(wanted);
  if (int64_t(data.size()) != wanted)
    damaged(("shape " + shapeText(shape) + " of " + typeName(int32_t(type)) +
             " takes " + std::to_string(wanted) + " bytes, not " +
             std::to_string(data.size()))
                .c_str());
  result.tensor = Tensor(int32_t(type), shape);
  if (wanted)
    memcpy(result.tensor.data(), data.data(), size_t(wanted));
  checkBools(result.tensor, what);
  return result;
}

NamedTensor run::parseOnnxTensor(const std::string &content,
                                 const std::string &what) {
  if (content.empty())
    throw Failure(what + ": the file is empty");
  try {
    return Reader(content, what).run();
  } catch (const Error &error) {
    throw Failure(what + ": " + error.what());
  }
}
