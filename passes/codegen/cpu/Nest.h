//===- Nest.h - the loops over a kernel's results ---------------*- C++ -*-===//
#ifndef PASSES_CODEGEN_CPU_NEST_H
#define PASSES_CODEGEN_CPU_NEST_H

#include "passes/codegen/cpu/ElementEmitter.h"

namespace lz {

class GroupNormOp;

/// Loops over one index space: the parallel iterations, which run over the
/// collapsed `outer` dimensions, and loops over the `inner` ones.
struct Nest {
  /// The value stored to each result: the result itself, or what a final
  /// reshape of it takes (row-major positions are the same).
  llvm::SmallVector<mlir::Value> stored;
  /// The shape of all of `stored`.
  SymShape shape;
  /// The sizes of the loops: those of `shape`, but trailing dimensions may be
  /// run as one, with the index of the last.
  SymShape sizes;
  llvm::SmallVector<unsigned> outer, inner;
  /// The dimension, if any, that is run in blocks of `kLanes` neighbours, which
  /// together pass over what each of them reduces.
  std::optional<unsigned> lanes;
  /// Lanes are outside of the parallel iterations: what depends on them alone
  /// (where a resize reads) is computed once for all iterations.
  bool areLanesOutside = false;
  /// Neighbours along the last inner dimension that one step of its loop
  /// computes, of one element that a resize repeats.
  int64_t repeat = 1;
  /// The size after which a tile begins anew along the last inner dimension,
  /// which gets a loop for each; null if there is none.
  SymExpr period;
  /// Channels (dimension 1) that a group norm gives one statistic: an iteration
  /// does a whole group. Null if there is none.
  SymExpr groupSize;
  /// Elements are visited by position alone; `outer` is everything.
  bool isFlat = false;

  /// Operations whose one value, or one row's statistics, all iterations of the
  /// inner loops share.
  llvm::SmallVector<mlir::Operation *> shared;

  /// The parallel space: `outer`, with groups for their channels, and blocks of
  /// lanes.
  SymShape getOuterSizes() const;
  SymExpr getBlockCount() const;
  SymExpr getIterations() const;
  SymExpr getInnerCount() const;
};

/// The nest in which all results of `kernel` are computed. Fails, with an error
/// on the kernel, if the results have different shapes.
mlir::FailureOr<Nest> getNest(const KernelInfo &kernel);

/// The channels of one group of `op`.
SymExpr getGroupSize(const KernelInfo &kernel, GroupNormOp op);

/// How many trailing dimensions of the results' shape `shape` can be run as
/// one: every tensor is read at all positions of them together, or at one.
size_t countTrailingDims(const KernelInfo &kernel,
                         llvm::ArrayRef<SymExpr> shape);

/// True if every element of the kernel's one result is made of the element of
/// `anchor`'s result at the same place.
bool isMadeAround(const KernelInfo &kernel, mlir::Operation *anchor);

/// About how many simple operations an element of the results costs.
SymExpr getElementCost(const KernelInfo &kernel);

/// Emits the loops; `body` gets the index of an element of `nest.shape`.
void emitNest(ElementEmitter &emitter, const Nest &nest,
              llvm::function_ref<void(const Index &)> body);

} // namespace lz

#endif // PASSES_CODEGEN_CPU_NEST_H
