//===- BufferAssignment.h - which value lives in which buffer ---*- C++ -*-===//
//
// Every tensor value of a fused function gets a place: a root, whose buffer it
// shares, and a byte offset in it. Reshapes, contiguous slices, the operands of
// contiguous concats and what branches and iterations yield share; a result
// that nothing else forces elsewhere is computed in the caller's output.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_SCHEDULE_BUFFERASSIGNMENT_H
#define PASSES_SCHEDULE_BUFFERASSIGNMENT_H

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/schedule/SizeBounds.h"

namespace lz {

/// The bytes of `count` elements of `type`, as they lie in a tensor.
SymExpr getByteSize(mlir::Type type, SymExpr count);

struct Place {
  mlir::Value root;
  SymExpr offset; // bytes
};

class BufferAssignment {
public:
  BufferAssignment(mlir::func::FuncOp function, const ShapeAnalysis &shapes,
                   const SizeBounds &bounds);

  /// Where `value` lies. Its root is an argument (of the function, or of a
  /// loop's body), a constant, the result of a fusion group or an if, or what a
  /// loop stacks.
  Place getPlace(mlir::Value value) const;

  /// The output whose memory is the buffer of `root`; -1 if it has its own.
  int64_t getOutput(mlir::Value root) const;

  /// True if the group moves no data: a contiguous slice.
  bool isView(FusionOp fusion) const { return views.contains(fusion); }
  /// True if the group is a concat whose operands are runs of its result: those
  /// that do not lie there already must be copied.
  bool isContiguousConcat(FusionOp fusion) const {
    return concats.contains(fusion);
  }

  /// The bytes of a value.
  SymExpr getBytes(mlir::Value value) const;

private:
  void assignBlock(mlir::Block &block);
  void assignFusion(FusionOp fusion);
  void assignIf(IfOp op);
  void assignLoop(LoopOp op);
  void assignAppended(LoopOp op, size_t index);
  void assignYield(mlir::Value value, mlir::Value target, SymExpr offset);
  void assignSlice(FusionOp fusion, SliceOp slice);
  void assignConcat(FusionOp fusion, ConcatOp concat);
  void assignOutputs(mlir::func::FuncOp function);
  bool ownsBuffer(mlir::Value value) const;
  bool ownsBufferIn(mlir::Value value, mlir::Block *block) const;

  const ShapeAnalysis &shapes;
  const SizeBounds &bounds;
  llvm::DenseMap<mlir::Value, Place> places; // absent: a root
  llvm::DenseMap<mlir::Value, int64_t> outputs;
  llvm::DenseSet<mlir::Operation *> views, concats;
};

} // namespace lz

#endif // PASSES_SCHEDULE_BUFFERASSIGNMENT_H
