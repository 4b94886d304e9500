//===- ContribAttention.h - parts of ONNX Runtime's attentions --*- C++ -*-===//
#ifndef FRONTENDS_ONNX_OPS_CONTRIBATTENTION_H
#define FRONTENDS_ONNX_OPS_CONTRIBATTENTION_H

#include "frontends/onnx/ops/Contrib.h"

namespace lz {

/// [B, N, S, H] as [B, S, N * H].
mlir::Value joinHeads(NodeImporter &node, mlir::Value heads);

/// The scale of the scores: attribute `scale`, or the inverse root of the size
/// of a head.
double getScoreScale(NodeImporter &node, SymExpr headSize);

/// Reports each of `inputs` and `attributes` that is there.
mlir::LogicalResult
refuse(NodeImporter &node,
       llvm::ArrayRef<std::pair<int, llvm::StringRef>> inputs,
       llvm::ArrayRef<llvm::StringRef> attributes);

/// Heads whose first `turning` elements turn by the angles of the caches' rows
/// at `positions`, [B or 1, S].
struct RotaryHeads {
  mlir::Value heads; ///< [B, S, N, H], or [B, N, S, H]
  bool headsFirst;
  SymExpr turning;
  bool interleaved; ///< pairs are neighbours, not a half apart
};
mlir::Value rotate(NodeImporter &node, const RotaryHeads &input,
                   mlir::Value positions, mlir::Value cosines,
                   mlir::Value sines);

} // namespace lz

#endif // FRONTENDS_ONNX_OPS_CONTRIBATTENTION_H
