//===- KernelBuilder.cpp - sizes and loops of a kernel --------------------===//

#include "passes/codegen/cpu/KernelBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Constants and sizes
//===----------------------------------------------------------------------===//

Value KernelBuilder::inPreamble(ChoiceBody make) {
  OpBuilder::InsertionGuard guard(builder);
  if (lastOfPreamble)
    builder.setInsertionPointAfter(lastOfPreamble);
  else
    builder.setInsertionPointToStart(&function.front());
  Value value = make();
  lastOfPreamble = value.getDefiningOp();
  return value;
}

static Value getConstant(OpBuilder &builder, Location loc, TypedAttr attr) {
  return arith::ConstantOp::create(builder, loc, attr);
}

Value KernelBuilder::getIndex(int64_t value) {
  return getInt(builder.getI64Type(), value);
}

Value KernelBuilder::getInt(Type type, int64_t value) {
  APInt bits(type.getIntOrFloatBitWidth(), static_cast<uint64_t>(value),
             /*isSigned=*/true, /*implicitTrunc=*/true);
  TypedAttr attr = builder.getIntegerAttr(type, bits);
  Value &constant = constants[{type, attr}];
  if (!constant)
    constant = inPreamble([&] { return getConstant(builder, loc, attr); });
  return constant;
}

Value KernelBuilder::getFloat(Type type, double value) {
  TypedAttr attr = builder.getFloatAttr(type, value);
  Value &constant = constants[{type, attr}];
  if (!constant)
    constant = inPreamble([&] { return getConstant(builder, loc, attr); });
  return constant;
}

Value KernelBuilder::getScalar(Type type, double value) {
  if (isa<FloatType>(type))
    return getFloat(type, value);
  return getInt(type, static_cast<int64_t>(value));
}

Value KernelBuilder::getSize(SymExpr size) {
  if (std::optional<int64_t> constant = size.getConstant())
    return getIndex(*constant);
  Value &param = params[size.getAttr()];
  if (!param) {
    int64_t slot = operands.size() + results.size() + 1 + paramList.size();
    param = inPreamble([&] { return loadSlot(builder.getI64Type(), slot); });
    paramList.push_back(size);
  }
  return param;
}

Value KernelBuilder::getSize(ArrayRef<SymExpr> sizes) {
  return getSize(getProduct(getContext(), sizes));
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getConstantIndex(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

bool KernelBuilder::isVisible(Value value) const {
  Region *region = builder.getInsertionBlock()->getParent();
  return value.getParentRegion()->isAncestor(region);
}

template <typename OpTy> Value KernelBuilder::index(Value a, Value b) {
  Value &known = indexCache[{TypeID::get<OpTy>().getAsOpaquePointer(), {a, b}}];
  if (known && isVisible(known))
    return known;
  auto op = OpTy::create(builder, loc, a, b);
  Value result = op;
  std::optional<int64_t> x = getConstantIndex(a), y = getConstantIndex(b);
  if (x && y) {
    SmallVector<OpFoldResult, 1> results;
    Attribute constants[] = {builder.getI64IntegerAttr(*x),
                             builder.getI64IntegerAttr(*y)};
    if (succeeded(op->fold(constants, results)) && results.size() == 1)
      if (auto attr = dyn_cast<Attribute>(results[0])) {
        op->erase();
        return known = getIndex(cast<IntegerAttr>(attr).getInt());
      }
  }
  return known = result;
}

Value KernelBuilder::add(Value a, Value b) {
  if (getConstantIndex(a) == 0)
    return b;
  return getConstantIndex(b) == 0 ? a : index<arith::AddIOp>(a, b);
}

Value KernelBuilder::sub(Value a, Value b) {
  return getConstantIndex(b) == 0 ? a : index<arith::SubIOp>(a, b);
}

Value KernelBuilder::mul(Value a, Value b) {
  if (getConstantIndex(a) == 0 || getConstantIndex(b) == 0)
    return getIndex(0);
  if (getConstantIndex(a) == 1)
    return b;
  return getConstantIndex(b) == 1 ? a : index<arith::MulIOp>(a, b);
}

Value KernelBuilder::minimum(Value a, Value b) {
  return a == b ? a : index<arith::MinSIOp>(a, b);
}

Value KernelBuilder::maximum(Value a, Value b) {
  return a == b ? a : index<arith::MaxSIOp>(a, b);
}

Value KernelBuilder::divide(Value a, Value b) {
  if (getConstantIndex(b) == 1 || getConstantIndex(a) == 0)
    return a;
  auto parts = joined.find(a);
  if (parts != joined.end() && parts->second.size == b)
    return parts->second.high;
  return index<arith::DivUIOp>(a, b);
}

Value KernelBuilder::remainder(Value a, Value b) {
  if (getConstantIndex(b) == 1 || getConstantIndex(a) == 0)
    return getIndex(0);
  auto parts = joined.find(a);
  if (parts != joined.end() && parts->second.size == b)
    return parts->second.low;
  return index<arith::RemUIOp>(a, b);
}

Value KernelBuilder::join(Value high, Value size, Value low) {
  Value value = add(mul(high, size), low);
  if (value != high && value != low && !getConstantIndex(value))
    joined.insert({value, {high, size, low}});
  return value;
}

Value KernelBuilder::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return create<arith::CmpIOp>(predicate, a, b);
}

Value KernelBuilder::select(Value condition, Value a, Value b) {
  return a == b ? a : create<arith::SelectOp>(condition, a, b);
}

Value KernelBuilder::clamp(Value value, Value low, Value high) {
  return minimum(maximum(value, low), high);
}

Value KernelBuilder::linearize(ArrayRef<Value> indices,
                               ArrayRef<SymExpr> shape) {
  SmallVector<std::pair<Value, SymExpr>> parts;
  for (auto [index, size] : llvm::zip_equal(indices, shape)) {
    parts.push_back({index, size});
    while (parts.size() > 1) {
      auto [high, highSize] = parts[parts.size() - 2];
      auto [low, lowSize] = parts.back();
      auto [whole, size] = splits.lookup({high, low});
      if (!whole || size != lowSize || !isVisible(whole))
        break;
      parts.pop_back();
      parts.back() = {whole, highSize * lowSize};
    }
  }
  Value position;
  for (auto [index, size] : parts)
    position = position ? join(position, getSize(size), index) : index;
  return position ? position : getIndex(0);
}

SmallVector<Value> KernelBuilder::delinearize(Value position,
                                              ArrayRef<SymExpr> shape) {
  SmallVector<Value> indices(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (shape[dim].isConstant(1)) {
      indices[dim] = getIndex(0);
      continue;
    }
    bool isFirst = llvm::all_of(
        shape.take_front(dim), [](SymExpr size) { return size.isConstant(1); });
    if (isFirst) {
      indices[dim] = position;
      position = getIndex(0);
      continue;
    }
    Value size = getSize(shape[dim]);
    Value whole = position;
    indices[dim] = remainder(whole, size);
    position = divide(whole, size);
    splits[{position, indices[dim]}] = {whole, shape[dim]};
  }
  return indices;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void KernelBuilder::loop(Value low, Value high, LoopBody body) {
  loop(low, high, {}, [&](Value index, ValueRange) {
    body(index);
    return SmallVector<Value>();
  });
}

SmallVector<Value> KernelBuilder::loop(Value low, Value high,
                                       ValueRange initial, CarryingBody body) {
  Location outer = loc;
  auto loop =
      scf::ForOp::create(builder, outer, low, high, getIndex(1), initial);
  // Filled when it stands in its place, as isVisible looks at parents.
  OpBuilder::InsertionGuard guard(builder);
  if (initial.empty())
    loop.getBody()->getTerminator()->erase();
  builder.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(builder, outer, next);
  loc = outer;
  return SmallVector<Value>(loop.getResults());
}

void KernelBuilder::loopOverLanes(Value count, LoopBody body) {
  loop(getIndex(0), count, {}, [&](Value lane, ValueRange) {
    Operation *lanes = builder.getInsertionBlock()->getParentOp();
    lanes->setAttr("lzx.lanes", builder.getI64IntegerAttr(kLanes));
    body(lane);
    return SmallVector<Value>();
  });
}

SmallVector<Value> KernelBuilder::rolledLoop(Value low, Value high,
                                             ValueRange initial,
                                             CarryingBody body) {
  auto unroll = LLVM::LoopUnrollAttr::get(getContext(),
                                          /*disable=*/builder.getBoolAttr(true),
                                          {}, {}, {}, {}, {}, {});
  auto annotation =
      LLVM::LoopAnnotationAttr::get(getContext(), {}, {}, {}, unroll, {}, {},
                                    {}, {}, {}, {}, {}, {}, {}, {}, {});
  return loop(low, high, initial, [&](Value index, ValueRange carried) {
    Operation *rolled = builder.getInsertionBlock()->getParentOp();
    rolled->setAttr("llvm.loop_annotation", annotation);
    return body(index, carried);
  });
}

void KernelBuilder::rolledLoop(Value low, Value high, LoopBody body) {
  rolledLoop(low, high, {}, [&](Value index, ValueRange) {
    body(index);
    return SmallVector<Value>();
  });
}

void KernelBuilder::when(Value condition, function_ref<void()> body) {
  auto choice = scf::IfOp::create(builder, loc, condition,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  body();
}

void KernelBuilder::withUsual(Value count, Value usual, LoopBody body) {
  if (count == usual)
    return body(usual);
  when(compare(arith::CmpIPredicate::eq, count, usual), [&] { body(usual); });
  when(compare(arith::CmpIPredicate::ne, count, usual), [&] { body(count); });
}

Value KernelBuilder::choose(Type type, Value condition, ChoiceBody onTrue,
                            ChoiceBody onFalse) {
  Location outer = loc;
  auto choice = scf::IfOp::create(builder, outer, TypeRange{type}, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(choice.thenBlock());
  scf::YieldOp::create(builder, outer, onTrue());
  builder.setInsertionPointToEnd(choice.elseBlock());
  scf::YieldOp::create(builder, outer, onFalse());
  loc = outer;
  return choice.getResult(0);
}

SmallVector<Value> KernelBuilder::call(StringRef name, TypeRange results,
                                       ValueRange operands) {
  auto module = function->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<func::FuncOp>(name);
  if (!callee) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    callee = func::FuncOp::create(
        builder, loc, name,
        builder.getFunctionType(operands.getTypes(), results));
    callee.setPrivate();
  }
  auto call = func::CallOp::create(builder, loc, callee, operands);
  return SmallVector<Value>(call.getResults());
}

void KernelBuilder::fail(Operation *op, const Twine &message) {
  if (!failed)
    op->emitOpError() << message;
  failed = true;
}

FailureOr<func::FuncOp> KernelBuilder::finish() {
  func::ReturnOp::create(builder, function.getLoc());
  if (failed) {
    function.erase();
    return failure();
  }
  return function;
}
