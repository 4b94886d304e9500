//===- GraphCheck.cpp - names and order in an ONNX graph ------------------===//

#include "frontends/onnx/GraphCheck.h"

#include "frontends/onnx/NodeOrder.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/xxhash.h"

#include <numeric>

using namespace mlir;
using namespace lz;

/// The longest name that is composed of a call's and a node's.
static constexpr size_t kMaxName = 200;

/// True for all bytes of a character in UTF-8 but the first.
static bool isContinuation(char byte) { return (byte & 0xc0) == 0x80; }

/// Leaves out the middle of a long name, whose hash keeps names apart:
/// "first_call/...5d2c7f0a.../last_call/Add_1".
static std::string shorten(StringRef name) {
  if (name.size() <= kMaxName)
    return name.str();
  StringRef head = name.take_front(kMaxName / 4);
  head = head.take_front(head.rfind('/'));
  while (isContinuation(name[head.size()]))
    head = head.drop_back();
  StringRef tail = name.take_back(kMaxName / 2);
  tail = tail.drop_front(tail.find('/') + 1); // npos + 1 is 0
  while (!tail.empty() && isContinuation(tail.front()))
    tail = tail.drop_front();
  StringRef middle = name.slice(head.size(), name.size() - tail.size());
  auto hash = static_cast<uint32_t>(llvm::xxh3_64bits(middle));
  return (head + "/..." + llvm::utohexstr(hash, /*LowerCase=*/true, 8) +
          ".../" + tail)
      .str();
}

Location lz::getNodeLoc(MLIRContext *context, StringRef path,
                        const onnx::NodeProto &node, int index,
                        StringRef prefix) {
  std::string name = node.name().empty()
                         ? node.op_type() + "_" + std::to_string(index)
                         : node.name();
  if (!prefix.empty())
    name = shorten(prefix.str() + name);
  // Lines of a FileLineColLoc count from one.
  return NameLoc::get(StringAttr::get(context, name),
                      FileLineColLoc::get(context, path, index + 1, 0));
}

namespace {

/// The names that one graph or function defines.
struct NameScope {
  const NameScope *parent;
  llvm::StringSet<> names;

  bool has(StringRef name) const {
    for (const NameScope *scope = this; scope; scope = scope->parent)
      if (scope->names.contains(name))
        return true;
    return false;
  }
};

class NameChecker {
public:
  NameChecker(MLIRContext *context, StringRef path)
      : context(context), path(path) {}

  LogicalResult checkGraph(const onnx::GraphProto &graph,
                           const NameScope *parent);
  LogicalResult checkFunction(const onnx::FunctionProto &function);

private:
  LogicalResult checkNodes(const NodeList &nodes, NameScope &scope);
  void warnOfSuperseded(const NodeList &nodes);
  LogicalResult checkSubgraphs(const onnx::NodeProto &node, NameScope &scope);
  LogicalResult reportUndefined(const NodeList &nodes, int reader,
                                StringRef name);

  Location getLoc(const onnx::NodeProto &node, int index) {
    return getNodeLoc(context, path, node, index);
  }
  InFlightDiagnostic error() {
    return emitError(FileLineColLoc::get(context, path, 0, 0));
  }

  MLIRContext *context;
  StringRef path;
};

} // namespace

/// The node that reads `name` is at `reader`, and nothing before it in an order
/// in which they could run defines `name`.
LogicalResult NameChecker::reportUndefined(const NodeList &nodes, int reader,
                                           StringRef name) {
  auto diagnostic = emitError(getLoc(nodes[reader], reader))
                    << nodes[reader].op_type() << ": reads value '" << name
                    << "', which ";
  for (auto [index, node] : llvm::enumerate(nodes))
    if (llvm::is_contained(node.output(), name))
      return diagnostic << "node "
                        << cast<NameLoc>(getLoc(node, index)).getName()
                        << " produces later; the graph has a cycle";
  return diagnostic << "no input, initializer or node defines";
}

LogicalResult NameChecker::checkSubgraphs(const onnx::NodeProto &node,
                                          NameScope &scope) {
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g() && failed(checkGraph(attribute.g(), &scope)))
      return failure();
    for (const onnx::GraphProto &graph : attribute.graphs())
      if (failed(checkGraph(graph, &scope)))
        return failure();
  }
  return success();
}

/// Says which constants do not count, if there are any.
void NameChecker::warnOfSuperseded(const NodeList &nodes) {
  std::vector<bool> superseded = findSuperseded(nodes);
  auto first = llvm::find(superseded, true);
  if (first == superseded.end())
    return;
  int index = static_cast<int>(first - superseded.begin());
  emitWarning(getLoc(nodes[index], index))
      << "Constant: defines value '" << nodes[index].output(0)
      << "', and a later constant does again, which counts; there are "
      << llvm::count(superseded, true) << " such constants";
}

LogicalResult NameChecker::checkNodes(const NodeList &nodes, NameScope &scope) {
  warnOfSuperseded(nodes);
  // In a cycle, the first to read what is not there yet is named.
  std::vector<int> inFile(nodes.size());
  std::iota(inFile.begin(), inFile.end(), 0);
  for (int i : getNodeOrder(nodes).value_or(inFile)) {
    const onnx::NodeProto &node = nodes[i];
    for (const std::string &input : node.input())
      if (!input.empty() && !scope.has(input))
        return reportUndefined(nodes, i, input);
    for (StringRef name : getNamedTensors(node))
      if (!scope.has(name))
        return reportUndefined(nodes, i, name);
    if (failed(checkSubgraphs(node, scope)))
      return failure();
    for (const std::string &output : node.output())
      if (!output.empty() && !scope.names.insert(output).second)
        return emitError(getLoc(node, i))
               << node.op_type() << ": defines value '" << output
               << "' a second time; names must be unique";
  }
  return success();
}

LogicalResult NameChecker::checkGraph(const onnx::GraphProto &graph,
                                      const NameScope *parent) {
  NameScope scope{parent, {}};
  for (const onnx::ValueInfoProto &input : graph.input())
    if (!scope.names.insert(input.name()).second)
      return error() << "graph '" << graph.name() << "' has two inputs named '"
                     << input.name() << "'; names must be unique";
  // Up to IR version 3, initializers are listed as inputs, too.
  llvm::StringSet<> initializers;
  auto add = [&](const std::string &name) -> LogicalResult {
    scope.names.insert(name);
    if (initializers.insert(name).second)
      return success();
    return error() << "graph '" << graph.name()
                   << "' has two initializers named '" << name
                   << "'; names must be unique";
  };
  for (const onnx::TensorProto &tensor : graph.initializer())
    if (failed(add(tensor.name())))
      return failure();
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    if (failed(add(tensor.values().name())))
      return failure();
  if (failed(checkNodes(graph.node(), scope)))
    return failure();
  for (const onnx::ValueInfoProto &output : graph.output())
    if (!scope.has(output.name()))
      return error() << "output '" << output.name() << "' of graph '"
                     << graph.name() << "' is never computed";
  return success();
}

LogicalResult NameChecker::checkFunction(const onnx::FunctionProto &function) {
  NameScope scope{nullptr, {}};
  for (const std::string &input : function.input())
    if (!scope.names.insert(input).second)
      return error() << "function '" << function.name()
                     << "' has two inputs named '" << input << "'";
  if (failed(checkNodes(function.node(), scope)))
    return failure();
  for (const std::string &output : function.output())
    if (!scope.has(output))
      return error() << "output '" << output << "' of function '"
                     << function.name() << "' is never computed";
  return success();
}

LogicalResult lz::checkNames(MLIRContext *context, StringRef path,
                             const onnx::ModelProto &model) {
  NameChecker checker(context, path);
  for (const onnx::FunctionProto &function : model.functions())
    if (failed(checker.checkFunction(function)))
      return failure();
  return checker.checkGraph(model.graph(), nullptr);
}
