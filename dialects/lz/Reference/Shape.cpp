//===- Shape.cpp - reference models of operations that move data ----------===//
//
// Elements are copied bit by bit, so every element type is served.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

/// Fills `result` with the element of `source` that `map` names for each index.
static void copyElements(RefTensor &result, const RefTensor &source,
                         function_ref<int64_t(ArrayRef<int64_t> index)> map) {
  int64_t position = 0;
  forEachIndex(result.getShape(), [&](ArrayRef<int64_t> index) {
    result.copyElement(position++, source, map(index));
  });
}

/// ONNX Transpose-25.
static LogicalResult evaluateTranspose(TransposeOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  Sizes shape, strides, own = getRowMajorStrides(input.getShape());
  for (int64_t dim : op.getPermutation()) {
    shape.push_back(input.getShape()[dim]);
    strides.push_back(own[dim]);
  }
  FailureOr<RefTensor> result = e.makeResult(shape);
  if (failed(result))
    return failure();
  copyElements(*result, input, [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [i, stride] : llvm::zip_equal(index, strides))
      position += i * stride;
    return position;
  });
  return e.give(*result);
}

/// ONNX Reshape-25, its sizes settled.
static LogicalResult evaluateReshape(ReshapeOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<Sizes> shape = e.getSizes(op.getSizes());
  if (failed(shape) || failed(e.makeResult(*shape)))
    return failure();
  if (countElements(*shape) != input.getNumElements())
    return op.emitOpError() << "can't give " << input.getNumElements()
                            << " elements the sizes [" << *shape << "]";
  return e.give(input.reshaped(*shape));
}

/// ONNX Expand-13.
static LogicalResult evaluateExpand(ExpandOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<Sizes> sizes = e.getSizes(op.getSizes());
  if (failed(sizes))
    return failure();
  auto shape = broadcastShapes(op, {input.getShape(), *sizes});
  if (failed(shape))
    return failure();
  FailureOr<RefTensor> result = e.makeResult(*shape);
  if (failed(result))
    return failure();
  BroadcastMap map(input.getShape(), *shape);
  copyElements(*result, input,
               [&](ArrayRef<int64_t> index) { return map.at(index); });
  return e.give(*result);
}

static LogicalResult evaluateSizes(SizesOp op, Evaluation &e) {
  FailureOr<Sizes> elements = e.getSizes(op.getElements());
  if (failed(elements))
    return failure();
  FailureOr<RefTensor> result = e.makeResult(op.getShape());
  if (failed(result))
    return failure();
  if (result->getNumElements() != static_cast<int64_t>(elements->size()))
    return op.emitOpError() << "has " << elements->size() << " elements for "
                            << result->getNumElements();
  for (auto [index, value] : llvm::enumerate(*elements))
    result->setInt(index, value);
  return e.give(*result);
}

static LogicalResult evaluateBind(BindOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  SymShape symbols = getExprs(op.getSymbols());
  if (input.getNumElements() != static_cast<int64_t>(symbols.size()))
    return op.emitOpError() << "binds " << symbols.size() << " symbols to "
                            << input.getNumElements() << " elements";
  for (auto [index, symbol] : llvm::enumerate(symbols))
    if (failed(e.getEvaluator().bindChecked(op, symbol, input.getInt(index))))
      return failure();
  return success();
}

/// Fails with an error unless the slice reads inside the input.
static LogicalResult verifySlice(SliceOp op, ArrayRef<int64_t> input,
                                 ArrayRef<int64_t> offsets,
                                 ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> strides) {
  for (size_t dim = 0; dim != input.size(); ++dim) {
    int64_t last = offsets[dim] + (sizes[dim] - 1) * strides[dim];
    bool inside = offsets[dim] >= 0 && offsets[dim] < input[dim] && last >= 0 &&
                  last < input[dim];
    if (sizes[dim] > 0 && !inside)
      return op.emitOpError()
             << "reads " << offsets[dim] << ".." << last << " of dimension "
             << dim << ", whose size is " << input[dim];
  }
  return success();
}

/// ONNX Slice-13, its bounds settled.
static LogicalResult evaluateSlice(SliceOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<Sizes> offsets = e.getSizes(op.getOffsets());
  FailureOr<Sizes> sizes = e.getSizes(op.getSizes());
  FailureOr<Sizes> strides = e.getSizes(op.getStrides());
  if (failed(offsets) || failed(sizes) || failed(strides) ||
      failed(verifySlice(op, input.getShape(), *offsets, *sizes, *strides)))
    return failure();
  FailureOr<RefTensor> result = e.makeResult(*sizes);
  if (failed(result))
    return failure();
  Sizes source(sizes->size());
  copyElements(*result, input, [&](ArrayRef<int64_t> index) {
    for (size_t dim = 0; dim != index.size(); ++dim)
      source[dim] = (*offsets)[dim] + index[dim] * (*strides)[dim];
    return getPosition(source, input.getShape());
  });
  return e.give(*result);
}

/// Copies `part` to where it begins along `axis` of `result`.
static void copyPart(const RefTensor &part, RefTensor &result, int64_t axis,
                     int64_t begin) {
  AxisView from(part.getShape(), axis), to(result.getShape(), axis);
  for (int64_t o = 0; o != from.outer; ++o)
    for (int64_t i = 0; i != from.size; ++i)
      for (int64_t n = 0; n != from.inner; ++n)
        result.copyElement(to.at(o, begin + i, n), part, from.at(o, i, n));
}

/// ONNX Concat-13.
static LogicalResult evaluateConcat(ConcatOp op, Evaluation &e) {
  int64_t axis = op.getAxis();
  Sizes shape(e.get(op.getInputs()[0]).getShape());
  shape[axis] = 0;
  for (Value input : op.getInputs()) {
    Sizes part(e.get(input).getShape());
    int64_t size = part[axis];
    part[axis] = shape[axis];
    if (part != shape)
      return op.emitOpError() << "can't join a part of sizes ["
                              << e.get(input).getShape() << "] along dimension "
                              << axis << " to one of sizes [" << shape << "]";
    shape[axis] += size;
  }
  FailureOr<RefTensor> result = e.makeResult(shape);
  if (failed(result))
    return failure();
  int64_t begin = 0;
  for (Value input : op.getInputs()) {
    copyPart(e.get(input), *result, axis, begin);
    begin += e.get(input).getShape()[axis];
  }
  return e.give(*result);
}

//===----------------------------------------------------------------------===//
// Pad and tile
//===----------------------------------------------------------------------===//

static int64_t floorMod(int64_t a, int64_t b) { return ((a % b) + b) % b; }

/// The coordinate that position `i` (outside or inside [0, size)) reads; -1 for
/// the constant.
static int64_t getPadSource(PadKind kind, int64_t i, int64_t size) {
  bool inside = i >= 0 && i < size;
  if (inside || kind == PadKind::constant)
    return inside ? i : -1;
  if (kind == PadKind::edge)
    return i < 0 ? 0 : size - 1;
  if (kind == PadKind::wrap)
    return floorMod(i, size);
  // Reflection has the period 2 * (size - 1).
  int64_t period = std::max<int64_t>(1, 2 * (size - 1));
  int64_t folded = floorMod(i, period);
  return folded < size ? folded : period - folded;
}

/// The sizes of a padded tensor; an error if there is nothing to repeat.
static FailureOr<Sizes> getPaddedShape(PadOp op, ArrayRef<int64_t> input,
                                       ArrayRef<int64_t> low,
                                       ArrayRef<int64_t> high) {
  Sizes shape;
  for (auto [size, before, after] : llvm::zip_equal(input, low, high)) {
    shape.push_back(size + before + after);
    if (size == 0 && shape.back() > 0 && op.getKind() != PadKind::constant)
      return op.emitOpError() << "can't repeat the elements of an empty "
                                 "dimension";
  }
  return shape;
}

/// ONNX Pad-25; negative counts crop.
static LogicalResult evaluatePad(PadOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<Sizes> low = e.getSizes(op.getLow()),
                   high = e.getSizes(op.getHigh());
  if (failed(low) || failed(high))
    return failure();
  auto shape = getPaddedShape(op, input.getShape(), *low, *high);
  if (failed(shape))
    return failure();
  FailureOr<RefTensor> result = e.makeResult(*shape);
  if (failed(result))
    return failure();
  const RefTensor *value = e.find(op.getValue());
  int64_t position = 0;
  Sizes source(shape->size());
  forEachIndex(*shape, [&](ArrayRef<int64_t> index) {
    bool outside = false;
    for (size_t dim = 0; dim != index.size(); ++dim) {
      source[dim] = getPadSource(op.getKind(), index[dim] - (*low)[dim],
                                 input.getShape()[dim]);
      outside |= source[dim] < 0;
    }
    if (!outside)
      result->copyElement(position, input,
                          getPosition(source, input.getShape()));
    else if (value)
      result->copyElement(position, *value, 0);
    ++position;
  });
  return e.give(*result);
}

/// ONNX Tile-13.
static LogicalResult evaluateTile(TileOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<Sizes> repeats = e.getSizes(op.getRepeats());
  if (failed(repeats))
    return failure();
  Sizes shape;
  for (auto [size, count] : llvm::zip_equal(input.getShape(), *repeats))
    shape.push_back(size * count);
  FailureOr<RefTensor> result = e.makeResult(shape);
  if (failed(result))
    return failure();
  Sizes source(shape.size());
  copyElements(*result, input, [&](ArrayRef<int64_t> index) {
    for (size_t dim = 0; dim != index.size(); ++dim)
      source[dim] = index[dim] % input.getShape()[dim];
    return getPosition(source, input.getShape());
  });
  return e.give(*result);
}

//===----------------------------------------------------------------------===//
// Range and triangles
//===----------------------------------------------------------------------===//

/// ONNX Range-27, its number of elements settled.
static LogicalResult evaluateRange(RangeOp op, Evaluation &e) {
  const RefTensor &start = e.get(op.getStart()), &delta = e.get(op.getDelta());
  FailureOr<int64_t> size = e.getSize(op.getSize());
  if (failed(size))
    return failure();
  FailureOr<RefTensor> result = e.makeResult(*size);
  if (failed(result))
    return failure();
  bool integer = start.getFormat().isInteger();
  for (int64_t i = 0; i != *size; ++i)
    if (integer)
      result->setInt(i, start.getInt(0) + i * delta.getInt(0));
    else
      result->setDouble(i, start.getDouble(0) + i * delta.getDouble(0));
  return e.give(*result);
}

/// ONNX Trilu-14.
static LogicalResult evaluateTrilu(TriluOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<int64_t> k = e.getSize(op.getK());
  if (failed(k))
    return failure();
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  if (failed(result))
    return failure();
  int64_t position = 0;
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t row = index[index.size() - 2], column = index.back();
    bool kept = op.getUpper() ? column >= row + *k : column <= row + *k;
    if (kept)
      result->copyElement(position, input, position);
    ++position;
  });
  return e.give(*result);
}

void lz::attachShapeModels(MLIRContext &context) {
  attachReference<TransposeOp, evaluateTranspose>(context);
  attachReference<ReshapeOp, evaluateReshape>(context);
  attachReference<ExpandOp, evaluateExpand>(context);
  attachReference<SizesOp, evaluateSizes>(context);
  attachReference<BindOp, evaluateBind>(context);
  attachReference<SliceOp, evaluateSlice>(context);
  attachReference<ConcatOp, evaluateConcat>(context);
  attachReference<PadOp, evaluatePad>(context);
  attachReference<TileOp, evaluateTile>(context);
  attachReference<RangeOp, evaluateRange>(context);
  attachReference<TriluOp, evaluateTrilu>(context);
}
