//===- MlTree.cpp - the scores of a tree ensemble -------------------------===//
//
// All rows go down all trees at once. The state is a tensor [rows, trees] of
// nodes, the roots at first; each step replaces every node by the next one:
//
//   x    = input[row, features[node]]
//   node = next[node, outcome of comparing x with thresholds[node]]
//
// A leaf is followed by itself, so as many steps as the deepest tree has
// branches bring every tree to a leaf.
//
// The columns of `next` are the outcomes. If all branches compare alike, they
// are false and true. Else they are less, equal, greater and not a number, and
// what each mode makes of these is in the table, as is where NaN shall go.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/MlTree.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace lz;

/// So many steps are imported one by one. Deeper trees go on in a loop, which
/// takes steps of which the last may be too many.
static constexpr int64_t kUnrolled = 24;
static constexpr int64_t kStepsPerTrip = 8;

Type lz::getThresholdType(NodeImporter &node) {
  Type type = node.getElement(node.operand(0));
  return type.isF64() ? type : node.getBuilder().getF32Type();
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {
enum class Outcome { Less, Equal, Greater, Nan };

/// What the steps read.
struct Walk {
  Value rows; // [rows, features]
  Value features, thresholds, next;
  Value roots;
  /// How all branches compare; none if they don't compare alike.
  std::optional<CompareKind> uniform;
  int64_t columns = 0, branches = 0, depth = 0;
  /// The sets of members and where those of a branch lie; null without sets.
  Value members, firstMembers, memberEnds;
  int64_t largestSet = 0;
};
} // namespace

/// True if `outcome` is an answer to what `branch` asks.
static bool isTrue(const Branch &branch, Outcome outcome) {
  if (outcome == Outcome::Nan)
    return branch.isTrueForNan || branch.mode == BranchMode::Neq;
  // Nothing is less than, equal to or greater than NaN.
  if (std::isnan(branch.threshold) && branch.mode != BranchMode::Member)
    return branch.mode == BranchMode::Neq;
  switch (branch.mode) {
  case BranchMode::Leq:
    return outcome != Outcome::Greater;
  case BranchMode::Lt:
    return outcome == Outcome::Less;
  case BranchMode::Gte:
    return outcome != Outcome::Less;
  case BranchMode::Gt:
    return outcome == Outcome::Greater;
  case BranchMode::Neq:
    return outcome != Outcome::Equal;
  case BranchMode::Eq:
  case BranchMode::Member:
    return outcome == Outcome::Equal;
  }
  return false;
}

static CompareKind getCompareKind(BranchMode mode) {
  switch (mode) {
  case BranchMode::Leq:
    return CompareKind::le;
  case BranchMode::Lt:
    return CompareKind::lt;
  case BranchMode::Gte:
    return CompareKind::ge;
  case BranchMode::Gt:
    return CompareKind::gt;
  case BranchMode::Neq:
    return CompareKind::ne;
  case BranchMode::Eq:
  case BranchMode::Member:
    return CompareKind::eq;
  }
  return CompareKind::eq;
}

/// The comparison that all branches make, if there is one and it settles where
/// NaN goes.
static std::optional<CompareKind> findUniform(const Forest &forest) {
  BranchMode mode = forest.branches.front().mode;
  bool isUniform = llvm::all_of(forest.branches, [&](const Branch &branch) {
    return branch.mode == mode && !branch.isTrueForNan;
  });
  if (!isUniform || mode == BranchMode::Member)
    return std::nullopt;
  return getCompareKind(mode);
}

/// The table of next nodes, [branches, columns].
static SmallVector<int64_t> listNext(const Forest &forest, bool isUniform) {
  SmallVector<int64_t> next;
  for (const Branch &branch : forest.branches) {
    if (isUniform) {
      next.append({branch.onFalse, branch.onTrue});
      continue;
    }
    for (Outcome outcome :
         {Outcome::Less, Outcome::Equal, Outcome::Greater, Outcome::Nan})
      next.push_back(isTrue(branch, outcome) ? branch.onTrue : branch.onFalse);
  }
  return next;
}

/// A number of each branch, as a constant.
template <typename T, typename Read>
static Value getBranchTable(NodeImporter &node, const Forest &forest, Type type,
                            StringRef what, Read read) {
  SmallVector<T> values = llvm::map_to_vector(
      forest.branches, [&](const Branch &branch) -> T { return read(branch); });
  return getConstant(node, ArrayRef<T>(values),
                     static_cast<int64_t>(values.size()), type, what);
}

/// What a branch that has a set compares with by order: nothing is equal to it.
static double getThreshold(const Branch &branch) {
  return branch.mode == BranchMode::Member ? std::nan("") : branch.threshold;
}

static void addMemberTables(NodeImporter &node, const Forest &forest, Type type,
                            Walk &walk) {
  if (forest.members.empty())
    return;
  Type i32 = node.getBuilder().getI32Type();
  walk.members =
      getConstant(node, ArrayRef(forest.members),
                  static_cast<int64_t>(forest.members.size()), type, "members");
  walk.firstMembers = getBranchTable<int64_t>(
      node, forest, i32, "first_members",
      [](const Branch &branch) { return branch.firstMember; });
  walk.memberEnds = getBranchTable<int64_t>(
      node, forest, i32, "member_ends",
      [](const Branch &branch) { return branch.memberEnd; });
  for (const Branch &branch : forest.branches)
    walk.largestSet =
        std::max(walk.largestSet, branch.memberEnd - branch.firstMember);
}

static Walk prepareWalk(NodeImporter &node, const Forest &forest, Type type) {
  Walk walk;
  Type i32 = node.getBuilder().getI32Type();
  walk.branches = forest.branches.size();
  walk.depth = forest.depth;
  walk.rows = getRows(node, type);
  walk.roots =
      getConstant(node, ArrayRef(forest.roots),
                  static_cast<int64_t>(forest.roots.size()), i32, "roots");
  if (forest.branches.empty())
    return walk;
  walk.uniform = findUniform(forest);
  walk.columns = walk.uniform ? 2 : 4;
  SmallVector<int64_t> next = listNext(forest, walk.uniform.has_value());
  walk.next = getConstant(node, next, static_cast<int64_t>(next.size()), i32,
                          "next_nodes");
  walk.features = getBranchTable<int64_t>(
      node, forest, i32, "features",
      [](const Branch &branch) { return branch.feature; });
  walk.thresholds =
      getBranchTable<double>(node, forest, type, "thresholds", getThreshold);
  addMemberTables(node, forest, type, walk);
  return walk;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Whether `x` is in the set of the branch `state`: a binary search between the
/// ends of the set.
static Value buildIsMember(NodeImporter &node, const Walk &walk, Value state,
                           Value x) {
  Type i32 = node.getBuilder().getI32Type();
  Value low = node.create<GatherOp>(walk.firstMembers, state, 0);
  Value end = node.create<GatherOp>(walk.memberEnds, state, 0), high = end;
  Value one = node.scalar(i32, 1), two = node.scalar(i32, 2);
  int64_t steps = llvm::Log2_64(walk.largestSet) + 1;
  for (int64_t i = 0; i != steps; ++i) {
    Value sum = node.binary(BinaryKind::add, low, high);
    Value middle = node.binary(BinaryKind::div, sum, two);
    Value found = node.create<GatherOp>(walk.members, middle, 0);
    Value isOpen = node.compare(CompareKind::lt, low, high);
    Value isBelow = node.compare(CompareKind::lt, found, x);
    Value isRight = node.binary(BinaryKind::logical_and, isOpen, isBelow);
    Value after = node.binary(BinaryKind::add, middle, one);
    low = node.create<SelectOp>(isRight, after, low);
    high = node.create<SelectOp>(isBelow, high, middle);
  }
  Value found = node.create<GatherOp>(walk.members, low, 0);
  return node.binary(BinaryKind::logical_and,
                     node.compare(CompareKind::lt, low, end),
                     node.compare(CompareKind::eq, found, x));
}

/// The column of the table of next nodes for each element of `x`.
static Value buildColumn(NodeImporter &node, const Walk &walk, Value state,
                         Value x) {
  Type i32 = node.getBuilder().getI32Type();
  auto column = [&](Outcome outcome) {
    return node.scalar(i32, static_cast<int>(outcome));
  };
  Value threshold = node.create<GatherOp>(walk.thresholds, state, 0);
  if (walk.uniform)
    return node.cast(node.compare(*walk.uniform, x, threshold), i32);
  Value isLess = node.compare(CompareKind::lt, x, threshold);
  Value isEqual = node.compare(CompareKind::eq, x, threshold);
  if (walk.members)
    isEqual = node.binary(BinaryKind::logical_or, isEqual,
                          buildIsMember(node, walk, state, x));
  Value result = node.create<SelectOp>(isLess, column(Outcome::Less),
                                       column(Outcome::Greater));
  result = node.create<SelectOp>(isEqual, column(Outcome::Equal), result);
  return node.create<SelectOp>(node.unary(UnaryKind::is_nan, x),
                               column(Outcome::Nan), result);
}

/// The nodes after `state`, which is [trees] at the roots and [rows, trees]
/// below them. Leaves read what the last branch has, and stay.
static Value takeStep(NodeImporter &node, const Walk &walk, Value state) {
  Type i32 = node.getBuilder().getI32Type();
  Value feature = node.create<GatherOp>(walk.features, state, 0);
  bool isAtRoots = node.getRank(state) == 1;
  Value x = isAtRoots ? node.create<GatherOp>(walk.rows, feature, 1)
                      : node.create<GatherElementsOp>(walk.rows, feature, 1);
  Value start =
      node.binary(BinaryKind::mul, state, node.scalar(i32, walk.columns));
  Value place =
      node.binary(BinaryKind::add, start, buildColumn(node, walk, state, x));
  Value next = node.create<GatherOp>(walk.next, place, 0);
  Value isBranch =
      node.compare(CompareKind::lt, state, node.scalar(i32, walk.branches));
  return node.create<SelectOp>(isBranch, next, state);
}

static Value takeSteps(NodeImporter &node, const Walk &walk, Value state,
                       int64_t count) {
  for (int64_t i = 0; i != count; ++i)
    state = takeStep(node, walk, state);
  return state;
}

/// `trips` times kStepsPerTrip steps, as a loop.
static Value loopSteps(NodeImporter &node, const Walk &walk, Value state,
                       int64_t trips) {
  if (node.failed())
    return {};
  OpBuilder &builder = node.getBuilder();
  Location loc = node.getLoc();
  Value count = node.scalar(builder.getI64Type(), trips);
  Region body;
  Block &block = body.emplaceBlock();
  auto truth = RankedTensorType::get({}, builder.getI1Type());
  node.getShapes().setShape(block.addArgument(count.getType(), loc), {});
  node.getShapes().setShape(block.addArgument(truth, loc), {});
  node.getShapes().setShape(block.addArgument(state.getType(), loc),
                            node.getShape(state));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    Value next = takeSteps(node, walk, block.getArgument(2), kStepsPerTrip);
    if (node.failed())
      return {};
    YieldOp::create(builder, loc, ValueRange{block.getArgument(1), next});
  }
  auto loop = LoopOp::create(builder, loc, state.getType(), count, Value(),
                             state, node.exprs(SymShape()));
  loop.getBody().takeBody(body);
  return node.infer(loop);
}

Value lz::buildLeaves(NodeImporter &node, const Forest &forest, Type type) {
  Walk walk = prepareWalk(node, forest, type);
  if (node.failed())
    return {};
  Value state = walk.roots;
  SymExpr rows = node.getShape(walk.rows)[0];
  if (walk.depth <= kUnrolled) {
    state = takeSteps(node, walk, state, walk.depth);
  } else {
    state = takeStep(node, walk, state);
    state = loopSteps(node, walk, state,
                      llvm::divideCeil(walk.depth - 1, kStepsPerTrip));
  }
  Type i32 = node.getBuilder().getI32Type();
  Value leaves =
      node.binary(BinaryKind::sub, state, node.scalar(i32, walk.branches));
  int64_t trees = forest.roots.size();
  return node.expand(leaves, {rows, node.size(trees)});
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// What a leaf has for a target for which it states no weight.
static double getNeutral(Aggregate aggregate) {
  if (aggregate == Aggregate::Min)
    return INFINITY;
  return aggregate == Aggregate::Max ? -INFINITY : 0;
}

/// True if a table [leaves, targets] is not much more than the file has.
static bool fitsTable(const Forest &forest) {
  int64_t weights = forest.weights.size();
  int64_t limit = std::max(kMaxMlElements, 16 * weights);
  return forest.targets <= limit / std::max<int64_t>(forest.leaves, 1);
}

/// The weights as a table [leaves, targets].
static SmallVector<double> listWeights(const Forest &forest,
                                       Aggregate aggregate) {
  SmallVector<double> table(forest.leaves * forest.targets,
                            getNeutral(aggregate));
  for (const LeafWeight &weight : forest.weights) {
    double &entry = table[weight.leaf * forest.targets + weight.target];
    if (aggregate == Aggregate::Min)
      entry = std::min(entry, weight.weight);
    else if (aggregate == Aggregate::Max)
      entry = std::max(entry, weight.weight);
    else
      entry += weight.weight;
  }
  return table;
}

/// The rows of `table` [leaves, targets] that `leaves` [rows, trees] name,
/// reduced over the trees.
static Value reduceRows(NodeImporter &node, ReduceKind kind, Value table,
                        Value leaves) {
  return node.reduce(kind, node.create<GatherOp>(table, leaves, 0), 1,
                     /*keepDims=*/false);
}

Value lz::buildForestScores(NodeImporter &node, const Forest &forest,
                            Value leaves, Type type, Aggregate aggregate) {
  if (node.failed())
    return {};
  if (!fitsTable(forest)) {
    node.error() << "has " << forest.leaves << " leaves, " << forest.targets
                 << " targets and " << forest.weights.size()
                 << " weights; a table of leaves and targets would be too "
                    "large";
    return {};
  }
  Value table = getConstant(node, listWeights(forest, aggregate),
                            {forest.leaves, forest.targets}, type, "weights");
  ReduceKind kind = aggregate == Aggregate::Min   ? ReduceKind::min
                    : aggregate == Aggregate::Max ? ReduceKind::max
                                                  : ReduceKind::sum;
  Value scores = reduceRows(node, kind, table, leaves);
  if (aggregate == Aggregate::Average)
    return node.binary(BinaryKind::div, scores,
                       node.scalar(type, forest.roots.size()));
  if (aggregate == Aggregate::Sum)
    return scores;
  // A target without a weight in any leaf has the score 0.
  Value isOpen = node.compare(CompareKind::eq, scores,
                              node.scalar(type, getNeutral(aggregate)));
  return node.create<SelectOp>(isOpen, node.scalar(type, 0), scores);
}

/// For each leaf and target, 1 if the leaf has a weight for it: [leaves,
/// targets].
static SmallVector<double> listMarks(const Forest &forest) {
  SmallVector<double> marks(forest.leaves * forest.targets, 0);
  for (const LeafWeight &weight : forest.weights)
    marks[weight.leaf * forest.targets + weight.target] = 1;
  return marks;
}

Value lz::buildHasScore(NodeImporter &node, const Forest &forest,
                        Value leaves) {
  if (node.failed())
    return {};
  SmallVector<double> marks = listMarks(forest);
  if (!llvm::is_contained(marks, 0))
    return {};
  Type f32 = node.getBuilder().getF32Type();
  Value table =
      getConstant(node, marks, {forest.leaves, forest.targets}, f32, "marks");
  return node.compare(CompareKind::gt,
                      reduceRows(node, ReduceKind::max, table, leaves),
                      node.scalar(f32, 0));
}
