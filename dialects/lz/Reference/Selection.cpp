//===- Selection.cpp - reference models of unique and box selection -------===//

#include "dialects/lz/Reference/Evaluation.h"
#include "kernels/Boxes.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Non-maximum suppression
//===----------------------------------------------------------------------===//

/// Box `index` of all of them.
static Box getBox(const RefTensor &boxes, int64_t index, bool isCenter) {
  float sides[4];
  for (int64_t i = 0; i != 4; ++i)
    sides[i] = static_cast<float>(boxes.getDouble(index * 4 + i));
  return getBox(sides, isCenter);
}

/// The boxes whose scores, from `first` on, exceed the threshold: the highest
/// score first, of equal ones the first box, NaN last.
static std::vector<int64_t> rankBoxes(const RefTensor &scores, int64_t first,
                                      int64_t count,
                                      const RefTensor *threshold) {
  std::vector<int64_t> ranked;
  for (int64_t i = 0; i != count; ++i)
    if (!threshold || scores.getDouble(first + i) > threshold->getDouble(0))
      ranked.push_back(i);
  auto isAbove = [](double a, double b) {
    return std::isnan(b) ? !std::isnan(a) : a > b;
  };
  std::sort(ranked.begin(), ranked.end(), [&](int64_t i, int64_t j) {
    double a = scores.getDouble(first + i), b = scores.getDouble(first + j);
    return isAbove(a, b) || (!isAbove(b, a) && i < j);
  });
  return ranked;
}

/// Those of `ranked` that overlap with none before by more than the threshold,
/// at most `most`. `base` is the first box of the batch.
static std::vector<int64_t> chooseBoxes(NonMaxSuppressionOp op,
                                        const RefTensor &boxes, int64_t base,
                                        ArrayRef<int64_t> ranked,
                                        float threshold, int64_t most) {
  std::vector<int64_t> chosen;
  for (int64_t i : ranked) {
    if (static_cast<int64_t>(chosen.size()) >= most)
      break;
    Box box = getBox(boxes, base + i, op.getCenterPoint());
    bool isFree = llvm::none_of(chosen, [&](int64_t j) {
      Box other = getBox(boxes, base + j, op.getCenterPoint());
      return overlaps(box, other, threshold);
    });
    if (isFree)
      chosen.push_back(i);
  }
  return chosen;
}

static LogicalResult verifySizes(NonMaxSuppressionOp op, Evaluation &e) {
  ArrayRef<int64_t> boxes = e.get(op.getBoxes()).getShape();
  ArrayRef<int64_t> scores = e.get(op.getScores()).getShape();
  if (boxes[0] != scores[0] || boxes[1] != scores[2] || boxes[2] != 4)
    return op.emitOpError() << "has boxes of sizes [" << boxes
                            << "] and scores of [" << scores << "]";
  for (Value number : op.getOperands().drop_front(2))
    if (e.get(number).getNumElements() != 1)
      return op.emitOpError() << "needs numbers of one element";
  return success();
}

/// ONNX NonMaxSuppression-11.
static LogicalResult evaluateNonMaxSuppression(NonMaxSuppressionOp op,
                                               Evaluation &e) {
  FailureOr<int64_t> limit = e.getSize(op.getLimit());
  if (failed(limit) || failed(verifySizes(op, e)))
    return failure();
  const RefTensor &boxes = e.get(op.getBoxes());
  const RefTensor &scores = e.get(op.getScores());
  int64_t classes = scores.getShape()[1], count = boxes.getShape()[1];
  int64_t lists = scores.getShape()[0] * classes, found = 0;
  FailureOr<RefTensor> indices = e.makeResult({lists * *limit, 3}, 0);
  FailureOr<RefTensor> total = e.makeResult({1}, 1);
  if (failed(indices) || failed(total))
    return failure();
  auto overlap = static_cast<float>(e.get(op.getOverlap()).getDouble(0));
  int64_t most = std::min(e.get(op.getMost()).getInt(0), *limit);
  for (int64_t list = 0; list != lists; ++list) {
    auto ranked =
        rankBoxes(scores, list * count, count, e.find(op.getThreshold()));
    for (int64_t box : chooseBoxes(op, boxes, list / classes * count, ranked,
                                   overlap, most)) {
      indices->setInt(3 * found, list / classes);
      indices->setInt(3 * found + 1, list % classes);
      indices->setInt(3 * found++ + 2, box);
    }
  }
  total->setInt(0, found);
  (void)e.give(*indices);
  return e.give(*total);
}

//===----------------------------------------------------------------------===//
// Unique
//===----------------------------------------------------------------------===//

/// -1, 0 or 1 as element `i` comes before, with or after element `j`; NaN is
/// the largest.
static int compareElements(const RefTensor &tensor, int64_t i, int64_t j) {
  if (int order = tensor.compare(i, j))
    return order;
  return std::isnan(tensor.getDouble(i)) - std::isnan(tensor.getDouble(j));
}

/// The same of the slices at `a` and `b` along the axis.
static int compareSlices(const RefTensor &input, const AxisView &view,
                         int64_t a, int64_t b) {
  for (int64_t o = 0; o != view.outer; ++o)
    for (int64_t n = 0; n != view.inner; ++n)
      if (int order =
              compareElements(input, view.at(o, a, n), view.at(o, b, n)))
        return order;
  return 0;
}

namespace {

/// Slices that are equal, by the one of them that occurs first.
struct Groups {
  std::vector<int64_t> first;   ///< of each group, in the order of the result
  std::vector<int64_t> firstOf; ///< of each slice
};

} // namespace

static Groups groupSlices(UniqueOp op, const RefTensor &input,
                          const AxisView &view) {
  std::vector<int64_t> order(view.size);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    int compared = compareSlices(input, view, a, b);
    return compared < 0 || (compared == 0 && a < b);
  });
  Groups groups;
  groups.firstOf.resize(view.size);
  for (int64_t i : order) {
    if (groups.first.empty() ||
        compareSlices(input, view, groups.first.back(), i) != 0)
      groups.first.push_back(i);
    groups.firstOf[i] = groups.first.back();
  }
  if (!op.getSorted())
    llvm::sort(groups.first);
  return groups;
}

/// Fills the results that count and number the slices.
static void numberSlices(const Groups &groups, RefTensor &indices,
                         RefTensor &inverse, RefTensor &counts) {
  std::vector<int64_t> numberOf(groups.firstOf.size());
  for (auto [number, slice] : llvm::enumerate(groups.first)) {
    indices.setInt(number, slice);
    numberOf[slice] = number;
  }
  for (auto [i, first] : llvm::enumerate(groups.firstOf)) {
    int64_t number = numberOf[first];
    inverse.setInt(i, number);
    counts.setInt(number, counts.getInt(number) + 1);
  }
}

/// ONNX Unique-11.
static LogicalResult evaluateUnique(UniqueOp op, Evaluation &e) {
  const RefTensor &input = e.get(op.getInput());
  AxisView view(input.getShape(), op.getAxis());
  FailureOr<RefTensor> results[] = {
      e.makeResult(input.getShape(), 0), e.makeResult({view.size}, 1),
      e.makeResult({view.size}, 2), e.makeResult({view.size}, 3),
      e.makeResult({1}, 4)};
  if (llvm::any_of(results, [](auto &result) { return failed(result); }))
    return failure();
  Groups groups = groupSlices(op, input, view);
  numberSlices(groups, *results[1], *results[2], *results[3]);
  for (auto [number, slice] : llvm::enumerate(groups.first))
    for (int64_t o = 0; o != view.outer; ++o)
      for (int64_t n = 0; n != view.inner; ++n)
        results[0]->copyElement(view.at(o, number, n), input,
                                view.at(o, slice, n));
  results[4]->setInt(0, groups.first.size());
  for (FailureOr<RefTensor> &result : results)
    (void)e.give(*result);
  return success();
}

void lz::attachSelectionModels(MLIRContext &context) {
  attachReference<NonMaxSuppressionOp, evaluateNonMaxSuppression>(context);
  attachReference<UniqueOp, evaluateUnique>(context);
}
