//===- Scalars.h - scalar operations by element type ------------*- C++ -*-===//
//
// What several rules do with scalars of any element type. `element` is always
// the tensor's element type, which gives the signedness that scalars lack.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_CPU_SCALARS_H
#define PASSES_CODEGEN_CPU_SCALARS_H

#include "passes/codegen/cpu/KernelBuilder.h"

namespace lz {

/// ONNX `Cast` of one scalar. Floats outside an integer type's range give its
/// nearest value, NaN gives 0.
mlir::Value emitCast(KernelBuilder &kb, mlir::Value scalar, mlir::Type from,
                     mlir::Type to, bool saturate = true);

mlir::Value emitAdd(KernelBuilder &kb, mlir::Value a, mlir::Value b);
mlir::Value emitMul(KernelBuilder &kb, mlir::Value a, mlir::Value b);
mlir::Value emitMax(KernelBuilder &kb, mlir::Type element, mlir::Value a,
                    mlir::Value b);
mlir::Value emitMin(KernelBuilder &kb, mlir::Type element, mlir::Value a,
                    mlir::Value b);
/// a < b by the element type's order; false with NaN.
mlir::Value emitLess(KernelBuilder &kb, mlir::Type element, mlir::Value a,
                     mlir::Value b);

/// Integer division that never traps: truncating; x / 0 is 0, and the smallest
/// number by -1 wraps.
mlir::Value emitIntDivide(KernelBuilder &kb, mlir::Type element, mlir::Value a,
                          mlir::Value b);
/// Its remainder (x by 0 is 0).
mlir::Value emitIntRemainder(KernelBuilder &kb, mlir::Type element,
                             mlir::Value a, mlir::Value b);

/// The smallest and largest values of an element type (infinities for floats).
mlir::Value getLowest(KernelBuilder &kb, mlir::Type element);
mlir::Value getHighest(KernelBuilder &kb, mlir::Type element);

/// An index read from an i32 or i64 tensor, as i64.
mlir::Value toIndex(KernelBuilder &kb, mlir::Value scalar);

} // namespace lz

#endif // PASSES_CODEGEN_CPU_SCALARS_H
