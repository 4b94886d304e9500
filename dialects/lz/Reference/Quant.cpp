//===- Quant.cpp - reference models of quantization -----------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace lz;

/// The position in the scale's tensor that serves `index` of the input: one for
/// all, one per element of the axis, or one per block along it.
template <typename Op>
static int64_t getScalePosition(Op op, const RefTensor &scale,
                                ArrayRef<int64_t> index) {
  if (scale.getNumElements() == 1)
    return 0;
  int64_t axis = op.getAxis(), block = op.getBlock();
  if (block == 0)
    return index[axis];
  Sizes position(index);
  position[axis] /= block;
  return getPosition(position, scale.getShape());
}

/// The sizes that a scale of one value per element or per block must have.
template <typename Op>
static Sizes getScaleShape(Op op, ArrayRef<int64_t> input) {
  int64_t axis = op.getAxis(), block = op.getBlock();
  if (block == 0)
    return {input[axis]};
  Sizes shape(input);
  shape[axis] = (input[axis] + block - 1) / block;
  return shape;
}

template <typename Op>
static LogicalResult verifyScale(Op op, const RefTensor &input,
                                 const RefTensor &scale,
                                 const RefTensor *zero) {
  bool fits = scale.getNumElements() == 1 ||
              scale.getShape() ==
                  ArrayRef<int64_t>(getScaleShape(op, input.getShape()));
  if (fits && (!zero || zero->getNumElements() == scale.getNumElements()))
    return success();
  return op.emitOpError() << "has a scale of sizes [" << scale.getShape()
                          << "] that does not fit the input's ["
                          << input.getShape() << "]";
}

/// Stores a quantized value, limited to what the element type holds.
static void storeSaturated(RefTensor &result, int64_t index, double value) {
  const ElementFormat &format = result.getFormat();
  if (format.kind == ElementFormat::Float) {
    double largest = APFloat::getLargest(*format.semantics).convertToDouble();
    return result.setDouble(index, std::isnan(value)
                                       ? value
                                       : std::clamp(value, -largest, largest));
  }
  double low = format.kind == ElementFormat::Signed
                   ? -std::ldexp(1, format.bits - 1)
                   : 0;
  double high = std::ldexp(1, format.bits) + low - 1;
  result.setDouble(index, std::clamp(value, low, high));
}

/// ONNX QuantizeLinear-25: the quotient is rounded as the scale's type has it,
/// then to an integer, halves to even.
static LogicalResult evaluateQuantize(QuantizeOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput()), &scale = e.get(op.getScale());
  const RefTensor *zero = e.find(op.getZeroPoint());
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  if (failed(result) || failed(verifyScale(op, input, scale, zero)))
    return failure();
  bool integer = result->getFormat().isInteger();
  int64_t position = 0;
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t at = getScalePosition(op, scale, index);
    double value = roundToType(scale.getElementType(),
                               input.getDouble(position) / scale.getDouble(at));
    double offset = zero ? zero->getDouble(at) : 0;
    storeSaturated(*result, position++,
                   (integer ? std::nearbyint(value) : value) + offset);
  });
  return e.give(*result);
}

/// ONNX DequantizeLinear-25.
static LogicalResult evaluateDequantize(DequantizeOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput()), &scale = e.get(op.getScale());
  const RefTensor *zero = e.find(op.getZeroPoint());
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  if (failed(result) || failed(verifyScale(op, input, scale, zero)))
    return failure();
  int64_t position = 0;
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t at = getScalePosition(op, scale, index);
    double value = input.getDouble(position) - (zero ? zero->getDouble(at) : 0);
    result->setDouble(position++, value * scale.getDouble(at));
  });
  return e.give(*result);
}

void lz::attachQuantModels(MLIRContext &context) {
  attachReference<QuantizeOp, evaluateQuantize>(context);
  attachReference<DequantizeOp, evaluateDequantize>(context);
}
