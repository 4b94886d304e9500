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

/// ONNX `Cast` of one scalar. Floats outside the range of an integer type of 32
/// or 64 bits give its nearest value; for less they wrap, by way of an i32, and
/// give 0 outside that. NaN gives 0.
mlir::Value emitCast(KernelBuilder &kb, mlir::Value scalar, mlir::Type from,
                     mlir::Type to, bool saturate = true);
/// The same of a float, but whatever is outside gives the nearest value.
mlir::Value emitClamped(KernelBuilder &kb, mlir::Value scalar, mlir::Type to);

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
