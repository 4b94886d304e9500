//===- MlForest.h - the trees of an ensemble --------------------*- C++ -*-===//
//
// Tree ensembles come in two forms: as nodes, leaves among them, that name each
// other by a tree and a number (TreeEnsembleClassifier and -Regressor), and as
// branches and leaves in two lists (TreeEnsemble). Here they are one: the nodes
// 0 .. branches - 1 ask for a feature, those from there on are the leaves.
//
//===----------------------------------------------------------------------===//
#ifndef FRONTENDS_ONNX_OPS_MLFOREST_H
#define FRONTENDS_ONNX_OPS_MLFOREST_H

#include "frontends/onnx/ops/MlCommon.h"

namespace lz {

/// What a branch asks of its feature, with the numbers of TreeEnsemble's
/// attribute.
enum class BranchMode { Leq, Lt, Gte, Gt, Eq, Neq, Member };

struct Branch {
  int64_t feature;
  double threshold;
  BranchMode mode;
  /// The next nodes.
  int64_t onTrue, onFalse;
  /// Whether NaN counts as true whatever the mode says.
  bool isTrueForNan = false;
  /// What the mode Member compares with: elements of Forest::members.
  int64_t firstMember = 0, memberEnd = 0;
};

/// What a leaf adds to the score of one target.
struct LeafWeight {
  int64_t leaf, target; // leaves count from 0 here
  double weight;
};

struct Forest {
  std::vector<Branch> branches;
  int64_t leaves = 0;
  std::vector<int64_t> roots;
  std::vector<LeafWeight> weights;
  /// Sorted within each branch.
  std::vector<double> members;
  int64_t targets = 0;
  /// The most branches between a root and a leaf.
  int64_t depth = 0;

  int64_t getNodes() const { return branches.size() + leaves; }
};

/// For each target, whether every row gets a weight for it: some tree has one
/// in all of its leaves.
std::vector<bool> findScored(const Forest &forest);

/// Where the two operators of versions 1 and 3 differ: `class` or `target`
/// leads the names of the attributes of leaves.
Forest readForest(NodeImporter &node, llvm::StringRef kind, int64_t targets);

/// The same of TreeEnsemble.
Forest readForestOfBranches(NodeImporter &node);

} // namespace lz

#endif // FRONTENDS_ONNX_OPS_MLFOREST_H
