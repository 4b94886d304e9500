//===- Gradient.cpp - derivatives of a tensor of the graph ----------------===//
//
// ai.onnx.preview.training Gradient. Its attributes name tensors of the graph:
// `y`, and the `xs` and `zs` that y is seen as a function of. Its inputs are
// the values of these at which the function is derived. Where an input is the
// tensor that the attribute names, what the graph computes serves; where it is
// another, the operations between are built again with it.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Rules/Gradient/Reverse.h"
#include "dialects/lz/Rules/RuleInterfaces.h"
#include "frontends/onnx/NodeImporter.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lz;

namespace {

/// The function to derive: a target that depends on sources.
struct Function {
  Value target;
  /// Those of `xs`, then those of `zs`.
  SmallVector<Value> sources;
  size_t numWanted;
};

} // namespace

/// The tensor called `name` of the graph that the node is in; null, after an
/// error, if there is none.
static Value findTensor(NodeImporter &node, StringRef attribute,
                        StringRef name) {
  Scope &scope = node.getScope();
  bool isOwn = scope.values.contains(name) ||
               scope.initializers.contains(name) || scope.sparse.contains(name);
  if (!isOwn && !node.failed())
    node.error() << "attribute '" << attribute << "' names '" << name
                 << "', which is no tensor of the graph that the node is in";
  if (node.failed())
    return {};
  Value value = node.getImporter().lookup(scope, name, node.getLoc());
  if (!value)
    node.fail();
  return value;
}

/// The same of a tensor that has to be of floats.
static Value findFloats(NodeImporter &node, StringRef attribute,
                        StringRef name) {
  Value value = findTensor(node, attribute, name);
  if (value && !isDifferentiable(value))
    node.error() << "attribute '" << attribute << "' names '" << name
                 << "', which has no gradient: it is no tensor of floats";
  return value;
}

/// The names of an attribute; none if it is absent.
static std::vector<std::string> getNames(NodeImporter &node,
                                         StringRef attribute) {
  return node.getStrings(attribute).value_or(std::vector<std::string>());
}

/// Fails if a tensor is named twice: it would be two variables.
static void requireDistinct(NodeImporter &node, ArrayRef<std::string> names) {
  llvm::StringSet<> seen;
  for (const std::string &name : names)
    if (!seen.insert(name).second && !node.failed())
      node.error() << "attributes 'xs' and 'zs' name '" << name
                   << "' more than once";
}

/// Looks up what the attributes name.
static Function getFunction(NodeImporter &node) {
  Function function;
  auto names = getNames(node, "xs");
  function.target = findFloats(node, "y", node.getString("y", ""));
  for (const std::string &name : names)
    function.sources.push_back(findFloats(node, "xs", name));
  function.numWanted = function.sources.size();
  for (const std::string &name : getNames(node, "zs")) {
    function.sources.push_back(findTensor(node, "zs", name));
    names.push_back(name);
  }
  requireDistinct(node, names);
  return function;
}

/// Fails unless `given` may be in the place of `named`, source `index`: what
/// was decided by the latter's elements or sizes when it was imported must
/// hold.
static LogicalResult checkReplacement(NodeImporter &node, Value named,
                                      Value given, int index) {
  if (!given)
    return node.error() << "input " << index << " is absent";
  if (!isDifferentiable(named) || named.getType() != given.getType() ||
      node.getShape(named) != node.getShape(given))
    return node.error()
           << "input " << index << " is not the tensor that 'xs' or 'zs' "
           << "names; another one must be of floats, and of the same type and "
              "sizes";
  return success();
}

/// True if sizes may depend on the data that `op` gives.
static bool decidesSizes(Operation *op) {
  if (op->getNumRegions() != 0)
    return true;
  return llvm::any_of(op->getUsers(),
                      [](Operation *user) { return isa<BindOp>(user); });
}

/// Builds those of `ops` again that depend on what `mapping` replaces.
static LogicalResult rebuild(NodeImporter &node, ArrayRef<Operation *> ops,
                             IRMapping &mapping, DenseSet<Value> &used) {
  for (Operation *op : ops) {
    SmallVector<Value> sources, results;
    for (Value source : getSources(op)) {
      sources.push_back(mapping.lookupOrDefault(source));
      if (sources.back() != source)
        used.insert(source);
    }
    if (llvm::equal(sources, getSources(op)))
      continue;
    if (decidesSizes(op))
      return node.error() << "can't derive at other values than those of the "
                             "graph: "
                          << op->getName() << " may decide sizes by them";
    RuleBuilder builder(node.getBuilder(), node.getShapes(), op->getLoc());
    if (failed(buildCopy(builder, op, sources, results)))
      return failure();
    for (auto [result, copy] : llvm::zip_equal(op->getResults(), results))
      mapping.map(result, copy);
  }
  return success();
}

/// Puts the node's inputs in the place of the sources that they are not.
static LogicalResult replaceSources(NodeImporter &node, Function &function) {
  auto ops = getOpsBetween(function.sources, function.target);
  if (failed(node.getImporter().countNodes(ops.size(), node.getLoc())))
    return failure();
  IRMapping mapping;
  SmallVector<Value> named = function.sources;
  for (auto [index, source] : llvm::enumerate(function.sources)) {
    Value given = node.operand(index);
    if (given == source)
      continue;
    if (failed(checkReplacement(node, source, given, index)))
      return failure();
    // One tensor may be given for several.
    given = node.unary(UnaryKind::identity, given);
    mapping.map(source, given);
    source = given;
  }
  DenseSet<Value> used;
  if (failed(rebuild(node, ops, mapping, used)))
    return failure();
  if (mapping.contains(function.target))
    used.insert(function.target);
  function.target = mapping.lookupOrDefault(function.target);
  for (auto [index, before, after] : llvm::enumerate(named, function.sources))
    if (before != after && !used.contains(before))
      return node.error() << "input " << index << " is not the tensor that "
                          << "'xs' or 'zs' names, on whose value 'y' does not "
                             "depend in the run";
  return success();
}

static LogicalResult importGradient(NodeImporter &node) {
  Function function = getFunction(node);
  if (node.failed())
    return failure();
  auto count = static_cast<int64_t>(function.sources.size());
  auto wantedCount = static_cast<int64_t>(function.numWanted);
  if (node.getNumOperands() != count)
    return node.error() << "has " << node.getNumOperands() << " inputs, but "
                        << "'xs' and 'zs' name " << count << " tensors";
  if (node.getNumResults() > wantedCount)
    return node.error() << "has " << node.getNumResults() << " outputs, but "
                        << "'xs' names " << wantedCount << " tensors";
  if (failed(replaceSources(node, function)))
    return failure();
  SmallVector<Value> wanted, others;
  for (auto [index, source] : llvm::enumerate(function.sources)) {
    bool isWanted = static_cast<int64_t>(index) < wantedCount;
    (isWanted && node.hasResult(index) ? wanted : others).push_back(source);
  }
  RuleBuilder builder(node.getBuilder(), node.getShapes(), node.getLoc());
  auto gradients = differentiate(builder, function.target, wanted, others);
  if (failed(gradients))
    return failure();
  SmallVector<Value> results(wantedCount);
  unsigned next = 0;
  for (int64_t i = 0; i != wantedCount; ++i)
    if (node.hasResult(i))
      results[i] = (*gradients)[next++];
  return node.finish(results);
}

void lz::registerGradient(HandlerTable &handlers) {
  handlers["Gradient"] = importGradient;
}
