//===- MlForest.cpp - the trees of an ensemble ----------------------------===//
//
// Attributes are lists that must fit each other; nothing that a file says is an
// index before it has been compared with the length of its list.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/MlForest.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

using namespace mlir;
using namespace lz;

/// Nodes are counted in 32 bits, with up to four successors each.
static constexpr int64_t kMaxNodes = int64_t(1) << 28;

//===----------------------------------------------------------------------===//
// Checks of all trees
//===----------------------------------------------------------------------===//

static void checkTargets(NodeImporter &node, const Forest &forest,
                         StringRef name) {
  if (node.failed())
    return;
  if (forest.targets < 1 || forest.targets > kMaxMlElements)
    node.error() << "has " << forest.targets
                 << " targets or classes, expected 1 to " << kMaxMlElements;
  for (const LeafWeight &weight : forest.weights)
    if (!node.failed() &&
        (weight.target < 0 || weight.target >= forest.targets))
      node.error() << "attribute '" << name << "' has the element "
                   << weight.target << ", expected 0 to " << forest.targets - 1;
}

static void checkFeatures(NodeImporter &node, const Forest &forest) {
  SymShape shape = node.getShape(node.operand(0));
  int64_t limit = SymbolList::kMaxSize;
  if (!shape.empty())
    limit = shape.back().getConstant().value_or(limit);
  for (const Branch &branch : forest.branches)
    if (!node.failed() && (branch.feature < 0 || branch.feature >= limit))
      node.error() << "attribute 'nodes_featureids' has the element "
                   << branch.feature << ", expected a feature of the input, 0 "
                   << "to " << limit - 1;
}

namespace {
/// Finds the depth of a forest, a tree at a time, without recursion: trees of
/// files may be as deep as they have nodes.
class DepthFinder {
public:
  explicit DepthFinder(const Forest &forest)
      : forest(forest), heights(forest.getNodes(), kUnseen) {}

  /// The most branches from `root` to a leaf; none if there is a way that
  /// doesn't end.
  std::optional<int64_t> find(int64_t root);
  bool hasSeen(int64_t node) const { return heights[node] != kUnseen; }

private:
  static constexpr int64_t kUnseen = -1, kOpen = -2;

  bool isLeaf(int64_t node) const {
    return node >= static_cast<int64_t>(forest.branches.size());
  }
  /// Puts the successors of `node` on the way. False if one is on it already.
  bool open(int64_t node);
  void close(int64_t node);

  const Forest &forest;
  std::vector<int64_t> heights, way;
};
} // namespace

bool DepthFinder::open(int64_t node) {
  heights[node] = kOpen;
  const Branch &branch = forest.branches[node];
  for (int64_t next : {branch.onTrue, branch.onFalse}) {
    if (heights[next] == kOpen)
      return false;
    if (heights[next] == kUnseen)
      way.push_back(next);
  }
  return true;
}

void DepthFinder::close(int64_t node) {
  const Branch &branch = forest.branches[node];
  heights[node] = 1 + std::max(heights[branch.onTrue], heights[branch.onFalse]);
}

std::optional<int64_t> DepthFinder::find(int64_t root) {
  way.assign(1, root);
  while (!way.empty()) {
    int64_t node = way.back();
    if (isLeaf(node))
      heights[node] = 0;
    else if (heights[node] == kOpen)
      close(node); // everything below it has been seen
    else if (heights[node] == kUnseen) {
      if (!open(node))
        return std::nullopt;
      continue;
    }
    way.pop_back();
  }
  return heights[root];
}

/// Finds the forest's depth. With `isWhole`, each node must belong to a tree.
static void measure(NodeImporter &node, Forest &forest, bool isWhole) {
  if (node.failed())
    return;
  DepthFinder finder(forest);
  for (int64_t root : forest.roots) {
    auto depth = finder.find(root);
    if (!depth) {
      node.error() << "the nodes below node " << root
                   << " form a cycle, where a tree must end in leaves";
      return;
    }
    forest.depth = std::max(forest.depth, *depth);
  }
  for (int64_t i = 0; isWhole && i != forest.getNodes(); ++i)
    if (!finder.hasSeen(i)) {
      node.error() << "has nodes that no tree's first node leads to";
      return;
    }
}

//===----------------------------------------------------------------------===//
// Targets that always get a score
//===----------------------------------------------------------------------===//

namespace {
/// Counts the leaves of one tree after another, and for each target those that
/// have a weight for it.
class LeafCounter {
public:
  explicit LeafCounter(const Forest &forest);

  /// Marks the targets that all leaves below `root` have; how many nodes it has
  /// looked at.
  int64_t visit(int64_t root, std::vector<bool> &scored);

private:
  void visitLeaf(int64_t leaf);

  const Forest &forest;
  /// Sorted pairs of a leaf and a target that it has a weight for.
  std::vector<std::pair<int64_t, int64_t>> pairs;
  std::vector<int64_t> seenBy; // the root that led to a node last
  std::vector<int64_t> counts; // of leaves, by target
  SmallVector<int64_t> counted;
  int64_t leaves = 0;
};
} // namespace

LeafCounter::LeafCounter(const Forest &forest)
    : forest(forest), seenBy(forest.getNodes(), -1), counts(forest.targets) {
  for (const LeafWeight &weight : forest.weights)
    pairs.push_back({weight.leaf, weight.target});
  llvm::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

void LeafCounter::visitLeaf(int64_t leaf) {
  ++leaves;
  auto entry =
      std::lower_bound(pairs.begin(), pairs.end(), std::pair(leaf, int64_t(0)));
  for (; entry != pairs.end() && entry->first == leaf; ++entry)
    if (++counts[entry->second] == 1)
      counted.push_back(entry->second);
}

int64_t LeafCounter::visit(int64_t root, std::vector<bool> &scored) {
  int64_t branches = forest.branches.size(), looks = 0;
  SmallVector<int64_t> open(1, root);
  leaves = 0;
  for (; !open.empty(); ++looks) {
    int64_t node = open.pop_back_val();
    if (std::exchange(seenBy[node], root) == root)
      continue;
    if (node >= branches) {
      visitLeaf(node - branches);
      continue;
    }
    open.push_back(forest.branches[node].onTrue);
    open.push_back(forest.branches[node].onFalse);
  }
  for (int64_t target : counted)
    if (std::exchange(counts[target], 0) == leaves)
      scored[target] = true;
  counted.clear();
  return looks;
}

std::vector<bool> lz::findScored(const Forest &forest) {
  std::vector<bool> scored(forest.targets);
  LeafCounter counter(forest);
  // A file may name one large tree many times; what is not looked at is only
  // not known to have a score.
  int64_t budget = 4 * forest.getNodes();
  for (int64_t root : forest.roots) {
    if (budget < 0)
      break;
    budget -= counter.visit(root, scored);
  }
  return scored;
}

//===----------------------------------------------------------------------===//
// Nodes by tree and number
//===----------------------------------------------------------------------===//

namespace {
/// The attributes `nodes_*` of versions 1 and 3.
struct NodeLists {
  SmallVector<int64_t> trees, numbers, features, onTrue, onFalse, missing;
  SmallVector<double> values;
  std::vector<std::string> modes;

  size_t size() const { return modes.size(); }
};

/// What the names of nodes, (tree, number), stand for.
using NodeNames = std::map<std::pair<int64_t, int64_t>, int64_t>;
} // namespace

static NodeLists readLists(NodeImporter &node) {
  NodeLists lists;
  lists.modes =
      node.getStrings("nodes_modes").value_or(std::vector<std::string>());
  int64_t count = lists.modes.size();
  auto read = [&](StringRef name) {
    SmallVector<int64_t> values = getIntList(node, name);
    requireCount(node, name, values.size(), count);
    return values;
  };
  lists.trees = read("nodes_treeids");
  lists.numbers = read("nodes_nodeids");
  lists.features = read("nodes_featureids");
  lists.onTrue = read("nodes_truenodeids");
  lists.onFalse = read("nodes_falsenodeids");
  lists.values = getFloatsOrTensor(node, "nodes_values");
  requireCount(node, "nodes_values", lists.values.size(), count);
  lists.missing = getIntList(node, "nodes_missing_value_tracks_true");
  if (!lists.missing.empty())
    requireCount(node, "nodes_missing_value_tracks_true", lists.missing.size(),
                 count);
  if (!node.failed() && (count == 0 || count > kMaxNodes))
    node.error() << "attribute 'nodes_modes' has " << count
                 << " elements, expected 1 to " << kMaxNodes;
  return lists;
}

static std::optional<BranchMode> getMode(NodeImporter &node,
                                         const std::string &text) {
  auto mode = llvm::StringSwitch<std::optional<BranchMode>>(text)
                  .Case("BRANCH_LEQ", BranchMode::Leq)
                  .Case("BRANCH_LT", BranchMode::Lt)
                  .Case("BRANCH_GTE", BranchMode::Gte)
                  .Case("BRANCH_GT", BranchMode::Gt)
                  .Case("BRANCH_EQ", BranchMode::Eq)
                  .Case("BRANCH_NEQ", BranchMode::Neq)
                  .Default(std::nullopt);
  if (!mode)
    node.error() << "attribute 'nodes_modes' has the element '" << text
                 << "', expected 'BRANCH_LEQ', 'BRANCH_LT', 'BRANCH_GTE', "
                    "'BRANCH_GT', 'BRANCH_EQ', 'BRANCH_NEQ' or 'LEAF'";
  return mode;
}

/// Counts branches and leaves, and gives each name its node. The first node of
/// a tree is its root.
static NodeNames nameNodes(NodeImporter &node, const NodeLists &lists,
                           Forest &forest) {
  NodeNames names;
  std::set<int64_t> trees;
  int64_t branch = 0, leaf = llvm::count_if(lists.modes, [](const auto &mode) {
                        return mode != "LEAF";
                      });
  for (size_t i = 0; i != lists.size() && !node.failed(); ++i) {
    int64_t number = lists.modes[i] == "LEAF" ? leaf++ : branch++;
    bool isNew =
        names.try_emplace({lists.trees[i], lists.numbers[i]}, number).second;
    if (!isNew)
      node.error() << "node " << lists.numbers[i] << " of tree "
                   << lists.trees[i] << " is there twice";
    if (i != 0 && lists.trees[i] == lists.trees[i - 1])
      continue;
    forest.roots.push_back(number);
    if (!trees.insert(lists.trees[i]).second && !node.failed())
      node.error() << "attribute 'nodes_treeids' has tree " << lists.trees[i]
                   << " in two places; the nodes of a tree must stand together";
  }
  forest.leaves = leaf - branch;
  return names;
}

/// The node that `tree` calls `number`, which attribute `name` states.
static int64_t findNode(NodeImporter &node, const NodeNames &names,
                        int64_t tree, int64_t number, StringRef name) {
  auto found = names.find({tree, number});
  if (found != names.end())
    return found->second;
  if (!node.failed())
    node.error() << "attribute '" << name << "' names node " << number
                 << " of tree " << tree << ", which is not there";
  return 0;
}

static void addBranches(NodeImporter &node, const NodeLists &lists,
                        const NodeNames &names, Forest &forest) {
  for (size_t i = 0; i != lists.size() && !node.failed(); ++i) {
    if (lists.modes[i] == "LEAF")
      continue;
    auto mode = getMode(node, lists.modes[i]);
    if (!mode)
      return;
    int64_t tree = lists.trees[i];
    Branch branch{lists.features[i], lists.values[i], *mode, 0, 0};
    branch.onTrue =
        findNode(node, names, tree, lists.onTrue[i], "nodes_truenodeids");
    branch.onFalse =
        findNode(node, names, tree, lists.onFalse[i], "nodes_falsenodeids");
    branch.isTrueForNan = !lists.missing.empty() && lists.missing[i] == 1;
    forest.branches.push_back(branch);
  }
}

/// Reads what leaves add. Weights of branches, which old converters have left,
/// count nothing.
static void addWeights(NodeImporter &node, StringRef kind,
                       const NodeNames &names, Forest &forest) {
  std::string prefix = kind.str();
  SmallVector<int64_t> targets = getIntList(node, prefix + "_ids");
  SmallVector<int64_t> trees = getIntList(node, prefix + "_treeids");
  SmallVector<int64_t> numbers = getIntList(node, prefix + "_nodeids");
  SmallVector<double> weights = getFloatsOrTensor(node, prefix + "_weights");
  requireCount(node, prefix + "_treeids", trees.size(), targets.size());
  requireCount(node, prefix + "_nodeids", numbers.size(), targets.size());
  requireCount(node, prefix + "_weights", weights.size(), targets.size());
  int64_t branches = forest.branches.size();
  for (size_t i = 0; i != targets.size() && !node.failed(); ++i) {
    int64_t found =
        findNode(node, names, trees[i], numbers[i], prefix + "_nodeids");
    if (found >= branches)
      forest.weights.push_back({found - branches, targets[i], weights[i]});
  }
}

/// With one target, ONNX Runtime reads the first weight of a leaf only, and the
/// leaf's value if there is no weight. Refuses what that makes another number
/// of than ONNX does.
static void checkOnlyTarget(NodeImporter &node, const NodeLists &lists,
                            const Forest &forest) {
  if (node.failed() || forest.targets != 1)
    return;
  std::vector<bool> hasWeight(forest.leaves);
  for (const LeafWeight &weight : forest.weights) {
    if (hasWeight[weight.leaf]) {
      node.error() << "has two weights for the only target in one leaf";
      return;
    }
    hasWeight[weight.leaf] = true;
  }
  int64_t leaf = 0;
  for (size_t i = 0; i != lists.size() && !node.failed(); ++i)
    if (lists.modes[i] == "LEAF" && !hasWeight[leaf++] && lists.values[i] != 0)
      node.error() << "node " << lists.numbers[i] << " of tree "
                   << lists.trees[i]
                   << " is a leaf with a value in 'nodes_values', but without "
                      "a weight";
}

Forest lz::readForest(NodeImporter &node, StringRef kind, int64_t targets) {
  Forest forest;
  forest.targets = targets;
  NodeLists lists = readLists(node);
  if (node.failed())
    return forest;
  NodeNames names = nameNodes(node, lists, forest);
  addBranches(node, lists, names, forest);
  addWeights(node, kind, names, forest);
  checkTargets(node, forest, kind.str() + "_ids");
  checkOnlyTarget(node, lists, forest);
  checkFeatures(node, forest);
  measure(node, forest, /*isWhole=*/true);
  return forest;
}

//===----------------------------------------------------------------------===//
// Branches and leaves
//===----------------------------------------------------------------------===//

/// Attribute `name`, a tensor of `count` elements unless that is negative; an
/// error if it must be there and is not.
static NumberList readTensor(NodeImporter &node, StringRef name, int64_t count,
                             bool isReal) {
  auto tensor = getTensor(node, name);
  if (!tensor && !node.failed())
    node.error() << "needs attribute '" << name << "'";
  if (node.failed())
    return {node.getBuilder().getF32Type(), {}, {}};
  if (tensor->isReal() != isReal)
    node.error() << "attribute '" << name << "' has elements of type "
                 << tensor->type << ", expected "
                 << (isReal ? "floats" : "integers");
  if (count >= 0)
    requireCount(node, name, tensor->size(), count);
  return std::move(*tensor);
}

/// Reads the sets of the branches that have one: each ends in a NaN.
static void addMembers(NodeImporter &node, Forest &forest) {
  bool hasSets = llvm::any_of(forest.branches, [](const Branch &branch) {
    return branch.mode == BranchMode::Member;
  });
  if (!hasSets || node.failed())
    return;
  std::vector<double> members =
      readTensor(node, "membership_values", -1, /*isReal=*/true).reals;
  auto next = members.begin();
  for (Branch &branch : forest.branches) {
    if (branch.mode != BranchMode::Member)
      continue;
    auto end = std::find_if(next, members.end(),
                            [](double value) { return std::isnan(value); });
    branch.firstMember = forest.members.size();
    forest.members.insert(forest.members.end(), next, end);
    branch.memberEnd = forest.members.size();
    llvm::sort(forest.members.begin() + branch.firstMember,
               forest.members.end());
    next = end == members.end() ? end : end + 1;
  }
  if (next != members.end() && !node.failed())
    node.error() << "attribute 'membership_values' has more sets than there "
                    "are nodes of mode BRANCH_MEMBER";
}

/// The nodes that the attributes `nodes_<side>nodeids` name, which are leaves
/// where `nodes_<side>leafs` is not 0.
static SmallVector<int64_t> readNext(NodeImporter &node, StringRef side,
                                     int64_t branches, int64_t leaves) {
  std::string name = "nodes_" + side.str() + "nodeids";
  std::string marks = "nodes_" + side.str() + "leafs";
  SmallVector<int64_t> next = getIntList(node, name);
  SmallVector<int64_t> isLeaf = getIntList(node, marks);
  requireCount(node, name, next.size(), branches);
  requireCount(node, marks, isLeaf.size(), branches);
  for (size_t i = 0; i != next.size() && !node.failed(); ++i) {
    int64_t limit = isLeaf[i] ? leaves : branches;
    if (next[i] < 0 || next[i] >= limit)
      node.error() << "attribute '" << name << "' has the element " << next[i]
                   << ", but there are " << limit
                   << (isLeaf[i] ? " leaves" : " nodes");
    next[i] += isLeaf[i] ? branches : 0;
  }
  return next;
}

static void readBranches(NodeImporter &node, Forest &forest) {
  SmallVector<int64_t> features = getIntList(node, "nodes_featureids");
  int64_t count = features.size();
  NumberList splits = readTensor(node, "nodes_splits", count, true);
  NumberList modes = readTensor(node, "nodes_modes", count, false);
  auto onTrue = readNext(node, "true", count, forest.leaves);
  auto onFalse = readNext(node, "false", count, forest.leaves);
  SmallVector<int64_t> missing =
      getIntList(node, "nodes_missing_value_tracks_true");
  if (!missing.empty())
    requireCount(node, "nodes_missing_value_tracks_true", missing.size(),
                 count);
  for (int64_t i = 0; i != count && !node.failed(); ++i) {
    int64_t mode = modes.integers[i];
    if (mode < 0 || mode > static_cast<int64_t>(BranchMode::Member)) {
      node.error() << "attribute 'nodes_modes' has the element " << mode
                   << ", expected 0 to 6";
      return;
    }
    Branch branch{features[i], splits.reals[i], BranchMode(mode), onTrue[i],
                  onFalse[i]};
    branch.isTrueForNan = !missing.empty() && missing[i] == 1;
    forest.branches.push_back(branch);
  }
}

Forest lz::readForestOfBranches(NodeImporter &node) {
  Forest forest;
  forest.targets = node.getInt("n_targets", 0);
  SmallVector<int64_t> targets = getIntList(node, "leaf_targetids");
  forest.leaves = targets.size();
  NumberList weights = readTensor(node, "leaf_weights", targets.size(), true);
  SmallVector<int64_t> roots = getIntList(node, "tree_roots");
  forest.roots.assign(roots.begin(), roots.end());
  readBranches(node, forest);
  if (!node.failed() && (forest.getNodes() > kMaxNodes || roots.empty()))
    node.error() << "has " << roots.size() << " trees and " << forest.getNodes()
                 << " nodes, expected at least one tree "
                 << "and at most " << kMaxNodes << " nodes";
  for (int64_t root : roots)
    if (!node.failed() &&
        (root < 0 || root >= static_cast<int64_t>(forest.branches.size())))
      node.error() << "attribute 'tree_roots' has the element " << root
                   << ", but there are " << forest.branches.size() << " nodes";
  for (int64_t i = 0; i != forest.leaves && !node.failed(); ++i)
    forest.weights.push_back({i, targets[i], weights.reals[i]});
  addMembers(node, forest);
  checkTargets(node, forest, "leaf_targetids");
  checkFeatures(node, forest);
  measure(node, forest, /*isWhole=*/false);
  return forest;
}
