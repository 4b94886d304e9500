//===- MlLinear.cpp - linear models ---------------------------------------===//

#include "frontends/onnx/ops/MlCommon.h"

using namespace mlir;
using namespace lz;

/// Products with the coefficients plus `intercepts`, unless there are none.
static Value buildScores(NodeImporter &node, int64_t columns,
                         ArrayRef<double> intercepts) {
  Value products = buildProducts(node, columns);
  if (intercepts.empty())
    return products;
  Type f32 = node.getBuilder().getF32Type();
  return node.binary(BinaryKind::add, products,
                     getConstant(node, intercepts, columns, f32, "intercepts"));
}

static LogicalResult importLinearRegressor(NodeImporter &node) {
  int64_t targets = node.getInt("targets", 1);
  if (targets < 1 || targets > kMaxMlElements)
    return node.error() << "attribute 'targets' is " << targets
                        << ", expected 1 to " << kMaxMlElements;
  SmallVector<double> intercepts = getFloatList(node, "intercepts");
  if (!intercepts.empty())
    requireCount(node, "intercepts", intercepts.size(), targets);
  PostTransform transform = getPostTransform(node);
  Value scores = buildScores(node, targets, intercepts);
  return node.finish(applyTransform(node, scores, transform));
}

/// One row of coefficients tells two classes apart, by the sign of its score,
/// which is that of the second class.
static LogicalResult finishBinary(NodeImporter &node, Value score,
                                  ArrayRef<int64_t> labels,
                                  PostTransform transform) {
  if (labels.empty()) {
    Value label = chooseLabel(node, getColumn(node, score, 0), 0, 1, 0);
    return node.finish({label, applyTransform(node, score, transform)});
  }
  requireCount(node, "classlabels_ints", labels.size(), 2);
  if (node.failed())
    return failure();
  Value label =
      chooseLabel(node, getColumn(node, score, 0), 0, labels[1], labels[0]);
  return node.finish(
      {label, buildBothScores(node, score, /*isShare=*/true, transform)});
}

static LogicalResult importLinearClassifier(NodeImporter &node) {
  refuseStrings(node, "classlabels_strings");
  SmallVector<int64_t> labels = getIntList(node, "classlabels_ints");
  SmallVector<double> intercepts = getFloatList(node, "intercepts");
  PostTransform transform = getPostTransform(node);
  int64_t classes = intercepts.empty() ? labels.size() : intercepts.size();
  if (node.failed())
    return failure();
  if (classes == 0)
    return node.error() << "needs attribute 'intercepts' or 'classlabels_ints'";
  Value scores = buildScores(node, classes, intercepts);
  if (classes == 1)
    return finishBinary(node, scores, labels, transform);
  requireCount(node, "classlabels_ints", labels.size(), classes);
  return node.finish({getBestLabel(node, scores, labels),
                      applyTransform(node, scores, transform)});
}

void lz::registerMlLinear(HandlerTable &handlers) {
  handlers["LinearRegressor"] = importLinearRegressor;
  handlers["LinearClassifier"] = importLinearClassifier;
}
