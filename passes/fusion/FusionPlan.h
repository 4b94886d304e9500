//===- FusionPlan.h - the groups of a block ---------------------*- C++ -*-===//
//
// Decides which operations of a block become one kernel, without changing them.
// Operations are placed in program order: into the group of a producer where
// the rules allow it, else into a new one. Two groups that an operation reads
// may become one. No group ever waits for itself through operations outside it.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_FUSION_FUSIONPLAN_H
#define PASSES_FUSION_FUSIONPLAN_H

#include "passes/fusion/BlockOrder.h"
#include "passes/fusion/FusionRules.h"
#include "passes/support/Attention.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lz {

/// Operations that become one kernel.
struct FusionGroup {
  /// In program order.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The operation whose loops the kernel has; null if all are pointwise.
  mlir::Operation *anchor = nullptr;
  /// The iteration space: the shape of every result.
  SymShape shape;
  /// Takes no other operations.
  bool closed = false;
  /// Its first operation broadcasts to `shape` as only the block knows: a kernel
  /// has each size by a name of its own.
  bool broadcasts = false;
  /// The operations that are computed at the index of the result; the others
  /// are computed where and when these ask, and can't be results.
  llvm::DenseSet<mlir::Operation *> atOwnIndex;
};

struct FusionOptions {
  bool single = false;
  int64_t maxOps = 64;
};

class FusionPlan {
public:
  /// Hears why an operation did not join the group of `producer`.
  using Reporter = llvm::function_ref<void(
      mlir::Operation *op, mlir::Operation *producer, llvm::StringRef reason)>;

  FusionPlan(mlir::Block &block, const ShapeAnalysis &shapes,
             const FusionOptions &options, Reporter report);

  const BlockOrder &getOrder() const { return order; }
  /// The group of `op`; null if it stays between the groups.
  FusionGroup *getGroup(mlir::Operation *op) const {
    return groupOf.lookup(op);
  }
  /// The non-empty groups, by their first operation.
  llvm::SmallVector<FusionGroup *> getGroups() const;

private:
  void place(mlir::Operation *op);
  FusionGroup *createGroup(mlir::Operation *op, bool closed);
  void joinProducers(mlir::Operation *op);
  void absorbProducer(mlir::Operation *op);
  void absorbAttention(MatmulOp values);
  void absorb(FusionGroup &group, FusionGroup &producers);
  void unite(FusionGroup &into, FusionGroup &from);

  llvm::StringRef whyNotJoin(mlir::Operation *op, FusionGroup &group);
  llvm::StringRef whyNotUnite(FusionGroup &a, FusionGroup &b);
  llvm::StringRef whyNotAbsorb(mlir::Operation *op, mlir::Operation *producer);
  llvm::StringRef whyNotAttend(Attention attention);
  bool readsAtOwnIndex(mlir::Operation *op, FusionGroup &group);
  bool hasCycle(llvm::ArrayRef<FusionGroup *> groups,
                llvm::ArrayRef<mlir::Operation *> starts);
  mlir::Operation *getProducer(mlir::Value value) const;
  bool isOnlyOutput(llvm::ArrayRef<FusionGroup *> members,
                    mlir::Operation *producer, mlir::Operation *user) const;
  void sortOps(FusionGroup &group) const;

  mlir::Block &block;
  const ShapeAnalysis &shapes;
  FusionOptions options;
  Reporter report;
  BlockOrder order;
  llvm::SmallVector<std::unique_ptr<FusionGroup>> groups;
  llvm::DenseMap<mlir::Operation *, FusionGroup *> groupOf;
};

} // namespace lz

#endif // PASSES_FUSION_FUSIONPLAN_H
