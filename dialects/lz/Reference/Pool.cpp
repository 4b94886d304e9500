//===- Pool.cpp - reference model of lz.pool ------------------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace lz;

namespace {
/// The sizes of a pooling, spatial dimensions only.
struct PoolSizes {
  Sizes kernel, strides, low, high, dilations, input, result;
};

/// What one window holds.
struct Window {
  /// Positions in the spatial part of the input.
  std::vector<int64_t> positions;
  /// Window elements that lie in the input or in its padding.
  int64_t padded = 0;
};
} // namespace

static FailureOr<PoolSizes> readSizes(PoolOp op, Evaluation &e) {
  FailureOr<Sizes> low = e.getSizes(op.getLow()),
                   high = e.getSizes(op.getHigh());
  FailureOr<Sizes> result = e.getSizes(op.getSizes());
  if (failed(low) || failed(high) || failed(result))
    return failure();
  return PoolSizes{Sizes(op.getKernel()),
                   Sizes(op.getStrides()),
                   *low,
                   *high,
                   Sizes(op.getDilations()),
                   Sizes(e.get(op.getInput()).getShape().drop_front(2)),
                   *result};
}

/// The window of result element `o`.
static Window getWindow(const PoolSizes &sizes, ArrayRef<int64_t> o) {
  Window window;
  forEachIndex(sizes.kernel, [&](ArrayRef<int64_t> k) {
    bool inInput = true, inPadding = true;
    int64_t position = 0;
    for (size_t dim = 0; dim != o.size(); ++dim) {
      int64_t i = o[dim] * sizes.strides[dim] + k[dim] * sizes.dilations[dim] -
                  sizes.low[dim];
      inInput &= i >= 0 && i < sizes.input[dim];
      inPadding &= i < sizes.input[dim] + sizes.high[dim];
      position = position * sizes.input[dim] + i;
    }
    if (inInput)
      window.positions.push_back(position);
    window.padded += inPadding;
  });
  return window;
}

/// The position among `positions` of the largest element of the channel that
/// begins at `base`; of equal ones the first. None of nothing.
static std::optional<int64_t> findLargest(const RefTensor &input, int64_t base,
                                          ArrayRef<int64_t> positions) {
  std::optional<int64_t> best;
  for (int64_t position : positions)
    if (!best ||
        input.getDouble(base + position) > input.getDouble(base + *best))
      best = position;
  return best;
}

/// The mean or p-norm of a window.
static double reduceWindow(PoolOp op, const RefTensor &input, int64_t base,
                           const Window &window) {
  double power = static_cast<double>(op.getPower()), sum = 0;
  for (int64_t position : window.positions) {
    double value = input.getDouble(base + position);
    sum +=
        op.getKind() == PoolKind::lp ? std::pow(std::abs(value), power) : value;
  }
  if (op.getKind() == PoolKind::lp)
    return std::pow(sum, 1 / power);
  int64_t count =
      op.getCountPadding() ? window.padded : window.positions.size();
  return sum / static_cast<double>(count);
}

/// `position`, row-major in the spatial sizes, as ONNX's `storage_order` wants.
static int64_t getIndex(PoolOp op, const PoolSizes &sizes, int64_t position) {
  if (!op.getColumnMajor())
    return position;
  Sizes index(sizes.input.size());
  for (size_t dim = index.size(); dim-- > 0;) {
    index[dim] = position % sizes.input[dim];
    position /= sizes.input[dim];
  }
  int64_t column = 0;
  for (size_t dim = index.size(); dim-- > 0;)
    column = column * sizes.input[dim] + index[dim];
  return column;
}

/// The value of a maximum of nothing.
static double getLowest(const RefTensor &tensor) {
  const ElementFormat &format = tensor.getFormat();
  if (!format.isInteger())
    return -INFINITY;
  return format.kind == ElementFormat::Signed ? -std::ldexp(1, format.bits - 1)
                                              : 0;
}

/// One result element, and its index if `indices` is there.
static void poolElement(PoolOp op, const PoolSizes &sizes,
                        const RefTensor &input, int64_t base,
                        const Window &window, RefTensor &result,
                        RefTensor *indices, int64_t target) {
  if (op.getKind() != PoolKind::max)
    return result.setDouble(target, reduceWindow(op, input, base, window));
  auto largest = findLargest(input, base, window.positions);
  if (largest)
    result.copyElement(target, input, base + *largest);
  else
    result.setDouble(target, getLowest(result));
  if (indices)
    indices->setInt(target,
                    largest ? base + getIndex(op, sizes, *largest) : -1);
}

/// ONNX MaxPool-22, AveragePool-22, LpPool-22, the result's sizes settled.
static LogicalResult evaluatePool(PoolOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<PoolSizes> sizes = readSizes(op, e);
  if (failed(sizes))
    return failure();
  Sizes shape(input.getShape().take_front(2));
  shape.append(sizes->result);
  FailureOr<RefTensor> result = e.makeResult(shape), indices;
  if (failed(result))
    return failure();
  if (op.getWithIndices())
    indices = e.makeResult(shape, 1);
  int64_t channels = shape[0] * shape[1];
  int64_t inputSize = countElements(sizes->input);
  int64_t resultSize = countElements(sizes->result);
  int64_t o = 0;
  forEachIndex(sizes->result, [&](ArrayRef<int64_t> index) {
    Window window = getWindow(*sizes, index);
    for (int64_t c = 0; c != channels; ++c)
      poolElement(op, *sizes, input, c * inputSize, window, *result,
                  op.getWithIndices() ? &*indices : nullptr,
                  c * resultSize + o);
    ++o;
  });
  (void)e.give(*result);
  return op.getWithIndices() ? e.give(*indices) : success();
}

void lz::attachPoolModels(MLIRContext &context) {
  attachReference<PoolOp, evaluatePool>(context);
}
