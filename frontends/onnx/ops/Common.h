//===- Common.h - what families of operators share --------------*- C++ -*-===//
#ifndef FRONTENDS_ONNX_OPS_COMMON_H
#define FRONTENDS_ONNX_OPS_COMMON_H

#include "frontends/onnx/NodeImporter.h"

namespace lz {

inline mlir::Value add(NodeImporter &node, mlir::Value a, mlir::Value b) {
  return node.binary(BinaryKind::add, a, b);
}
inline mlir::Value sub(NodeImporter &node, mlir::Value a, mlir::Value b) {
  return node.binary(BinaryKind::sub, a, b);
}
inline mlir::Value mul(NodeImporter &node, mlir::Value a, mlir::Value b) {
  return node.binary(BinaryKind::mul, a, b);
}
inline mlir::Value divide(NodeImporter &node, mlir::Value a, mlir::Value b) {
  return node.binary(BinaryKind::div, a, b);
}

/// The right operand of a node of opset 6 or before, which broadcasts only if
/// attribute `broadcast` says so, and then from dimension `axis` of the left
/// one. Later versions get it as it is.
mlir::Value alignOperand(NodeImporter &node, mlir::Value lhs, mlir::Value rhs);

/// Operand `index`, a size.
SymExpr getSizeOperand(NodeImporter &node, int index);

/// The axes that attribute `axes` or operand `index` names, sorted; none if
/// neither is there.
std::optional<llvm::SmallVector<int64_t>> getAxesOf(NodeImporter &node,
                                                    int index, int64_t rank);

/// Where the windows of a convolution or pool lie.
struct Windows {
  llvm::SmallVector<int64_t> strides, dilations;
  SymShape low, high;
  /// The number of windows in each dimension, `ceil_mode` considered.
  SymShape counts;
};
/// Reads strides, dilations, pads and auto_pad for windows of size `kernel`
/// over the spatial dimensions `input`.
Windows getWindows(NodeImporter &node, llvm::ArrayRef<SymExpr> input,
                   llvm::ArrayRef<SymExpr> kernel, bool ceilMode);

/// An integer attribute for each spatial dimension, all at least `least`;
/// `fallback` if it is absent.
llvm::SmallVector<int64_t> getSpatialInts(NodeImporter &node,
                                          llvm::StringRef name, size_t count,
                                          int64_t fallback, int64_t least);

/// The result of a node with the operands and attributes of Gemm.
mlir::Value buildGemm(NodeImporter &node);
/// The result of a node with the operands and attributes of Conv.
mlir::Value buildConv(NodeImporter &node);
/// The average pool of `input`, in place of the first operand, by a node with
/// the attributes of AveragePool. With `count_include_pad`, `countOverhang`
/// counts what windows have after the padding with `ceil_mode` as well.
mlir::Value buildAveragePool(NodeImporter &node, mlir::Value input,
                             bool countOverhang);
/// A quantized factor of a product as i32, its zero point (null for 0) taken
/// off: one number, or one for each row of the left or column of the right.
mlir::Value getShiftedFactor(NodeImporter &node, mlir::Value input,
                             mlir::Value zeroPoint, bool isLeft);

/// Handlers of operators that ONNX Runtime has in its own domain, too.
mlir::LogicalResult importLayerNorm(NodeImporter &node);
mlir::LogicalResult importQuantize(NodeImporter &node);
mlir::LogicalResult importDequantize(NodeImporter &node);

/// Builds what a branch does; returns its results.
using BranchBuilder =
    llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>()>;
/// The results of an `lz.if` on a condition of rank 0. Dimensions in which the
/// branches differ become symbols that the run binds.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
buildIf(NodeImporter &node, mlir::Value condition, BranchBuilder thenBranch,
        BranchBuilder elseBranch);

/// The integers below `size`.
mlir::Value getPositions(NodeImporter &node, SymExpr size);

/// A boolean tensor of true values.
mlir::Value getTrue(NodeImporter &node, llvm::ArrayRef<SymExpr> shape);

/// Binds `count`, an i64 tensor of one element that is at most `most`, to a new
/// symbol.
SymExpr bindCount(NodeImporter &node, mlir::Value count, SymExpr most);

/// All integers below `rank` but those in `axes`.
llvm::SmallVector<int64_t> getOtherAxes(int64_t rank,
                                        llvm::ArrayRef<int64_t> axes);

} // namespace lz

#endif // FRONTENDS_ONNX_OPS_COMMON_H
