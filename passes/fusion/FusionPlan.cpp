//===- FusionPlan.cpp - the groups of a block -----------------------------===//

#include "passes/fusion/FusionPlan.h"

#include "dialects/lz/IR/LzOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <array>

using namespace mlir;
using namespace lz;

/// Operations that one search for cycles may look at. Far more than any real
/// detour has; a search that would exceed it counts as having found a cycle.
static constexpr size_t kSearchLimit = 1 << 15;

static constexpr StringRef kBroadcasts =
    "an operand broadcasts to the result's size in a way that a kernel does "
    "not know";

FusionPlan::FusionPlan(Block &block, const ShapeAnalysis &shapes,
                       const FusionOptions &options, Reporter report)
    : block(block), shapes(shapes), options(options), report(report),
      order(block) {
  for (Operation &op : block)
    place(&op);
}

SmallVector<FusionGroup *> FusionPlan::getGroups() const {
  SmallVector<FusionGroup *> result;
  for (const std::unique_ptr<FusionGroup> &group : groups)
    if (!group->ops.empty())
      result.push_back(group.get());
  llvm::sort(result, [&](FusionGroup *a, FusionGroup *b) {
    return order.getPosition(a->ops.front()) <
           order.getPosition(b->ops.front());
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Placing
//===----------------------------------------------------------------------===//

/// True if `op` is part of what computes a byte for an element that shares one,
/// which is one kernel always: see lz-pack-narrow.
static bool isNarrow(Operation *op) {
  auto sharesByte = [](Value value) {
    return sharesBytes(getElementTypeOrSelf(value)) &&
           !isa_and_nonnull<PackOp>(value.getDefiningOp());
  };
  return llvm::any_of(op->getResults(), sharesByte) ||
         (isa<BitcastOp, CastOp>(op) && sharesByte(op->getOperand(0)));
}

void FusionPlan::place(Operation *op) {
  GroupRole role = getGroupRole(op);
  if (role == GroupRole::Bare)
    return;
  // Several results of one operation: nothing joins, so that every other group
  // has one operation per value.
  bool alone = (options.single && !isNarrow(op)) || role == GroupRole::Alone ||
               op->getNumResults() != 1 || !shapes.hasShape(op->getResult(0));
  if (!alone && role == GroupRole::Elementwise)
    return joinProducers(op);
  FusionGroup *group = createGroup(op, alone);
  if (role == GroupRole::Anchor)
    group->anchor = op;
  if (alone)
    return;
  if (auto product = dyn_cast<MatmulOp>(op))
    absorbAttention(product);
  absorbProducer(op);
}

FusionGroup *FusionPlan::createGroup(Operation *op, bool closed) {
  auto group = std::make_unique<FusionGroup>();
  group->ops = {op};
  group->closed = closed;
  group->atOwnIndex.insert(op);
  if (!closed) {
    ArrayRef<SymExpr> shape = shapes.getShape(op->getResult(0));
    group->shape.assign(shape.begin(), shape.end());
  }
  groupOf[op] = group.get();
  groups.push_back(std::move(group));
  return groups.back().get();
}

Operation *FusionPlan::getProducer(Value value) const {
  Operation *producer = value.getDefiningOp();
  return producer && producer->getBlock() == &block ? producer : nullptr;
}

/// True if an operand has another size than the result, and not 1, where a
/// second operand has the result's.
static bool broadcastsUnseen(Operation *op, const ShapeAnalysis &shapes) {
  ArrayRef<SymExpr> result = shapes.getShape(op->getResult(0));
  auto getSize = [&](Value operand, size_t fromLast) {
    ArrayRef<SymExpr> shape = shapes.getShape(operand);
    return fromLast < shape.size() ? shape[shape.size() - 1 - fromLast]
                                   : SymExpr::constant(op->getContext(), 1);
  };
  for (size_t fromLast = 0; fromLast != result.size(); ++fromLast) {
    SymExpr size = result[result.size() - 1 - fromLast];
    bool hasSize = false, hasOther = false;
    for (Value operand : op->getOperands()) {
      SymExpr own = getSize(operand, fromLast);
      hasSize |= own == size;
      hasOther |= own != size && !own.isConstant(1);
    }
    if (hasSize && hasOther)
      return true;
  }
  return false;
}

/// Puts an elementwise operation into the group of a producer, the latest first
/// (it has most of the operation's operands behind it), and unites the groups
/// of its other producers with it.
void FusionPlan::joinProducers(Operation *op) {
  llvm::SmallSetVector<Operation *, 4> producers;
  for (Value operand : op->getOperands())
    if (Operation *producer = getProducer(operand); groupOf.count(producer))
      producers.insert(producer);
  if (broadcastsUnseen(op, shapes)) {
    createGroup(op, /*closed=*/false)->broadcasts = true;
    for (Operation *producer : producers)
      report(op, producer, kBroadcasts);
    return;
  }
  SmallVector<Operation *> latest = producers.takeVector();
  llvm::sort(latest, [&](Operation *a, Operation *b) {
    return order.getPosition(a) > order.getPosition(b);
  });
  FusionGroup *joined = nullptr;
  for (Operation *producer : latest) {
    FusionGroup *group = getGroup(producer);
    if (group == joined)
      continue;
    StringRef reason =
        joined ? whyNotUnite(*joined, *group) : whyNotJoin(op, *group);
    if (!reason.empty()) {
      report(op, producer, reason);
      continue;
    }
    if (joined) {
      unite(*joined, *group);
      continue;
    }
    joined = group;
    group->ops.push_back(op);
    group->atOwnIndex.insert(op);
    groupOf[op] = group;
  }
  if (!joined)
    createGroup(op, /*closed=*/false);
}

/// Computes the producer of the first operand inside `op`'s new group.
void FusionPlan::absorbProducer(Operation *op) {
  Operation *producer =
      op->getNumOperands() ? getProducer(op->getOperand(0)) : nullptr;
  if (!producer || !groupOf.count(producer))
    return;
  StringRef reason = whyNotAbsorb(op, producer);
  if (!reason.empty())
    return report(op, producer, reason);
  absorb(*getGroup(op), *getGroup(producer));
}

/// Computes the scores and the softmax of an attention for its last product.
void FusionPlan::absorbAttention(MatmulOp values) {
  std::optional<Attention> attention = getAttention(values, shapes);
  if (!attention)
    return;
  StringRef reason = whyNotAttend(*attention);
  if (!reason.empty())
    return report(values, attention->softmax, reason);
  for (Operation *op :
       std::array<Operation *, 2>{attention->softmax, attention->scores})
    absorb(*getGroup(values), *getGroup(op));
}

/// Moves the operations of `from`, which are not at the result's index.
void FusionPlan::absorb(FusionGroup &group, FusionGroup &from) {
  for (Operation *op : from.ops)
    groupOf[op] = &group;
  group.ops.append(from.ops);
  group.broadcasts |= from.broadcasts;
  from.ops.clear();
  sortOps(group);
}

/// Moves the operations of `from`, which are at the result's index as before.
void FusionPlan::unite(FusionGroup &into, FusionGroup &from) {
  for (Operation *op : from.ops)
    groupOf[op] = &into;
  into.ops.append(from.ops);
  from.ops.clear();
  sortOps(into);
  into.atOwnIndex.insert(from.atOwnIndex.begin(), from.atOwnIndex.end());
  if (from.anchor)
    into.anchor = from.anchor;
}

void FusionPlan::sortOps(FusionGroup &group) const {
  llvm::sort(group.ops, [&](Operation *a, Operation *b) {
    return order.getPosition(a) < order.getPosition(b);
  });
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

/// True if each value of `group` that `op` reads has the index of `op`'s
/// result.
bool FusionPlan::readsAtOwnIndex(Operation *op, FusionGroup &group) {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *producer = getProducer(operand);
    if (!producer || getGroup(producer) != &group)
      return true;
    return getGroupRole(op) == GroupRole::Elementwise &&
           group.atOwnIndex.contains(producer) &&
           shapes.getShape(operand) == shapes.getShape(op->getResult(0));
  });
}

/// True if `type` may stand in a row that the anchor of `group` accumulates in.
static bool fitsAnchorRow(FusionGroup &group, Operation *op) {
  if (!group.anchor || isa<ReduceOp, ArgReduceOp, PoolOp, LrnOp>(group.anchor))
    return true;
  return getElementTypeOrSelf(op->getResult(0)) ==
         getElementTypeOrSelf(group.anchor->getResult(0));
}

StringRef FusionPlan::whyNotJoin(Operation *op, FusionGroup &group) {
  if (group.closed)
    return "the producer is a kernel of its own";
  if (static_cast<int64_t>(group.ops.size()) >= options.maxOps)
    return "the group is full";
  if (shapes.getShape(op->getResult(0)) != ArrayRef<SymExpr>(group.shape))
    return "the result has another shape than the producer's group";
  if (!readsAtOwnIndex(op, group))
    return "an operand is not read at the index of the result";
  if (!fitsAnchorRow(group, op))
    return "the element type differs from the anchor's";
  if (hasCycle(&group, order.getDependencies(op)))
    return "an operand waits for the producer's group";
  return "";
}

StringRef FusionPlan::whyNotUnite(FusionGroup &a, FusionGroup &b) {
  if (a.closed || b.closed)
    return "the producer is a kernel of its own";
  if (a.broadcasts || b.broadcasts)
    return kBroadcasts;
  if (a.anchor && b.anchor)
    return "a group has one anchor";
  if (static_cast<int64_t>(a.ops.size() + b.ops.size()) > options.maxOps)
    return "the group is full";
  if (a.shape != b.shape)
    return "the result has another shape than the producer's group";
  auto fits = [&](FusionGroup &one, FusionGroup &other) {
    return llvm::all_of(other.ops, [&](Operation *op) {
      return readsAtOwnIndex(op, one) &&
             (!other.atOwnIndex.contains(op) || fitsAnchorRow(one, op));
    });
  };
  if (!fits(a, b) || !fits(b, a))
    return "an operand is not read at the index of the result";
  SmallVector<Operation *> starts;
  for (FusionGroup *group : {&a, &b})
    for (Operation *op : group->ops)
      llvm::append_range(starts, order.getDependencies(op));
  return hasCycle({&a, &b}, starts) ? "an operand waits for the other group"
                                    : "";
}

/// True if nothing outside of `members` reads them but `user`, the result of
/// `producer`.
bool FusionPlan::isOnlyOutput(ArrayRef<FusionGroup *> members,
                              Operation *producer, Operation *user) const {
  auto isRead = [&](Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *reader) {
      FusionGroup *group = getGroup(reader);
      bool isInside = group && llvm::is_contained(members, group);
      return !isInside && !(op == producer && reader == user);
    });
  };
  return llvm::none_of(members, [&](FusionGroup *group) {
    return llvm::any_of(group->ops, isRead);
  });
}

StringRef FusionPlan::whyNotAbsorb(Operation *op, Operation *producer) {
  std::optional<int64_t> budget = getProducerBudget(op);
  if (!budget)
    return "the operation would compute its operand again";
  FusionGroup &group = *getGroup(producer);
  if (group.closed)
    return "the producer is a kernel of its own";
  if (group.anchor)
    return "a group has one anchor";
  if (llvm::is_contained(op->getOperands().drop_front(),
                         producer->getResult(0)) ||
      !isOnlyOutput(&group, producer, op))
    return "the producer has other users";
  if (static_cast<int64_t>(group.ops.size()) >= options.maxOps)
    return "the group is full";
  int64_t cost = 0;
  for (Operation *member : group.ops)
    cost += getElementCost(member);
  return cost > *budget ? "the producer costs too much to compute again" : "";
}

/// Fewer queries than these don't fill the vectors of an attention kernel; the
/// products of so few rows are limited by memory.
static constexpr int64_t kFewestQueries = 8;

StringRef FusionPlan::whyNotAttend(Attention attention) {
  Operation *scores = attention.scores, *softmax = attention.softmax;
  FusionGroup &first = *getGroup(scores), &second = *getGroup(softmax);
  if (first.closed || second.closed || first.anchor != scores ||
      second.anchor != softmax)
    return "the producer is a kernel of its own";
  if (first.broadcasts || second.broadcasts)
    return kBroadcasts;
  if (!isOnlyOutput({&first, &second}, softmax, attention.values))
    return "the scores have other users";
  if (static_cast<int64_t>(first.ops.size() + second.ops.size()) >=
      options.maxOps)
    return "the group is full";
  ArrayRef<SymExpr> shape = shapes.getShape(attention.softmax.getResult());
  std::optional<int64_t> queries = shape[shape.size() - 2].getConstant();
  return queries && *queries < kFewestQueries ? "there are few queries" : "";
}

/// True if one of `groups` waits for itself or another through operations
/// outside of them, looking from `starts`.
bool FusionPlan::hasCycle(ArrayRef<FusionGroup *> members,
                          ArrayRef<Operation *> starts) {
  auto isMember = [&](Operation *op) {
    FusionGroup *group = getGroup(op);
    return group && llvm::is_contained(members, group);
  };
  llvm::SmallSetVector<Operation *, 16> seen;
  for (Operation *start : starts)
    if (!isMember(start))
      seen.insert(start);
  for (size_t next = 0; next != seen.size(); ++next) {
    if (seen.size() > kSearchLimit)
      return true;
    FusionGroup *group = getGroup(seen[next]);
    ArrayRef<Operation *> ops =
        group ? ArrayRef<Operation *>(group->ops) : seen[next];
    for (Operation *op : SmallVector<Operation *>(ops))
      for (Operation *dependency : order.getDependencies(op)) {
        if (isMember(dependency))
          return true;
        seen.insert(dependency);
      }
  }
  return false;
}
