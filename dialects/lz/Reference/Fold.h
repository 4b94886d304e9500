//===- Fold.h - operations on constants ------------------------*- C++ -*-===//
#ifndef DIALECTS_LZ_REFERENCE_FOLD_H
#define DIALECTS_LZ_REFERENCE_FOLD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace lz {

/// The results of `op` on constant operands, by the reference evaluator. Fails,
/// without an error, for operations that have side effects or regions, with a
/// size that is not constant, or that the evaluator refuses. Needs
/// registerReferenceModels.
mlir::FailureOr<llvm::SmallVector<mlir::ElementsAttr>>
foldOperation(mlir::Operation *op, llvm::ArrayRef<mlir::ElementsAttr> operands);

} // namespace lz

#endif // DIALECTS_LZ_REFERENCE_FOLD_H
