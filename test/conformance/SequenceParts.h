//===- SequenceParts.h - sequences as the tensors they lie in ---*- C++ -*-===//
#ifndef TEST_CONFORMANCE_SEQUENCEPARTS_H
#define TEST_CONFORMANCE_SEQUENCEPARTS_H

#include "dialects/lz/Reference/RefValue.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace lz {

/// Adds the values of the arguments of `function` from `index` on that `value`,
/// a sequence or an optional, is passed in.
void addParts(mlir::FunctionOpInterface function, unsigned index,
              const RefValue &value, llvm::SmallVectorImpl<RefValue> &parts);

/// The values of the model's outputs, given the results of `function`.
llvm::SmallVector<RefValue> joinParts(mlir::FunctionOpInterface function,
                                      llvm::ArrayRef<RefValue> results);

} // namespace lz

#endif // TEST_CONFORMANCE_SEQUENCEPARTS_H
