//===- TensorSizes.h - what tensors take ------------------------*- C++ -*-===//
#ifndef PASSES_MEMORY_TENSORSIZES_H
#define PASSES_MEMORY_TENSORSIZES_H

#include "mlir/IR/BuiltinTypes.h"

namespace lz {

/// More elements are not counted: sums and products of sizes stay far from
/// overflow.
inline constexpr int64_t kMaxElements = int64_t(1) << 40;

/// The number of elements of `type`, free sizes being 1; `kMaxElements` at
/// most.
int64_t countElements(mlir::RankedTensorType type);

/// The bytes of `count` elements of `type`.
int64_t getBytes(mlir::Type elementType, int64_t count);

/// The bytes of `type`, free sizes being 1.
int64_t getTensorBytes(mlir::RankedTensorType type);

/// True if `value`, broadcast to rank `rank`, is the same at each index of
/// dimension `dim`.
bool isSameAlong(mlir::Value value, int64_t rank, int64_t dim);

} // namespace lz

#endif // PASSES_MEMORY_TENSORSIZES_H
