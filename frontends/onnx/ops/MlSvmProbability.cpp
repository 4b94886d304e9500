//===- MlSvmProbability.cpp - probabilities from pairs of classes ---------===//
//
// The score of classes i and j gives r[i][j], the probability of i among the
// two. The probabilities p of all classes are those that fit best: the smallest
//
//   sum over i, j of (r[j][i] p[i] - r[i][j] p[j])^2 = p' Q p,  sum of p = 1
//
// which LIBSVM (Wu, Lin, Weng: Probability Estimates for Multi-class
// Classification by Pairwise Coupling) improves class by class until the error
// is small. It ends early and not at the optimum, so the steps are its own, and
// each row ends by itself.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/MlSvm.h"

using namespace mlir;
using namespace lz;

/// A step per class is imported.
static constexpr int64_t kMaxClasses = 64;
static constexpr int64_t kMaxRounds = 100;

static Value number(NodeImporter &node, double value) {
  return node.scalar(node.getBuilder().getF32Type(), value);
}

namespace {
/// What the rounds of all rows share: Q [N, C, C], its diagonal [N, C], and the
/// unit matrix [C, C].
struct Coupling {
  Value matrix, diagonal, unit;
  int64_t classes;
};
} // namespace

/// r [N, C, C]; what is on its diagonal does not count.
static Value buildPairMatrix(NodeImporter &node, Value scores, int64_t classes,
                             ArrayRef<double> slopes,
                             ArrayRef<double> offsets) {
  int64_t pairs = slopes.size(), pair = 0;
  Type f32 = node.getBuilder().getF32Type();
  Value line = add(
      node, mul(node, scores, getConstant(node, slopes, pairs, f32, "prob_a")),
      getConstant(node, offsets, pairs, f32, "prob_b"));
  Value first =
      sub(node, number(node, 1), node.unary(UnaryKind::sigmoid, line));
  first = node.binary(BinaryKind::max, first, number(node, 1e-7f));
  first = node.binary(BinaryKind::min, first, number(node, 1 - 1e-7f));
  Value both = node.concat({first, sub(node, number(node, 1), first)}, 1);
  SmallVector<int64_t> places(classes * classes, 0);
  for (int64_t i = 0; i != classes; ++i)
    for (int64_t j = i + 1; j != classes; ++j, ++pair) {
      places[i * classes + j] = pair;
      places[j * classes + i] = pairs + pair;
    }
  Type i64 = node.getBuilder().getI64Type();
  Value all = node.create<GatherOp>(
      both, getConstant(node, places, classes * classes, i64, "pairs"), 1);
  if (node.failed())
    return {};
  SymExpr rows = node.getShape(scores)[0], size = node.size(classes);
  return node.reshape(all, {rows, size, size});
}

/// Q[i][j] is -r[j][i] r[i][j], and Q[i][i] the sum of r[j][i]^2 over the other
/// classes j.
static Coupling buildCoupling(NodeImporter &node, Value pairs,
                              int64_t classes) {
  SmallVector<double> unit(classes * classes, 0);
  for (int64_t i = 0; i != classes; ++i)
    unit[i * classes + i] = 1;
  Type f32 = node.getBuilder().getF32Type();
  Coupling coupling;
  coupling.classes = classes;
  coupling.unit = getConstant(node, unit, {classes, classes}, f32, "unit");
  Value others = sub(node, number(node, 1), coupling.unit);
  Value square = mul(node, mul(node, pairs, pairs), others);
  Value sum = node.reduce(ReduceKind::sum, square, 1, /*keepDims=*/false);
  Value product =
      mul(node, mul(node, pairs, node.transpose(pairs, {0, 2, 1})), others);
  if (node.failed())
    return coupling;
  SymShape column = node.getShape(sum);
  column.push_back(node.size(1));
  coupling.diagonal = sum;
  coupling.matrix =
      sub(node, mul(node, node.reshape(sum, column), coupling.unit), product);
  return coupling;
}

/// Row `index` of each matrix of [N, C, C], as [N, C].
static Value getMatrixRow(NodeImporter &node, const Coupling &coupling,
                          int64_t index) {
  Value row =
      node.sliceAxis(coupling.matrix, 1, node.size(index), node.size(1));
  return node.reshape(row, node.getShape(coupling.diagonal));
}

/// One step of a round for class `index`: it moves p [N, C], Q p [N, C] and
/// p' Q p [N, 1].
static void improve(NodeImporter &node, const Coupling &coupling, int64_t index,
                    Value &p, Value &product, Value &error) {
  auto column = [&](Value table) {
    return node.sliceAxis(table, 1, node.size(index), node.size(1));
  };
  Value diagonal = column(coupling.diagonal), own = column(product);
  Value step = divide(node, sub(node, error, own), diagonal);
  Value scale = add(node, number(node, 1), step);
  Value unit = node.sliceAxis(coupling.unit, 0, node.size(index), node.size(1));
  p = divide(node, add(node, p, mul(node, step, unit)), scale);
  Value slope =
      add(node, mul(node, step, diagonal), mul(node, number(node, 2), own));
  error = divide(node,
                 divide(node, add(node, error, mul(node, step, slope)), scale),
                 scale);
  Value row = getMatrixRow(node, coupling, index);
  product = divide(node, add(node, product, mul(node, step, row)), scale);
}

/// One round: the next p, where it is not good enough yet, and whether some row
/// is not.
static std::pair<Value, Value> buildRound(NodeImporter &node,
                                          const Coupling &coupling, Value p) {
  SymShape shape = node.getShape(p);
  shape.insert(shape.begin() + 1, node.size(1));
  Value product = node.reduce(
      ReduceKind::sum, mul(node, coupling.matrix, node.reshape(p, shape)), 2,
      /*keepDims=*/false);
  Value error = node.reduce(ReduceKind::sum, mul(node, p, product), 1,
                            /*keepDims=*/true);
  Value worst = node.reduce(
      ReduceKind::max, node.unary(UnaryKind::abs, sub(node, product, error)), 1,
      /*keepDims=*/true);
  Value isDone = node.compare(CompareKind::lt, worst,
                              number(node, 0.005f / coupling.classes));
  Value next = p;
  for (int64_t i = 0; i != coupling.classes; ++i)
    improve(node, coupling, i, next, product, error);
  next = node.create<SelectOp>(isDone, p, next);
  Value isOpen = node.cast(node.unary(UnaryKind::logical_not, isDone),
                           node.getBuilder().getI32Type());
  Value open = node.reduce(ReduceKind::max, isOpen, {0, 1}, /*keepDims=*/false);
  return {next, node.compare(CompareKind::gt, open,
                             node.scalar(node.getElement(open), 0))};
}

/// Rounds until every row is good enough, at most kMaxRounds.
static Value solve(NodeImporter &node, const Coupling &coupling, Value start) {
  if (node.failed())
    return {};
  OpBuilder &builder = node.getBuilder();
  Location loc = node.getLoc();
  Value trips = node.scalar(builder.getI64Type(), kMaxRounds);
  Value isOpen = node.scalar(builder.getI1Type(), 1);
  Region body;
  Block &block = body.emplaceBlock();
  for (Value like : {trips, isOpen, start})
    node.getShapes().setShape(block.addArgument(like.getType(), loc),
                              node.getShape(like));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    auto [next, condition] = buildRound(node, coupling, block.getArgument(2));
    if (node.failed())
      return {};
    YieldOp::create(builder, loc, ValueRange{condition, next});
  }
  auto loop = LoopOp::create(builder, loc, start.getType(), trips, isOpen,
                             start, node.exprs(SymShape()));
  loop.getBody().takeBody(body);
  return node.infer(loop);
}

Value lz::buildProbabilities(NodeImporter &node, Value scores, int64_t classes,
                             ArrayRef<double> slopes,
                             ArrayRef<double> offsets) {
  if (!node.failed() && classes > kMaxClasses)
    node.error() << "attribute 'prob_a' asks for the probabilities of "
                 << classes << " classes; at most " << kMaxClasses
                 << " are supported";
  Value pairs = buildPairMatrix(node, scores, classes, slopes, offsets);
  Coupling coupling = buildCoupling(node, pairs, classes);
  if (node.failed())
    return {};
  Value start = node.expand(number(node, 1.0f / classes),
                            node.getShape(coupling.diagonal));
  return solve(node, coupling, start);
}
