//===- Index.cpp - reference models of ops steered by index data ----------===//

#include "dialects/lz/Reference/Evaluation.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace lz;

/// An index that counts from the end if negative, moved to the nearest valid
/// one.
static int64_t clampIndex(int64_t index, int64_t size) {
  return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size - 1);
}

/// Fails with an error if elements are to be taken from nothing.
static LogicalResult verifyNotEmpty(Operation *op, const RefTensor &source,
                                    const RefTensor &result) {
  if (source.getNumElements() == 0 && result.getNumElements() != 0)
    return op->emitOpError() << "takes elements from an empty tensor";
  return success();
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// ONNX Gather-13.
static LogicalResult evaluateGather(GatherOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  const RefTensor &indices = e.get(op.getIndices());
  int64_t axis = op.getAxis();
  Sizes shape(input.getShape().take_front(axis));
  shape.append(indices.getShape().begin(), indices.getShape().end());
  shape.append(input.getShape().begin() + axis + 1, input.getShape().end());
  FailureOr<RefTensor> result = e.makeResult(shape);
  if (failed(result) || failed(verifyNotEmpty(op, input, *result)))
    return failure();
  AxisView view(input.getShape(), axis);
  int64_t position = 0;
  for (int64_t o = 0; o != view.outer; ++o)
    for (int64_t i = 0; i != indices.getNumElements(); ++i)
      for (int64_t n = 0; n != view.inner; ++n)
        result->copyElement(
            position++, input,
            view.at(o, clampIndex(indices.getInt(i), view.size), n));
  return e.give(*result);
}

/// ONNX GatherElements-13.
static LogicalResult evaluateGatherElements(GatherElementsOp op,
                                            Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  const RefTensor &indices = e.get(op.getIndices());
  FailureOr<RefTensor> result = e.makeResult(indices.getShape());
  if (failed(result) || failed(verifyNotEmpty(op, input, *result)))
    return failure();
  for (int64_t dim = 0; dim != input.getRank(); ++dim)
    if (dim != static_cast<int64_t>(op.getAxis()) &&
        indices.getShape()[dim] > input.getShape()[dim])
      return op.emitOpError()
             << "has more indices in dimension " << dim << " than elements";
  int64_t position = 0, size = input.getShape()[op.getAxis()];
  forEachIndex(indices.getShape(), [&](ArrayRef<int64_t> index) {
    Sizes source(index);
    source[op.getAxis()] = clampIndex(indices.getInt(position), size);
    result->copyElement(position++, input,
                        getPosition(source, input.getShape()));
  });
  return e.give(*result);
}

/// ONNX GatherND-13.
static LogicalResult evaluateGatherNd(GatherNdOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  const RefTensor &indices = e.get(op.getIndices());
  int64_t batch = op.getBatchDims(), length = indices.getShape().back();
  ArrayRef<int64_t> tail = input.getShape().drop_front(batch + length);
  Sizes shape(indices.getShape().drop_back());
  shape.append(tail.begin(), tail.end());
  FailureOr<RefTensor> result = e.makeResult(shape);
  if (failed(result) || failed(verifyNotEmpty(op, input, *result)))
    return failure();
  int64_t slice = countElements(tail), tuple = 0;
  ArrayRef<int64_t> lead = input.getShape().take_front(batch + length);
  forEachIndex(indices.getShape().drop_back(), [&](ArrayRef<int64_t> index) {
    Sizes source(index.take_front(batch));
    for (int64_t k = 0; k != length; ++k)
      source.push_back(
          clampIndex(indices.getInt(tuple * length + k), lead[batch + k]));
    int64_t begin = getPosition(source, lead) * slice;
    for (int64_t n = 0; n != slice; ++n)
      result->copyElement(tuple * slice + n, input, begin + n);
    ++tuple;
  });
  return e.give(*result);
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

template <typename T> static T combine(ScatterKind kind, T old, T update) {
  switch (kind) {
  case ScatterKind::none:
    return update;
  case ScatterKind::add:
    return old + update;
  case ScatterKind::mul:
    return old * update;
  case ScatterKind::max:
    return std::max(old, update);
  case ScatterKind::min:
    return std::min(old, update);
  }
  return update;
}

/// Combines element `from` of `updates` into element `target` of `result`.
static void applyUpdate(ScatterKind kind, RefTensor &result, int64_t target,
                        const RefTensor &updates, int64_t from) {
  if (kind == ScatterKind::none)
    return result.copyElement(target, updates, from);
  const ElementFormat &format = result.getFormat();
  bool ordered = kind == ScatterKind::max || kind == ScatterKind::min;
  if (!format.isInteger())
    return result.setDouble(target, combine(kind, result.getDouble(target),
                                            updates.getDouble(from)));
  // Sums and products wrap, and are the same for either sign.
  if (format.kind == ElementFormat::Signed && ordered)
    return result.setInt(
        target, combine(kind, result.getInt(target), updates.getInt(from)));
  result.setInt(target,
                static_cast<int64_t>(combine<uint64_t>(
                    kind, result.getInt(target), updates.getInt(from))));
}

/// ONNX ScatterElements-18.
static LogicalResult evaluateScatterElements(ScatterElementsOp op,
                                             Evaluation &e) {
  RefTensor result = e.get(op.getInput());
  const RefTensor &indices = e.get(op.getIndices());
  const RefTensor &updates = e.get(op.getUpdates());
  if (indices.getShape() != updates.getShape())
    return op.emitOpError()
           << "has indices of sizes [" << indices.getShape()
           << "] and updates of [" << updates.getShape() << "]";
  for (int64_t dim = 0; dim != result.getRank(); ++dim)
    if (dim != static_cast<int64_t>(op.getAxis()) &&
        indices.getShape()[dim] > result.getShape()[dim])
      return op.emitOpError()
             << "has more indices in dimension " << dim << " than elements";
  int64_t position = 0, size = result.getShape()[op.getAxis()];
  forEachIndex(indices.getShape(), [&](ArrayRef<int64_t> index) {
    Sizes target(index);
    int64_t i = indices.getInt(position);
    target[op.getAxis()] = i < 0 ? i + size : i;
    if (i >= -size && i < size)
      applyUpdate(op.getKind(), result, getPosition(target, result.getShape()),
                  updates, position);
    ++position;
  });
  return e.give(std::move(result));
}

/// The position that the index tuple at `tuple` names in `lead`; none if it is
/// out of range.
static std::optional<int64_t> getTuplePosition(const RefTensor &indices,
                                               int64_t tuple,
                                               ArrayRef<int64_t> lead) {
  int64_t position = 0;
  for (auto [k, size] : llvm::enumerate(lead)) {
    int64_t i = indices.getInt(tuple * static_cast<int64_t>(lead.size()) + k);
    if (i < -size || i >= size)
      return std::nullopt;
    position = position * size + (i < 0 ? i + size : i);
  }
  return position;
}

/// ONNX ScatterND-18.
static LogicalResult evaluateScatterNd(ScatterNdOp op, Evaluation &e) {
  RefTensor result = e.get(op.getInput());
  const RefTensor &indices = e.get(op.getIndices());
  const RefTensor &updates = e.get(op.getUpdates());
  int64_t length = indices.getShape().back();
  ArrayRef<int64_t> lead = result.getShape().take_front(length);
  int64_t slice = countElements(result.getShape().drop_front(length));
  int64_t tuples = countElements(indices.getShape().drop_back());
  if (updates.getNumElements() != tuples * slice)
    return op.emitOpError() << "has " << updates.getNumElements()
                            << " updates, expected " << tuples * slice;
  for (int64_t tuple = 0; tuple != tuples; ++tuple)
    if (auto position = getTuplePosition(indices, tuple, lead))
      for (int64_t n = 0; n != slice; ++n)
        applyUpdate(op.getKind(), result, *position * slice + n, updates,
                    tuple * slice + n);
  return e.give(std::move(result));
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// ONNX OneHot-11.
static LogicalResult evaluateOneHot(OneHotOp op, Evaluation &e) {
  const RefTensor &indices = e.get(op.getIndices());
  const RefTensor &values = e.get(op.getValues());
  FailureOr<int64_t> depth = e.getSize(op.getDepth());
  if (failed(depth))
    return failure();
  Sizes shape(indices.getShape());
  shape.insert(shape.begin() + op.getAxis(), *depth);
  FailureOr<RefTensor> result = e.makeResult(shape);
  if (failed(result))
    return failure();
  AxisView view(shape, op.getAxis());
  for (int64_t o = 0; o != view.outer; ++o)
    for (int64_t i = 0; i != view.size; ++i)
      for (int64_t n = 0; n != view.inner; ++n) {
        int64_t index = indices.getInt(o * view.inner + n);
        bool on = (index < 0 ? index + *depth : index) == i;
        result->copyElement(view.at(o, i, n), values, on);
      }
  return e.give(*result);
}

/// True if element `i` comes before element `j` in descending order. NaN counts
/// as the largest value.
static bool isGreater(const RefTensor &tensor, int64_t i, int64_t j) {
  if (tensor.getFormat().kind == ElementFormat::Unsigned)
    return static_cast<uint64_t>(tensor.getInt(i)) >
           static_cast<uint64_t>(tensor.getInt(j));
  if (tensor.getFormat().isInteger())
    return tensor.getInt(i) > tensor.getInt(j);
  double a = tensor.getDouble(i), b = tensor.getDouble(j);
  return std::isnan(a) ? !std::isnan(b) : a > b;
}

/// The order along the axis of the line at (o, n); equal elements by index.
static std::vector<int64_t> sortLine(TopKOp op, const RefTensor &input,
                                     const AxisView &view, int64_t o,
                                     int64_t n) {
  std::vector<int64_t> order(view.size);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    int64_t a = view.at(o, i, n), b = view.at(o, j, n);
    if (!op.getLargest())
      std::swap(a, b);
    bool before = isGreater(input, a, b), after = isGreater(input, b, a);
    return before || (!after && i < j);
  });
  return order;
}

/// ONNX TopK-24.
static LogicalResult evaluateTopK(TopKOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  FailureOr<int64_t> k = e.getSize(op.getK());
  if (failed(k))
    return failure();
  AxisView view(input.getShape(), op.getAxis());
  if (*k > view.size)
    return op.emitOpError()
           << "takes " << *k << " of " << view.size << " elements";
  Sizes shape(input.getShape());
  shape[op.getAxis()] = *k;
  FailureOr<RefTensor> values = e.makeResult(shape, 0);
  FailureOr<RefTensor> indices = e.makeResult(shape, 1);
  if (failed(values) || failed(indices))
    return failure();
  AxisView target(shape, op.getAxis());
  for (int64_t o = 0; o != view.outer; ++o)
    for (int64_t n = 0; n != view.inner; ++n) {
      std::vector<int64_t> order = sortLine(op, input, view, o, n);
      for (int64_t i = 0; i != *k; ++i) {
        values->copyElement(target.at(o, i, n), input, view.at(o, order[i], n));
        indices->setInt(target.at(o, i, n), order[i]);
      }
    }
  (void)e.give(*values);
  return e.give(*indices);
}

/// True unless element `i` is zero or an empty string.
static bool isNonZero(const RefTensor &tensor, int64_t i) {
  if (tensor.getFormat().kind == ElementFormat::String)
    return !tensor.getStrings()[i].empty();
  return tensor.getBool(i);
}

/// ONNX NonZero-13. Binds the count.
static LogicalResult evaluateNonZero(NonZeroOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  std::vector<Sizes> found;
  int64_t position = 0;
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    if (isNonZero(input, position++))
      found.push_back(Sizes(index));
  });
  int64_t count = found.size();
  FailureOr<RefTensor> result = e.makeResult({input.getRank(), count});
  if (failed(result) || failed(e.getEvaluator().bindChecked(
                            op, getExprs(op.getCount()).front(), count)))
    return failure();
  for (int64_t dim = 0; dim != input.getRank(); ++dim)
    for (int64_t i = 0; i != count; ++i)
      result->setInt(dim * count + i, found[i][dim]);
  return e.give(*result);
}

/// ONNX ReverseSequence-10. A length is limited to the sequence.
static LogicalResult evaluateReverseSequence(ReverseSequenceOp op,
                                             Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  const RefTensor &lengths = e.get(op.getLengths());
  int64_t batch = op.getBatchAxis(), time = op.getTimeAxis();
  if (lengths.getNumElements() != input.getShape()[batch])
    return op.emitOpError()
           << "has " << lengths.getNumElements() << " lengths for "
           << input.getShape()[batch] << " sequences";
  FailureOr<RefTensor> result = e.makeResult(input.getShape());
  if (failed(result))
    return failure();
  int64_t position = 0;
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    Sizes source(index);
    int64_t length =
        std::min(lengths.getInt(index[batch]), input.getShape()[time]);
    if (index[time] < length)
      source[time] = length - 1 - index[time];
    result->copyElement(position++, input,
                        getPosition(source, input.getShape()));
  });
  return e.give(*result);
}

void lz::attachIndexModels(MLIRContext &context) {
  attachReference<GatherOp, evaluateGather>(context);
  attachReference<GatherElementsOp, evaluateGatherElements>(context);
  attachReference<GatherNdOp, evaluateGatherNd>(context);
  attachReference<ScatterElementsOp, evaluateScatterElements>(context);
  attachReference<ScatterNdOp, evaluateScatterNd>(context);
  attachReference<OneHotOp, evaluateOneHot>(context);
  attachReference<TopKOp, evaluateTopK>(context);
  attachReference<NonZeroOp, evaluateNonZero>(context);
  attachReference<ReverseSequenceOp, evaluateReverseSequence>(context);
}
