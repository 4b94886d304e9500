//===- Quantizations.h - what quantization rules share ----------*- C++ -*-===//
#ifndef DIALECTS_LZ_RULES_QUANTIZATION_QUANTIZATIONS_H
#define DIALECTS_LZ_RULES_QUANTIZATION_QUANTIZATIONS_H

#include "dialects/lz/Rules/RuleInterfaces.h"

namespace lz {

/// Builds the integer form of an op; see QuantizationOpInterface.
template <typename Op>
using IntegerFormBuilder = llvm::LogicalResult (*)(
    Op, RuleBuilder &, llvm::ArrayRef<QuantizedValue> sources,
    llvm::ArrayRef<QuantizationParams> results,
    llvm::SmallVectorImpl<mlir::Value> &integers);

template <typename Op, QuantizationRule (*rule)(Op),
          IntegerFormBuilder<Op> form>
struct QuantizationModel
    : QuantizationOpInterface::ExternalModel<QuantizationModel<Op, rule, form>,
                                             Op> {
  QuantizationRule getQuantizationRule(mlir::Operation *op) const {
    return rule(mlir::cast<Op>(op));
  }
  llvm::LogicalResult
  buildIntegerForm(mlir::Operation *op, RuleBuilder &builder,
                   llvm::ArrayRef<QuantizedValue> sources,
                   llvm::ArrayRef<QuantizationParams> results,
                   llvm::SmallVectorImpl<mlir::Value> &integers) const {
    RuleBuilder here = builder.at(op->getLoc());
    return form(mlir::cast<Op>(op), here, sources, results, integers);
  }
};

/// Attaches `rule` as the quantization rule of `Op`, and `form` as what builds
/// its integer form.
template <typename Op, QuantizationRule (*rule)(Op),
          IntegerFormBuilder<Op> form>
void attachQuantization(mlir::MLIRContext &context) {
  Op::template attachInterface<QuantizationModel<Op, rule, form>>(context);
}

// One function per family.
void attachContractionQuantizations(mlir::MLIRContext &context);
void attachElementQuantizations(mlir::MLIRContext &context);
void attachControlQuantizations(mlir::MLIRContext &context);

/// A value of which all dimensions, but `except`, may have scales of their own.
ValueQuantization allowAxes(mlir::Value value,
                            std::optional<int64_t> except = std::nullopt);

/// `vector` as it broadcasts along dimension `axis` of a tensor of `rank`; a
/// scalar as it is.
mlir::Value alignToAxis(RuleBuilder &builder, mlir::Value vector,
                        std::optional<int64_t> axis, int64_t rank);

} // namespace lz

#endif // DIALECTS_LZ_RULES_QUANTIZATION_QUANTIZATIONS_H
