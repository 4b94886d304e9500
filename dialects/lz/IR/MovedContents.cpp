//===- MovedContents.cpp - elements that an op moves ----------------------===//
//
// Exporters compute sizes and paddings in small tensors of more than one
// dimension too: PyTorch's pads are reversed in pairs by a slice and a
// transpose of [n, 2].
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/MovedContents.h"

#include "dialects/lz/IR/Rules.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lz;

using Numbers = SmallVector<int64_t>;

/// The distance between neighbours in each dimension of a row-major tensor.
static Numbers getSteps(ArrayRef<int64_t> shape) {
  Numbers steps(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    steps[dim - 1] = steps[dim] * shape[dim];
  return steps;
}

/// True if a tensor of `sizes` has few enough elements to be tracked.
static bool isSmall(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    if (size < 0 || size > ShapeAnalysis::kMaxContents ||
        (count *= size) > ShapeAnalysis::kMaxContents)
      return false;
  return true;
}

/// Appends the elements at `position` plus each combination of `steps`, all of
/// which lie inside of `contents`.
static void pick(ArrayRef<SymExpr> contents, ArrayRef<int64_t> sizes,
                 ArrayRef<int64_t> steps, int64_t position, SymShape &picked) {
  if (sizes.empty())
    return picked.push_back(contents[position]);
  for (int64_t i = 0; i != sizes.front(); ++i)
    pick(contents, sizes.drop_front(), steps.drop_front(),
         position + i * steps.front(), picked);
}

std::optional<SymShape> lz::getContents(TransposeOp op, ShapeAnalysis &shapes) {
  auto contents = shapes.getContents(op.getInput());
  auto shape = getConstants(shapes.getShape(op.getInput()));
  if (!contents || !shape || !isSmall(*shape))
    return std::nullopt;
  Numbers from = getSteps(*shape), sizes, steps;
  for (int64_t dim : op.getPermutation()) {
    sizes.push_back((*shape)[dim]);
    steps.push_back(from[dim]);
  }
  SymShape picked;
  pick(*contents, sizes, steps, 0, picked);
  return picked;
}

std::optional<SymShape> lz::getContents(SliceOp op, ShapeAnalysis &shapes) {
  auto contents = shapes.getContents(op.getInput());
  auto shape = getConstants(shapes.getShape(op.getInput()));
  auto offsets = getConstants(getExprs(op.getOffsets()));
  auto sizes = getConstants(getExprs(op.getSizes()));
  auto strides = getConstants(getExprs(op.getStrides()));
  if (!contents || !shape || !offsets || !sizes || !strides ||
      !isSmall(*shape) || !isSmall(*sizes))
    return std::nullopt;
  Numbers steps = getSteps(*shape);
  int64_t position = 0;
  for (auto [step, offset, stride, size, whole] :
       llvm::zip_equal(steps, *offsets, *strides, *sizes, *shape)) {
    // A size of 1 never takes its stride, which may be anything.
    int64_t last = offset;
    if (size > 1 && (llvm::MulOverflow(stride, size - 1, last) ||
                     llvm::AddOverflow(last, offset, last)))
      return std::nullopt;
    if (size > 0 &&
        (std::min(offset, last) < 0 || std::max(offset, last) >= whole))
      return std::nullopt;
    position += size > 0 ? offset * step : 0;
    step *= size > 1 ? stride : 0;
  }
  SymShape picked;
  pick(*contents, *sizes, steps, position, picked);
  return picked;
}

std::optional<SymShape> lz::getContents(ConcatOp op, ShapeAnalysis &shapes) {
  SmallVector<ArrayRef<SymExpr>> parts;
  size_t rows = 1;
  for (Value input : op.getInputs()) {
    auto contents = shapes.getContents(input);
    auto shape = getConstants(shapes.getShape(input));
    if (!contents || !shape || !isSmall(*shape))
      return std::nullopt;
    rows = 1;
    for (int64_t size : ArrayRef(*shape).take_front(op.getAxis()))
      rows *= size;
    parts.push_back(*contents);
  }
  SymShape joined;
  for (size_t row = 0; row != rows; ++row)
    for (ArrayRef<SymExpr> part : parts) {
      size_t width = part.size() / rows;
      llvm::append_range(joined, part.slice(row * width, width));
    }
  return joined;
}
