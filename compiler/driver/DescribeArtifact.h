//===- DescribeArtifact.h - a module's programs as tables -------*- C++ -*-===//
#ifndef COMPILER_DRIVER_DESCRIBEARTIFACT_H
#define COMPILER_DRIVER_DESCRIBEARTIFACT_H

#include "compiler/target/ArtifactTable.h"
#include "compiler/target/TargetSpec.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/codegen/host/WeightsLayout.h"

namespace lz {

/// The symbol of the weights object.
inline constexpr char kWeightsSymbol[] = "lz_weights";

/// Everything that the artifact's tables say of `module`, whose programs have
/// host functions.
ArtifactDescription describeArtifact(mlir::ModuleOp module,
                                     const WeightsLayout &weights,
                                     const TargetSpec &target);

/// The number of lz_element_type for an element type; 0 if it has none.
int32_t getElementTypeNumber(mlir::Type type);

} // namespace lz

#endif // COMPILER_DRIVER_DESCRIBEARTIFACT_H
