//===- Evaluation.cpp - what the reference models share -------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lz;

const RefValue &Evaluation::getValue(Value operand) const {
  auto found = llvm::find(op->getOperands(), operand);
  assert(found != op->operand_end() && "the value is not an operand");
  return operands[std::distance(op->operand_begin(), found)];
}

FailureOr<int64_t> Evaluation::getSize(ArrayAttr exprs) {
  auto sizes = getSizes(exprs);
  if (failed(sizes) || sizes->size() != 1)
    return failure();
  return sizes->front();
}

/// The number of elements of `shape`, if it has one below 2^40.
static std::optional<int64_t> countBounded(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(count, size, count) ||
        count >= (int64_t(1) << 40))
      return std::nullopt;
  return count;
}

FailureOr<RefTensor> Evaluation::makeResult(ArrayRef<int64_t> shape,
                                            unsigned index) {
  if (!countBounded(shape))
    return op->emitOpError() << "would give a result of sizes [" << shape
                             << "], which can't be held";
  auto type = cast<RankedTensorType>(op->getResult(index).getType());
  return RefTensor(RankedTensorType::get(shape, type.getElementType()));
}

int64_t lz::countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Sizes lz::getRowMajorStrides(ArrayRef<int64_t> shape) {
  Sizes strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= shape[dim];
  }
  return strides;
}

int64_t lz::getPosition(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape))
    position = position * size + i;
  return position;
}

void lz::forEachIndex(ArrayRef<int64_t> shape,
                      function_ref<void(ArrayRef<int64_t>)> visit) {
  int64_t count = countElements(shape);
  Sizes index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(index);
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

FailureOr<Sizes> lz::broadcastShapes(Operation *op,
                                     ArrayRef<ArrayRef<int64_t>> shapes) {
  size_t rank = 0;
  for (ArrayRef<int64_t> shape : shapes)
    rank = std::max(rank, shape.size());
  Sizes result(rank, 1);
  for (ArrayRef<int64_t> shape : shapes)
    for (auto [offset, size] : llvm::enumerate(llvm::reverse(shape))) {
      int64_t &joined = result[rank - 1 - offset];
      if (joined != size && joined != 1 && size != 1)
        return op->emitOpError() << "operands must broadcast: sizes " << joined
                                 << " and " << size;
      joined = joined == 1 ? size : joined;
    }
  return result;
}

BroadcastMap::BroadcastMap(ArrayRef<int64_t> operand, ArrayRef<int64_t> result)
    : strides(result.size(), 0) {
  Sizes own = getRowMajorStrides(operand);
  size_t lead = result.size() - operand.size();
  for (size_t dim = 0; dim != operand.size(); ++dim)
    if (operand[dim] != 1)
      strides[lead + dim] = own[dim];
}

int64_t BroadcastMap::at(ArrayRef<int64_t> index) const {
  int64_t position = 0;
  for (size_t dim = 0; dim != strides.size(); ++dim)
    position += index[dim] * strides[dim];
  return position;
}

AxisView::AxisView(ArrayRef<int64_t> shape, int64_t axis)
    : outer(countElements(shape.take_front(axis))), size(shape[axis]),
      inner(countElements(shape.drop_front(axis + 1))) {}
