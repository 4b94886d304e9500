//===- Shape.cpp - gradients of ops that move data ------------------------===//

#include "dialects/lz/IR/Rules.h"
#include "dialects/lz/Rules/Gradient/Gradients.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

static SymShape getShape(RuleBuilder &b, Value value) {
  return SymShape(b.getShapes().getShape(value));
}

static LogicalResult buildReshapeGradients(ReshapeOp op, RuleBuilder &b,
                                           ArrayRef<Value> results,
                                           Values &gradients) {
  return giveGradients(b.reshape(results[0], getShape(b, op.getInput())),
                       gradients);
}

static LogicalResult buildTransposeGradients(TransposeOp op, RuleBuilder &b,
                                             ArrayRef<Value> results,
                                             Values &gradients) {
  return giveGradients(
      b.transpose(results[0], invertOrder(op.getPermutation())), gradients);
}

static LogicalResult buildExpandGradients(ExpandOp op, RuleBuilder &b,
                                          ArrayRef<Value> results,
                                          Values &gradients) {
  return giveGradients(sumTo(b, results[0], getShape(b, op.getInput())),
                       gradients);
}

/// Each input gets its part.
static LogicalResult buildConcatGradients(ConcatOp op, RuleBuilder &b,
                                          ArrayRef<Value> results,
                                          Values &gradients) {
  SymShape offsets(getShape(b, results[0]).size(), b.getShapes().constant(0));
  SmallVector<Value> parts;
  for (Value input : op.getInputs()) {
    SymShape sizes = getShape(b, input);
    parts.push_back(b.slice(results[0], offsets, sizes));
    offsets[op.getAxis()] = offsets[op.getAxis()] + sizes[op.getAxis()];
  }
  return giveGradients(parts, gradients);
}

/// Reverses the dimensions in which `strides` is negative.
static Value reverseNegative(RuleBuilder &b, Value value,
                             ArrayRef<int64_t> strides) {
  if (!value ||
      llvm::all_of(strides, [](int64_t stride) { return stride > 0; }))
    return value;
  SymShape sizes = getShape(b, value), offsets, steps;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    offsets.push_back(stride > 0 ? b.getShapes().constant(0) : size - 1);
    steps.push_back(b.getShapes().constant(stride > 0 ? 1 : -1));
  }
  MLIRContext *context = b.getBuilder().getContext();
  return b.create<SliceOp>(value, getExprArray(context, offsets),
                           getExprArray(context, sizes),
                           getExprArray(context, steps));
}

/// Puts zeros between elements: element i of each dimension moves to
/// i * stride, followed by stride - 1 zeros.
static Value spread(RuleBuilder &b, Value value, ArrayRef<int64_t> strides) {
  if (!value ||
      llvm::all_of(strides, [](int64_t stride) { return stride == 1; }))
    return value;
  SymExpr none = b.getShapes().constant(0), one = b.getShapes().constant(1);
  SymShape apart, joined, high;
  for (auto [size, stride] : llvm::zip_equal(getShape(b, value), strides)) {
    apart.append({size, one});
    joined.push_back(size * stride);
    high.append({none, b.getShapes().constant(stride - 1)});
  }
  SymShape low(high.size(), none);
  return b.reshape(b.pad(b.reshape(value, apart), low, high), joined);
}

/// What was taken goes back to where it was, with zeros around.
static LogicalResult buildSliceGradients(SliceOp op, RuleBuilder &b,
                                         ArrayRef<Value> results,
                                         Values &gradients) {
  auto strides = getConstants(getExprs(op.getStrides()));
  if (!strides)
    return op.emitOpError() << "has no gradient rule for steps that only the "
                               "run knows; make them constant";
  SymShape low = getExprs(op.getOffsets()), high;
  SymShape sizes = getShape(b, results[0]);
  Value parts = reverseNegative(b, results[0], *strides);
  for (auto [offset, size, stride, whole] :
       llvm::zip_equal(low, sizes, *strides, getShape(b, op.getInput()))) {
    if (stride < 0)
      offset = offset + (size - 1) * stride;
    stride = std::abs(stride);
    high.push_back(whole - offset - size * stride);
  }
  return giveGradients(b.pad(spread(b, parts, *strides), low, high), gradients);
}

static SymShape negate(SymShape sizes) {
  for (SymExpr &size : sizes)
    size = size * -1;
  return sizes;
}

/// The sum of the gradients of what a constant padding added.
static Value getFillGradient(PadOp op, RuleBuilder &b, Value gradient) {
  Value inner = b.fullLike(op.getInput(), 0);
  Value added = b.create<PadOp>(PadKind::constant, inner, b.number(inner, 1),
                                op.getLow(), op.getHigh());
  Value sum = sumTo(b, b.mul(gradient, added), {});
  return b.reshape(sum, getShape(b, op.getValue()));
}

/// Reads a padding that repeats elements as gathers, a dimension at a time, and
/// adds the gradient of each where its element was.
static Value getRepeatGradient(PadOp op, RuleBuilder &b, Value gradient) {
  SymShape input = getShape(b, op.getInput());
  SymShape low = getExprs(op.getLow()), high = getExprs(op.getHigh());
  MLIRContext *context = b.getBuilder().getContext();
  for (auto [dim, size] : llvm::enumerate(input)) {
    if (low[dim].isConstant(0) && high[dim].isConstant(0))
      continue;
    Value sources = b.create<PadOp>(
        op.getKind(), b.positions(size), RuleBuilder::Absent(),
        getExprArray(context, low[dim]), getExprArray(context, high[dim]));
    gradient = addSlices(b, gradient, sources, dim, size);
  }
  return gradient;
}

static LogicalResult buildPadGradients(PadOp op, RuleBuilder &b,
                                       ArrayRef<Value> results,
                                       Values &gradients) {
  if (op.getKind() != PadKind::constant) {
    gradients.push_back(getRepeatGradient(op, b, results[0]));
    if (op.getValue())
      gradients.push_back(Value());
    return success(!!gradients[0]);
  }
  SmallVector<Value> built = {b.pad(results[0], negate(getExprs(op.getLow())),
                                    negate(getExprs(op.getHigh())))};
  if (op.getValue())
    built.push_back(getFillGradient(op, b, results[0]));
  return giveGradients(built, gradients);
}

/// Sums over the repetitions.
static LogicalResult buildTileGradients(TileOp op, RuleBuilder &b,
                                        ArrayRef<Value> results,
                                        Values &gradients) {
  SymShape apart;
  SmallVector<int64_t> axes;
  for (auto [repeats, size] :
       llvm::zip_equal(getExprs(op.getRepeats()), getShape(b, op.getInput()))) {
    axes.push_back(apart.size());
    apart.append({repeats, size});
  }
  return giveGradients(
      b.reduceSum(b.reshape(results[0], apart), axes, /*keepDims=*/false),
      gradients);
}

static LogicalResult buildTriluGradients(TriluOp op, RuleBuilder &b,
                                         ArrayRef<Value> results,
                                         Values &gradients) {
  return giveGradients(b.create<TriluOp>(results[0], op.getK(), op.getUpper()),
                       gradients);
}

void lz::attachShapeGradients(MLIRContext &context) {
  attachGradient<ReshapeOp, buildReshapeGradients>(context);
  attachGradient<TransposeOp, buildTransposeGradients>(context);
  attachGradient<ExpandOp, buildExpandGradients>(context);
  attachGradient<ConcatOp, buildConcatGradients>(context);
  attachGradient<SliceOp, buildSliceGradients>(context);
  attachGradient<PadOp, buildPadGradients>(context);
  attachGradient<TileOp, buildTileGradients>(context);
  attachGradient<TriluOp, buildTriluGradients>(context);
}
