//===- ConstantData.cpp - reading and making trained constants ------------===//

#include "passes/graph/ConstantData.h"

#include "dialects/lz/IR/LzOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;
using namespace lz;

/// What kernels and vector loads like; the weights section has the same.
static constexpr size_t kAlignment = 64;

static DenseResourceElementsAttr getResource(Value value) {
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  return constant ? dyn_cast<DenseResourceElementsAttr>(constant.getValue())
                  : DenseResourceElementsAttr();
}

int64_t lz::getElementBytes(Type elementType) {
  if (!elementType.isIntOrFloat())
    return 0;
  unsigned bits = elementType.getIntOrFloatBitWidth();
  return bits == 1 ? 1 : bits % 8 == 0 ? bits / 8 : 0;
}

std::optional<ArrayRef<char>> lz::getResourceBytes(Value value) {
  DenseResourceElementsAttr resource = getResource(value);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return std::nullopt;
  ShapedType type = resource.getType();
  int64_t size = getElementBytes(type.getElementType()) * type.getNumElements();
  // A lying text file may name a resource of another size.
  if (size == 0 || static_cast<int64_t>(blob->getData().size()) != size)
    return std::nullopt;
  return blob->getData();
}

std::optional<FloatConstant> FloatConstant::get(Value value) {
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : nullptr;
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  if (!constant ||
      !(type.getElementType().isF32() || type.getElementType().isF64()))
    return std::nullopt;
  FloatConstant result;
  result.type = type;
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue())) {
    result.bytes = dense.getRawData();
    result.splat = dense.isSplat();
    return result;
  }
  auto bytes = getResourceBytes(value);
  if (!bytes)
    return std::nullopt;
  result.bytes = *bytes;
  return result;
}

template <typename T> static T load(ArrayRef<char> bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

double FloatConstant::operator[](int64_t index) const {
  int64_t position = splat ? 0 : index;
  return type.getElementType().isF32() ? load<float>(bytes, position)
                                       : load<double>(bytes, position);
}

bool ConstantMaker::hasRoomFor(RankedTensorType type) const {
  int64_t bytes = getElementBytes(type.getElementType());
  return bytes > 0 && type.getNumElements() <= bytesLeft / bytes;
}

DenseResourceElementsAttr
ConstantMaker::make(RankedTensorType type, Value original,
                    function_ref<void(MutableArrayRef<char>)> fill) {
  int64_t size = getElementBytes(type.getElementType()) * type.getNumElements();
  bytesLeft -= size;
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(size, kAlignment, /*dataIsMutable=*/true);
  fill(blob.getMutableData());
  DenseResourceElementsAttr source = getResource(original);
  std::string name = source ? source.getRawHandle().getKey().str() : "constant";
  if (!StringRef(name).ends_with(suffix))
    name += suffix;
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

DenseResourceElementsAttr
ConstantMaker::makeFloats(RankedTensorType type, Value original,
                          function_ref<double(int64_t)> element) {
  bool narrow = type.getElementType().isF32();
  return make(type, original, [&](MutableArrayRef<char> bytes) {
    for (int64_t i = 0, size = type.getNumElements(); i != size; ++i) {
      double value = element(i);
      if (float rounded = value; narrow)
        std::memcpy(&bytes[i * sizeof(float)], &rounded, sizeof(float));
      else
        std::memcpy(&bytes[i * sizeof(double)], &value, sizeof(double));
    }
  });
}
