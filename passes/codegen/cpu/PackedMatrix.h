//===- PackedMatrix.h - matrices packed when compiling ----------*- C++ -*-===//
//
// A constant [k, columns] that matrix products multiply by is stored in panels
//
//   packed[panel][k][column of the panel]
//
// as the innermost loops read it. In the IR it stays what it was: a kernel
// reads
//
//   slice(reshape(transpose(packed, [1, 0, 2]), [k, panels * width]), [k,
//   columns])
//
// without the slice if panels divide the columns. What recognises these reads
// panels; everything else computes the same by the operations' own rules.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_CPU_PACKEDMATRIX_H
#define PASSES_CODEGEN_CPU_PACKEDMATRIX_H

#include "dialects/lz/IR/LzOps.h"
#include "targets/CpuTarget.h"

#include <optional>

namespace lz {

/// Products of so few rows wait for memory, which they read from where it lies.
inline constexpr int64_t kMostGemvRows = 4;

/// The columns of a panel with which kernels multiply more than one row.
int64_t getPanelWidth(const targets::CpuTarget &target, mlir::Type scalar);

/// The columns of the panels to pack the right operand of `op` in; none if the
/// product reads it better as it is.
std::optional<int64_t> choosePacking(MatmulOp op,
                                     const targets::CpuTarget &target);

/// The packed tensor that `matrix`, a value in a kernel, is made of.
mlir::Value findPacked(mlir::Value matrix);

/// Emits what makes [k, columns] of `packed`.
mlir::Value unpack(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value packed, int64_t columns);

} // namespace lz

#endif // PASSES_CODEGEN_CPU_PACKEDMATRIX_H
