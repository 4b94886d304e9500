//===- WeightLayouts.h - what packed constants stand for --------*- C++ -*-===//
#ifndef PASSES_LAYOUT_WEIGHTLAYOUTS_H
#define PASSES_LAYOUT_WEIGHTLAYOUTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace lz {

/// A parameter as the model knows it, and how its elements are stored.
struct WeightLayout {
  std::string name;
  llvm::SmallVector<int64_t> shape;
  std::string layout;
};

/// Records in `module` what the resource `packed` stands for.
void setWeightLayout(mlir::ModuleOp module,
                     mlir::DenseResourceElementsAttr packed,
                     const WeightLayout &layout);

/// What is recorded of `value`; none if it lies as its type says.
std::optional<WeightLayout> getWeightLayout(mlir::ModuleOp module,
                                            mlir::Attribute value);

} // namespace lz

#endif // PASSES_LAYOUT_WEIGHTLAYOUTS_H
