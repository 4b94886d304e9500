//===- TensorData.h - the bytes of ONNX tensors -----------------*- C++ -*-===//
//
// Finds the bytes of a TensorProto wherever the model keeps them: in the
// mapped model file, in a file of external data, in the parsed message. Checks
// that they are there, inside the model's folder, and as many as the type
// needs. Copies only what the message keeps in another width.
//
//===----------------------------------------------------------------------===//
#ifndef FRONTENDS_ONNX_TENSORDATA_H
#define FRONTENDS_ONNX_TENSORDATA_H

#include "frontends/onnx/ModelFile.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"

namespace lz {

/// A tensor's type and bytes (of strings: the strings).
struct TensorData {
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
  llvm::SmallVector<llvm::StringRef> strings;
};

class TensorReader {
public:
  /// `path` is the model's, to find external data beside it.
  TensorReader(std::shared_ptr<const ModelFile> file, llvm::StringRef path)
      : file(std::move(file)), path(path) {}

  /// The data of a sparse tensor, made dense.
  llvm::Expected<TensorData> readSparse(mlir::MLIRContext *context,
                                        const onnx::SparseTensorProto &tensor);

  /// The data of `tensor`. Errors name the tensor, and the file if it is not
  /// the model's.
  llvm::Expected<TensorData> read(mlir::MLIRContext *context,
                                  const onnx::TensorProto &tensor);

private:
  llvm::Expected<llvm::ArrayRef<char>>
  readExternal(const onnx::TensorProto &tensor, uint64_t size,
               std::shared_ptr<const void> &owner);
  llvm::Expected<std::shared_ptr<llvm::MemoryBuffer>>
  openExternal(const std::string &location);
  llvm::Error checkLocation(const std::string &location,
                            llvm::StringRef target) const;

  std::shared_ptr<const ModelFile> file;
  std::string path;
  llvm::StringMap<std::shared_ptr<llvm::MemoryBuffer>> externals;
};

/// `data` as an attribute: dense if it is small or made of strings, else a
/// resource called `name`.
mlir::ElementsAttr getElements(const TensorData &data, llvm::StringRef name);

/// True for data that belongs in the module's text.
bool isSmall(const TensorData &data);

} // namespace lz

#endif // FRONTENDS_ONNX_TENSORDATA_H
