//===- PointwiseEmitter.cpp - functions of two and three elements ---------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/FloatMath.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// The remainder with the sign of `b`.
static Value emitFloatMod(FloatMath f, Value a, Value b) {
  KernelBuilder &kb = f.kb;
  Value zero = f.number(0);
  Value rest = kb.create<arith::RemFOp>(a, b);
  Value differ = kb.create<arith::XOrIOp>(f.less(rest, zero), f.less(b, zero));
  Value isZero =
      kb.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, rest, zero);
  Value adjusted = f.select(differ, f.add(rest, b), rest);
  return f.select(isZero, rest, adjusted);
}

static Value emitFloatBinary(FloatMath f, BinaryOp op, Value a, Value b) {
  switch (op.getKind()) {
  case BinaryKind::add:
    return f.add(a, b);
  case BinaryKind::sub:
    return f.sub(a, b);
  case BinaryKind::mul:
    return f.mul(a, b);
  case BinaryKind::div:
    return f.div(a, b);
  case BinaryKind::mod:
    return emitFloatMod(f, a, b);
  case BinaryKind::fmod:
    return f.kb.create<arith::RemFOp>(a, b);
  case BinaryKind::max:
    return f.max(a, b);
  case BinaryKind::min:
    return f.min(a, b);
  case BinaryKind::prelu:
    return f.select(f.less(a, f.number(0)), f.mul(a, b), a);
  default:
    f.kb.fail(op, "has no meaning on floating point elements");
    return a;
  }
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The remainder with the sign of `b`.
static Value emitIntMod(KernelBuilder &kb, Type element, Value a, Value b) {
  Value rest = emitIntRemainder(kb, element, a, b);
  if (isUnsigned(element))
    return rest;
  Value zero = kb.getInt(a.getType(), 0);
  Value differ = kb.compare(arith::CmpIPredicate::slt,
                            kb.create<arith::XOrIOp>(rest, b), zero);
  Value isRest = kb.compare(arith::CmpIPredicate::ne, rest, zero);
  return kb.select(kb.create<arith::AndIOp>(differ, isRest),
                   kb.create<arith::AddIOp>(rest, b), rest);
}

/// Shifts without sign; by the width or more gives 0.
static Value emitShift(KernelBuilder &kb, bool left, Value a, Value b) {
  Type type = a.getType();
  Value inRange = kb.compare(arith::CmpIPredicate::ult, b,
                             kb.getInt(type, type.getIntOrFloatBitWidth()));
  Value amount = kb.select(inRange, b, kb.getInt(type, 0));
  Value shifted = left ? kb.create<arith::ShLIOp>(a, amount)
                       : kb.create<arith::ShRUIOp>(a, amount);
  return kb.select(inRange, shifted, kb.getInt(type, 0));
}

static Value emitIntBinary(KernelBuilder &kb, BinaryOp op, Type element,
                           Value a, Value b) {
  switch (op.getKind()) {
  case BinaryKind::add:
    return kb.create<arith::AddIOp>(a, b);
  case BinaryKind::sub:
    return kb.create<arith::SubIOp>(a, b);
  case BinaryKind::mul:
    return kb.create<arith::MulIOp>(a, b);
  case BinaryKind::div:
    return emitIntDivide(kb, element, a, b);
  case BinaryKind::mod:
    return emitIntMod(kb, element, a, b);
  case BinaryKind::fmod:
    return emitIntRemainder(kb, element, a, b);
  case BinaryKind::max:
    return emitMax(kb, element, a, b);
  case BinaryKind::min:
    return emitMin(kb, element, a, b);
  case BinaryKind::prelu: {
    Value negative = emitLess(kb, element, a, kb.getInt(a.getType(), 0));
    return kb.select(negative, kb.create<arith::MulIOp>(a, b), a);
  }
  case BinaryKind::logical_and:
  case BinaryKind::bit_and:
    return kb.create<arith::AndIOp>(a, b);
  case BinaryKind::logical_or:
  case BinaryKind::bit_or:
    return kb.create<arith::OrIOp>(a, b);
  case BinaryKind::logical_xor:
  case BinaryKind::bit_xor:
    return kb.create<arith::XOrIOp>(a, b);
  case BinaryKind::shift_left:
    return emitShift(kb, true, a, b);
  case BinaryKind::shift_right:
    return emitShift(kb, false, a, b);
  case BinaryKind::pow:
    break; // emitPow
  }
  llvm_unreachable("pow is emitted elsewhere");
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// The exponent, if it is one known number.
static std::optional<double> getSplat(Value exponent) {
  auto constant = exponent.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || !elements.isSplat())
    return std::nullopt;
  if (isa<FloatType>(elements.getElementType())) {
    llvm::APFloat value = elements.getSplatValue<llvm::APFloat>();
    bool losesInfo;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  return static_cast<double>(
      elements.getSplatValue<llvm::APInt>().getSExtValue());
}

/// In f64 for integers, as ONNX Runtime has it.
static Value emitPow(ElementEmitter &e, BinaryOp op, Value a, Value b) {
  KernelBuilder &kb = e.kb;
  Type element = getElementTypeOrSelf(op.getLhs());
  Type exponent = getElementTypeOrSelf(op.getRhs());
  if (std::optional<double> known = getSplat(op.getRhs())) {
    if (*known == 1)
      return a;
    if (*known == 2)
      return emitMul(kb, a, a);
    if (*known == 3)
      return emitMul(kb, emitMul(kb, a, a), a);
  }
  Type type = isa<FloatType>(element) ? a.getType()
                                      : Type(kb.getBuilder().getF64Type());
  Value power = FloatMath{kb, type}.pow(emitCast(kb, a, element, type),
                                        emitCast(kb, b, exponent, type));
  return isa<FloatType>(element) ? power : emitCast(kb, power, type, element);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Wraps integers narrower than their scalars.
static Value wrap(KernelBuilder &kb, Type element, Value scalar) {
  if (isa<FloatType>(element) || scalar.getType().getIntOrFloatBitWidth() ==
                                     element.getIntOrFloatBitWidth())
    return scalar;
  return emitCast(kb, scalar, scalar.getType(), element);
}

static Value emitBinary(ElementEmitter &e, BinaryOp op, OpResult result,
                        const Index &index) {
  Type element = getElementTypeOrSelf(op.getLhs());
  Value a = e.emitBroadcast(op.getLhs(), result, index);
  Value b = e.emitBroadcast(op.getRhs(), result, index);
  if (op.getKind() == BinaryKind::pow)
    return emitPow(e, op, a, b);
  if (isa<FloatType>(element))
    return emitFloatBinary({e.kb, a.getType()}, op, a, b);
  return wrap(e.kb, element, emitIntBinary(e.kb, op, element, a, b));
}

static arith::CmpFPredicate getFloatPredicate(CompareKind kind) {
  switch (kind) {
  case CompareKind::eq:
    return arith::CmpFPredicate::OEQ;
  case CompareKind::ne:
    return arith::CmpFPredicate::UNE;
  case CompareKind::lt:
    return arith::CmpFPredicate::OLT;
  case CompareKind::le:
    return arith::CmpFPredicate::OLE;
  case CompareKind::gt:
    return arith::CmpFPredicate::OGT;
  case CompareKind::ge:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("unknown comparison");
}

static arith::CmpIPredicate getIntPredicate(CompareKind kind, bool isUnsigned) {
  switch (kind) {
  case CompareKind::eq:
    return arith::CmpIPredicate::eq;
  case CompareKind::ne:
    return arith::CmpIPredicate::ne;
  case CompareKind::lt:
    return isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  case CompareKind::le:
    return isUnsigned ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
  case CompareKind::gt:
    return isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
  case CompareKind::ge:
    return isUnsigned ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
  }
  llvm_unreachable("unknown comparison");
}

static Value emitCompare(ElementEmitter &e, CompareOp op, OpResult result,
                         const Index &index) {
  Type element = getElementTypeOrSelf(op.getLhs());
  Value a = e.emitBroadcast(op.getLhs(), result, index);
  Value b = e.emitBroadcast(op.getRhs(), result, index);
  if (isa<FloatType>(element))
    return e.kb.create<arith::CmpFOp>(getFloatPredicate(op.getKind()), a, b);
  return e.kb.compare(getIntPredicate(op.getKind(), isUnsigned(element)), a, b);
}

static Value emitSelect(ElementEmitter &e, SelectOp op, OpResult result,
                        const Index &index) {
  Value condition = e.emitBroadcast(op.getCondition(), result, index);
  Value onTrue = e.emitBroadcast(op.getOnTrue(), result, index);
  Value onFalse = e.emitBroadcast(op.getOnFalse(), result, index);
  return e.kb.select(condition, onTrue, onFalse);
}

void lz::addPointwiseRules(ElementRules &rules) {
  rules.add<BinaryOp>(emitBinary);
  rules.add<CompareOp>(emitCompare);
  rules.add<SelectOp>(emitSelect);
}
