//===- Importer.h - ONNX models as lz modules -------------------*- C++ -*-===//
//
// The public face of the ONNX frontend: a model file in, a verified module of
// the lz dialect out. Weights stay in the mapped file; errors are diagnostics
// at the node that is to blame.
//
//===----------------------------------------------------------------------===//
#ifndef FRONTENDS_ONNX_IMPORTER_H
#define FRONTENDS_ONNX_IMPORTER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace lz {

/// The values that a free dimension may take, both ends included.
struct DimRange {
  int64_t min;
  int64_t max;
};

struct ImportOptions {
  /// Free dimensions by symbol name. A range of one value makes the dimension
  /// a constant.
  std::map<std::string, DimRange> dims;
  /// Makes every dimension of every input a symbol, whatever the model says.
  bool allDynamic = false;
};

/// Adds a command line's `name=value` or `name=min..max` to `options`.
llvm::Error addDimOption(llvm::StringRef text, ImportOptions &options);

/// Reads the model in `path`. Emits an error and fails if it can't be imported.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnx(llvm::StringRef path, mlir::MLIRContext &context,
           const ImportOptions &options = {});

} // namespace lz

#endif // FRONTENDS_ONNX_IMPORTER_H
