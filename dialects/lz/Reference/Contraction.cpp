//===- Contraction.cpp - reference models of products and convolutions ----===//
//
// Floats are summed in double, integers wrap at 64 bits, and each result is
// rounded (or cut) to the element type once.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

/// The elements of a tensor as numbers to sum: double, or 64-bit integers that
/// wrap.
template <typename T>
static std::vector<T> readElements(const RefTensor &tensor) {
  std::vector<T> values(tensor.getNumElements());
  for (size_t i = 0; i != values.size(); ++i)
    if constexpr (std::is_same_v<T, double>)
      values[i] = tensor.getDouble(i);
    else
      values[i] = static_cast<T>(tensor.getInt(i));
  return values;
}

static void store(RefTensor &result, int64_t index, double value) {
  result.setDouble(index, value);
}
static void store(RefTensor &result, int64_t index, uint64_t value) {
  result.setInt(index, static_cast<int64_t>(value));
}

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

namespace {
/// An operand as a batch of matrices: element (r, c) of the matrix at `m` is at
/// m + r * rowStride + c * columnStride.
struct MatrixView {
  MatrixView(ArrayRef<int64_t> shape, bool isLhs, bool transposed) {
    batch = Sizes(shape.drop_back(std::min<size_t>(2, shape.size())));
    if (shape.size() == 1) {
      rows = isLhs ? 1 : shape[0];
      columns = isLhs ? shape[0] : 1;
      rowStride = isLhs ? 0 : 1;
      columnStride = isLhs ? 1 : 0;
      return;
    }
    rows = shape[shape.size() - 2];
    columns = shape.back();
    rowStride = columns;
    columnStride = 1;
    if (transposed) {
      std::swap(rows, columns);
      std::swap(rowStride, columnStride);
    }
  }
  int64_t rows, columns, rowStride, columnStride;
  Sizes batch;
};
} // namespace

/// Multiplies the matrices at `a` and `b` into `result` from `position` on.
template <typename T>
static void multiply(const MatrixView &left, const T *a,
                     const MatrixView &right, const T *b, RefTensor &result,
                     int64_t position) {
  for (int64_t r = 0; r != left.rows; ++r)
    for (int64_t c = 0; c != right.columns; ++c) {
      T sum = 0;
      for (int64_t k = 0; k != left.columns; ++k)
        sum += a[r * left.rowStride + k * left.columnStride] *
               b[k * right.rowStride + c * right.columnStride];
      store(result, position++, sum);
    }
}

template <typename T>
static void multiplyBatch(const MatrixView &left, const RefTensor &lhs,
                          const MatrixView &right, const RefTensor &rhs,
                          ArrayRef<int64_t> batch, RefTensor &result) {
  std::vector<T> a = readElements<T>(lhs), b = readElements<T>(rhs);
  BroadcastMap leftMap(left.batch, batch), rightMap(right.batch, batch);
  int64_t position = 0;
  forEachIndex(batch, [&](ArrayRef<int64_t> index) {
    multiply(left, a.data() + leftMap.at(index) * left.rows * left.columns,
             right, b.data() + rightMap.at(index) * right.rows * right.columns,
             result, position);
    position += left.rows * right.columns;
  });
}

/// ONNX MatMul-13, Gemm-13.
static LogicalResult evaluateMatmul(MatmulOp op, Evaluation &e) {
  const RefTensor &lhs = e.get(op.getLhs()), &rhs = e.get(op.getRhs());
  MatrixView left(lhs.getShape(), true, op.getTransposeLhs());
  MatrixView right(rhs.getShape(), false, op.getTransposeRhs());
  auto batch = broadcastShapes(op, {left.batch, right.batch});
  if (failed(batch))
    return failure();
  if (left.columns != right.rows)
    return op.emitOpError() << "multiplies matrices of " << left.columns
                            << " columns and " << right.rows << " rows";
  Sizes shape = *batch;
  if (lhs.getRank() > 1)
    shape.push_back(left.rows);
  if (rhs.getRank() > 1)
    shape.push_back(right.columns);
  FailureOr<RefTensor> result = e.makeResult(shape);
  if (failed(result))
    return failure();
  if (result->getFormat().isInteger())
    multiplyBatch<uint64_t>(left, lhs, right, rhs, *batch, *result);
  else
    multiplyBatch<double>(left, lhs, right, rhs, *batch, *result);
  return e.give(*result);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of a convolution, or of a transposed one.
struct ConvSizes {
  Sizes strides, dilations, low, high;
  int64_t groups;
  Sizes input, filter, result; // spatial sizes only
};
} // namespace

template <typename Op>
static FailureOr<ConvSizes> readConvSizes(Op op, Evaluation &e) {
  FailureOr<Sizes> low = e.getSizes(op.getLow()),
                   high = e.getSizes(op.getHigh());
  if (failed(low) || failed(high))
    return failure();
  ConvSizes sizes;
  sizes.strides = Sizes(op.getStrides());
  sizes.dilations = Sizes(op.getDilations());
  sizes.low = *low;
  sizes.high = *high;
  sizes.groups = op.getGroups();
  sizes.input = Sizes(e.get(op.getInput()).getShape().drop_front(2));
  sizes.filter = Sizes(e.get(op.getFilter()).getShape().drop_front(2));
  return sizes;
}

/// The position in the input's spatial part that the window at `o` reads for
/// filter element `k`; none if that is padding.
static std::optional<int64_t> getWindowPosition(const ConvSizes &sizes,
                                                ArrayRef<int64_t> o,
                                                ArrayRef<int64_t> k) {
  int64_t position = 0;
  for (size_t dim = 0; dim != o.size(); ++dim) {
    int64_t i = o[dim] * sizes.strides[dim] + k[dim] * sizes.dilations[dim] -
                sizes.low[dim];
    if (i < 0 || i >= sizes.input[dim])
      return std::nullopt;
    position = position * sizes.input[dim] + i;
  }
  return position;
}

/// One result element: the sum over the channels of a group and the filter.
/// `x` is the first channel's input, `w` the output channel's filter.
template <typename T>
static T sumWindow(const ConvSizes &sizes, ArrayRef<int64_t> o, const T *x,
                   const T *w, int64_t channels) {
  int64_t inputSize = countElements(sizes.input);
  int64_t filterSize = countElements(sizes.filter);
  T sum = 0;
  int64_t tap = 0;
  forEachIndex(sizes.filter, [&](ArrayRef<int64_t> k) {
    if (auto position = getWindowPosition(sizes, o, k))
      for (int64_t c = 0; c != channels; ++c)
        sum += x[c * inputSize + *position] * w[c * filterSize + tap];
    ++tap;
  });
  return sum;
}

template <typename T>
static void convolve(const ConvSizes &sizes, const RefTensor &input,
                     const RefTensor &filter, const RefTensor *bias,
                     RefTensor &result) {
  std::vector<T> x = readElements<T>(input), w = readElements<T>(filter);
  std::vector<T> b = bias ? readElements<T>(*bias) : std::vector<T>();
  int64_t batch = input.getShape()[0], outputs = filter.getShape()[0];
  int64_t channels = filter.getShape()[1];
  int64_t inputSize = countElements(sizes.input);
  int64_t filterSize = countElements(sizes.filter);
  int64_t position = 0;
  for (int64_t n = 0; n != batch; ++n)
    for (int64_t m = 0; m != outputs; ++m) {
      int64_t group = m / (outputs / sizes.groups);
      const T *image =
          x.data() + (n * sizes.groups + group) * channels * inputSize;
      const T *taps = w.data() + m * channels * filterSize;
      forEachIndex(sizes.result, [&](ArrayRef<int64_t> o) {
        T sum = sumWindow(sizes, o, image, taps, channels);
        store(result, position++, bias ? sum + b[m] : sum);
      });
    }
}

/// ONNX Conv-22.
static LogicalResult evaluateConv(ConvOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput()),
                  &filter = e.get(op.getFilter());
  FailureOr<ConvSizes> sizes = readConvSizes(op, e);
  if (failed(sizes))
    return failure();
  if (input.getShape()[1] != filter.getShape()[1] * sizes->groups ||
      filter.getShape()[0] % sizes->groups != 0)
    return op.emitOpError()
           << "has " << input.getShape()[1] << " channels in " << sizes->groups
           << " groups for a filter of [" << filter.getShape() << "]";
  Sizes shape = {input.getShape()[0], filter.getShape()[0]};
  for (size_t dim = 0; dim != sizes->input.size(); ++dim) {
    int64_t room = sizes->input[dim] + sizes->low[dim] + sizes->high[dim] -
                   sizes->dilations[dim] * (sizes->filter[dim] - 1) - 1;
    if (room < 0)
      return op.emitOpError() << "has a filter that does not fit into spatial "
                                 "dimension "
                              << dim;
    sizes->result.push_back(room / sizes->strides[dim] + 1);
  }
  shape.append(sizes->result);
  FailureOr<RefTensor> result = e.makeResult(shape);
  if (failed(result))
    return failure();
  const RefTensor *bias = e.find(op.getBias());
  if (result->getFormat().isInteger())
    convolve<uint64_t>(*sizes, input, filter, bias, *result);
  else
    convolve<double>(*sizes, input, filter, bias, *result);
  return e.give(*result);
}

/// Where input element `i` lands in the result through filter element `k`; none
/// if that is cropped.
static std::optional<int64_t>
getTarget(const ConvSizes &sizes, ArrayRef<int64_t> i, ArrayRef<int64_t> k) {
  int64_t position = 0;
  for (size_t dim = 0; dim != i.size(); ++dim) {
    int64_t o = i[dim] * sizes.strides[dim] + k[dim] * sizes.dilations[dim] -
                sizes.low[dim];
    if (o < 0 || o >= sizes.result[dim])
      return std::nullopt;
    position = position * sizes.result[dim] + o;
  }
  return position;
}

/// Adds what one input channel gives to one output channel.
template <typename T>
static void scatterChannel(const ConvSizes &sizes, const T *x, const T *w,
                           T *y) {
  int64_t from = 0;
  forEachIndex(sizes.input, [&](ArrayRef<int64_t> i) {
    int64_t tap = 0;
    forEachIndex(sizes.filter, [&](ArrayRef<int64_t> k) {
      if (auto target = getTarget(sizes, i, k))
        y[*target] += x[from] * w[tap];
      ++tap;
    });
    ++from;
  });
}

template <typename T>
static void convolveTransposed(const ConvSizes &sizes, const RefTensor &input,
                               const RefTensor &filter, const RefTensor *bias,
                               RefTensor &result) {
  std::vector<T> x = readElements<T>(input), w = readElements<T>(filter);
  std::vector<T> b = bias ? readElements<T>(*bias) : std::vector<T>();
  int64_t batch = input.getShape()[0], channels = input.getShape()[1];
  int64_t perGroup = filter.getShape()[1], outputs = perGroup * sizes.groups;
  int64_t inputSize = countElements(sizes.input);
  int64_t filterSize = countElements(sizes.filter);
  int64_t resultSize = countElements(sizes.result);
  std::vector<T> y(batch * outputs * resultSize);
  for (size_t i = 0; bias && i != y.size(); ++i)
    y[i] = b[i / resultSize % outputs];
  for (int64_t n = 0; n != batch; ++n)
    for (int64_t c = 0; c != channels; ++c)
      for (int64_t m = 0; m != perGroup; ++m) {
        int64_t group = c / (channels / sizes.groups);
        scatterChannel(sizes, x.data() + (n * channels + c) * inputSize,
                       w.data() + (c * perGroup + m) * filterSize,
                       y.data() +
                           (n * outputs + group * perGroup + m) * resultSize);
      }
  for (size_t i = 0; i != y.size(); ++i)
    store(result, i, y[i]);
}

/// ONNX ConvTranspose-22.
static LogicalResult evaluateConvTranspose(ConvTransposeOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput()),
                  &filter = e.get(op.getFilter());
  FailureOr<ConvSizes> sizes = readConvSizes(op, e);
  if (failed(sizes))
    return failure();
  if (input.getShape()[1] != filter.getShape()[0] ||
      input.getShape()[1] % sizes->groups != 0)
    return op.emitOpError()
           << "has " << input.getShape()[1] << " channels in " << sizes->groups
           << " groups for a filter of [" << filter.getShape() << "]";
  Sizes shape = {input.getShape()[0], filter.getShape()[1] * sizes->groups};
  for (size_t dim = 0; dim != sizes->input.size(); ++dim)
    sizes->result.push_back(sizes->strides[dim] * (sizes->input[dim] - 1) +
                            op.getExtra()[dim] +
                            sizes->dilations[dim] * (sizes->filter[dim] - 1) +
                            1 - sizes->low[dim] - sizes->high[dim]);
  shape.append(sizes->result);
  FailureOr<RefTensor> result = e.makeResult(shape);
  if (failed(result))
    return failure();
  const RefTensor *bias = e.find(op.getBias());
  if (result->getFormat().isInteger())
    convolveTransposed<uint64_t>(*sizes, input, filter, bias, *result);
  else
    convolveTransposed<double>(*sizes, input, filter, bias, *result);
  return e.give(*result);
}

void lz::attachContractionModels(MLIRContext &context) {
  attachReference<MatmulOp, evaluateMatmul>(context);
  attachReference<ConvOp, evaluateConv>(context);
  attachReference<ConvTransposeOp, evaluateConvTranspose>(context);
}
