//===- SizeEmitter.cpp - size expressions as code -------------------------===//

#include "passes/codegen/host/SizeEmitter.h"

using namespace mlir;
using namespace lz;

SizeEmitter::SizeEmitter(OpBuilder &builder, Location loc)
    : builder(builder), loc(loc) {
  fault = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), 0);
}

Value SizeEmitter::constant(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value);
}

Value SizeEmitter::compare(LLVM::ICmpPredicate predicate, Value lhs,
                           Value rhs) {
  return LLVM::ICmpOp::create(builder, loc, predicate, lhs, rhs);
}

void SizeEmitter::addFault(Value condition) {
  fault = LLVM::OrOp::create(builder, loc, fault, condition);
}

/// A sum or product that remembers overflow.
Value SizeEmitter::emitChecked(bool multiply, Value lhs, Value rhs) {
  auto type = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {builder.getI64Type(), builder.getI1Type()});
  Value pair =
      multiply ? LLVM::SMulWithOverflowOp::create(builder, loc, type, lhs, rhs)
                     .getResult()
               : LLVM::SAddWithOverflowOp::create(builder, loc, type, lhs, rhs)
                     .getResult();
  addFault(LLVM::ExtractValueOp::create(builder, loc, pair, 1));
  return LLVM::ExtractValueOp::create(builder, loc, pair, 0);
}

/// Floor division or its remainder; a divisor that is not positive is a fault
/// (sizes divide by sizes, so nothing else is meant).
Value SizeEmitter::emitDivision(bool remainder, Value lhs, Value rhs) {
  Value zero = constant(0), one = constant(1);
  Value bad = compare(LLVM::ICmpPredicate::sle, rhs, zero);
  addFault(bad);
  Value divisor = LLVM::SelectOp::create(builder, loc, bad, one, rhs);
  Value quotient = LLVM::SDivOp::create(builder, loc, lhs, divisor);
  Value rest = LLVM::SRemOp::create(builder, loc, lhs, divisor);
  Value negative = compare(LLVM::ICmpPredicate::slt, rest, zero);
  if (remainder) {
    Value shifted = LLVM::AddOp::create(builder, loc, rest, divisor);
    return LLVM::SelectOp::create(builder, loc, negative, shifted, rest);
  }
  Value lower = LLVM::SubOp::create(builder, loc, quotient, one);
  return LLVM::SelectOp::create(builder, loc, negative, lower, quotient);
}

Value SizeEmitter::emitChain(SymExpr expr) {
  bool multiply = expr.getKind() == SymExpr::Product;
  Value result;
  for (SymExpr operand : expr.getOperands()) {
    Value value = emit(operand);
    result = result ? emitChecked(multiply, result, value) : value;
  }
  if (expr.getValue() == (multiply ? 1 : 0))
    return result;
  return emitChecked(multiply, result, constant(expr.getValue()));
}

Value SizeEmitter::emitBinary(SymExpr expr) {
  Value lhs = emit(expr.getOperands()[0]), rhs = emit(expr.getOperands()[1]);
  switch (expr.getKind()) {
  case SymExpr::FloorDiv:
  case SymExpr::Mod:
    return emitDivision(expr.getKind() == SymExpr::Mod, lhs, rhs);
  case SymExpr::Max:
    return LLVM::SMaxOp::create(builder, loc, lhs, rhs);
  default: {
    Value isOne = compare(LLVM::ICmpPredicate::eq, lhs, constant(1));
    return LLVM::SelectOp::create(builder, loc, isOne, rhs, lhs);
  }
  }
}

Value SizeEmitter::emit(SymExpr expr) {
  if (Value known = values.lookup(expr.getAttr()))
    return known;
  Value value;
  switch (expr.getKind()) {
  case SymExpr::Constant:
    value = constant(expr.getValue());
    break;
  case SymExpr::Symbol:
    llvm_unreachable("every symbol of a program is bound");
  case SymExpr::Sum:
  case SymExpr::Product:
    value = emitChain(expr);
    break;
  default:
    value = emitBinary(expr);
  }
  values[expr.getAttr()] = value;
  return value;
}
