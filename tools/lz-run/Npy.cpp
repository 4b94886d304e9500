//===- Npy.cpp - numpy's array files --------------------------------------===//

#include "Npy.h"
#include "Elements.h"
#include "Files.h"

#include <cctype>
#include <cstring>

using namespace lz;
using namespace lz::run;

namespace {

/// numpy's name of an element type, and whether it has the same meaning there.
struct NumpyType {
  int32_t type;
  char kind;
  int64_t bytes;
  bool exact;
};

/// Reads the dictionary at the start of a file:
/// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class Header {
public:
  Header(const std::string &text, const std::string &what)
      : text(text), what(what) {}
  NpyArray parse();

private:
  [[noreturn]] void damaged(const char *why) const {
    throw Failure(what + ": not a sound numpy array: " + why);
  }
  void skipSpace() {
    while (at < text.size() && isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }
  /// Skips `c` if it comes next.
  bool skip(char c) {
    skipSpace();
    bool found = at < text.size() && text[at] == c;
    at += found;
    return found;
  }
  void expect(char c) {
    if (!skip(c))
      damaged("its header cannot be read");
  }
  std::string string();
  void descr(NpyArray &array);
  void order();
  void shape(NpyArray &array);
  int64_t number();

  const std::string &text, &what;
  size_t at = 0;
};

} // namespace

static constexpr NumpyType kTypes[] = {
    {LZ_F16, 'f', 2, true},     {LZ_F32, 'f', 4, true},
    {LZ_F64, 'f', 8, true},     {LZ_I8, 'i', 1, true},
    {LZ_I16, 'i', 2, true},     {LZ_I32, 'i', 4, true},
    {LZ_I64, 'i', 8, true},     {LZ_U8, 'u', 1, true},
    {LZ_U16, 'u', 2, true},     {LZ_U32, 'u', 4, true},
    {LZ_U64, 'u', 8, true},     {LZ_BOOL, 'b', 1, true},
    {LZ_C64, 'c', 8, true},     {LZ_C128, 'c', 16, true},
    {LZ_BF16, 'u', 2, false},   {LZ_F8E4M3FN, 'u', 1, false},
    {LZ_F8E5M2, 'u', 1, false}, {LZ_F8E4M3FNUZ, 'u', 1, false},
    {LZ_F8E8M0, 'u', 1, false}, {LZ_F8E5M2FNUZ, 'u', 1, false},
    {LZ_F4E2M1, 'u', 1, false}, {LZ_U4, 'u', 1, false},
    {LZ_I4, 'i', 1, false},     {LZ_U2, 'u', 1, false},
    {LZ_I2, 'i', 1, false}};

std::string Header::string() {
  skipSpace();
  char quote = at < text.size() ? text[at] : '\0';
  if (quote != '\'' && quote != '"')
    damaged("its header cannot be read");
  size_t end = text.find(quote, at + 1);
  if (end == std::string::npos)
    damaged("its header cannot be read");
  std::string result = text.substr(at + 1, end - at - 1);
  at = end + 1;
  return result;
}

/// '<f4': byte order, kind, size.
void Header::descr(NpyArray &array) {
  skipSpace();
  if (at < text.size() && text[at] == '[')
    throw Failure(what + ": an array of records, which no model takes");
  std::string type = string();
  if (type.size() < 3 || !strchr("<|=>", type[0]))
    damaged("its type cannot be read");
  array.kind = type[1];
  for (size_t i = 2; i != type.size(); ++i) {
    if (!isdigit(static_cast<unsigned char>(type[i])) || i > 8)
      damaged("its type cannot be read");
    array.itemBytes = array.itemBytes * 10 + (type[i] - '0');
  }
  if (!strchr("fiubcV", array.kind) || array.itemBytes < 1 ||
      array.itemBytes > 16)
    throw Failure(what + ": an array of numpy type '" + type +
                  "', which no model takes");
  if (type[0] == '>' && array.itemBytes > 1)
    throw Failure(what + ": its bytes are big-endian; save it with "
                         "array.astype(array.dtype.newbyteorder('<'))");
}

void Header::order() {
  skipSpace();
  if (!text.compare(at, 5, "False"))
    at += 5;
  else if (!text.compare(at, 4, "True"))
    throw Failure(what + ": its elements are in Fortran order; save it with "
                         "numpy.ascontiguousarray(array)");
  else
    damaged("its header cannot be read");
}

int64_t Header::number() {
  int64_t value = 0;
  size_t start = at;
  for (; at < text.size() && isdigit(static_cast<unsigned char>(text[at]));
       ++at)
    if (__builtin_mul_overflow(value, int64_t(10), &value) ||
        __builtin_add_overflow(value, int64_t(text[at] - '0'), &value))
      damaged("its shape is too large");
  if (at == start)
    damaged("its shape cannot be read");
  return value;
}

void Header::shape(NpyArray &array) {
  expect('(');
  while (!skip(')')) {
    skipSpace();
    array.shape.push_back(number());
    if (array.shape.size() > 64)
      damaged("its rank exceeds 64");
    if (!skip(',')) {
      expect(')');
      return;
    }
  }
}

NpyArray Header::parse() {
  NpyArray array;
  bool hasShape = false, hasOrder = false;
  expect('{');
  while (!skip('}')) {
    std::string key = string();
    expect(':');
    if (key == "descr")
      descr(array);
    else if (key == "fortran_order")
      order(), hasOrder = true;
    else if (key == "shape")
      shape(array), hasShape = true;
    else
      damaged("its header has an unknown key");
    skip(',');
  }
  if (!array.kind || !hasShape || !hasOrder)
    damaged("its header lacks a key");
  return array;
}

/// Splits the header off; returns where the elements start.
static size_t readPreamble(const std::string &content, const std::string &what,
                           std::string &header) {
  if (content.compare(0, 6, "\x93NUMPY") || content.size() < 10)
    throw Failure(what + ": not a numpy array");
  unsigned char version = static_cast<unsigned char>(content[6]);
  uint32_t bytes = 0;
  size_t start = version == 1 ? 10 : 12;
  if (version < 1 || version > 3 || content.size() < start)
    throw Failure(what + ": a numpy file of unknown version");
  memcpy(&bytes, &content[8], version == 1 ? 2 : 4);
  if (bytes > content.size() - start)
    throw Failure(what + ": not a sound numpy array: it ends in its header");
  header = content.substr(start, bytes);
  return start + bytes;
}

NpyArray run::parseNpy(const std::string &content, const std::string &what) {
  std::string header;
  size_t start = readPreamble(content, what, header);
  NpyArray array = Header(header, what).parse();
  auto have = int64_t(content.size() - start);
  int64_t wanted = array.itemBytes;
  bool empty = false, large = false;
  for (int64_t dim : array.shape)
    empty |= dim == 0;
  for (int64_t dim : array.shape)
    large |= !empty &&
             (__builtin_mul_overflow(wanted, dim, &wanted) || wanted > have);
  wanted = empty ? 0 : wanted;
  if (large || wanted != have)
    throw Failure(what + ": not a sound numpy array: shape " +
                  shapeText(array.shape) + " of " +
                  std::to_string(array.itemBytes) + "-byte elements, but " +
                  std::to_string(have) + " bytes");
  array.bytes = Tensor(LZ_U8, {have});
  memcpy(array.bytes.data(), content.data() + start, size_t(have));
  return array;
}

/// "float64"
static std::string numpyName(const NpyArray &array) {
  std::string bits = std::to_string(array.itemBytes * 8);
  switch (array.kind) {
  case 'f':
    return "float" + bits;
  case 'i':
    return "int" + bits;
  case 'u':
    return "uint" + bits;
  case 'b':
    return "bool";
  case 'c':
    return "complex" + bits;
  default:
    return "void" + bits;
  }
}

static const NumpyType &numpyType(int32_t type) {
  for (const NumpyType &row : kTypes)
    if (row.type == type)
      return row;
  throw Failure("tensors of " + typeName(type) + " have no numpy form");
}

Tensor run::toTensor(const NpyArray &array, int32_t type,
                     const std::string &what) {
  const NumpyType &row = numpyType(type);
  bool same = array.kind == row.kind || (!row.exact && array.kind == 'V');
  if (!same || array.itemBytes != row.bytes)
    throw Failure(what + " is " + numpyName(array) + ", but must be " +
                  typeName(type));
  if (lz_element_bits(type) >= 8) {
    Tensor tensor = array.bytes.viewed(type, array.shape);
    checkBools(tensor, what);
    return tensor;
  }
  Tensor tensor(type, array.shape);
  for (int64_t i = 0; i != tensor.elements(); ++i)
    writePacked(tensor, i, array.bytes.as<uint8_t>()[i]);
  return tensor;
}

Tensor run::toTensor(const NpyArray &array, const std::string &what) {
  for (const NumpyType &row : kTypes)
    if (row.exact && row.kind == array.kind && row.bytes == array.itemBytes)
      return toTensor(array, row.type, what);
  throw Failure(what + " is " + numpyName(array) + ", which is no number");
}

/// Elements one to a byte, signed ones with their sign.
static std::string unpack(const Tensor &tensor) {
  std::string bytes;
  int32_t type = tensor.elementType();
  for (int64_t i = 0; i != tensor.elements(); ++i)
    bytes += type == LZ_I4 || type == LZ_I2 ? char(int(readNumber(tensor, i)))
                                            : char(readPacked(tensor, i));
  return bytes;
}

std::string run::writeNpy(const Tensor &tensor) {
  const NumpyType &row = numpyType(tensor.elementType());
  std::string shape = "(";
  for (size_t d = 0; d != tensor.shape().size(); ++d)
    shape += (d ? ", " : "") + std::to_string(tensor.shape()[d]);
  if (tensor.shape().size() == 1)
    shape += ",";
  std::string header = std::string("{'descr': '") +
                       (row.bytes > 1 ? '<' : '|') + row.kind +
                       std::to_string(row.bytes) +
                       "', 'fortran_order': False, 'shape': " + shape + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string content = "\x93NUMPY\x01";
  content += '\0';
  auto size = uint16_t(header.size());
  content.append(reinterpret_cast<const char *>(&size), 2);
  content += header;
  if (lz_element_bits(tensor.elementType()) < 8)
    return content + unpack(tensor);
  return content.append(static_cast<const char *>(tensor.data()),
                        size_t(tensor.bytes()));
}
