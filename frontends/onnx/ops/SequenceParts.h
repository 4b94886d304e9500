//===- SequenceParts.h - what operators on sequences share ------*- C++ -*-===//
#ifndef FRONTENDS_ONNX_OPS_SEQUENCEPARTS_H
#define FRONTENDS_ONNX_OPS_SEQUENCEPARTS_H

#include "frontends/onnx/Sequences.h"
#include "frontends/onnx/ops/Common.h"

namespace lz {

/// More elements than memory holds: the limit of counts that nothing else
/// bounds.
constexpr int64_t kMaxElements = int64_t(1) << 46;

/// A size that the run finds. What is not from 0 to `limit` ends the run; a
/// null one bounds nothing.
struct BoundSize {
  llvm::StringRef name;
  SymExpr limit;
};

/// Binds the elements of `values`, in order, to new symbols.
SymShape bindChecked(NodeImporter &node, llvm::ArrayRef<mlir::Value> values,
                     llvm::ArrayRef<BoundSize> sizes);

/// Value `position`, which is less than the length.
mlir::Value readValue(NodeImporter &node, const PackedSequence &packed,
                      SymExpr position);

/// The value of an optional; one that has none ends the run.
mlir::Value getOptionalValue(NodeImporter &node, mlir::Value optional);

} // namespace lz

#endif // FRONTENDS_ONNX_OPS_SEQUENCEPARTS_H
