//===- NodeNames.h - locations as the user's node names ---------*- C++ -*-===//
#ifndef PASSES_SUPPORT_NODENAMES_H
#define PASSES_SUPPORT_NODENAMES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace lz {

/// The names of the model's nodes in `loc`, each once, in order.
llvm::SmallVector<llvm::StringRef> getNodeNames(mlir::Location loc);

/// The first of them, or the printed location if there is none.
std::string getNodeName(mlir::Location loc);

} // namespace lz

#endif // PASSES_SUPPORT_NODENAMES_H
