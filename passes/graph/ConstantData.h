//===- ConstantData.h - reading and making trained constants ----*- C++ -*-===//
#ifndef PASSES_GRAPH_CONSTANTDATA_H
#define PASSES_GRAPH_CONSTANTDATA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace lz {

/// The elements of a constant as they lie in memory. Resources only: other
/// attributes pack booleans and repeat splats.
std::optional<llvm::ArrayRef<char>> getResourceBytes(mlir::Value value);

/// Bytes that an element takes in a resource; 0 if elements are no whole bytes.
int64_t getElementBytes(mlir::Type elementType);

/// The numbers of an f32 or f64 constant, read in place.
class FloatConstant {
public:
  /// None if `value` is no such constant.
  static std::optional<FloatConstant> get(mlir::Value value);

  mlir::RankedTensorType getType() const { return type; }
  int64_t size() const { return type.getNumElements(); }
  double operator[](int64_t index) const;

private:
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
  bool splat = false;
};

/// New memory for constants, of which a pass may take a bounded amount.
class ConstantMaker {
public:
  ConstantMaker(llvm::StringRef suffix, int64_t maxBytes)
      : suffix(suffix), bytesLeft(maxBytes) {}

  /// Callers ask before they make anything that is not small.
  bool hasRoomFor(mlir::RankedTensorType type) const;

  /// A constant of `type` whose bytes `fill` writes (all of them). Named after
  /// `original`, if that is a resource too.
  mlir::DenseResourceElementsAttr
  make(mlir::RankedTensorType type, mlir::Value original,
       llvm::function_ref<void(llvm::MutableArrayRef<char>)> fill);

  /// A constant of f32 or f64 numbers, rounded to nearest.
  mlir::DenseResourceElementsAttr
  makeFloats(mlir::RankedTensorType type, mlir::Value original,
             llvm::function_ref<double(int64_t)> element);

private:
  std::string suffix;
  int64_t bytesLeft;
};

} // namespace lz

#endif // PASSES_GRAPH_CONSTANTDATA_H
