//===- WeightsFile.h - a module's resources in a file -----------*- C++ -*-===//
//
// A stage's `.mlir` names its weights but does not hold them; they lie in one
// `.lzw` beside it, mapped when it is read again.
//
// Layout, little endian: "LZWEIGHT", u64 count, then for each entry u64 name
// length, the name, u64 offset, u64 bytes; data at 64-byte aligned offsets.
//
//===----------------------------------------------------------------------===//
#ifndef COMPILER_DRIVER_WEIGHTSFILE_H
#define COMPILER_DRIVER_WEIGHTSFILE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Error.h"

namespace lz {

/// Collects the resources of a module's stages and writes them once.
class WeightsWriter {
public:
  /// Adds the resources that `module` refers to.
  void add(mlir::ModuleOp module);
  llvm::Error write(llvm::StringRef path) const;
  void write(llvm::raw_ostream &os) const;

private:
  llvm::MapVector<llvm::StringRef, mlir::DenseResourceElementsAttr> resources;
};

/// Gives the resources of `module` that have no data theirs, from the file at
/// `path`. Not an error if there is no such resource.
llvm::Error attachWeights(mlir::ModuleOp module, llvm::StringRef path);

} // namespace lz

#endif // COMPILER_DRIVER_WEIGHTSFILE_H
