//===- Types.cpp - ONNX types as MLIR types -------------------------------===//

#include "frontends/onnx/Types.h"

#include "dialects/lz/IR/LzDialect.h"
#include "dialects/lz/Symbols/SizeLimits.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lz;

namespace {
using onnx::TensorProto;

/// One row of the table of element types.
struct ElementRow {
  int onnxType;
  const char *name;
  Type (*build)(Builder &);
};
} // namespace

template <unsigned bits> static Type getSigned(Builder &b) {
  return b.getIntegerType(bits);
}
template <unsigned bits> static Type getUnsigned(Builder &b) {
  return b.getIntegerType(bits, /*isSigned=*/false);
}
template <typename T> static Type getFloat(Builder &b) {
  return T::get(b.getContext());
}

static constexpr ElementRow kElements[] = {
    {TensorProto::FLOAT, "float", getFloat<Float32Type>},
    {TensorProto::UINT8, "uint8", getUnsigned<8>},
    {TensorProto::INT8, "int8", getSigned<8>},
    {TensorProto::UINT16, "uint16", getUnsigned<16>},
    {TensorProto::INT16, "int16", getSigned<16>},
    {TensorProto::INT32, "int32", getSigned<32>},
    {TensorProto::INT64, "int64", getSigned<64>},
    {TensorProto::STRING, "string", getFloat<StringType>},
    {TensorProto::BOOL, "bool", getSigned<1>},
    {TensorProto::FLOAT16, "float16", getFloat<Float16Type>},
    {TensorProto::DOUBLE, "double", getFloat<Float64Type>},
    {TensorProto::UINT32, "uint32", getUnsigned<32>},
    {TensorProto::UINT64, "uint64", getUnsigned<64>},
    {TensorProto::COMPLEX64, "complex64",
     [](Builder &b) -> Type { return ComplexType::get(b.getF32Type()); }},
    {TensorProto::COMPLEX128, "complex128",
     [](Builder &b) -> Type { return ComplexType::get(b.getF64Type()); }},
    {TensorProto::BFLOAT16, "bfloat16", getFloat<BFloat16Type>},
    {TensorProto::FLOAT8E4M3FN, "float8e4m3fn", getFloat<Float8E4M3FNType>},
    {TensorProto::FLOAT8E4M3FNUZ, "float8e4m3fnuz",
     getFloat<Float8E4M3FNUZType>},
    {TensorProto::FLOAT8E5M2, "float8e5m2", getFloat<Float8E5M2Type>},
    {TensorProto::FLOAT8E5M2FNUZ, "float8e5m2fnuz",
     getFloat<Float8E5M2FNUZType>},
    {TensorProto::UINT4, "uint4", getUnsigned<4>},
    {TensorProto::INT4, "int4", getSigned<4>},
    {TensorProto::FLOAT4E2M1, "float4e2m1", getFloat<Float4E2M1FNType>},
    {TensorProto::FLOAT8E8M0, "float8e8m0", getFloat<Float8E8M0FNUType>},
    {TensorProto::UINT2, "uint2", getUnsigned<2>},
    {TensorProto::INT2, "int2", getSigned<2>},
};

Type lz::getElementType(MLIRContext *context, int onnxType) {
  Builder builder(context);
  for (const ElementRow &row : kElements)
    if (row.onnxType == onnxType)
      return row.build(builder);
  return {};
}

/// The row of an MLIR element type; null if there is none.
static const ElementRow *findRow(Type type) {
  Builder builder(type.getContext());
  for (const ElementRow &row : kElements)
    if (row.build(builder) == type)
      return &row;
  return nullptr;
}

int lz::getOnnxElementType(Type type) {
  const ElementRow *row = findRow(type);
  return row ? row->onnxType : int(TensorProto::UNDEFINED);
}

std::string lz::getOnnxTypeName(Type type) {
  if (auto sequence = dyn_cast<SequenceType>(type))
    return "seq(" + getOnnxTypeName(sequence.getElementType()) + ")";
  if (auto optional = dyn_cast<OptionalType>(type))
    return "optional(" + getOnnxTypeName(optional.getElementType()) + ")";
  const ElementRow *row = findRow(cast<ShapedType>(type).getElementType());
  return std::string("tensor(") + (row ? row->name : "unknown") + ")";
}

onnx::TypeProto lz::getTypeProto(Type type) {
  onnx::TypeProto proto;
  if (auto sequence = dyn_cast<SequenceType>(type)) {
    *proto.mutable_sequence_type()->mutable_elem_type() =
        getTypeProto(sequence.getElementType());
  } else if (auto optional = dyn_cast<OptionalType>(type)) {
    *proto.mutable_optional_type()->mutable_elem_type() =
        getTypeProto(optional.getElementType());
  } else if (auto unranked = dyn_cast<UnrankedTensorType>(type)) {
    proto.mutable_tensor_type()->set_elem_type(
        getOnnxElementType(unranked.getElementType()));
  } else if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    onnx::TypeProto::Tensor *target = proto.mutable_tensor_type();
    target->set_elem_type(getOnnxElementType(tensor.getElementType()));
    for (int64_t size : tensor.getShape()) {
      auto *dim = target->mutable_shape()->add_dim();
      if (!ShapedType::isDynamic(size))
        dim->set_dim_value(size);
    }
  }
  return proto;
}

std::optional<uint64_t> lz::getByteSize(ShapedType type) {
  if (isa<StringType>(type.getElementType()))
    return std::nullopt;
  uint64_t bits = getStoredBits(type.getElementType());
  bool empty = false;
  for (int64_t size : type.getShape()) {
    empty |= size == 0;
    bool overflow = false;
    if (size != 0)
      bits = llvm::SaturatingMultiply<uint64_t>(bits, size, &overflow);
    if (overflow || bits / 8 > uint64_t(kMaxTensorBytes))
      return std::nullopt;
  }
  return empty ? 0 : llvm::divideCeil(bits, 8);
}
