//===- VectorBuilder.h - vectors in kernels ---------------------*- C++ -*-===//
//
// Most kernels are emitted in scalars, and LLVM vectorises their loops. Where
// registers are allotted by hand, contractions say vectors explicitly.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_CPU_VECTORBUILDER_H
#define PASSES_CODEGEN_CPU_VECTORBUILDER_H

#include "passes/codegen/cpu/KernelBuilder.h"

namespace lz {

/// Vectors of `lanes` scalars of a compute type.
class VectorBuilder {
public:
  VectorBuilder(KernelBuilder &kb, mlir::Type scalar, int64_t lanes)
      : kb(kb), type(mlir::VectorType::get({lanes}, scalar)) {}

  int64_t getLanes() const { return type.getNumElements(); }
  mlir::VectorType getType() const { return type; }

  mlir::Value splat(mlir::Value scalar);
  mlir::Value getZero();
  /// Elements from `position` on of a buffer of the scalar type.
  mlir::Value load(const Buffer &buffer, mlir::Value position);
  /// load() where the buffer's group is not what it says.
  mlir::Value loadAnywhere(const Buffer &buffer, mlir::Value position);
  void store(const Buffer &buffer, mlir::Value position, mlir::Value vector);
  /// Asks for elements that are read soon, or never: `position` may lie
  /// anywhere.
  void prefetch(const Buffer &buffer, mlir::Value position);
  /// a * b + c, fused where the CPU can.
  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value add(mlir::Value a, mlir::Value b);

  /// The lanes from `low` to `high` (clamped to what there is) of `count`.
  mlir::Value getMask(mlir::Value low, mlir::Value high, int64_t count);
  /// Elements from `position` on, as many as the mask has. Where it is false,
  /// nothing is read (the position may lie outside of the buffer), and the
  /// result is that of `otherwise`, or zero.
  mlir::Value loadMasked(const Buffer &buffer, mlir::Value position,
                         mlir::Value mask, mlir::Value otherwise = {});
  /// Every `stride`-th element of `vector` from `first` on.
  mlir::Value pick(mlir::Value vector, int64_t first, int64_t stride);
  /// `a` and `b` hold `segments` segments of lanes. Adds the halves of each,
  /// and puts a's and b's in turn: twice as many segments, of half the length.
  mlir::Value mergeHalves(mlir::Value a, mlir::Value b, int64_t segments);

private:
  unsigned getAlignment() const;
  mlir::Value shuffle(mlir::Value a, mlir::Value b,
                      llvm::ArrayRef<int32_t> lanes);

  KernelBuilder &kb;
  mlir::VectorType type;
};

} // namespace lz

#endif // PASSES_CODEGEN_CPU_VECTORBUILDER_H
