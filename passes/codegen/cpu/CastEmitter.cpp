//===- CastEmitter.cpp - conversions between element types ----------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/FloatMath.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

/// f64 to f32 such that a further rounding to 16 bits or fewer is right: an
/// inexact result gets an odd last bit.
static Value roundToOdd(KernelBuilder &kb, Value scalar) {
  OpBuilder &b = kb.getBuilder();
  FloatMath f{kb, b.getF64Type()};
  Type i32 = b.getI32Type();
  Value near = kb.create<arith::TruncFOp>(b.getF32Type(), scalar);
  Value back = f.convert(near);
  Value bits = kb.create<arith::BitcastOp>(i32, near);
  Value isExact =
      kb.create<arith::CmpFOp>(arith::CmpFPredicate::UEQ, back, scalar);
  Value isOdd = kb.create<arith::TruncIOp>(b.getI1Type(), bits);
  Value isBeyond = f.less(f.abs(scalar), f.abs(back));
  Value step = kb.select(isBeyond, kb.getInt(i32, -1), kb.getInt(i32, 1));
  Value keep = kb.create<arith::OrIOp>(isExact, isOdd);
  Value odd = kb.select(keep, bits, kb.create<arith::AddIOp>(bits, step));
  return kb.create<arith::BitcastOp>(b.getF32Type(), odd);
}

static Value castFloatToFloat(KernelBuilder &kb, Value scalar, Type to,
                              bool saturate) {
  if (to.isF64() || to.isF32())
    return FloatMath{kb, to}.convert(scalar);
  if (scalar.getType().isF64())
    scalar = roundToOdd(kb, scalar);
  if (to.isF16()) // which has infinities
    saturate = false;
  return kb.decode(kb.encode(scalar, to, saturate), to);
}

/// Keeps the low bits, extending the sign of what is narrower than its scalar.
static Value castIntToInt(KernelBuilder &kb, Value scalar, Type from, Type to) {
  Type type = getComputeType(to);
  unsigned have = scalar.getType().getIntOrFloatBitWidth();
  unsigned want = type.getIntOrFloatBitWidth();
  if (want < have)
    scalar = kb.create<arith::TruncIOp>(type, scalar);
  else if (want > have)
    scalar = isUnsigned(from) ? kb.create<arith::ExtUIOp>(type, scalar)
                              : kb.create<arith::ExtSIOp>(type, scalar);
  unsigned width = to.getIntOrFloatBitWidth();
  if (width >= want)
    return scalar;
  Value unused = kb.getInt(type, want - width);
  Value high = kb.create<arith::ShLIOp>(scalar, unused);
  return isUnsigned(to) ? kb.create<arith::ShRUIOp>(high, unused)
                        : kb.create<arith::ShRSIOp>(high, unused);
}

/// To at most 16 bits: the low ones of an i32, and 0 beyond that. So have it
/// ONNX's examples of 4 bits, and x86 CPUs.
static Value castToNarrowInt(KernelBuilder &kb, Value scalar, Type to) {
  FloatMath f{kb, scalar.getType()};
  Value isInside =
      f.less(kb.create<math::AbsFOp>(scalar), f.number(0x1p31)); // not of NaN
  Value inside = kb.select(isInside, scalar, f.number(0));
  Type i32 = kb.getBuilder().getI32Type();
  return castIntToInt(kb, kb.create<arith::FPToSIOp>(i32, inside), i32, to);
}

Value lz::emitClamped(KernelBuilder &kb, Value scalar, Type to) {
  unsigned width = to.getIntOrFloatBitWidth();
  if (isa<FloatType>(to) || width > 16)
    return emitCast(kb, scalar, scalar.getType(), to);
  // The limits are exact in every float type.
  FloatMath f{kb, scalar.getType()};
  double end = std::ldexp(1.0, isUnsigned(to) ? width : width - 1);
  Value low = f.number(isUnsigned(to) ? 0 : -end), high = f.number(end - 1);
  Value clamped = f.select(f.less(scalar, low), low, scalar);
  clamped = f.select(f.less(high, clamped), high, clamped);
  return castToNarrowInt(kb, clamped, to);
}

/// Truncates; beyond the limits of `to`, its limits; NaN is 0. Limits are
/// powers of two, so they are exact in every float type.
static Value castFloatToInt(KernelBuilder &kb, Value scalar, Type to) {
  unsigned width = to.getIntOrFloatBitWidth();
  if (width <= 16)
    return castToNarrowInt(kb, scalar, to);
  FloatMath f{kb, scalar.getType()};
  Type type = getComputeType(to);
  bool isUnsignedType = isUnsigned(to);
  double end = std::ldexp(1.0, isUnsignedType ? width : width - 1);
  Value low = f.number(isUnsignedType ? 0 : -end);
  Value isSmall = f.less(scalar, low);
  Value isLarge = kb.create<arith::CmpFOp>(arith::CmpFPredicate::OGE, scalar,
                                           f.number(end));
  Value isOutside = kb.create<arith::OrIOp>(isLarge, f.isNan(scalar));
  isOutside = kb.create<arith::OrIOp>(isOutside, isSmall);
  Value inside = kb.select(isOutside, f.number(0), scalar);
  Value integer = isUnsignedType ? kb.create<arith::FPToUIOp>(type, inside)
                                 : kb.create<arith::FPToSIOp>(type, inside);
  integer = kb.select(isSmall, getLowest(kb, to), integer);
  return kb.select(isLarge, getHighest(kb, to), integer);
}

static Value castToBool(KernelBuilder &kb, Value scalar) {
  Type type = scalar.getType();
  if (isa<FloatType>(type))
    return kb.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, scalar,
                                    kb.getFloat(type, 0));
  return kb.compare(arith::CmpIPredicate::ne, scalar, kb.getInt(type, 0));
}

Value lz::emitCast(KernelBuilder &kb, Value scalar, Type from, Type to,
                   bool saturate) {
  if (from == to)
    return scalar;
  if (to.isInteger(1))
    return castToBool(kb, scalar);
  if (isa<FloatType>(from))
    return isa<FloatType>(to) ? castFloatToFloat(kb, scalar, to, saturate)
                              : castFloatToInt(kb, scalar, to);
  if (!isa<FloatType>(to))
    return castIntToInt(kb, scalar, from, to);
  Type type = getComputeType(to);
  Value converted = isUnsigned(from) ? kb.create<arith::UIToFPOp>(type, scalar)
                                     : kb.create<arith::SIToFPOp>(type, scalar);
  return castFloatToFloat(kb, converted, to, saturate);
}

static Value emitCastOp(ElementEmitter &e, CastOp op, OpResult result,
                        const Index &index) {
  Value input = e.emit(op.getInput(), index);
  return emitCast(e.kb, input, getElementTypeOrSelf(op.getInput()), op.getTo(),
                  op.getSaturate());
}

/// The bits of an element as an integer.
static Value getBits(KernelBuilder &kb, Value scalar, Type from) {
  unsigned width = getStoredBits(from);
  Type type = kb.getBuilder().getIntegerType(width);
  if (from.isInteger(1))
    return kb.create<arith::ExtUIOp>(type, scalar);
  if (!isa<FloatType>(from))
    return scalar;
  return width <= 16 ? kb.encode(scalar, from, /*saturate=*/false)
                     : kb.create<arith::BitcastOp>(type, scalar);
}

static Value emitBitcastOp(ElementEmitter &e, BitcastOp op, OpResult result,
                           const Index &index) {
  Type from = getElementTypeOrSelf(op.getInput()), to = op.getTo();
  Value bits = getBits(e.kb, e.emit(op.getInput(), index), from);
  if (to.isInteger(1))
    return castToBool(e.kb, bits);
  if (!isa<FloatType>(to))
    return castIntToInt(e.kb, bits, from, to);
  return to.getIntOrFloatBitWidth() <= 16
             ? e.kb.decode(bits, to)
             : e.kb.create<arith::BitcastOp>(to, bits);
}

void lz::addCastRules(ElementRules &rules) {
  rules.add<CastOp>(emitCastOp);
  rules.add<BitcastOp>(emitBitcastOp);
}
