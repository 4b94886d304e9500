//===- QuantEmitter.cpp - quantization ------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/FloatMath.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

/// The indices of the element of `scale` (or a zero point, which may have
/// another rank if both have one element) that serves element `dims`.
static SmallVector<Value> getScaleDims(ElementEmitter &e, Value scale,
                                       int64_t axis, int64_t block,
                                       ArrayRef<Value> dims) {
  KernelBuilder &kb = e.kb;
  ArrayRef<SymExpr> shape = e.getShape(scale);
  auto isOne = [](SymExpr size) { return size.isConstant(1); };
  if (llvm::all_of(shape, isOne))
    return SmallVector<Value>(shape.size(), kb.getIndex(0));
  if (block == 0)
    return {dims[axis]};
  SmallVector<Value> at(dims);
  at[axis] = kb.divide(at[axis], kb.getIndex(block));
  return at;
}

static Value emitQuantize(ElementEmitter &e, QuantizeOp op, OpResult result,
                          const Index &index) {
  KernelBuilder &kb = e.kb;
  SmallVector<Value> dims = e.getDims(result, index);
  SmallVector<Value> at =
      getScaleDims(e, op.getScale(), op.getAxis(), op.getBlock(), dims);
  Type from = getElementTypeOrSelf(op.getInput());
  FloatMath f{kb, getComputeType(getElementTypeOrSelf(op.getScale()))};
  Value x = emitCast(kb, e.emit(op.getInput(), dims), from, f.type);
  Value scaled = f.div(x, e.emit(op.getScale(), at));
  Type to = op.getTo();
  if (isa<FloatType>(to))
    return emitCast(kb, scaled, f.type, to);
  Value rounded = f.roundEven(scaled);
  if (op.getZeroPoint()) {
    Value zero = e.emit(
        op.getZeroPoint(),
        getScaleDims(e, op.getZeroPoint(), op.getAxis(), op.getBlock(), dims));
    Type element = getElementTypeOrSelf(op.getZeroPoint());
    rounded = f.add(rounded, emitCast(kb, zero, element, f.type));
  }
  return emitClamped(kb, rounded, to);
}

static Value emitDequantize(ElementEmitter &e, DequantizeOp op, OpResult result,
                            const Index &index) {
  KernelBuilder &kb = e.kb;
  SmallVector<Value> dims = e.getDims(result, index);
  SmallVector<Value> at =
      getScaleDims(e, op.getScale(), op.getAxis(), op.getBlock(), dims);
  Type from = getElementTypeOrSelf(op.getInput());
  FloatMath f{kb, getComputeType(getElementTypeOrSelf(op.getScale()))};
  Value x = e.emit(op.getInput(), dims);
  if (op.getZeroPoint() && !isa<FloatType>(from)) { // exact in 64 bits
    Type i64 = kb.getBuilder().getI64Type();
    SmallVector<Value> zeroAt =
        getScaleDims(e, op.getZeroPoint(), op.getAxis(), op.getBlock(), dims);
    Value zero = emitCast(kb, e.emit(op.getZeroPoint(), zeroAt), from, i64);
    x = kb.create<arith::SubIOp>(emitCast(kb, x, from, i64), zero);
    from = i64;
  }
  Value value = f.mul(emitCast(kb, x, from, f.type), e.emit(op.getScale(), at));
  return emitCast(kb, value, f.type, op.getTo());
}

void lz::addQuantRules(ElementRules &rules) {
  rules.add<QuantizeOp>(emitQuantize);
  rules.add<DequantizeOp>(emitDequantize);
}
