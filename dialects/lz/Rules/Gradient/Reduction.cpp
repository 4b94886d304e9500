//===- Reduction.cpp - gradients of reductions and running sums -----------===//
//
// A gradient of a reduction broadcasts over what was reduced, once its
// dimensions of size 1 are back.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/Rules.h"
#include "dialects/lz/Rules/Gradient/Gradients.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace lz;

/// `value`, a result of `op` or its gradient, with the reduced dimensions.
static Value keepDims(ReduceOp op, RuleBuilder &b, Value value) {
  SymShape shape(b.getShapes().getShape(op.getInput()));
  for (int64_t axis : op.getAxes())
    shape[axis] = b.getShapes().constant(1);
  return b.reshape(value, shape);
}

/// G over the number of elements that each result is made of: in f32 for
/// halves, which hold no large numbers.
static Value getMeanGradient(ReduceOp op, RuleBuilder &b, Value gradient) {
  SymExpr count = b.getShapes().constant(1);
  for (int64_t axis : op.getAxes())
    count = count * b.getShapes().getShape(op.getInput())[axis];
  Type type = getElementType(op.getInput());
  Type wide = type.isF64() ? type : b.getBuilder().getF32Type();
  Value size = b.size(count, b.getBuilder().getI64Type());
  return b.cast(b.div(b.cast(gradient, wide), b.cast(size, wide)), type);
}

/// The gradient goes to the elements that are the result, in equal shares.
static Value getExtremeGradient(ReduceOp op, RuleBuilder &b, Value gradient) {
  Value isResult = b.compare(CompareKind::eq, op.getInput(),
                             keepDims(op, b, op.getResult()));
  Value ones = b.cast(isResult, getElementType(gradient));
  Value count = b.reduceSum(ones, op.getAxes(), /*keepDims=*/true);
  return b.keepIf(isResult, b.div(gradient, count));
}

/// The products of what lies before and after each element: no division, as
/// elements may be zero.
static Value getOtherFactors(RuleBuilder &b, Value input, int64_t axis) {
  Value before = b.create<CumsumOp>(input, axis, /*exclusive=*/true,
                                    /*reverse=*/false, /*product=*/true);
  Value after = b.create<CumsumOp>(input, axis, /*exclusive=*/true,
                                   /*reverse=*/true, /*product=*/true);
  return b.mul(before, after);
}

/// G times the product of the other elements. These are brought into the last
/// dimension.
static Value getProductGradient(ReduceOp op, RuleBuilder &b, Value gradient) {
  SymShape shape(b.getShapes().getShape(op.getInput()));
  auto order = llvm::to_vector(llvm::make_filter_range(
      llvm::seq<int64_t>(0, shape.size()),
      [&](int64_t dim) { return !llvm::is_contained(op.getAxes(), dim); }));
  int64_t kept = order.size();
  llvm::append_range(order, op.getAxes());
  SymShape moved, rows;
  SymExpr count = b.getShapes().constant(1);
  for (auto [position, dim] : llvm::enumerate(order)) {
    moved.push_back(shape[dim]);
    if (static_cast<int64_t>(position) < kept)
      rows.push_back(shape[dim]);
    else
      count = count * shape[dim];
  }
  rows.push_back(count);
  Value input = b.reshape(b.transpose(op.getInput(), order), rows);
  Value others = b.reshape(getOtherFactors(b, input, kept), moved);
  return b.mul(gradient, b.transpose(others, invertOrder(order)));
}

/// G x / y, 0 where y is.
static Value getNormGradient(ReduceOp op, RuleBuilder &b, Value gradient) {
  Value norm = keepDims(op, b, op.getResult());
  Value isZero = b.compare(CompareKind::eq, norm, b.number(norm, 0));
  Value share = b.div(op.getInput(), norm);
  return b.mul(gradient, b.select(isZero, b.number(norm, 0), share));
}

/// The gradient by the input. `gradient` has the reduced dimensions; a result
/// that lacks them is broadcast afterwards.
static Value getGradient(ReduceOp op, RuleBuilder &b, Value gradient) {
  Value x = op.getInput();
  switch (op.getKind()) {
  case ReduceKind::sum:
    return gradient;
  case ReduceKind::mean:
    return getMeanGradient(op, b, gradient);
  case ReduceKind::prod:
    return getProductGradient(op, b, gradient);
  case ReduceKind::max:
  case ReduceKind::min:
    return getExtremeGradient(op, b, gradient);
  case ReduceKind::l1:
    return b.mul(gradient, b.unary(UnaryKind::sign, x));
  case ReduceKind::l2:
    return getNormGradient(op, b, gradient);
  case ReduceKind::log_sum:
    return b.div(gradient, b.reduceSum(x, op.getAxes(), /*keepDims=*/true));
  case ReduceKind::log_sum_exp:
    return b.mul(gradient, b.unary(UnaryKind::exp,
                                   b.sub(x, keepDims(op, b, op.getResult()))));
  case ReduceKind::sum_square:
    return b.mul(gradient, b.scale(2, x));
  }
  llvm_unreachable("all kinds are covered");
}

static LogicalResult buildReduceGradients(ReduceOp op, RuleBuilder &b,
                                          ArrayRef<Value> results,
                                          Values &gradients) {
  SymShape shape(b.getShapes().getShape(op.getInput()));
  Value gradient = getGradient(op, b, keepDims(op, b, results[0]));
  return giveGradients(b.expand(gradient, shape), gradients);
}

/// The running sum in the other direction.
static LogicalResult buildCumsumGradients(CumsumOp op, RuleBuilder &b,
                                          ArrayRef<Value> results,
                                          Values &gradients) {
  if (op.getProduct())
    return op.emitOpError() << "has no gradient rule for running products; use "
                               "a running sum of logarithms";
  return giveGradients(b.create<CumsumOp>(results[0], op.getAxis(),
                                          op.getExclusive(), !op.getReverse(),
                                          /*product=*/false),
                       gradients);
}

void lz::attachReductionGradients(MLIRContext &context) {
  attachGradient<ReduceOp, buildReduceGradients>(context);
  attachGradient<CumsumOp, buildCumsumGradients>(context);
}
