//===- TestData.cpp - ONNX test data as reference values ------------------===//
//
// Written apart from the importer's reading of tensors, which these tests
// judge.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/TestData.h"

#include "dialects/lz/IR/LzDialect.h"
#include "mlir/IR/Builders.h"
#include "onnx/onnx-data.pb.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace lz;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Error lz::readMessage(StringRef file,
                            google::protobuf::MessageLite &message) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError(file + ": " + buffer.getError().message());
  if (!message.ParseFromArray((*buffer)->getBufferStart(),
                              (*buffer)->getBufferSize()))
    return makeError(file + ": not a message of the expected kind");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static Type getFloatType(int number, MLIRContext &context) {
  switch (number) {
  case onnx::TensorProto::FLOAT:
    return Float32Type::get(&context);
  case onnx::TensorProto::DOUBLE:
    return Float64Type::get(&context);
  case onnx::TensorProto::FLOAT16:
    return Float16Type::get(&context);
  case onnx::TensorProto::BFLOAT16:
    return BFloat16Type::get(&context);
  case onnx::TensorProto::FLOAT8E4M3FN:
    return Float8E4M3FNType::get(&context);
  case onnx::TensorProto::FLOAT8E4M3FNUZ:
    return Float8E4M3FNUZType::get(&context);
  case onnx::TensorProto::FLOAT8E5M2:
    return Float8E5M2Type::get(&context);
  case onnx::TensorProto::FLOAT8E5M2FNUZ:
    return Float8E5M2FNUZType::get(&context);
  case onnx::TensorProto::FLOAT8E8M0:
    return Float8E8M0FNUType::get(&context);
  case onnx::TensorProto::FLOAT4E2M1:
    return Float4E2M1FNType::get(&context);
  default:
    return {};
  }
}

static Type getIntegerType(int number, MLIRContext &context) {
  Builder b(&context);
  switch (number) {
  case onnx::TensorProto::BOOL:
    return b.getI1Type();
  case onnx::TensorProto::INT2:
    return b.getIntegerType(2);
  case onnx::TensorProto::INT4:
    return b.getIntegerType(4);
  case onnx::TensorProto::INT8:
    return b.getIntegerType(8);
  case onnx::TensorProto::INT16:
    return b.getIntegerType(16);
  case onnx::TensorProto::INT32:
    return b.getIntegerType(32);
  case onnx::TensorProto::INT64:
    return b.getIntegerType(64);
  case onnx::TensorProto::UINT2:
    return b.getIntegerType(2, /*isSigned=*/false);
  case onnx::TensorProto::UINT4:
    return b.getIntegerType(4, /*isSigned=*/false);
  case onnx::TensorProto::UINT8:
    return b.getIntegerType(8, /*isSigned=*/false);
  case onnx::TensorProto::UINT16:
    return b.getIntegerType(16, /*isSigned=*/false);
  case onnx::TensorProto::UINT32:
    return b.getIntegerType(32, /*isSigned=*/false);
  case onnx::TensorProto::UINT64:
    return b.getIntegerType(64, /*isSigned=*/false);
  default:
    return {};
  }
}

Type lz::getElementType(int number, MLIRContext &context) {
  if (number == onnx::TensorProto::STRING)
    return StringType::get(&context);
  if (number == onnx::TensorProto::COMPLEX64)
    return ComplexType::get(Float32Type::get(&context));
  if (number == onnx::TensorProto::COMPLEX128)
    return ComplexType::get(Float64Type::get(&context));
  Type type = getFloatType(number, context);
  return type ? type : getIntegerType(number, context);
}

int lz::getElementNumber(Type type) {
  for (int number = 1; number <= onnx::TensorProto::INT2; ++number)
    if (getElementType(number, *type.getContext()) == type)
      return number;
  return onnx::TensorProto::UNDEFINED;
}

/// Appends the low `width` bytes of each of `values`.
template <typename Values>
static void appendBytes(std::string &bytes, const Values &values,
                        size_t width) {
  for (const auto &value : values)
    bytes.append(reinterpret_cast<const char *>(&value), width);
}

/// The bytes of a tensor, from whichever field holds them.
static std::string getBytes(const onnx::TensorProto &proto,
                            const ElementFormat &format) {
  if (proto.has_raw_data())
    return proto.raw_data();
  std::string bytes;
  appendBytes(bytes, proto.float_data(), 4);
  appendBytes(bytes, proto.double_data(), 8);
  appendBytes(bytes, proto.int64_data(), 8);
  size_t width = std::max(1u, format.bits / 8);
  appendBytes(bytes, proto.int32_data(), std::min<size_t>(4, width));
  appendBytes(bytes, proto.uint64_data(), width);
  return bytes;
}

static llvm::Expected<RefValue> readTensor(const onnx::TensorProto &proto,
                                           MLIRContext &context) {
  Type element = getElementType(proto.data_type(), context);
  if (!element)
    return makeError("tensor '" + proto.name() + "' has element type " +
                     llvm::Twine(proto.data_type()) + ", which is not known");
  SmallVector<int64_t> shape(proto.dims().begin(), proto.dims().end());
  RefTensor tensor(RankedTensorType::get(shape, element));
  if (tensor.getFormat().kind == ElementFormat::String) {
    if (proto.string_data_size() != tensor.getNumElements())
      return makeError("tensor '" + proto.name() + "' lacks strings");
    tensor.getMutableStrings().assign(proto.string_data().begin(),
                                      proto.string_data().end());
    return RefValue(tensor);
  }
  std::string bytes = getBytes(proto, tensor.getFormat());
  if (bytes.size() != tensor.getBytes().size())
    return makeError("tensor '" + proto.name() + "' has " +
                     llvm::Twine(bytes.size()) + " bytes, expected " +
                     llvm::Twine(tensor.getBytes().size()));
  llvm::copy(bytes, tensor.getMutableBytes().begin());
  return RefValue(tensor);
}

//===----------------------------------------------------------------------===//
// Sequences and optionals
//===----------------------------------------------------------------------===//

static llvm::Expected<RefValue> readSequence(const onnx::SequenceProto &proto,
                                             MLIRContext &context) {
  std::vector<RefValue> elements;
  for (const onnx::TensorProto &element : proto.tensor_values()) {
    auto value = readTensor(element, context);
    if (!value)
      return value.takeError();
    elements.push_back(*value);
  }
  return RefValue::sequence(std::move(elements));
}

static llvm::Expected<RefValue> readOptional(const onnx::OptionalProto &proto,
                                             MLIRContext &context) {
  if (!proto.has_tensor_value() && !proto.has_sequence_value())
    return RefValue::none();
  auto value = proto.has_tensor_value()
                   ? readTensor(proto.tensor_value(), context)
                   : readSequence(proto.sequence_value(), context);
  if (!value)
    return value.takeError();
  return RefValue::some(*value);
}

llvm::Expected<RefValue> lz::readValue(StringRef file,
                                       const onnx::TypeProto &type,
                                       MLIRContext &context) {
  if (type.has_sequence_type()) {
    onnx::SequenceProto proto;
    if (llvm::Error error = readMessage(file, proto))
      return std::move(error);
    return readSequence(proto, context);
  }
  if (type.has_optional_type()) {
    onnx::OptionalProto proto;
    if (llvm::Error error = readMessage(file, proto))
      return std::move(error);
    return readOptional(proto, context);
  }
  onnx::TensorProto proto;
  if (llvm::Error error = readMessage(file, proto))
    return error;
  return readTensor(proto, context);
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// True if two floats agree; NaN agrees with NaN only.
static bool areClose(double actual, double expected,
                     const Tolerance &tolerance) {
  if (std::isnan(expected) || std::isinf(expected))
    return std::isnan(expected) ? std::isnan(actual) : actual == expected;
  return std::abs(actual - expected) <=
         tolerance.absolute + tolerance.relative * std::abs(expected);
}

static bool areEqual(const RefTensor &actual, const RefTensor &expected,
                     int64_t i, const Tolerance &tolerance) {
  if (expected.getFormat().isInteger())
    return actual.getInt(i) == expected.getInt(i);
  if (expected.getFormat().kind == ElementFormat::String)
    return actual.getStrings()[i] == expected.getStrings()[i];
  std::complex<double> a = actual.getComplex(i), b = expected.getComplex(i);
  return areClose(a.real(), b.real(), tolerance) &&
         areClose(a.imag(), b.imag(), tolerance);
}

/// Element `i` as text.
static std::string print(const RefTensor &tensor, int64_t i) {
  if (tensor.getFormat().kind == ElementFormat::String)
    return "'" + tensor.getStrings()[i] + "'";
  if (tensor.getFormat().isInteger())
    return std::to_string(tensor.getInt(i));
  return std::to_string(tensor.getDouble(i));
}

static std::string compareTensors(const RefTensor &actual,
                                  const RefTensor &expected,
                                  const Tolerance &tolerance) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (actual.getType() != expected.getType()) {
    os << "is of type " << actual.getType() << ", expected "
       << expected.getType();
    return text;
  }
  int64_t wrong = 0, first = 0;
  for (int64_t i = expected.getNumElements(); i-- > 0;)
    if (!areEqual(actual, expected, i, tolerance)) {
      ++wrong;
      first = i;
    }
  if (wrong != 0)
    os << "differs in " << wrong << " of " << expected.getNumElements()
       << " elements, first in " << first << ": " << print(actual, first)
       << ", expected " << print(expected, first);
  return text;
}

std::string lz::compareValues(const RefValue &actual, const RefValue &expected,
                              const Tolerance &tolerance) {
  if (actual.getKind() != expected.getKind())
    return "is of another kind (tensor, sequence, optional) than expected";
  if (actual.getKind() == RefValue::Kind::Tensor)
    return compareTensors(actual.getTensor(), expected.getTensor(), tolerance);
  ArrayRef<RefValue> left = actual.getElements();
  ArrayRef<RefValue> right = expected.getElements();
  if (left.size() != right.size())
    return "has " + std::to_string(left.size()) + " values, expected " +
           std::to_string(right.size());
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(left, right))) {
    std::string text =
        compareValues(std::get<0>(pair), std::get<1>(pair), tolerance);
    if (!text.empty())
      return "value " + std::to_string(index) + " " + text;
  }
  return "";
}
