//===- RefValue.h - values of the reference evaluator -----------*- C++ -*-===//
#ifndef DIALECTS_LZ_REFERENCE_REFVALUE_H
#define DIALECTS_LZ_REFERENCE_REFVALUE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <complex>
#include <memory>
#include <string>
#include <vector>

namespace lz {

/// How the elements of a type are stored, as in ONNX's raw_data: little endian,
/// bool one byte, 2- and 4-bit types packed from the low bits.
struct ElementFormat {
  enum Kind : uint8_t { Float, Signed, Unsigned, Bool, Complex, String };

  explicit ElementFormat(mlir::Type type);
  ElementFormat() = default;

  bool isInteger() const {
    return kind == Signed || kind == Unsigned || kind == Bool;
  }
  /// The bytes of `count` elements; of strings, none.
  int64_t getNumBytes(int64_t count) const { return (count * bits + 7) / 8; }

  Kind kind = Float;
  unsigned bits = 0; // of one stored element; a bool takes 8
  const llvm::fltSemantics *semantics = nullptr; // of a float or a part
};

/// A dense tensor: row-major elements, or strings.
class RefTensor {
public:
  RefTensor() = default;
  /// A tensor of zeros (or empty strings). `type` is static.
  explicit RefTensor(mlir::RankedTensorType type);
  /// A tensor that reads `bytes`, which `owner` keeps alive. No copy.
  RefTensor(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes,
            std::shared_ptr<const void> owner);

  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  const ElementFormat &getFormat() const { return format; }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getRank() const { return type.getRank(); }
  int64_t getNumElements() const { return type.getNumElements(); }

  llvm::ArrayRef<char> getBytes() const { return bytes; }
  /// The bytes, to be written; copies first what is shared.
  llvm::MutableArrayRef<char> getMutableBytes();

  /// One element, converted; exact for every real element type but 64-bit
  /// integers above 2^53, which getInt reads. Unsigned 64-bit integers keep
  /// their bits in getInt.
  double getDouble(int64_t index) const;
  int64_t getInt(int64_t index) const;
  bool getBool(int64_t index) const;
  std::complex<double> getComplex(int64_t index) const;
  /// Stores with the element type's rounding (nearest even) or wrapping. A
  /// float that an integer of 32 or 64 bits can't hold gives the nearest, and
  /// NaN gives 0.
  void setDouble(int64_t index, double value);
  void setInt(int64_t index, int64_t value);
  void setComplex(int64_t index, std::complex<double> value);
  /// -1, 0 or 1 as element `i` is less than, like or greater than element `j`.
  /// NaN is neither less nor greater.
  int compare(int64_t i, int64_t j) const;
  /// Copies one element of a tensor of the same element type, bit by bit.
  void copyElement(int64_t index, const RefTensor &source, int64_t from);

  /// All elements, for loops that read each many times.
  std::vector<double> getDoubles() const;
  std::vector<int64_t> getInts() const;

  /// Same bytes, other shape of as many elements.
  RefTensor reshaped(llvm::ArrayRef<int64_t> shape) const;

  std::vector<std::string> &getMutableStrings();
  const std::vector<std::string> &getStrings() const { return *strings; }

private:
  uint64_t loadBits(int64_t index) const;
  void storeBits(int64_t index, uint64_t value);

  mlir::RankedTensorType type;
  ElementFormat format;
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
  std::shared_ptr<std::vector<char>> own; // set if the bytes are ours
  std::shared_ptr<std::vector<std::string>> strings;
};

/// `value` as an element of the float type `type` holds it.
double roundToType(mlir::Type type, double value);

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
