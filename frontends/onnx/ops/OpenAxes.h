//===- OpenAxes.h - what a model states for axes it computes ----*- C++ -*-===//
#ifndef FRONTENDS_ONNX_OPS_OPENAXES_H
#define FRONTENDS_ONNX_OPS_OPENAXES_H

#include "frontends/onnx/ops/Common.h"

namespace lz {

/// Spreads numbers that belong to axes, one each, over the dimensions of a
/// tensor. The run does it, so that neither axes nor numbers must be known.
class OpenAxes {
public:
  /// `axes` is a vector of `count` integers, negative ones from the end.
  OpenAxes(NodeImporter &node, mlir::Value axes, int64_t count, int64_t rank);

  /// An i64 for each dimension: the element of `given`, a vector of `count`
  /// integers, that belongs to it, or `fallback`.
  mlir::Value place(mlir::Value given, int64_t fallback);
  /// `sizes`, or -1, which the run refuses, if an axis is out of range or named
  /// twice.
  mlir::Value require(mlir::Value sizes);
  /// Symbols that the run binds to the elements of `sizes`, one a dimension.
  SymShape bind(mlir::Value sizes);

private:
  mlir::Value number(int64_t value);

  NodeImporter &node;
  int64_t count, rank;
  mlir::Value isNamed; // [count, rank]: whether the axis is the dimension
  mlir::Value timesNamed;
};

/// True if `value` is absent or its elements are known and constant.
bool isFixed(NodeImporter &node, mlir::Value value);
/// Slice with axes or steps that are not constant.
mlir::LogicalResult importOpenSlice(NodeImporter &node);

} // namespace lz

#endif // FRONTENDS_ONNX_OPS_OPENAXES_H
