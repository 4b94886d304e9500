//===- UnaryEmitter.cpp - functions of one element ------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/FloatMath.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Value emitIntSign(KernelBuilder &kb, Type element, Value x) {
  Value zero = kb.getInt(x.getType(), 0);
  Value negative = emitLess(kb, element, x, zero);
  Value positive = emitLess(kb, element, zero, x);
  Value sign = kb.select(positive, kb.getInt(x.getType(), 1), zero);
  return kb.select(negative, kb.getInt(x.getType(), -1), sign);
}

static Value emitIntUnary(KernelBuilder &kb, UnaryOp op, Type element,
                          Value x) {
  Value zero = kb.getInt(x.getType(), 0);
  switch (op.getKind()) {
  case UnaryKind::identity:
  case UnaryKind::floor:
  case UnaryKind::ceil:
  case UnaryKind::round:
    return x;
  case UnaryKind::abs: {
    Value negated = kb.create<arith::SubIOp>(zero, x);
    return kb.select(emitLess(kb, element, x, zero), negated, x);
  }
  case UnaryKind::neg:
    return kb.create<arith::SubIOp>(zero, x);
  case UnaryKind::sign:
    return emitIntSign(kb, element, x);
  case UnaryKind::relu:
    return emitMax(kb, element, x, zero);
  case UnaryKind::logical_not:
  case UnaryKind::bit_not:
    return kb.create<arith::XOrIOp>(x, kb.getInt(x.getType(), -1));
  default:
    kb.fail(op, "has no meaning on elements of type " +
                    llvm::Twine(debugString(element)));
    return x;
  }
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// log(1 + exp(x)) without overflow.
static Value emitSoftplus(FloatMath f, Value x) {
  Value tail = f.exp(f.neg(f.abs(x)));
  return f.add(f.max(x, f.number(0)), f.kb.create<math::Log1pOp>(tail));
}

/// x * tanh(softplus(x)): with e = e^x, the tanh is n / (n + 2) where
/// n = e (e + 2). It is 1 long before e^x overflows.
static Value emitMish(FloatMath f, Value x) {
  Value e = f.exp(f.min(x, f.number(20)));
  Value n = f.mul(e, f.add(e, f.number(2)));
  return f.mul(x, f.div(n, f.add(n, f.number(2))));
}

static Value emitSigmoid(FloatMath f, Value x) {
  if (f.type.isF32())
    return f.kb.call("lz_sigmoid_f32", f.type, x).front();
  Value one = f.number(1);
  return f.div(one, f.add(one, f.exp(f.neg(x))));
}

static Value emitRelu(FloatMath f, Value x) {
  return f.select(f.less(x, f.number(0)), f.number(0), x);
}

/// min(max(x * scale + offset, 0), 1)
static Value emitHardSigmoid(FloatMath f, Value x, double scale,
                             double offset) {
  Value line = f.add(f.mul(x, f.number(scale)), f.number(offset));
  return f.max(f.number(0), f.min(f.number(1), line));
}

static Value emitGelu(FloatMath f, Value x) {
  Value erf = f.kb.create<math::ErfOp>(f.mul(x, f.number(M_SQRT1_2)));
  return f.mul(f.mul(f.number(0.5), x), f.add(f.number(1), erf));
}

/// 0.5 x (1 + tanh(u)) is x / (1 + e^-2u).
static Value emitGeluTanh(FloatMath f, Value x) {
  Value cube = f.mul(f.mul(f.mul(x, x), x), f.number(0.044715));
  Value inner = f.mul(f.number(2 * std::sqrt(2 / M_PI)), f.add(x, cube));
  return f.mul(x, emitSigmoid(f, inner));
}

static Value emitShrink(FloatMath f, Value x, double lambd, double bias) {
  Value below = f.add(x, f.number(bias)), above = f.sub(x, f.number(bias));
  Value inner = f.select(f.less(f.number(lambd), x), above, f.number(0));
  return f.select(f.less(x, f.number(-lambd)), below, inner);
}

static Value emitSign(FloatMath f, Value x) {
  Value zero = f.number(0);
  Value sign = f.select(f.isNan(x), x, zero);
  sign = f.select(f.less(x, zero), f.number(-1), sign);
  return f.select(f.less(zero, x), f.number(1), sign);
}

static Value emitIsInf(FloatMath f, UnaryOp op, Value x) {
  auto detects = [](std::optional<llvm::APFloat> flag) {
    return !flag || !flag->isZero();
  };
  bool both = detects(op.getAlpha()) && detects(op.getBeta());
  double bound = detects(op.getBeta()) ? INFINITY : -INFINITY;
  if (!detects(op.getAlpha()) && !detects(op.getBeta()))
    return f.kb.getInt(f.kb.getBuilder().getI1Type(), 0);
  return f.kb.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ,
                                    both ? f.abs(x) : x, f.number(bound));
}

/// Functions of the calculus; null if `kind` is none.
static Value emitElementary(FloatMath f, UnaryKind kind, Value x) {
  KernelBuilder &kb = f.kb;
  switch (kind) {
  case UnaryKind::exp:
    return f.exp(x);
  case UnaryKind::log:
    return f.log(x);
  case UnaryKind::sqrt:
    return f.sqrt(x);
  case UnaryKind::rsqrt:
    return f.div(f.number(1), f.sqrt(x));
  case UnaryKind::sin:
    return kb.create<math::SinOp>(x);
  case UnaryKind::cos:
    return kb.create<math::CosOp>(x);
  case UnaryKind::tan:
    return kb.create<math::TanOp>(x);
  case UnaryKind::asin:
    return kb.create<math::AsinOp>(x);
  case UnaryKind::acos:
    return kb.create<math::AcosOp>(x);
  case UnaryKind::atan:
    return kb.create<math::AtanOp>(x);
  case UnaryKind::sinh:
    return kb.create<math::SinhOp>(x);
  case UnaryKind::cosh:
    return kb.create<math::CoshOp>(x);
  case UnaryKind::tanh:
    return f.tanh(x);
  case UnaryKind::asinh:
    return kb.create<math::AsinhOp>(x);
  case UnaryKind::acosh:
    return kb.create<math::AcoshOp>(x);
  case UnaryKind::atanh:
    return kb.create<math::AtanhOp>(x);
  case UnaryKind::erf:
    return kb.create<math::ErfOp>(x);
  default:
    return {};
  }
}

/// Arithmetic and rounding; null if `kind` is none.
static Value emitSimple(FloatMath f, UnaryOp op, Value x) {
  switch (op.getKind()) {
  case UnaryKind::identity:
    return x;
  case UnaryKind::abs:
    return f.abs(x);
  case UnaryKind::neg:
    return f.neg(x);
  case UnaryKind::sign:
    return emitSign(f, x);
  case UnaryKind::reciprocal:
    return f.div(f.number(1), x);
  case UnaryKind::floor:
    return f.floor(x);
  case UnaryKind::ceil:
    return f.ceil(x);
  case UnaryKind::round:
    return f.roundEven(x);
  case UnaryKind::is_nan:
    return f.isNan(x);
  case UnaryKind::is_inf:
    return emitIsInf(f, op, x);
  default:
    return {};
  }
}

static double getNumber(std::optional<llvm::APFloat> attr, double absent) {
  return attr ? attr->convertToDouble() : absent;
}

/// x < 0 ? alpha * (exp(x / divisor) - 1) : x, times gamma.
static Value emitExponential(FloatMath f, Value x, double alpha, double divisor,
                             double gamma) {
  Value argument = divisor == 1 ? x : f.div(x, f.number(divisor));
  Value tail = f.mul(f.number(alpha), f.sub(f.exp(argument), f.number(1)));
  Value value = f.select(f.less(x, f.number(0)), tail, x);
  return gamma == 1 ? value : f.mul(f.number(gamma), value);
}

/// Activations; null if the kind is none.
static Value emitActivation(FloatMath f, UnaryOp op, Value x) {
  auto alpha = [&](double absent) { return getNumber(op.getAlpha(), absent); };
  auto beta = [&](double absent) { return getNumber(op.getBeta(), absent); };
  switch (op.getKind()) {
  case UnaryKind::relu:
    return emitRelu(f, x);
  case UnaryKind::leaky_relu:
    return f.select(f.less(x, f.number(0)), f.mul(f.number(alpha(0.01)), x), x);
  case UnaryKind::elu:
    return emitExponential(f, x, alpha(1), 1, 1);
  case UnaryKind::celu:
    return emitExponential(f, x, alpha(1), alpha(1), 1);
  case UnaryKind::selu:
    return emitExponential(f, x, alpha(1.67326319217681884765625), 1,
                           beta(1.05070102214813232421875));
  case UnaryKind::sigmoid:
    return emitSigmoid(f, x);
  case UnaryKind::hard_sigmoid:
    return emitHardSigmoid(f, x, alpha(0.2), beta(0.5));
  case UnaryKind::hard_swish:
    return f.mul(x, emitHardSigmoid(f, x, 1.0 / 6, 0.5));
  case UnaryKind::swish:
    return f.mul(x, emitSigmoid(f, f.mul(x, f.number(alpha(1)))));
  case UnaryKind::softplus:
    return emitSoftplus(f, x);
  case UnaryKind::softsign:
    return f.div(x, f.add(f.number(1), f.abs(x)));
  case UnaryKind::mish:
    return emitMish(f, x);
  case UnaryKind::gelu:
    return emitGelu(f, x);
  case UnaryKind::gelu_tanh:
    return emitGeluTanh(f, x);
  case UnaryKind::thresholded_relu:
    return f.select(f.less(f.number(alpha(1)), x), x, f.number(0));
  case UnaryKind::shrink:
    return emitShrink(f, x, alpha(0.5), beta(0));
  default:
    return {};
  }
}

static Value emitFloatUnary(FloatMath f, UnaryOp op, Type element, Value x) {
  if (Value simple = emitSimple(f, op, x))
    return simple;
  if (Value elementary = emitElementary(f, op.getKind(), x))
    return elementary;
  if (Value activation = emitActivation(f, op, x))
    return activation;
  f.kb.fail(op, "has no meaning on elements of type " +
                    llvm::Twine(debugString(element)));
  return x;
}

static Value emitUnary(ElementEmitter &e, UnaryOp op, OpResult,
                       const Index &index) {
  Type element = getElementTypeOrSelf(op.getInput());
  Value x = e.emit(op.getInput(), index);
  if (isa<FloatType>(element))
    return emitFloatUnary({e.kb, x.getType()}, op, element, x);
  if (op.getKind() != UnaryKind::shrink)
    return emitIntUnary(e.kb, op, element, x);
  Type f64 = e.kb.getBuilder().getF64Type();
  Value wide = emitCast(e.kb, x, element, f64);
  Value shrunk = emitFloatUnary({e.kb, f64}, op, element, wide);
  return emitCast(e.kb, shrunk, f64, element);
}

void lz::addUnaryRules(ElementRules &rules) { rules.add<UnaryOp>(emitUnary); }
