//===- Reduce.h - loops that carry scalars ----------------------*- C++ -*-===//
#ifndef PASSES_CODEGEN_CPU_REDUCE_H
#define PASSES_CODEGEN_CPU_REDUCE_H

#include "passes/codegen/cpu/ElementEmitter.h"

namespace lz {

/// Half-open ranges, one per nested loop.
struct Interval {
  mlir::Value low, high;
};

using ReduceBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    llvm::ArrayRef<mlir::Value> indices, mlir::ValueRange carried)>;

/// Nested loops over `ranges` that carry `initial`.
llvm::SmallVector<mlir::Value> emitReduceLoops(KernelBuilder &kb,
                                               llvm::ArrayRef<Interval> ranges,
                                               mlir::ValueRange initial,
                                               ReduceBody body);

using SliceBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::Value scalar, mlir::ValueRange carried)>;

/// Loops over the elements of `tensor` whose indices in `axes` are free and
/// elsewhere are those of `dims`: one loop if the axes are the last ones and
/// positions suffice, else one per axis.
llvm::SmallVector<mlir::Value>
emitSliceLoops(ElementEmitter &e, mlir::Value tensor,
               llvm::ArrayRef<mlir::Value> dims, llvm::ArrayRef<int64_t> axes,
               mlir::ValueRange initial, SliceBody body);

using SliceIndexBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    const Index &index, mlir::ValueRange carried)>;

/// The same, for a body that wants the elements' indices.
llvm::SmallVector<mlir::Value>
emitSliceIndexLoops(ElementEmitter &e, mlir::Value tensor,
                    llvm::ArrayRef<mlir::Value> dims,
                    llvm::ArrayRef<int64_t> axes, mlir::ValueRange initial,
                    SliceIndexBody body);

/// An addition or multiplication that LLVM may reorder, for accumulators only.
mlir::Value accumulate(KernelBuilder &kb, mlir::Value sum, mlir::Value scalar);
mlir::Value accumulateProduct(KernelBuilder &kb, mlir::Value product,
                              mlir::Value scalar);

} // namespace lz

#endif // PASSES_CODEGEN_CPU_REDUCE_H
