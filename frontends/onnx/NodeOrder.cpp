//===- NodeOrder.cpp - nodes in an order in which they can run ------------===//

#include "frontends/onnx/NodeOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <queue>

using namespace lz;

namespace {

/// Finds the nodes of a list that a node reads, by way of its subgraphs too.
class SourceFinder {
public:
  SourceFinder(const NodeList &nodes, const std::vector<bool> &superseded) {
    for (auto [index, node] : llvm::enumerate(nodes))
      for (const std::string &output : node.output())
        if (!output.empty() && !superseded[index])
          producers.try_emplace(output, index);
  }

  std::vector<int> find(const onnx::NodeProto &node) {
    sources.clear();
    addNode(node, nullptr);
    return sources;
  }

private:
  /// The names that subgraphs define, which hide those outside.
  struct Hidden {
    const Hidden *parent;
    llvm::StringSet<> names;
  };

  void addNode(const onnx::NodeProto &node, const Hidden *hidden);
  void addGraph(const onnx::GraphProto &graph, const Hidden *parent);
  void addName(llvm::StringRef name, const Hidden *hidden);

  llvm::StringMap<int> producers;
  std::vector<int> sources;
};

} // namespace

void SourceFinder::addName(llvm::StringRef name, const Hidden *hidden) {
  for (; hidden; hidden = hidden->parent)
    if (hidden->names.contains(name))
      return;
  if (auto found = producers.find(name); found != producers.end())
    sources.push_back(found->second);
}

void SourceFinder::addNode(const onnx::NodeProto &node, const Hidden *hidden) {
  for (const std::string &input : node.input())
    addName(input, hidden);
  for (llvm::StringRef name : getNamedTensors(node))
    addName(name, hidden);
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g())
      addGraph(attribute.g(), hidden);
    for (const onnx::GraphProto &graph : attribute.graphs())
      addGraph(graph, hidden);
  }
}

void SourceFinder::addGraph(const onnx::GraphProto &graph,
                            const Hidden *parent) {
  Hidden hidden{parent, {}};
  for (const onnx::ValueInfoProto &input : graph.input())
    hidden.names.insert(input.name());
  for (const onnx::TensorProto &tensor : graph.initializer())
    hidden.names.insert(tensor.name());
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    hidden.names.insert(tensor.values().name());
  for (const onnx::NodeProto &node : graph.node())
    hidden.names.insert(node.output().begin(), node.output().end());
  for (const onnx::NodeProto &node : graph.node())
    addNode(node, &hidden);
  for (const onnx::ValueInfoProto &output : graph.output())
    addName(output.name(), &hidden);
}

std::vector<bool> lz::findSuperseded(const NodeList &nodes) {
  std::vector<bool> superseded(nodes.size());
  llvm::StringSet<> constants;
  for (int i = nodes.size(); i-- > 0;)
    if (nodes[i].op_type() == "Constant" && nodes[i].domain().empty() &&
        nodes[i].output_size() == 1)
      superseded[i] = !constants.insert(nodes[i].output(0)).second;
  return superseded;
}

std::vector<llvm::StringRef> lz::getNamedTensors(const onnx::NodeProto &node) {
  std::vector<llvm::StringRef> names;
  if (node.op_type() != "Gradient" ||
      node.domain() != "ai.onnx.preview.training")
    return names;
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.name() == "xs" || attribute.name() == "zs")
      llvm::append_range(names, attribute.strings());
    if (attribute.name() == "y" && attribute.has_s())
      names.push_back(attribute.s());
  }
  return names;
}

std::optional<std::vector<int>> lz::getNodeOrder(const NodeList &nodes) {
  std::vector<bool> superseded = findSuperseded(nodes);
  SourceFinder finder(nodes, superseded);
  std::vector<size_t> waitsFor(nodes.size());
  std::vector<std::vector<int>> readers(nodes.size());
  for (int i = 0; i != nodes.size(); ++i) {
    std::vector<int> sources = finder.find(nodes[i]);
    waitsFor[i] = sources.size();
    for (int source : sources)
      readers[source].push_back(i);
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i != nodes.size(); ++i)
    if (waitsFor[i] == 0 && !superseded[i])
      ready.push(i);
  std::vector<int> order;
  while (!ready.empty()) {
    int next = ready.top();
    ready.pop();
    order.push_back(next);
    for (int reader : readers[next])
      if (--waitsFor[reader] == 0)
        ready.push(reader);
  }
  bool isWhole = order.size() + llvm::count(superseded, true) ==
                 static_cast<size_t>(nodes.size());
  return isWhole ? std::optional(std::move(order)) : std::nullopt;
}
