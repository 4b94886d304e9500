//===- MlEnsemble.cpp - tree ensembles as operators -----------------------===//

#include "frontends/onnx/ops/MlTree.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Regression
//===----------------------------------------------------------------------===//

static Aggregate getAggregate(NodeImporter &node) {
  std::string text = node.getString("aggregate_function", "SUM");
  auto aggregate = llvm::StringSwitch<std::optional<Aggregate>>(text)
                       .Case("AVERAGE", Aggregate::Average)
                       .Case("SUM", Aggregate::Sum)
                       .Case("MIN", Aggregate::Min)
                       .Case("MAX", Aggregate::Max)
                       .Default(std::nullopt);
  if (!aggregate && !node.failed())
    node.error() << "attribute 'aggregate_function' is '" << text
                 << "', expected 'AVERAGE', 'SUM', 'MIN' or 'MAX'";
  return aggregate.value_or(Aggregate::Sum);
}

/// `scores` plus one number per target, unless there are none.
static Value addBases(NodeImporter &node, Value scores,
                      ArrayRef<double> bases) {
  if (bases.empty())
    return scores;
  return node.binary(BinaryKind::add, scores,
                     getConstant(node, bases,
                                 static_cast<int64_t>(bases.size()),
                                 node.getElement(scores), "base_values"));
}

/// `scores` plus base values; 0 where a target has no weight in any leaf.
static Value addBasesToScored(NodeImporter &node, const Forest &forest,
                              Value scores, Value leaves,
                              ArrayRef<double> bases) {
  Value sums = addBases(node, scores, bases);
  if (bases.empty() || forest.targets == 1 || node.failed() ||
      llvm::all_of(findScored(forest), [](bool scored) { return scored; }))
    return sums;
  return node.create<SelectOp>(buildHasScore(node, forest, leaves), sums,
                               node.scalar(node.getElement(sums), 0));
}

static LogicalResult importRegressor(NodeImporter &node) {
  Type type = getThresholdType(node);
  Aggregate aggregate = getAggregate(node);
  PostTransform transform = getPostTransform(node);
  Forest forest = readForest(node, "target", node.getInt("n_targets", 0));
  SmallVector<double> bases = getFloatsOrTensor(node, "base_values");
  if (!bases.empty())
    requireCount(node, "base_values", bases.size(), forest.targets);
  Value leaves = buildLeaves(node, forest, type);
  Value scores = buildForestScores(node, forest, leaves, type, aggregate);
  scores = addBasesToScored(node, forest, scores, leaves, bases);
  scores = node.cast(scores, node.getBuilder().getF32Type());
  return node.finish(applyTransform(node, scores, transform));
}

/// An attribute that is one of the numbers below `count`.
static int64_t getChoice(NodeImporter &node, StringRef name, int64_t fallback,
                         int64_t count) {
  int64_t value = node.getInt(name, fallback);
  if (value >= 0 && value < count)
    return value;
  if (!node.failed())
    node.error() << "attribute '" << name << "' is " << value
                 << ", expected 0 to " << count - 1;
  return fallback;
}

static LogicalResult importTreeEnsemble(NodeImporter &node) {
  Type type = getThresholdType(node);
  auto aggregate = Aggregate(getChoice(node, "aggregate_function", 1, 4));
  auto transform = PostTransform(getChoice(node, "post_transform", 0, 5));
  Forest forest = readForestOfBranches(node);
  Value leaves = buildLeaves(node, forest, type);
  Value scores = buildForestScores(node, forest, leaves, type, aggregate);
  // Transforms are of floats, whatever the type of the result.
  if (transform != PostTransform::None)
    scores = node.cast(scores, node.getBuilder().getF32Type());
  scores = applyTransform(node, scores, transform);
  return node.finish(node.cast(scores, node.getElement(node.operand(0))));
}

//===----------------------------------------------------------------------===//
// Classification
//===----------------------------------------------------------------------===//

namespace {
/// What the attributes of a classifier say.
struct Classifier {
  Forest forest;
  SmallVector<int64_t> labels;
  SmallVector<double> bases;
  PostTransform transform = PostTransform::None;
  /// The classes that always have a score. The forest is without the second of
  /// two that never has one.
  std::vector<bool> scored;
  /// Two classes, and all weights are of one of them.
  bool isBinary = false;
  bool hasNegative = false; // a weight below 0

  /// Whether the only score of two classes is the share of one of them.
  bool isShare() const { return isBinary && !hasNegative; }
  /// Whether the second of two classes has a score in every row.
  bool hasTwoScores() const { return forest.targets == 2 && scored[1]; }
};
} // namespace

static Classifier readClassifier(NodeImporter &node) {
  Classifier model;
  refuseStrings(node, "classlabels_strings");
  model.labels = getIntList(node, "classlabels_int64s");
  model.transform = getPostTransform(node);
  model.forest = readForest(node, "class", model.labels.size());
  model.bases = getFloatsOrTensor(node, "base_values");
  if (node.failed())
    return model;
  llvm::SmallSet<int64_t, 2> classes;
  for (const LeafWeight &weight : model.forest.weights) {
    classes.insert(weight.target);
    model.hasNegative |= weight.weight < 0;
  }
  model.isBinary = model.labels.size() == 2 && classes.size() == 1;
  if (model.labels.size() == 2 && !classes.contains(1))
    model.forest.targets = 1;
  model.scored = findScored(model.forest);
  return model;
}

/// Three classes or more: the label of the best score. A class that no leaf has
/// a weight for does not take part, unless all have a base value.
static LogicalResult finishMany(NodeImporter &node, const Classifier &model,
                                Value scores, Value leaves) {
  if (!model.bases.empty())
    requireCount(node, "base_values", model.bases.size(), model.labels.size());
  scores = addBases(node, scores, model.bases);
  Value compared = scores;
  bool takeAllPart =
      !model.bases.empty() ||
      llvm::all_of(model.scored, [](bool scored) { return scored; });
  if (!takeAllPart && !node.failed())
    compared =
        node.create<SelectOp>(buildHasScore(node, model.forest, leaves), scores,
                              node.scalar(node.getElement(scores), -INFINITY));
  Value label = getBestLabel(node, compared, model.labels);
  Value result = node.cast(scores, node.getBuilder().getF32Type());
  return node.finish({label, applyTransform(node, result, model.transform)});
}

/// The label by the sign of `score` [rows] or, of one class's weights none of
/// which is negative, by whether it is more than a half.
static Value chooseClass(NodeImporter &node, const Classifier &model,
                         Value score) {
  double threshold = model.isShare() ? 0.5 : 0;
  int64_t second = model.isBinary ? model.labels[1] : 1;
  int64_t first = model.isBinary ? model.labels[0] : 0;
  return chooseLabel(node, score, threshold, second, first);
}

/// The label that `score` [rows, 1] decides on, and the scores.
static LogicalResult finishByScore(NodeImporter &node, const Classifier &model,
                                   Value score, Value scores) {
  Value label = chooseClass(node, model, getColumn(node, score, 0));
  return node.finish({label, scores});
}

static LogicalResult finishOne(NodeImporter &node, const Classifier &model,
                               Value scores) {
  if (!model.bases.empty())
    requireCount(node, "base_values", model.bases.size(), 1);
  scores = addBases(node, scores, model.bases);
  Value result = node.cast(scores, node.getBuilder().getF32Type());
  return finishByScore(node, model, scores,
                       applyTransform(node, result, model.transform));
}

static Value sliceColumn(NodeImporter &node, Value table, int64_t index) {
  return node.sliceAxis(table, 1, node.size(index), node.size(1));
}

/// The score of the first of two classes, [rows, 1]: the base value is its own,
/// where a leaf has a weight for it.
static Value buildFirstScore(NodeImporter &node, const Classifier &model,
                             Value scores, Value leaves) {
  Value first = sliceColumn(node, scores, 0);
  if (model.bases.empty())
    return first;
  first = addBases(node, first, model.bases);
  if (model.scored[0] || node.failed())
    return first;
  Value hasScore = buildHasScore(node, model.forest, leaves);
  return node.create<SelectOp>(sliceColumn(node, hasScore, 0), first,
                               node.scalar(node.getElement(first), 0));
}

/// Two classes. The second one's score decides; but where no leaf has a weight
/// for it, that of the first one does, and stands for both.
static LogicalResult finishTwo(NodeImporter &node, const Classifier &model,
                               Value scores, Value leaves) {
  if (model.bases.size() > 1)
    return node.error() << "attribute 'base_values' has " << model.bases.size()
                        << " elements; for two classes, one or none is "
                           "supported";
  Type f32 = node.getBuilder().getF32Type();
  Value first = buildFirstScore(node, model, scores, leaves), both;
  if (!model.hasTwoScores())
    both = buildBothScores(node, node.cast(first, f32), model.isShare(),
                           model.transform);
  if (model.forest.targets == 1)
    return finishByScore(node, model, first, both);
  Value second = sliceColumn(node, scores, 1);
  Value pair = node.cast(node.concat({first, second}, 1), f32);
  pair = applyTransform(node, pair, model.transform);
  if (model.hasTwoScores())
    return finishByScore(node, model, second, pair);
  Value hasScore = buildHasScore(node, model.forest, leaves);
  Value hasSecond = sliceColumn(node, hasScore, 1);
  return finishByScore(node, model,
                       node.create<SelectOp>(hasSecond, second, first),
                       node.create<SelectOp>(hasSecond, pair, both));
}

static LogicalResult importClassifier(NodeImporter &node) {
  Type type = getThresholdType(node);
  Classifier model = readClassifier(node);
  Value leaves = buildLeaves(node, model.forest, type);
  Value scores =
      buildForestScores(node, model.forest, leaves, type, Aggregate::Sum);
  if (node.failed())
    return failure();
  if (model.labels.size() == 1)
    return finishOne(node, model, scores);
  if (model.labels.size() == 2)
    return finishTwo(node, model, scores, leaves);
  return finishMany(node, model, scores, leaves);
}

void lz::registerMlTree(HandlerTable &handlers) {
  handlers["TreeEnsemble"] = importTreeEnsemble;
  handlers["TreeEnsembleClassifier"] = importClassifier;
  handlers["TreeEnsembleRegressor"] = importRegressor;
}
