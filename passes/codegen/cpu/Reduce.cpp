//===- Reduce.cpp - loops that carry scalars ------------------------------===//

#include "passes/codegen/cpu/Reduce.h"

using namespace mlir;
using namespace lz;

static SmallVector<Value> emitLoops(KernelBuilder &kb,
                                    ArrayRef<Interval> ranges,
                                    SmallVector<Value> &indices,
                                    ValueRange carried, ReduceBody body) {
  if (indices.size() == ranges.size())
    return body(indices, carried);
  Interval range = ranges[indices.size()];
  return kb.loop(
      range.low, range.high, carried, [&](Value index, ValueRange inner) {
        indices.push_back(index);
        SmallVector<Value> next = emitLoops(kb, ranges, indices, inner, body);
        indices.pop_back();
        return next;
      });
}

SmallVector<Value> lz::emitReduceLoops(KernelBuilder &kb,
                                       ArrayRef<Interval> ranges,
                                       ValueRange initial, ReduceBody body) {
  SmallVector<Value> indices;
  return emitLoops(kb, ranges, indices, initial, body);
}

static bool areLast(ArrayRef<int64_t> axes, int64_t rank) {
  for (auto [offset, axis] : llvm::enumerate(llvm::reverse(axes)))
    if (axis != rank - 1 - static_cast<int64_t>(offset))
      return false;
  return true;
}

SmallVector<Value> lz::emitSliceIndexLoops(ElementEmitter &e, Value tensor,
                                           ArrayRef<Value> dims,
                                           ArrayRef<int64_t> axes,
                                           ValueRange initial,
                                           SliceIndexBody body) {
  KernelBuilder &kb = e.kb;
  ArrayRef<SymExpr> shape = e.getShape(tensor);
  Value zero = kb.getIndex(0);
  if (areLast(axes, shape.size()) && isFlat(e.kernel, tensor)) {
    SymExpr length = getProduct(kb.getContext(), shape.take_back(axes.size()));
    size_t outer = shape.size() - axes.size();
    Value row = kb.linearize(dims.take_front(outer), shape.take_front(outer));
    Value start = kb.mul(row, kb.getSize(length));
    return kb.loop(zero, kb.getSize(length), initial,
                   [&](Value index, ValueRange carried) {
                     return body(Index::flat(kb.add(start, index)), carried);
                   });
  }
  SmallVector<Interval> ranges;
  for (int64_t axis : axes)
    ranges.push_back({zero, kb.getSize(shape[axis])});
  return emitReduceLoops(kb, ranges, initial,
                         [&](ArrayRef<Value> indices, ValueRange carried) {
                           SmallVector<Value> at(dims);
                           for (auto [axis, index] : llvm::zip(axes, indices))
                             at[axis] = index;
                           return body(at, carried);
                         });
}

SmallVector<Value> lz::emitSliceLoops(ElementEmitter &e, Value tensor,
                                      ArrayRef<Value> dims,
                                      ArrayRef<int64_t> axes,
                                      ValueRange initial, SliceBody body) {
  return emitSliceIndexLoops(e, tensor, dims, axes, initial,
                             [&](const Index &at, ValueRange carried) {
                               return body(e.emit(tensor, at), carried);
                             });
}

template <typename FloatOp, typename IntOp>
static Value emitReordered(KernelBuilder &kb, Value a, Value b) {
  if (!isa<FloatType>(a.getType()))
    return kb.create<IntOp>(a, b);
  return FloatOp::create(kb.getBuilder(), kb.getLoc(), a, b,
                         arith::FastMathFlags::reassoc);
}

Value lz::accumulate(KernelBuilder &kb, Value sum, Value scalar) {
  return emitReordered<arith::AddFOp, arith::AddIOp>(kb, sum, scalar);
}

Value lz::accumulateProduct(KernelBuilder &kb, Value product, Value scalar) {
  return emitReordered<arith::MulFOp, arith::MulIOp>(kb, product, scalar);
}
