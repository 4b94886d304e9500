//===- RefValue.h - values of the reference evaluator -----------*- C++ -*-===//
#ifndef DIALECTS_LZ_REFERENCE_REFVALUE_H
#define DIALECTS_LZ_REFERENCE_REFVALUE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>
#include <vector>

namespace lz {

/// A dense tensor: row-major bytes as in ONNX's raw_data (bool one byte an
/// element, 2- and 4-bit types packed from the low bits), or strings.
class RefTensor {
public:
  RefTensor() = default;
  /// A tensor of zeros. `type` is static.
  explicit RefTensor(mlir::RankedTensorType type);
  /// A tensor that reads `bytes`, which `owner` keeps alive. No copy.
  RefTensor(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes,
            std::shared_ptr<const void> owner);

  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getRank() const { return type.getRank(); }
  int64_t getNumElements() const { return type.getNumElements(); }

  llvm::ArrayRef<char> getBytes() const { return bytes; }
  /// The bytes, to be written; copies first what is shared.
  llvm::MutableArrayRef<char> getMutableBytes();

  /// One element, converted; exact for every real element type but 64-bit
  /// integers above 2^53, which getInt reads.
  double getDouble(int64_t index) const;
  int64_t getInt(int64_t index) const;
  bool getBool(int64_t index) const { return getInt(index) != 0; }
  /// Stores with the element type's rounding (nearest even) or wrapping.
  void setDouble(int64_t index, double value);
  void setInt(int64_t index, int64_t value);

  /// Same bytes, other shape of as many elements.
  RefTensor reshaped(llvm::ArrayRef<int64_t> shape) const;

  std::vector<std::string> &getStrings() { return *strings; }
  const std::vector<std::string> &getStrings() const { return *strings; }

private:
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
  std::shared_ptr<std::vector<char>> own; // set if the bytes are ours
  std::shared_ptr<std::vector<std::string>> strings;
};

/// A tensor, a sequence of values, or an optional value.
class RefValue {
public:
  RefValue() = default;
  /*implicit*/ RefValue(RefTensor tensor) : tensor(std::move(tensor)) {}

  static RefValue sequence(std::vector<RefValue> elements);
  static RefValue none();
  static RefValue some(RefValue value);

  enum class Kind { Tensor, Sequence, Optional };
  Kind getKind() const { return kind; }
  const RefTensor &getTensor() const { return tensor; }
  /// The elements of a sequence; the one or no value of an optional.
  llvm::ArrayRef<RefValue> getElements() const { return elements; }

private:
  Kind kind = Kind::Tensor;
  RefTensor tensor;
  std::vector<RefValue> elements;
};

} // namespace lz

#endif // DIALECTS_LZ_REFERENCE_REFVALUE_H
