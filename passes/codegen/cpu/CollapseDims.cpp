//===- CollapseDims.cpp - neighbouring dimensions as one ------------------===//
//
// A chain on [N, C, H, W] with operands of [1, C, 1, 1] needs no indices along
// H and W: each tensor is read at all positions of both, or at one. Such
// trailing dimensions are run as one long loop. Its index stands for that of
// the last dimension, the others are 0: what is read by row-major position
// needs no more.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/Nest.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lz;

namespace {

/// Whether the last `count` dimensions of a kernel's index space are one.
struct TrailingDims {
  const KernelInfo &kernel;
  ArrayRef<SymExpr> sizes;

  bool areOneIn(Operation *op) const;

private:
  int64_t getFirst(Value tensor) const { // of the trailing dimensions
    return static_cast<int64_t>(kernel.getShape(tensor).size()) -
           static_cast<int64_t>(sizes.size());
  }
  bool isWhole(Value tensor) const {
    ArrayRef<SymExpr> shape = kernel.getShape(tensor);
    return shape.size() >= sizes.size() &&
           shape.take_back(sizes.size()) == sizes;
  }
  bool isOne(Value tensor) const {
    ArrayRef<SymExpr> shape = kernel.getShape(tensor);
    return llvm::all_of(shape.take_back(std::min(shape.size(), sizes.size())),
                        [](SymExpr size) { return size.isConstant(1); });
  }
  bool isEither(Value tensor) const { return isWhole(tensor) || isOne(tensor); }
  /// All of them are reduced, or none.
  bool agreesWith(Value input, Value result, ArrayRef<int64_t> axes) const;
  bool isBefore(Value input, int64_t axis) const {
    return isWhole(input) && axis < getFirst(input);
  }
  bool isScaleBefore(Value input, Value scale, int64_t axis,
                     int64_t block) const;
};

} // namespace

bool TrailingDims::agreesWith(Value input, Value result,
                              ArrayRef<int64_t> axes) const {
  if (!isWhole(input))
    return false;
  int64_t first = getFirst(input);
  auto isTrailing = [&](int64_t axis) { return axis >= first; };
  auto count = static_cast<size_t>(llvm::count_if(axes, isTrailing));
  return count == 0 ? isWhole(result) : count == sizes.size() && isOne(result);
}

/// True if a scale of one element, or one along `axis`, has one value for all
/// trailing indices.
bool TrailingDims::isScaleBefore(Value input, Value scale, int64_t axis,
                                 int64_t block) const {
  bool isScalar = llvm::all_of(kernel.getShape(scale),
                               [](SymExpr size) { return size.isConstant(1); });
  return isScalar || (block == 0 && isBefore(input, axis));
}

bool TrailingDims::areOneIn(Operation *op) const {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<UnaryOp, BinaryOp, CompareOp, SelectOp, CastOp, ConstantOp,
            ExpandOp>([&](Operation *) {
        return isEither(op->getResult(0)) &&
               llvm::all_of(op->getOperands(),
                            [&](Value v) { return isEither(v); });
      })
      .Case([&](ReduceOp reduce) {
        SmallVector<int64_t> axes(reduce.getAxes());
        return agreesWith(reduce.getInput(), reduce.getResult(), axes) &&
               (reduce.getKeepDims() || isWhole(reduce.getResult()));
      })
      .Case([&](ArgReduceOp reduce) {
        return isBefore(reduce.getInput(), reduce.getAxis()) &&
               isWhole(reduce.getResult());
      })
      .Case([&](SoftmaxOp softmax) {
        return isBefore(softmax.getInput(), softmax.getAxis());
      })
      .Case<BatchNormOp, LrnOp, GroupNormOp>(
          [&](Operation *) { return isBefore(op->getOperand(0), 1); })
      .Case<QuantizeOp, DequantizeOp>([&](auto quantize) {
        Value input = quantize.getInput(), zero = quantize.getZeroPoint();
        auto isSame = [&](Value scale) {
          return isScaleBefore(input, scale, quantize.getAxis(),
                               quantize.getBlock());
        };
        return isWhole(input) && isSame(quantize.getScale()) &&
               (!zero || isSame(zero));
      })
      .Default([](Operation *) { return false; });
}

size_t lz::countTrailingDims(const KernelInfo &kernel,
                             ArrayRef<SymExpr> shape) {
  // A last dimension of size 1 has the index 0 wherever it is broadcast.
  if (!shape.empty() && shape.back().isConstant(1))
    return 1;
  for (size_t count = shape.size(); count > 1; --count) {
    TrailingDims dims{kernel, shape.take_back(count)};
    if (llvm::all_of(kernel.getBody(),
                     [&](Operation &op) { return dims.areOneIn(&op); }))
      return count;
  }
  return std::min<size_t>(shape.size(), 1);
}
