//===- PassTarget.h - the target that a pass's options name -----*- C++ -*-===//
#ifndef PASSES_SUPPORT_PASSTARGET_H
#define PASSES_SUPPORT_PASSTARGET_H

#include "mlir/IR/Operation.h"
#include "targets/CpuTarget.h"

namespace lz {

/// The CPU of the options `cpu` and `features` of a pass on `op`. Emits an
/// error and fails if they name none.
mlir::FailureOr<targets::CpuTarget> getPassTarget(mlir::Operation *op,
                                                  llvm::StringRef cpu,
                                                  llvm::StringRef features);

} // namespace lz

#endif // PASSES_SUPPORT_PASSTARGET_H
