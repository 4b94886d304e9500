//===- SparseData.cpp - sparse ONNX tensors made dense --------------------===//

#include "frontends/onnx/TensorData.h"

#include "frontends/onnx/Types.h"

#include <cstring>

using namespace mlir;
using namespace lz;
using llvm::createStringError;
using llvm::Expected;

/// Larger tensors had better not be written out.
static constexpr uint64_t kMaxBytes = uint64_t(1) << 31;

/// The row-major position of entry `entry`: an index, or one per dimension.
static std::optional<int64_t> getPosition(ArrayRef<int64_t> indices,
                                          int64_t entry, bool isTuple,
                                          ArrayRef<int64_t> shape) {
  if (!isTuple)
    return indices[entry];
  int64_t position = 0;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t index = indices[entry * shape.size() + dim];
    if (index < 0 || index >= size)
      return std::nullopt;
    position = position * size + index;
  }
  return position;
}

Expected<TensorData>
TensorReader::readSparse(MLIRContext *context,
                         const onnx::SparseTensorProto &tensor) {
  std::string name = "sparse tensor '" + tensor.values().name() + "': ";
  auto values = read(context, tensor.values());
  if (!values)
    return values.takeError();
  auto indices = read(context, tensor.indices());
  if (!indices)
    return indices.takeError();
  SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  for (int64_t size : shape)
    if (size < 0)
      return createStringError(name + "negative dimension " + Twine(size));
  auto type = RankedTensorType::get(shape, values->type.getElementType());
  std::optional<uint64_t> bytes = getByteSize(type);
  if (!bytes || *bytes > kMaxBytes ||
      type.getElementType().getIntOrFloatBitWidth() % 8 != 0)
    return createStringError(name + "its type is too large, or not of whole "
                                    "bytes");
  int64_t count = values->type.getNumElements();
  bool isTuple = indices->type.getRank() == 2;
  if (!indices->type.getElementType().isInteger(64) ||
      indices->type.getNumElements() !=
          count * (isTuple ? static_cast<int64_t>(shape.size()) : 1))
    return createStringError(name + "needs int64 indices, one (or one per "
                                    "dimension) for each value");
  SmallVector<int64_t> flat(indices->type.getNumElements());
  if (!flat.empty())
    std::memcpy(flat.data(), indices->bytes.data(), indices->bytes.size());
  auto dense = std::make_shared<std::vector<char>>(*bytes);
  uint64_t width = count ? values->bytes.size() / count : 0;
  for (int64_t entry = 0; entry != count; ++entry) {
    auto position = getPosition(flat, entry, isTuple, shape);
    if (!position || *position < 0 || *position >= type.getNumElements())
      return createStringError(name + "index " + Twine(entry) +
                               " lies outside of the tensor");
    std::memcpy(dense->data() + *position * width,
                values->bytes.data() + entry * width, width);
  }
  return TensorData{type, {dense->data(), dense->size()}, dense, {}};
}
