//===- FloatFormats.cpp - narrow floats by integer arithmetic -------------===//
//
// bfloat16 and the 8- and 4-bit floats have no instructions on most CPUs, nor
// has f16 on old ones, and LLVM would call a compiler runtime that an artifact
// hasn't got. All of it is
// branch-free, so that loops over such elements still vectorise.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/cpu/KernelBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace lz;

namespace {

/// A format of at most 16 bits, in terms of the code (the bits without sign).
struct Format {
  int mantissa;    // bits
  int minExponent; // of the smallest normal number
  int maxCode;     // of the largest finite number
  int infinity = -1;
  int nan = -1; // code, or the whole byte if `nanIsByte`
  bool nanIsByte = false;
  bool hasSign = true;
  bool hasSignedZero = true;
  int signBit = 7;
};

} // namespace

static Format getFormat(Type type) {
  if (type.isF16())
    return {10, -14, 0x7bff, 0x7c00, 0x7e00, false, true, true, 15};
  if (isa<Float8E4M3FNType>(type))
    return {3, -6, 0x7e, -1, 0x7f};
  if (isa<Float8E4M3FNUZType>(type))
    return {3, -7, 0x7f, -1, 0x80, true, true, false};
  if (isa<Float8E5M2Type>(type))
    return {2, -14, 0x7b, 0x7c, 0x7f};
  if (isa<Float8E5M2FNUZType>(type))
    return {2, -15, 0x7f, -1, 0x80, true, true, false};
  if (isa<Float4E2M1FNType>(type))
    return {1, 0, 0x7, -1, -1, false, true, true, 3};
  assert(isa<Float8E8M0FNUType>(type) && "not a narrow float");
  return {0, -127, 0xfe, -1, 0xff, true, false, false};
}

/// `bits` of a format as f32: the code scaled as if its exponent had f32's
/// bias, which also makes subnormal numbers right.
static Value decodeNarrow(KernelBuilder &kb, Value bits, const Format &format) {
  OpBuilder &b = kb.getBuilder();
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value wide = kb.create<arith::ExtUIOp>(i32, bits);
  int signMask = format.hasSign ? 1 << format.signBit : 0;
  Value code = kb.create<arith::AndIOp>(
      wide, kb.getInt(i32, format.hasSign ? signMask - 1 : 0xff));
  Value shifted =
      kb.create<arith::ShLIOp>(code, kb.getInt(i32, 23 - format.mantissa));
  Value small = kb.create<arith::BitcastOp>(f32, shifted);
  // The exponent field of minExponent is 1 here and 127 + minExponent in f32.
  Value value = kb.create<arith::MulFOp>(
      small, kb.getFloat(f32, std::ldexp(1.0, 126 + format.minExponent)));
  auto replace = [&](Value of, int match, double by) {
    Value isMatch =
        kb.compare(arith::CmpIPredicate::eq, of, kb.getInt(i32, match));
    value = kb.select(isMatch, kb.getFloat(f32, by), value);
  };
  if (format.infinity >= 0)
    replace(code, format.infinity, INFINITY);
  if (format.infinity >= 0) { // every code beyond is a NaN
    Value isNan = kb.compare(arith::CmpIPredicate::ugt, code,
                             kb.getInt(i32, format.infinity));
    value = kb.select(isNan, kb.getFloat(f32, NAN), value);
  } else if (format.nan >= 0) {
    replace(format.nanIsByte ? wide : code, format.nan, NAN);
  }
  if (!format.hasSign)
    return value;
  Value negative =
      kb.compare(arith::CmpIPredicate::ne,
                 kb.create<arith::AndIOp>(wide, kb.getInt(i32, signMask)),
                 kb.getInt(i32, 0));
  return kb.select(negative, kb.create<arith::NegFOp>(value), value);
}

/// f8E8M0: a power of two, 2^(bits - 127); code 0 is subnormal in f32.
static Value decodePower(KernelBuilder &kb, Value bits) {
  OpBuilder &b = kb.getBuilder();
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value wide = kb.create<arith::ExtUIOp>(i32, bits);
  Value normal = kb.create<arith::ShLIOp>(wide, kb.getInt(i32, 23));
  Value isZero = kb.compare(arith::CmpIPredicate::eq, wide, kb.getInt(i32, 0));
  Value encoded = kb.select(isZero, kb.getInt(i32, 1 << 22), normal);
  Value isNan =
      kb.compare(arith::CmpIPredicate::eq, wide, kb.getInt(i32, 0xff));
  return kb.select(isNan, kb.getFloat(f32, NAN),
                   kb.create<arith::BitcastOp>(f32, encoded));
}

Value KernelBuilder::decode(Value bits, Type elementType) {
  if (elementType.isF32() || elementType.isF64())
    return create<arith::BitcastOp>(elementType, bits);
  if (elementType.isF16() && convertsHalf)
    return create<arith::ExtFOp>(builder.getF32Type(),
                                 create<arith::BitcastOp>(elementType, bits));
  Type i32 = builder.getI32Type();
  if (elementType.isBF16()) {
    Value high = create<arith::ShLIOp>(create<arith::ExtUIOp>(i32, bits),
                                       getInt(i32, 16));
    return create<arith::BitcastOp>(builder.getF32Type(), high);
  }
  if (isa<Float8E8M0FNUType>(elementType))
    return decodePower(*this, bits);
  return decodeNarrow(*this, bits, getFormat(elementType));
}

/// The upper half of an f32, rounded to nearest even; NaNs stay NaNs.
static Value encodeBFloat16(KernelBuilder &kb, Value scalar) {
  OpBuilder &b = kb.getBuilder();
  Type i32 = b.getI32Type();
  Value bits = kb.create<arith::BitcastOp>(i32, scalar);
  Value sixteen = kb.getInt(i32, 16);
  Value odd = kb.create<arith::AndIOp>(kb.create<arith::ShRUIOp>(bits, sixteen),
                                       kb.getInt(i32, 1));
  Value bias = kb.create<arith::AddIOp>(odd, kb.getInt(i32, 0x7fff));
  Value rounded = kb.create<arith::AddIOp>(bits, bias);
  Value quiet = kb.create<arith::OrIOp>(bits, kb.getInt(i32, 0x400000));
  Value isNan =
      kb.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, scalar, scalar);
  Value chosen = kb.select(isNan, quiet, rounded);
  return kb.create<arith::TruncIOp>(b.getI16Type(),
                                    kb.create<arith::ShRUIOp>(chosen, sixteen));
}

/// The code of |scalar|: its exponent e (at least minExponent) and how many
/// steps of 2^(e - mantissa) it is, rounded to even, in one integer
/// ((e - minExponent) << mantissa) + steps, in which a carry is right by
/// itself.
static Value getCode(KernelBuilder &kb, Value magnitude, const Format &format) {
  OpBuilder &b = kb.getBuilder();
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value bits = kb.create<arith::BitcastOp>(i32, magnitude);
  Value biased = kb.create<arith::ShRUIOp>(bits, kb.getInt(i32, 23));
  biased = kb.create<arith::MaxSIOp>(
      biased, kb.getInt(i32, std::max(format.minExponent + 127, 1)));
  biased = kb.create<arith::MinSIOp>(biased, kb.getInt(i32, 227));
  // 2^(mantissa - e), exact because e is far from f32's limits.
  Value inverse = kb.create<arith::ShLIOp>(
      kb.create<arith::SubIOp>(kb.getInt(i32, 254 + format.mantissa), biased),
      kb.getInt(i32, 23));
  Value scaled = kb.create<arith::MulFOp>(
      magnitude, kb.create<arith::BitcastOp>(f32, inverse));
  Value bounded =
      kb.create<arith::MinNumFOp>(scaled, kb.getFloat(f32, 1 << 20));
  Value steps =
      kb.create<arith::FPToSIOp>(i32, kb.create<math::RoundEvenOp>(bounded));
  Value exponent = kb.create<arith::SubIOp>(
      biased, kb.getInt(i32, format.minExponent + 127));
  return kb.create<arith::AddIOp>(
      kb.create<arith::ShLIOp>(exponent, kb.getInt(i32, format.mantissa)),
      steps);
}

/// What a number too large becomes: the largest number if `saturate`, else
/// infinity or NaN.
static Value limitCode(KernelBuilder &kb, Value code, Value magnitude,
                       const Format &format, bool saturate) {
  Type i32 = kb.getBuilder().getI32Type();
  int beyond = format.infinity >= 0 ? format.infinity : format.nan;
  if (saturate || beyond < 0)
    beyond = format.maxCode;
  Value tooLarge = kb.compare(arith::CmpIPredicate::sgt, code,
                              kb.getInt(i32, format.maxCode));
  return kb.select(tooLarge, kb.getInt(i32, beyond), code);
}

/// A NaN of that sign bit. f4E2M1 has none, and zero of the other sign instead,
/// as in ONNX's Python types.
static Value encodeNan(KernelBuilder &kb, Value sign, const Format &format) {
  Type i32 = kb.getBuilder().getI32Type();
  if (format.nanIsByte)
    return kb.getInt(i32, format.nan);
  if (format.nan < 0)
    return kb.create<arith::XOrIOp>(sign, kb.getInt(i32, 1 << format.signBit));
  return kb.create<arith::OrIOp>(kb.getInt(i32, format.nan), sign);
}

static Value encodeNarrow(KernelBuilder &kb, Value scalar, const Format &format,
                          bool saturate) {
  OpBuilder &b = kb.getBuilder();
  Type i32 = b.getI32Type();
  Value magnitude = kb.create<math::AbsFOp>(scalar);
  Value isNan =
      kb.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, scalar, scalar);
  magnitude = kb.select(isNan, kb.getFloat(b.getF32Type(), 0), magnitude);
  Value code = limitCode(kb, getCode(kb, magnitude, format), magnitude, format,
                         saturate);
  Value bits = kb.create<arith::BitcastOp>(i32, scalar);
  Value sign = kb.create<arith::ShLIOp>(
      kb.create<arith::ShRUIOp>(bits, kb.getInt(i32, 31)),
      kb.getInt(i32, format.signBit));
  Value encoded = kb.create<arith::OrIOp>(code, sign);
  if (!format.hasSignedZero) { // and the byte 0x80 is the NaN
    Value isZero =
        kb.compare(arith::CmpIPredicate::eq, code, kb.getInt(i32, 0));
    encoded = kb.select(isZero, kb.getInt(i32, 0), encoded);
  }
  return kb.select(isNan, encodeNan(kb, sign, format), encoded);
}

/// f8E8M0: the exponent, rounded up to a power of two, within the format.
static Value encodePower(KernelBuilder &kb, Value scalar, bool saturate) {
  OpBuilder &b = kb.getBuilder();
  Type i32 = b.getI32Type();
  Value bits = kb.create<arith::AndIOp>(
      kb.create<arith::BitcastOp>(i32, scalar), kb.getInt(i32, 0x7fffffff));
  Value isNan =
      kb.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, scalar, scalar);
  // Rounds up: any bit of the mantissa adds one to the exponent. Subnormal
  // numbers up to 2^-127 have code 0.
  Value up = kb.create<arith::ShRUIOp>(
      kb.create<arith::AddIOp>(bits, kb.getInt(i32, 0x7fffff)),
      kb.getInt(i32, 23));
  Value isTiny =
      kb.compare(arith::CmpIPredicate::ule, bits, kb.getInt(i32, 1 << 22));
  Value code = kb.select(isTiny, kb.getInt(i32, 0), up);
  Value tooLarge =
      kb.compare(arith::CmpIPredicate::sgt, code, kb.getInt(i32, 0xfe));
  code = kb.select(tooLarge, kb.getInt(i32, saturate ? 0xfe : 0xff), code);
  return kb.select(isNan, kb.getInt(i32, 0xff), code);
}

Value KernelBuilder::encode(Value scalar, Type elementType, bool saturate) {
  if (elementType.isF32() || elementType.isF64())
    return create<arith::BitcastOp>(
        builder.getIntegerType(elementType.getIntOrFloatBitWidth()), scalar);
  if (elementType.isF16() && convertsHalf)
    return create<arith::BitcastOp>(
        builder.getI16Type(), create<arith::TruncFOp>(elementType, scalar));
  if (elementType.isBF16())
    return encodeBFloat16(*this, scalar);
  Value wide =
      isa<Float8E8M0FNUType>(elementType)
          ? encodePower(*this, scalar, saturate)
          : encodeNarrow(*this, scalar, getFormat(elementType), saturate);
  Type code = builder.getIntegerType(elementType.isF16() ? 16 : 8);
  return create<arith::TruncIOp>(code, wide);
}
