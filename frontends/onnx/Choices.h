//===- Choices.h - operands that must be constant, but are not --*- C++ -*-===//
#ifndef FRONTENDS_ONNX_CHOICES_H
#define FRONTENDS_ONNX_CHOICES_H

#include "frontends/onnx/NodeImporter.h"
#include "frontends/onnx/ops/Handlers.h"

namespace lz {

/// True if an operand of the node names axes and is not constant.
bool hasOpenAxes(NodeImporter &node);

/// Imports a node with open axes: for each choice of axes that there can be, the
/// node with just these, in branches of which the run takes the right one. Axes
/// that can't be end the run with an error.
mlir::LogicalResult importChoices(NodeImporter &node, Handler handler);

} // namespace lz

#endif // FRONTENDS_ONNX_CHOICES_H
