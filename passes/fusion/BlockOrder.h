//===- BlockOrder.h - what must run before what in a block ------*- C++ -*-===//
//
// Operations depend on the operations that define their operands, on those that
// define what their regions read from outside, and on those that bind a size
// symbol which their attributes mention: `lz.expand %c [n]` must follow the
// `lz.bind` of `n` though no value says so.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_FUSION_BLOCKORDER_H
#define PASSES_FUSION_BLOCKORDER_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace lz {

class BlockOrder {
public:
  explicit BlockOrder(mlir::Block &block);

  /// The operations of the block that `op` must follow, each once.
  llvm::ArrayRef<mlir::Operation *> getDependencies(mlir::Operation *op) const;
  /// Where `op` stands in the block.
  unsigned getPosition(mlir::Operation *op) const {
    return positions.lookup(op);
  }

private:
  void addDependencies(mlir::Operation *op,
                       const llvm::StringMap<mlir::Operation *> &binders);

  mlir::Block &block;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 4>>
      dependencies;
};

} // namespace lz

#endif // PASSES_FUSION_BLOCKORDER_H
