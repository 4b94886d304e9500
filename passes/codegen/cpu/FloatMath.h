//===- FloatMath.h - formulas on float scalars ------------------*- C++ -*-===//
#ifndef PASSES_CODEGEN_CPU_FLOATMATH_H
#define PASSES_CODEGEN_CPU_FLOATMATH_H

#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/codegen/cpu/KernelBuilder.h"

namespace lz {

/// Short names for arithmetic on scalars of one float type (f32 or f64).
struct FloatMath {
  KernelBuilder &kb;
  mlir::Type type;

  using Value = mlir::Value;
  Value number(double value) { return kb.getFloat(type, value); }
  Value add(Value a, Value b) { return kb.create<mlir::arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) { return kb.create<mlir::arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return kb.create<mlir::arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return kb.create<mlir::arith::DivFOp>(a, b); }
  Value neg(Value a) { return kb.create<mlir::arith::NegFOp>(a); }
  /// NaN if either is.
  Value max(Value a, Value b) {
    return kb.create<mlir::arith::MaximumFOp>(a, b);
  }
  Value min(Value a, Value b) {
    return kb.create<mlir::arith::MinimumFOp>(a, b);
  }
  Value abs(Value a) { return kb.create<mlir::math::AbsFOp>(a); }
  Value exp(Value a) { return kb.create<mlir::math::ExpOp>(a); }
  Value log(Value a) { return kb.create<mlir::math::LogOp>(a); }
  Value sqrt(Value a) { return kb.create<mlir::math::SqrtOp>(a); }
  Value tanh(Value a) { return kb.create<mlir::math::TanhOp>(a); }
  Value pow(Value a, Value b) { return kb.create<mlir::math::PowFOp>(a, b); }
  Value roundEven(Value a) { return kb.create<mlir::math::RoundEvenOp>(a); }
  Value floor(Value a) { return kb.create<mlir::math::FloorOp>(a); }
  Value ceil(Value a) { return kb.create<mlir::math::CeilOp>(a); }
  /// False if either is NaN.
  Value less(Value a, Value b) {
    return kb.create<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::OLT, a,
                                          b);
  }
  Value isNan(Value a) {
    return kb.create<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::UNO, a,
                                          a);
  }
  Value select(Value condition, Value a, Value b) {
    return kb.select(condition, a, b);
  }
  /// `value` in this type.
  Value convert(Value value) {
    if (value.getType() == type)
      return value;
    if (type.isF64())
      return kb.create<mlir::arith::ExtFOp>(type, value);
    return kb.create<mlir::arith::TruncFOp>(type, value);
  }
};

} // namespace lz

#endif // PASSES_CODEGEN_CPU_FLOATMATH_H
