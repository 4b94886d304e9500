//===- Nodes.cpp - nodes, subgraphs and calls of functions ----------------===//

#include "dialects/lz/Rules/Gradient/Reverse.h"
#include "frontends/onnx/Choices.h"
#include "frontends/onnx/GraphCheck.h"
#include "frontends/onnx/NodeImporter.h"
#include "frontends/onnx/OnnxLibrary.h"
#include "frontends/onnx/Types.h"
#include "frontends/onnx/ops/Contrib.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lz;

/// Calls of functions nest no deeper; a function that calls itself would.
static constexpr unsigned kMaxCallDepth = 32;
/// Functions that call functions multiply, and so do loops in loops whose
/// bodies are imported twice, and gradients of gradients. So many nodes may
/// come of them.
static constexpr uint64_t kMaxNodes = 1 << 16;

LogicalResult ModelImporter::countNodes(uint64_t count, Location loc) {
  nodeCount += count;
  if (nodeCount <= kMaxNodes)
    return success();
  return emitError(loc) << "the model has more than " << kMaxNodes
                        << " nodes in subgraphs, calls of functions and "
                           "gradients once those are expanded";
}

/// The tensors that Gradient nodes among `nodes` name.
static llvm::SetVector<StringRef> getDerivedNames(const NodeList &nodes) {
  llvm::SetVector<StringRef> names;
  for (const onnx::NodeProto &node : nodes)
    names.insert_range(getNamedTensors(node));
  return names;
}

void ModelImporter::separate(StringRef name, Scope &scope, Location loc) {
  auto found = scope.values.find(name);
  if (found == scope.values.end() || !isDifferentiable(found->second))
    return;
  RuleBuilder rules(builder, shapes, loc);
  found->second = rules.unary(UnaryKind::identity, found->second);
}

LogicalResult ModelImporter::importNodes(const NodeList &nodes, Scope &scope) {
  auto order = getNodeOrder(nodes);
  assert(order && "checkNames has found an order");
  llvm::SetVector<StringRef> derived = getDerivedNames(nodes);
  if (scope.parent || scope.frame.depth != 0)
    for (StringRef name : derived)
      separate(name, scope, builder.getUnknownLoc());
  for (int i : *order) {
    Location loc = scope.frame.loc ? *scope.frame.loc
                                   : getNodeLoc(context, path, nodes[i], i,
                                                scope.frame.prefix);
    bool isOwn = !scope.parent && scope.frame.depth == 0;
    if (!isOwn && failed(countNodes(1, loc)))
      return failure();
    if (failed(importNode(nodes[i], scope, loc)))
      return failure();
    for (const std::string &output : nodes[i].output())
      if (derived.contains(output))
        separate(output, scope, loc);
  }
  return success();
}

const onnx::FunctionProto *
ModelImporter::findFunction(const onnx::NodeProto &node) const {
  for (const onnx::FunctionProto &function : file->model.functions())
    if (function.name() == node.op_type() &&
        getDomain(function.domain()) == getDomain(node.domain()) &&
        function.overload() == node.overload())
      return &function;
  return nullptr;
}

/// Reports an operator that no schema describes.
static LogicalResult reportUnknown(const onnx::NodeProto &node, int opset,
                                   const std::string &domain, Location loc) {
  auto diagnostic = emitError(loc) << node.op_type() << ": ";
  if (domain == kContribDomain)
    return diagnostic << "this operator of domain '" << domain
                      << "' is not supported; export the model without it, or "
                         "with a function that defines it";
  if (!onnxlib::getNewestOpset(domain))
    return diagnostic << "unknown operator domain '" << domain
                      << "'; LeZero imports ONNX's own domains and functions "
                         "that the model defines";
  if (auto first = onnxlib::findFirstVersion(node.op_type(), domain))
    return diagnostic << "the operator came with opset " << *first
                      << ", but the model states opset " << opset;
  return diagnostic << "unknown operator in domain '"
                    << (domain.empty() ? "ai.onnx" : domain)
                    << "'; check its spelling";
}

LogicalResult ModelImporter::importNode(const onnx::NodeProto &node,
                                        Scope &scope, Location loc) {
  if (const onnx::FunctionProto *callee = findFunction(node))
    return importCall(node, *callee, scope, loc, /*isStandard=*/false);
  std::string domain = getDomain(node.domain());
  auto opset = scope.frame.opsets.find(domain);
  bool isOnnx = opset != scope.frame.opsets.end() &&
                onnxlib::findOperator(node.op_type(), domain, opset->second);
  const ContribOperator *op = findContrib(node.op_type(), domain);
  if (op && !isOnnx) {
    // Models may leave out the opset of this domain, which has only one.
    NodeImporter importer(*this, node, scope, loc, kContribVersion);
    if (failed(importer.readOperands()))
      return failure();
    return importContrib(*op, importer);
  }
  if (opset == scope.frame.opsets.end()) {
    if (!onnxlib::getNewestOpset(domain))
      return reportUnknown(node, 1, domain, loc);
    return emitError(loc) << node.op_type() << ": the model states no opset of "
                          << "domain '" << (domain.empty() ? "ai.onnx" : domain)
                          << "'; add it to its opset_import";
  }
  return importOperator(node, opset->second, domain, scope, loc);
}

Handler ModelImporter::findHandler(StringRef type, StringRef domain) const {
  auto table = handlers.find(domain);
  return table == handlers.end() ? nullptr : table->second.lookup(type);
}

LogicalResult ModelImporter::importOperator(const onnx::NodeProto &node,
                                            int opset,
                                            const std::string &domain,
                                            Scope &scope, Location loc) {
  auto found = onnxlib::findOperator(node.op_type(), domain, opset);
  if (!found)
    return reportUnknown(node, opset, domain, loc);
  if (found->deprecated)
    return emitError(loc) << node.op_type() << ": deprecated in opset "
                          << found->sinceVersion << ", but the model states "
                          << opset
                          << "; export it with an older or newer opset";
  if (llvm::Error error = onnxlib::verifyNode(node, domain, opset))
    return emitError(loc) << node.op_type() << ": "
                          << toString(std::move(error));
  NodeImporter importer(*this, node, scope, loc, found->sinceVersion);
  if (failed(importer.readOperands()))
    return failure();
  std::vector<std::string> types;
  for (Value operand : importer.getOperands())
    types.push_back(operand ? getOnnxTypeName(operand.getType()) : "");
  if (llvm::Error error =
          onnxlib::verifyOperandTypes(node, domain, opset, types))
    return importer.error() << toString(std::move(error));
  if (Handler handler = findHandler(node.op_type(), domain))
    return hasOpenAxes(importer) ? importChoices(importer, handler)
                                 : handler(importer);
  if (found->hasFunction)
    return importStandardFunction(node, opset, domain, scope, loc);
  return importer.error() << "version " << found->sinceVersion
                          << " of this operator is not supported";
}

/// `node` with the attributes of the call around it in the place of those that
/// name them: the standard builds some bodies from the attributes' values.
static onnx::NodeProto resolveAttributes(const onnx::NodeProto &node,
                                         const Frame &frame) {
  onnx::NodeProto resolved = node;
  resolved.clear_attribute();
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    const onnx::AttributeProto *actual = &attribute;
    if (!attribute.ref_attr_name().empty())
      actual = frame.attributes.lookup(attribute.ref_attr_name());
    if (!actual)
      continue;
    onnx::AttributeProto &added = *resolved.add_attribute();
    added = *actual;
    added.set_name(attribute.name());
  }
  return resolved;
}

LogicalResult ModelImporter::importStandardFunction(const onnx::NodeProto &call,
                                                    int opset,
                                                    const std::string &domain,
                                                    Scope &scope,
                                                    Location loc) {
  onnx::NodeProto node = resolveAttributes(call, scope.frame);
  std::vector<onnx::TypeProto> types;
  for (const std::string &input : node.input()) {
    Value value = input.empty() ? Value() : lookup(scope, input, loc);
    types.push_back(value ? getTypeProto(value.getType()) : onnx::TypeProto());
  }
  auto body = onnxlib::getFunction(node, domain, opset, types);
  if (!body)
    return emitError(loc) << node.op_type() << ": "
                          << toString(body.takeError());
  return importCall(node, *body, scope, loc, /*isStandard=*/true);
}

/// The attributes that the nodes of `function` see in a call by `node`.
static LogicalResult
bindAttributes(const onnx::NodeProto &node, const onnx::FunctionProto &function,
               const Frame &caller,
               llvm::StringMap<const onnx::AttributeProto *> &attributes) {
  for (const onnx::AttributeProto &attribute : function.attribute_proto())
    attributes[attribute.name()] = &attribute;
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    const onnx::AttributeProto *actual = &attribute;
    if (!attribute.ref_attr_name().empty())
      actual = caller.attributes.lookup(attribute.ref_attr_name());
    if (actual)
      attributes[attribute.name()] = actual;
  }
  return success();
}

LogicalResult ModelImporter::importCall(const onnx::NodeProto &node,
                                        const onnx::FunctionProto &function,
                                        Scope &scope, Location loc,
                                        bool isStandard) {
  if (scope.frame.depth == kMaxCallDepth)
    return emitError(loc) << node.op_type() << ": calls of functions nest "
                          << "deeper than " << kMaxCallDepth
                          << "; a function must not call itself";
  if (node.input_size() > function.input_size() ||
      node.output_size() > function.output_size())
    return emitError(loc) << node.op_type() << ": the function takes "
                          << function.input_size() << " and gives "
                          << function.output_size() << " values, not "
                          << node.input_size() << " and " << node.output_size();
  Frame frame;
  frame.depth = scope.frame.depth + 1;
  frame.prefix = cast<NameLoc>(loc).getName().str() + "/";
  frame.loc = isStandard ? std::optional<Location>(loc) : scope.frame.loc;
  for (const auto &import : function.opset_import())
    frame.opsets[getDomain(import.domain())] = import.version();
  if (failed(bindAttributes(node, function, scope.frame, frame.attributes)))
    return failure();
  Scope inner(frame);
  for (int i = 0; i != node.input_size(); ++i) {
    if (node.input(i).empty())
      continue;
    Value value = lookup(scope, node.input(i), loc);
    if (!value)
      return failure();
    inner.values[function.input(i)] = value;
  }
  if (failed(importNodes(function.node(), inner)))
    return failure();
  for (int i = 0; i != node.output_size(); ++i) {
    if (node.output(i).empty())
      continue;
    Value value = lookup(inner, function.output(i), loc);
    if (!value)
      return failure();
    scope.values[node.output(i)] = value;
  }
  return success();
}

FailureOr<SmallVector<Value>>
ModelImporter::importSubgraph(const onnx::GraphProto &graph, Scope &parent,
                              ValueRange arguments, Location loc) {
  if (graph.input_size() != static_cast<int>(arguments.size()))
    return emitError(loc) << "subgraph '" << graph.name() << "' has "
                          << graph.input_size() << " inputs, expected "
                          << arguments.size();
  Scope scope(parent.frame, &parent);
  addInitializers(graph, scope);
  for (auto [input, argument] : llvm::zip_equal(graph.input(), arguments))
    scope.values[input.name()] = argument;
  if (failed(importNodes(graph.node(), scope)))
    return failure();
  SmallVector<Value> results;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    results.push_back(lookup(scope, output.name(), loc));
    if (!results.back())
      return failure();
  }
  return results;
}
