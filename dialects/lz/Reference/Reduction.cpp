//===- Reduction.cpp - reference models of reductions ---------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

/// The reduction of `values`, in double.
static double reduceDoubles(ReduceKind kind, ArrayRef<double> values) {
  double sum = 0, product = 1, absolute = 0, square = 0;
  double largest = -INFINITY, smallest = INFINITY;
  bool unordered = false;
  for (double value : values) {
    sum += value;
    product *= value;
    absolute += std::abs(value);
    square += value * value;
    largest = std::max(largest, value);
    smallest = std::min(smallest, value);
    unordered |= std::isnan(value);
  }
  switch (kind) {
  case ReduceKind::sum:
    return sum;
  case ReduceKind::mean:
    return sum / static_cast<double>(values.size());
  case ReduceKind::prod:
    return product;
  case ReduceKind::max:
    return unordered ? std::nan("") : largest;
  case ReduceKind::min:
    return unordered ? std::nan("") : smallest;
  case ReduceKind::l1:
    return absolute;
  case ReduceKind::l2:
    return std::sqrt(square);
  case ReduceKind::log_sum:
    return std::log(sum);
  case ReduceKind::sum_square:
    return square;
  case ReduceKind::log_sum_exp:
    break;
  }
  double shift = std::isfinite(largest) ? largest : 0, shifted = 0;
  for (double value : values)
    shifted += std::exp(value - shift);
  return shift + std::log(shifted);
}

/// The value that an integer type's maximum or minimum of nothing has.
static int64_t getExtreme(const ElementFormat &format, bool smallest) {
  if (format.kind == ElementFormat::Signed)
    return smallest ? INT64_MIN >> (64 - format.bits)
                    : INT64_MAX >> (64 - format.bits);
  if (format.kind == ElementFormat::Bool)
    return !smallest;
  return smallest ? 0 : static_cast<int64_t>(UINT64_MAX >> (64 - format.bits));
}

/// The reduction of integers that wraps at 64 bits; none for the kinds that
/// need real numbers.
template <typename T>
static std::optional<uint64_t> reduceIntegers(ReduceKind kind,
                                              ArrayRef<int64_t> values,
                                              const ElementFormat &format) {
  uint64_t sum = 0, product = 1, absolute = 0, square = 0;
  T largest = getExtreme(format, true), smallest = getExtreme(format, false);
  for (int64_t value : values) {
    auto bits = static_cast<uint64_t>(value);
    sum += bits;
    product *= bits;
    absolute += T(value) < 0 ? -bits : bits;
    square += bits * bits;
    largest = std::max(largest, T(value));
    smallest = std::min(smallest, T(value));
  }
  switch (kind) {
  case ReduceKind::sum:
    return sum;
  case ReduceKind::mean:
    return values.empty() ? 0 : uint64_t(T(sum) / T(values.size()));
  case ReduceKind::prod:
    return product;
  case ReduceKind::max:
    return largest;
  case ReduceKind::min:
    return smallest;
  case ReduceKind::l1:
    return absolute;
  case ReduceKind::sum_square:
    return square;
  default:
    return std::nullopt;
  }
}

/// Reduces the elements of `input` at `positions` into one of `result`.
static void reduceElements(ReduceKind kind, const RefTensor &input,
                           ArrayRef<int64_t> positions, RefTensor &result,
                           int64_t index) {
  const ElementFormat &format = input.getFormat();
  if (format.isInteger()) {
    auto values = llvm::map_to_vector(
        positions, [&](int64_t i) { return input.getInt(i); });
    auto reduced = format.kind == ElementFormat::Unsigned
                       ? reduceIntegers<uint64_t>(kind, values, format)
                       : reduceIntegers<int64_t>(kind, values, format);
    if (reduced)
      return result.setInt(index, static_cast<int64_t>(*reduced));
  }
  auto values = llvm::map_to_vector(
      positions, [&](int64_t i) { return input.getDouble(i); });
  result.setDouble(index, reduceDoubles(kind, values));
}

/// The shape that is left of `shape` without `axes`, which may stay as 1.
static Sizes dropAxes(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes,
                      bool keep) {
  Sizes kept;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(dim)))
      kept.push_back(size);
    else if (keep)
      kept.push_back(1);
  return kept;
}

/// For each element that is left, the positions of the elements it comes from.
static std::vector<std::vector<int64_t>>
groupPositions(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  Sizes kept = dropAxes(shape, axes, /*keep=*/true);
  std::vector<std::vector<int64_t>> groups(countElements(kept));
  int64_t position = 0;
  Sizes target(shape.size());
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    for (size_t dim = 0; dim != index.size(); ++dim)
      target[dim] =
          llvm::is_contained(axes, static_cast<int64_t>(dim)) ? 0 : index[dim];
    groups[getPosition(target, kept)].push_back(position++);
  });
  return groups;
}

/// ONNX ReduceSum-13, ReduceMean-18, ReduceProd-18, ReduceMax-20, ReduceMin-20,
/// ReduceL1-18, ReduceL2-18, ReduceLogSum-18, ReduceLogSumExp-18,
/// ReduceSumSquare-18.
static LogicalResult evaluateReduce(ReduceOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<RefTensor> result =
      e.makeResult(dropAxes(input.getShape(), op.getAxes(), op.getKeepDims()));
  if (failed(result))
    return failure();
  auto groups = groupPositions(input.getShape(), op.getAxes());
  for (auto [index, positions] : llvm::enumerate(groups))
    reduceElements(op.getKind(), input, positions, *result, index);
  return e.give(*result);
}

//===----------------------------------------------------------------------===//
// Index of the largest, running sums
//===----------------------------------------------------------------------===//

/// The index along the axis of the largest (or smallest) element.
static int64_t findExtreme(ArgReduceOp op, const RefTensor &input,
                           const AxisView &view, int64_t o, int64_t n) {
  int64_t best = 0;
  for (int64_t i = 1; i < view.size; ++i) {
    int order = input.compare(view.at(o, i, n), view.at(o, best, n));
    if (op.getKind() == ArgReduceKind::min)
      order = -order;
    if (order > 0 || (order == 0 && op.getSelectLast()))
      best = i;
  }
  return best;
}

/// ONNX ArgMax-13, ArgMin-13.
static LogicalResult evaluateArgReduce(ArgReduceOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  int64_t axis = op.getAxis();
  AxisView view(input.getShape(), axis);
  if (view.size == 0)
    return op.emitOpError()
           << "has nothing to choose from: dimension " << axis << " is empty";
  FailureOr<RefTensor> result =
      e.makeResult(dropAxes(input.getShape(), axis, op.getKeepDims()));
  if (failed(result))
    return failure();
  for (int64_t o = 0; o != view.outer; ++o)
    for (int64_t n = 0; n != view.inner; ++n)
      result->setInt(o * view.inner + n, findExtreme(op, input, view, o, n));
  return e.give(*result);
}

/// The running sums or products of one line.
template <typename T>
static void sumLine(CumsumOp op, int64_t size, function_ref<T(int64_t)> read,
                    function_ref<void(int64_t, T)> write) {
  T sum = op.getProduct() ? 1 : 0;
  for (int64_t step = 0; step != size; ++step) {
    int64_t i = op.getReverse() ? size - 1 - step : step;
    if (op.getExclusive())
      write(i, sum);
    sum = op.getProduct() ? sum * read(i) : sum + read(i);
    if (!op.getExclusive())
      write(i, sum);
  }
}

/// ONNX CumSum-14, CumProd-26.
static LogicalResult evaluateCumsum(CumsumOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  if (failed(result))
    return failure();
  AxisView view(input.getShape(), op.getAxis());
  for (int64_t o = 0; o != view.outer; ++o)
    for (int64_t n = 0; n != view.inner; ++n) {
      auto at = [&](int64_t i) { return view.at(o, i, n); };
      if (input.getFormat().isInteger())
        sumLine<uint64_t>(
            op, view.size, [&](int64_t i) { return input.getInt(at(i)); },
            [&](int64_t i, uint64_t sum) { result->setInt(at(i), sum); });
      else
        sumLine<double>(
            op, view.size, [&](int64_t i) { return input.getDouble(at(i)); },
            [&](int64_t i, double sum) { result->setDouble(at(i), sum); });
    }
  return e.give(*result);
}

void lz::attachReductionModels(MLIRContext &context) {
  attachReference<ReduceOp, evaluateReduce>(context);
  attachReference<ArgReduceOp, evaluateArgReduce>(context);
  attachReference<CumsumOp, evaluateCumsum>(context);
}
