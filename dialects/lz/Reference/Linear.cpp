//===- Linear.cpp - reference models of transforms and determinants -------===//

#include "dialects/lz/Reference/Evaluation.h"

#include <cmath>

using namespace mlir;
using namespace lz;

using Complex = std::complex<double>;

//===----------------------------------------------------------------------===//
// Fourier transform
//===----------------------------------------------------------------------===//

/// The signal along the axis at (o, n): cut or filled up with zeros, and the
/// half that a one-sided inverse leaves out.
static std::vector<Complex> readSignal(DftOp op, const RefTensor &input,
                                       const AxisView &view, int64_t parts,
                                       int64_t o, int64_t n, int64_t length) {
  bool isHalf = op.getOnesided() && op.getInverse();
  std::vector<Complex> signal(length);
  int64_t given = std::min(view.size, isHalf ? length / 2 + 1 : length);
  for (int64_t k = 0; k != given; ++k) {
    int64_t position = view.at(o, k, n * parts);
    double imaginary = parts == 2 ? input.getDouble(position + 1) : 0;
    // What is its own mirror image is real.
    if (isHalf && (k == 0 || 2 * k == length))
      imaginary = 0;
    signal[k] = {input.getDouble(position), imaginary};
    if (isHalf && k != 0)
      signal[length - k] = std::conj(signal[k]);
  }
  return signal;
}

/// Element `k` of the transform, added up term by term.
static Complex transform(ArrayRef<Complex> signal, int64_t k, bool inverse) {
  auto length = static_cast<int64_t>(signal.size());
  Complex sum = 0;
  for (int64_t n = 0; n != length; ++n) {
    auto turn = static_cast<double>(k * n % length);
    double angle = 2 * M_PI * turn / static_cast<double>(length);
    sum += signal[n] * std::polar(1.0, inverse ? angle : -angle);
  }
  return inverse ? sum / static_cast<double>(length) : sum;
}

/// ONNX DFT-20.
static LogicalResult evaluateDft(DftOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<int64_t> length = e.getSize(op.getLength());
  if (failed(length))
    return failure();
  int64_t parts = input.getShape().back();
  if (parts < 1 || parts > 2 || *length < 1)
    return op.emitOpError()
           << "transforms " << *length << " numbers of " << parts << " parts";
  Sizes shape(input.getShape());
  bool isReal = op.getOnesided() && op.getInverse();
  shape[op.getAxis()] =
      op.getOnesided() && !op.getInverse() ? *length / 2 + 1 : *length;
  shape.back() = isReal ? 1 : 2;
  FailureOr<RefTensor> result = e.makeResult(shape);
  if (failed(result))
    return failure();
  AxisView view(input.getShape(), op.getAxis()), target(shape, op.getAxis());
  for (int64_t o = 0; o != target.outer; ++o)
    for (int64_t n = 0; n != target.inner / shape.back(); ++n) {
      auto signal = readSignal(op, input, view, parts, o, n, *length);
      for (int64_t k = 0; k != target.size; ++k) {
        Complex value = transform(signal, k, op.getInverse());
        int64_t position = target.at(o, k, n * shape.back());
        result->setDouble(position, value.real());
        if (!isReal)
          result->setDouble(position + 1, value.imag());
      }
    }
  return e.give(*result);
}

//===----------------------------------------------------------------------===//
// Determinant
//===----------------------------------------------------------------------===//

/// The determinant of a matrix of n rows: the product of the pivots, by
/// elimination of columns.
static double eliminate(MutableArrayRef<double> matrix, int64_t n) {
  double product = 1;
  for (int64_t k = 0; k != n; ++k) {
    int64_t pivot = k;
    for (int64_t row = k + 1; row != n; ++row)
      if (std::abs(matrix[row * n + k]) > std::abs(matrix[pivot * n + k]))
        pivot = row;
    if (matrix[pivot * n + k] == 0)
      return 0;
    if (pivot != k)
      product = -product;
    for (int64_t column = 0; column != n; ++column)
      std::swap(matrix[pivot * n + column], matrix[k * n + column]);
    product *= matrix[k * n + k];
    for (int64_t row = k + 1; row != n; ++row) {
      double factor = matrix[row * n + k] / matrix[k * n + k];
      for (int64_t column = k; column != n; ++column)
        matrix[row * n + column] -= factor * matrix[k * n + column];
    }
  }
  return product;
}

/// ONNX Det-22.
static LogicalResult evaluateDet(DetOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  ArrayRef<int64_t> shape = input.getShape();
  int64_t n = shape.back();
  if (shape[shape.size() - 2] != n)
    return op.emitOpError() << "has matrices of " << shape[shape.size() - 2]
                            << " rows and " << n << " columns";
  FailureOr<RefTensor> result = e.makeResult(shape.drop_back(2));
  if (failed(result))
    return failure();
  std::vector<double> matrix(n * n);
  for (int64_t i = 0; i != result->getNumElements(); ++i) {
    for (int64_t k = 0; k != n * n; ++k)
      matrix[k] = input.getDouble(i * n * n + k);
    result->setDouble(i, eliminate(matrix, n));
  }
  return e.give(*result);
}

void lz::attachLinearModels(MLIRContext &context) {
  attachReference<DftOp, evaluateDft>(context);
  attachReference<DetOp, evaluateDet>(context);
}
