//===- StreamBuilder.cpp - loops that compute values in parts -------------===//

#include "passes/memory/StreamBuilder.h"

#include "dialects/lz/IR/LzOps.h"
#include "passes/support/FreshSymbol.h"

using namespace mlir;
using namespace lz;

RankedTensorType lz::withSize(Type type, unsigned dim, int64_t size) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[dim] = size;
  return tensor.clone(shape);
}

Value StreamBuilder::constant(Type elementType, int64_t value) {
  auto type = RankedTensorType::get({}, elementType);
  return ConstantOp::create(
      builder, loc, type,
      DenseElementsAttr::get(type, builder.getIntegerAttr(elementType, value)));
}

Value StreamBuilder::slice(Value value, Value whole, unsigned dim,
                           SymExpr first, int64_t count) {
  SymShape sizes(shapes.getShape(whole));
  SymShape offsets(sizes.size(), constant(0));
  SymShape strides(sizes.size(), constant(1));
  offsets[dim] = first;
  sizes[dim] = constant(count);
  MLIRContext *context = builder.getContext();
  return SliceOp::create(builder, loc, withSize(value.getType(), dim, count),
                         value, getExprArray(context, offsets),
                         getExprArray(context, sizes),
                         getExprArray(context, strides));
}

/// The number of the iteration as a symbol.
SymExpr StreamBuilder::bindIteration(Value iteration, int64_t trips) {
  auto type = RankedTensorType::get({1}, builder.getI64Type());
  SymShape one(1, constant(1));
  Value number = ReshapeOp::create(builder, loc, type, iteration,
                                   getExprArray(builder.getContext(), one));
  SymExpr band = declareRunSymbol(function, "band", trips - 1);
  SymShape bound(1, band);
  BindOp::create(builder, loc, number,
                 getExprArray(builder.getContext(), bound));
  return band;
}

ValueRange StreamBuilder::loop(int64_t trips, ValueRange initial,
                               TypeRange parts, Iteration iteration) {
  SymShape count(1, declareRunSymbol(function, "bands", trips));
  SmallVector<Type> types(initial.getTypes());
  for (Type part : parts) {
    auto tensor = cast<RankedTensorType>(part);
    SmallVector<int64_t> shape(tensor.getShape());
    shape.insert(shape.begin(), ShapedType::kDynamic);
    types.push_back(tensor.clone(shape));
  }
  auto loop = LoopOp::create(
      builder, loc, types, constant(builder.getI64Type(), trips), Value(),
      initial, getExprArray(builder.getContext(), count));
  OpBuilder::InsertionGuard guard(builder);
  Block &body = loop.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&body);
  Value number =
      body.addArgument(RankedTensorType::get({}, builder.getI64Type()), loc);
  body.addArgument(RankedTensorType::get({}, builder.getI1Type()), loc);
  for (Value value : initial)
    body.addArgument(value.getType(), loc);
  SymExpr symbol = bindIteration(number, trips);
  SmallVector<Value> yielded = {constant(builder.getI1Type(), 1)};
  yielded.append(iteration(symbol, body.getArguments().drop_front(2)));
  YieldOp::create(builder, loc, yielded);
  return loop.getResults();
}
