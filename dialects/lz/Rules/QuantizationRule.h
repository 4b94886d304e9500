//===- QuantizationRule.h - integer forms of float ops ----------*- C++ -*-===//
//
// real = (integer - zero point) * scale. An op's integer form reads and writes
// integers and computes, on what they stand for, what the float op computes.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LZ_RULES_QUANTIZATIONRULE_H
#define DIALECTS_LZ_RULES_QUANTIZATIONRULE_H

#include "dialects/lz/IR/LzDialect.h"

namespace lz {

class RuleBuilder;

/// How a tensor is quantized; the operands of lz.quantize.
struct QuantizationParams {
  mlir::Value scale;           // a scalar, or a vector along `axis`
  mlir::Value zeroPoint;       // as the scale, of type `storage`; zero if null
  std::optional<int64_t> axis; // set if the scale is a vector
  mlir::Type storage;          // the integers' element type

  explicit operator bool() const { return static_cast<bool>(scale); }
  bool operator==(const QuantizationParams &other) const {
    return scale == other.scale && zeroPoint == other.zeroPoint &&
           axis == other.axis && storage == other.storage;
  }
};

/// Integers with their parameters; without (`params` false), a value as it is.
struct QuantizedValue {
  mlir::Value value;
  QuantizationParams params;
};

/// What may be quantized of one source or result.
struct ValueQuantization {
  bool allowed = false;
  /// The dimensions along which the scale may vary.
  llvm::SmallVector<int64_t> axes;
};

struct QuantizationRule {
  llvm::SmallVector<ValueQuantization> sources, results;
  /// The op moves elements and computes nothing: a result best has the
  /// parameters of the source, and then no arithmetic is left.
  bool movesElements = false;
};

/// The integer form of `op`, after a check that it has a rule and that the
/// parameters fit it; an error on `op` if they don't.
llvm::LogicalResult
buildQuantized(RuleBuilder &builder, mlir::Operation *op,
               llvm::ArrayRef<QuantizedValue> sources,
               llvm::ArrayRef<QuantizationParams> results,
               llvm::SmallVectorImpl<mlir::Value> &integers);

/// The real numbers that a value stands for: dequantized, or as it is.
mlir::Value buildReal(RuleBuilder &builder, const QuantizedValue &value);
/// Real numbers as integers.
mlir::Value buildInteger(RuleBuilder &builder, mlir::Value real,
                         const QuantizationParams &params);

} // namespace lz

#endif // DIALECTS_LZ_RULES_QUANTIZATIONRULE_H
