//===- TensorSizes.cpp - what tensors take --------------------------------===//

#include "passes/memory/TensorSizes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lz;

int64_t lz::countElements(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size) &&
        (llvm::MulOverflow(count, size, count) || count > kMaxElements))
      return kMaxElements;
  return count;
}

int64_t lz::getBytes(Type elementType, int64_t count) {
  int64_t bits =
      elementType.isIntOrFloat() ? elementType.getIntOrFloatBitWidth() : 128;
  return count * static_cast<int64_t>(llvm::divideCeil(bits, 8));
}

int64_t lz::getTensorBytes(RankedTensorType type) {
  return getBytes(type.getElementType(), countElements(type));
}

bool lz::isSameAlong(Value value, int64_t rank, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return false;
  int64_t own = dim - (rank - type.getRank());
  return own < 0 || type.getDimSize(own) == 1;
}
