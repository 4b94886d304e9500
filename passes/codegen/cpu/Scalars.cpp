//===- Scalars.cpp - scalar operations by element type --------------------===//

#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

static bool isFloat(Value scalar) { return isa<FloatType>(scalar.getType()); }

Value lz::emitAdd(KernelBuilder &kb, Value a, Value b) {
  if (isFloat(a))
    return kb.create<arith::AddFOp>(a, b);
  return kb.create<arith::AddIOp>(a, b);
}

Value lz::emitMul(KernelBuilder &kb, Value a, Value b) {
  if (isFloat(a))
    return kb.create<arith::MulFOp>(a, b);
  return kb.create<arith::MulIOp>(a, b);
}

Value lz::emitMax(KernelBuilder &kb, Type element, Value a, Value b) {
  if (isFloat(a))
    return kb.create<arith::MaximumFOp>(a, b);
  if (isUnsigned(element))
    return kb.create<arith::MaxUIOp>(a, b);
  return kb.create<arith::MaxSIOp>(a, b);
}

Value lz::emitMin(KernelBuilder &kb, Type element, Value a, Value b) {
  if (isFloat(a))
    return kb.create<arith::MinimumFOp>(a, b);
  if (isUnsigned(element))
    return kb.create<arith::MinUIOp>(a, b);
  return kb.create<arith::MinSIOp>(a, b);
}

Value lz::emitLess(KernelBuilder &kb, Type element, Value a, Value b) {
  if (isFloat(a))
    return kb.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, a, b);
  return kb.compare(isUnsigned(element) ? arith::CmpIPredicate::ult
                                        : arith::CmpIPredicate::slt,
                    a, b);
}

//===----------------------------------------------------------------------===//
// Integer division
//===----------------------------------------------------------------------===//

namespace {

/// A divisor, and one like it by which division cannot trap.
struct Divisor {
  Divisor(KernelBuilder &kb, Type element, Value value) {
    Type type = value.getType();
    Value one = kb.getInt(type, 1);
    isZero = kb.compare(arith::CmpIPredicate::eq, value, kb.getInt(type, 0));
    safe = kb.select(isZero, one, value);
    if (isUnsigned(element))
      return;
    isMinusOne =
        kb.compare(arith::CmpIPredicate::eq, value, kb.getInt(type, -1));
    safe = kb.select(isMinusOne, one, safe);
  }

  Value isZero, isMinusOne, safe;
};

} // namespace

Value lz::emitIntDivide(KernelBuilder &kb, Type element, Value a, Value b) {
  Divisor divisor(kb, element, b);
  Value zero = kb.getInt(a.getType(), 0);
  if (isUnsigned(element))
    return kb.select(divisor.isZero, zero,
                     kb.create<arith::DivUIOp>(a, divisor.safe));
  Value quotient = kb.create<arith::DivSIOp>(a, divisor.safe);
  Value negated = kb.create<arith::SubIOp>(zero, a);
  quotient = kb.select(divisor.isMinusOne, negated, quotient);
  return kb.select(divisor.isZero, zero, quotient);
}

Value lz::emitIntRemainder(KernelBuilder &kb, Type element, Value a, Value b) {
  Divisor divisor(kb, element, b); // by 1 everything leaves 0
  if (isUnsigned(element))
    return kb.create<arith::RemUIOp>(a, divisor.safe);
  return kb.create<arith::RemSIOp>(a, divisor.safe);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

static unsigned getWidth(Type element) {
  return element.getIntOrFloatBitWidth();
}

Value lz::getLowest(KernelBuilder &kb, Type element) {
  Type type = getComputeType(element);
  if (isa<FloatType>(type))
    return kb.getFloat(type, -INFINITY);
  if (isUnsigned(element))
    return kb.getInt(type, 0);
  return kb.getInt(type,
                   APInt::getSignedMinValue(getWidth(element)).getSExtValue());
}

Value lz::getHighest(KernelBuilder &kb, Type element) {
  Type type = getComputeType(element);
  if (isa<FloatType>(type))
    return kb.getFloat(type, INFINITY);
  if (isUnsigned(element))
    return kb.getInt(type,
                     APInt::getMaxValue(getWidth(element)).getZExtValue());
  return kb.getInt(type,
                   APInt::getSignedMaxValue(getWidth(element)).getSExtValue());
}

Value lz::toIndex(KernelBuilder &kb, Value scalar) {
  Type i64 = kb.getBuilder().getI64Type();
  return scalar.getType() == i64 ? scalar
                                 : kb.create<arith::ExtSIOp>(i64, scalar);
}
