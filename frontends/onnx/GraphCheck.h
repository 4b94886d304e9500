//===- GraphCheck.h - names and order in an ONNX graph ----------*- C++ -*-===//
#ifndef FRONTENDS_ONNX_GRAPHCHECK_H
#define FRONTENDS_ONNX_GRAPHCHECK_H

#include "frontends/onnx/ModelFile.h"
#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

namespace lz {

/// Where a node stands: its name (`OpType_<index>` if it has none), and file
/// and position. `prefix` leads the name inside of functions;
/// the middle of such a name is left out beyond 200 bytes.
mlir::Location getNodeLoc(mlir::MLIRContext *context, llvm::StringRef path,
                          const onnx::NodeProto &node, int index,
                          llvm::StringRef prefix = "");

/// Checks, in all subgraphs and functions, that each value has one definition,
/// and that there is an order in which all come before their uses. Emits an
/// error that names the nodes otherwise.
mlir::LogicalResult checkNames(mlir::MLIRContext *context, llvm::StringRef path,
                               const onnx::ModelProto &model);

} // namespace lz

#endif // FRONTENDS_ONNX_GRAPHCHECK_H
