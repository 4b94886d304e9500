//===- Attributes.cpp - reference values of attributes, and back ----------===//
//
// DenseElementsAttr keeps small types one element a byte (and bool, by version,
// one a bit), so elements are copied; a resource's bytes are ours already.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzDialect.h"
#include "dialects/lz/Reference/Evaluator.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

/// A tensor over the bytes of a resource; failure if they are missing.
static FailureOr<RefTensor> readResource(DenseResourceElementsAttr attr,
                                         RankedTensorType type) {
  AsmResourceBlob *blob = attr.getRawHandle().getBlob();
  ElementFormat format(type.getElementType());
  if (!blob || format.kind == ElementFormat::String ||
      static_cast<int64_t>(blob->getData().size()) !=
          format.getNumBytes(type.getNumElements()))
    return failure();
  // The blob lives in the context, as long as the attribute.
  return RefTensor(type, blob->getData(), nullptr);
}

static void readStrings(DenseElementsAttr attr, RefTensor &tensor) {
  for (auto [target, text] :
       llvm::zip_equal(tensor.getMutableStrings(), attr.getValues<StringRef>()))
    target = text.str();
}

static void readFloats(DenseElementsAttr attr, RefTensor &tensor) {
  for (auto [index, value] : llvm::enumerate(attr.getValues<APFloat>()))
    tensor.setDouble(index, value.convertToDouble());
}

static void readIntegers(DenseElementsAttr attr, RefTensor &tensor) {
  for (auto [index, value] : llvm::enumerate(attr.getValues<APInt>()))
    tensor.setInt(index, static_cast<int64_t>(value.getZExtValue()));
}

static void readComplex(DenseElementsAttr attr, RefTensor &tensor) {
  for (auto [index, value] :
       llvm::enumerate(attr.getValues<std::complex<APFloat>>()))
    tensor.setComplex(index, {value.real().convertToDouble(),
                              value.imag().convertToDouble()});
}

FailureOr<RefTensor> lz::getRefTensor(ElementsAttr attr) {
  auto type = dyn_cast<RankedTensorType>(attr.getType());
  if (!type)
    return failure();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr))
    return readResource(resource, type);
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return failure();
  RefTensor tensor(type);
  switch (tensor.getFormat().kind) {
  case ElementFormat::String:
    readStrings(dense, tensor);
    break;
  case ElementFormat::Complex:
    readComplex(dense, tensor);
    break;
  case ElementFormat::Float:
    readFloats(dense, tensor);
    break;
  default:
    readIntegers(dense, tensor);
  }
  return tensor;
}

static ElementsAttr writeStrings(const RefTensor &tensor) {
  auto texts = llvm::map_to_vector(
      tensor.getStrings(), [](const std::string &s) { return StringRef(s); });
  return DenseStringElementsAttr::get(tensor.getType(), texts);
}

static ElementsAttr writeFloats(const RefTensor &tensor) {
  SmallVector<APFloat> values;
  for (int64_t i = 0; i != tensor.getNumElements(); ++i) {
    APFloat value(tensor.getDouble(i));
    bool lossy = false;
    value.convert(*tensor.getFormat().semantics, APFloat::rmNearestTiesToEven,
                  &lossy);
    values.push_back(value);
  }
  return DenseElementsAttr::get(tensor.getType(), values);
}

static ElementsAttr writeIntegers(const RefTensor &tensor) {
  unsigned width = tensor.getElementType().getIntOrFloatBitWidth();
  SmallVector<APInt> values;
  for (int64_t i = 0; i != tensor.getNumElements(); ++i)
    values.push_back(APInt(64, tensor.getInt(i)).trunc(width));
  return DenseElementsAttr::get(tensor.getType(), values);
}

ElementsAttr lz::getElementsAttr(const RefTensor &tensor) {
  const ElementFormat &format = tensor.getFormat();
  if (tensor.getNumElements() == 0)
    return DenseElementsAttr::get(tensor.getType(), ArrayRef<Attribute>());
  if (format.kind == ElementFormat::String)
    return writeStrings(tensor);
  if (format.bits >= 8 && format.kind != ElementFormat::Bool)
    return DenseElementsAttr::getFromRawBuffer(tensor.getType(),
                                               tensor.getBytes());
  return format.isInteger() ? writeIntegers(tensor) : writeFloats(tensor);
}
