//===- WeightsBlock.h - the bytes of the weights section --------*- C++ -*-===//
#ifndef COMPILER_DRIVER_WEIGHTSBLOCK_H
#define COMPILER_DRIVER_WEIGHTSBLOCK_H

#include "compiler/target/DataBlock.h"
#include "passes/codegen/host/WeightsLayout.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace lz {

/// The constants of a layout, put together. Resources are read in place; small
/// dense constants are kept here in the bytes that kernels read.
class WeightsBlock {
public:
  /// An error if a resource has no data, or not as much as its type needs.
  static llvm::Expected<WeightsBlock> create(const WeightsLayout &layout);

  const DataBlock &getData() const { return data; }

private:
  DataBlock data;
  std::vector<std::vector<char>> copies;
};

} // namespace lz

#endif // COMPILER_DRIVER_WEIGHTSBLOCK_H
