//===- Types.h - ONNX types as MLIR types -----------------------*- C++ -*-===//
#ifndef FRONTENDS_ONNX_TYPES_H
#define FRONTENDS_ONNX_TYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "onnx/onnx_pb.h"

#include <string>

namespace lz {

/// The element type for a TensorProto::DataType; null if there is none.
mlir::Type getElementType(mlir::MLIRContext *context, int onnxType);

/// The TensorProto::DataType of an element type; UNDEFINED if there is none.
int getOnnxElementType(mlir::Type type);

/// The spelling of ONNX's schemas: `tensor(float)`, `seq(tensor(int64))`.
std::string getOnnxTypeName(mlir::Type type);

/// The message for a value's type, sizes that are not static left open.
onnx::TypeProto getTypeProto(mlir::Type type);

/// The size in bytes of a tensor as ONNX stores it: `i1` one byte an element,
/// narrower types packed. None for strings, or if it exceeds
/// kMaxTensorBytes.
std::optional<uint64_t> getByteSize(mlir::ShapedType type);

} // namespace lz

#endif // FRONTENDS_ONNX_TYPES_H
