//===- WeightsLayout.h - where each constant lies in the weights -*- C++
//-*-===//
#ifndef PASSES_CODEGEN_HOST_WEIGHTSLAYOUT_H
#define PASSES_CODEGEN_HOST_WEIGHTSLAYOUT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

#include <string>

namespace lz {

/// The distinct constants of a module's programs, in order of first use, each
/// aligned to 64 bytes.
class WeightsLayout {
public:
  explicit WeightsLayout(mlir::ModuleOp module);

  struct Entry {
    std::string name; // the parameter's, or "constant<N>"
    int64_t offset, bytes;
  };

  int64_t getOffset(mlir::ElementsAttr value) const;
  const llvm::MapVector<mlir::Attribute, Entry> &getEntries() const {
    return entries;
  }
  /// The end of the last constant.
  int64_t getNumBytes() const;

private:
  llvm::MapVector<mlir::Attribute, Entry> entries;
};

} // namespace lz

#endif // PASSES_CODEGEN_HOST_WEIGHTSLAYOUT_H
