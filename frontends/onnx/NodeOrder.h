//===- NodeOrder.h - nodes in an order in which they can run ----*- C++ -*-===//
#ifndef FRONTENDS_ONNX_NODEORDER_H
#define FRONTENDS_ONNX_NODEORDER_H

#include "frontends/onnx/ModelFile.h"

#include <optional>
#include <vector>

namespace lz {

using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Which of `nodes` are constants whose name a later constant has again: some
/// exporters write such files, and ONNX Runtime lets the last one count.
std::vector<bool> findSuperseded(const NodeList &nodes);

/// The tensors that a node names by attributes, as ai.onnx.preview.training's
/// Gradient does: it reads them, or what they are computed from. Empty for all
/// other nodes.
std::vector<llvm::StringRef> getNamedTensors(const onnx::NodeProto &node);

/// The indices of `nodes` but for superseded constants, each after those whose
/// values it or its subgraphs read, and else in the order of the file: ONNX asks
/// for sorted nodes, and not all exporters and optimizers comply. None if there
/// is a cycle.
std::optional<std::vector<int>> getNodeOrder(const NodeList &nodes);

} // namespace lz

#endif // FRONTENDS_ONNX_NODEORDER_H
