//===- RuleBuilder.cpp - builds lz ops without naming types ---------------===//

#include "dialects/lz/Rules/RuleBuilder.h"

#include "dialects/lz/IR/Rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace lz;

/// What an op's result has as a type until it is inferred.
Type RuleBuilder::placeholder() {
  return RankedTensorType::get({}, builder.getF32Type());
}

Value RuleBuilder::infer(Operation *op) {
  return succeeded(shapes.infer(op, /*setTypes=*/true)) ? op->getResult(0)
                                                        : Value();
}

Value RuleBuilder::unary(UnaryKind kind, Value input) {
  return create<UnaryOp>(kind, input, FloatAttr(), FloatAttr());
}

Value RuleBuilder::binary(BinaryKind kind, Value lhs, Value rhs) {
  return create<BinaryOp>(kind, lhs, rhs);
}

Value RuleBuilder::add(Value a, Value b) {
  return binary(BinaryKind::add, a, b);
}
Value RuleBuilder::sub(Value a, Value b) {
  return binary(BinaryKind::sub, a, b);
}
Value RuleBuilder::mul(Value a, Value b) {
  return binary(BinaryKind::mul, a, b);
}
Value RuleBuilder::div(Value a, Value b) {
  return binary(BinaryKind::div, a, b);
}

Value RuleBuilder::compare(CompareKind kind, Value lhs, Value rhs) {
  return create<CompareOp>(kind, lhs, rhs);
}

Value RuleBuilder::select(Value condition, Value onTrue, Value onFalse) {
  return create<SelectOp>(condition, onTrue, onFalse);
}

Value RuleBuilder::keepIf(Value condition, Value value) {
  return select(condition, value, number(value, 0));
}

Value RuleBuilder::scale(double factor, Value value) {
  return mul(value, number(value, factor));
}

Value RuleBuilder::matmul(Value lhs, Value rhs, bool transposeLhs,
                          bool transposeRhs) {
  return create<MatmulOp>(lhs, rhs, transposeLhs, transposeRhs);
}

Value RuleBuilder::reduceSum(Value input, ArrayRef<int64_t> axes,
                             bool keepDims) {
  return create<ReduceOp>(ReduceKind::sum, input, axes, keepDims);
}

Value RuleBuilder::pad(Value input, ArrayRef<SymExpr> low,
                       ArrayRef<SymExpr> high) {
  MLIRContext *context = builder.getContext();
  return create<PadOp>(PadKind::constant, input, Absent(),
                       getExprArray(context, low), getExprArray(context, high));
}

Value RuleBuilder::slice(Value input, ArrayRef<SymExpr> offsets,
                         ArrayRef<SymExpr> sizes) {
  MLIRContext *context = builder.getContext();
  SmallVector<int64_t> ones(sizes.size(), 1);
  return create<SliceOp>(input, getExprArray(context, offsets),
                         getExprArray(context, sizes),
                         getExprArray(context, ones));
}

Value RuleBuilder::positions(SymExpr size) {
  Type type = builder.getI64Type();
  return create<RangeOp>(scalar(type, 0), scalar(type, 1),
                         getExprArray(builder.getContext(), size));
}

Value RuleBuilder::cast(Value input, Type elementType) {
  if (!input || getElementType(input) == elementType)
    return input;
  return create<CastOp>(input, elementType);
}

Value RuleBuilder::reshape(Value input, ArrayRef<SymExpr> sizes) {
  if (!input || shapes.getShape(input) == sizes)
    return input;
  return create<ReshapeOp>(input, getExprArray(builder.getContext(), sizes));
}

Value RuleBuilder::transpose(Value input, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return input;
  return create<TransposeOp>(input, permutation);
}

Value RuleBuilder::expand(Value input, ArrayRef<SymExpr> sizes) {
  if (!input || shapes.getShape(input) == sizes)
    return input;
  return create<ExpandOp>(input, getExprArray(builder.getContext(), sizes));
}

Value RuleBuilder::scalar(Type elementType, double value) {
  auto type = RankedTensorType::get({}, elementType);
  Attribute attr = isa<FloatType>(elementType)
                       ? Attribute(builder.getFloatAttr(elementType, value))
                       : builder.getIntegerAttr(elementType, value);
  return infer(ConstantOp::create(builder, loc, type,
                                  DenseElementsAttr::get(type, attr)));
}

Value RuleBuilder::number(Value like, double value) {
  return like ? scalar(getElementType(like), value) : Value();
}

Value RuleBuilder::fullLike(Value like, double value) {
  return like ? expand(number(like, value), shapes.getShape(like)) : Value();
}

Value RuleBuilder::size(SymExpr expr, Type elementType) {
  ArrayAttr elements = getExprArray(builder.getContext(), expr);
  return cast(create<SizesOp>(elements, ArrayRef<int64_t>()), elementType);
}

IfOp RuleBuilder::beginIf(Value condition, ArrayAttr symbols) {
  auto begun = IfOp::create(builder, loc, TypeRange(), condition, symbols);
  begun.getThenRegion().emplaceBlock();
  begun.getElseRegion().emplaceBlock();
  return begun;
}

FailureOr<IfOp> RuleBuilder::endIf(IfOp begun) {
  auto types = begun.getThenRegion().front().getTerminator()->getOperandTypes();
  auto ended = IfOp::create(builder, loc, types, begun.getCondition(),
                            begun.getSymbols());
  ended.getThenRegion().takeBody(begun.getThenRegion());
  ended.getElseRegion().takeBody(begun.getElseRegion());
  begun.erase();
  if (failed(shapes.infer(ended, /*setTypes=*/true)))
    return failure();
  return ended;
}
