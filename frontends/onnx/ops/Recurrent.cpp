//===- Recurrent.cpp - LSTM, GRU, RNN -------------------------------------===//

#include "frontends/onnx/ops/Common.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace mlir;
using namespace lz;

namespace {
/// What the three operators have in common.
struct RecurrentParts {
  Value input, initialH;
  int64_t hidden = 0;
  DirectionKind direction = DirectionKind::forward;
  ArrayAttr activations, alpha, beta;
  FloatAttr clip;
  /// Batch before time, in operands and results (layout 1).
  bool batchFirst = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// How many parameters an activation takes; none if it is unknown.
static std::optional<int> countParameters(StringRef activation) {
  return llvm::StringSwitch<std::optional<int>>(activation)
      .Cases({"relu", "tanh", "sigmoid", "softsign", "softplus"}, 0)
      .Cases({"leakyrelu", "thresholdedrelu", "elu"}, 1)
      .Cases({"affine", "scaledtanh", "hardsigmoid"}, 2)
      .Default(std::nullopt);
}

/// The activations' values of a parameter, taken in turn from `given` by those
/// that have it; NaN for the others and for defaults.
static ArrayAttr getParameters(NodeImporter &node, StringRef name,
                               ArrayRef<std::string> activations, int rank) {
  SmallVector<double> given =
      node.getFloats(name).value_or(SmallVector<double>());
  SmallVector<double> values;
  size_t used = 0;
  for (const std::string &activation : activations)
    values.push_back(countParameters(activation).value_or(0) >= rank &&
                             used < given.size()
                         ? given[used++]
                         : std::numeric_limits<double>::quiet_NaN());
  return node.getBuilder().getF64ArrayAttr(values);
}

static void setActivations(NodeImporter &node, ArrayRef<StringRef> defaults,
                           RecurrentParts &parts) {
  bool both = parts.direction == DirectionKind::bidirectional;
  std::vector<std::string> names;
  for (int i = 0; i != (both ? 2 : 1); ++i)
    names.insert(names.end(), defaults.begin(), defaults.end());
  if (auto stated = node.getStrings("activations")) {
    if (stated->size() != names.size())
      node.error() << "attribute 'activations' has " << stated->size()
                   << " names, expected " << names.size();
    names = *stated;
  }
  for (std::string &name : names) {
    name = StringRef(name).lower();
    if (!countParameters(name) && !node.failed())
      node.error() << "attribute 'activations' has '" << name
                   << "', which is not an activation";
  }
  parts.alpha = getParameters(node, "activation_alpha", names, 1);
  parts.beta = getParameters(node, "activation_beta", names, 2);
  SmallVector<StringRef> refs(names.begin(), names.end());
  parts.activations = node.getBuilder().getStrArrayAttr(refs);
}

static void setDirection(NodeImporter &node, RecurrentParts &parts) {
  std::string text = node.getString("direction", "forward");
  auto direction = llvm::StringSwitch<std::optional<DirectionKind>>(text)
                       .Case("forward", DirectionKind::forward)
                       .Case("reverse", DirectionKind::reverse)
                       .Case("bidirectional", DirectionKind::bidirectional)
                       .Default(std::nullopt);
  if (direction)
    parts.direction = *direction;
  else
    node.error() << "attribute 'direction' is '" << text
                 << "', expected forward, reverse or bidirectional";
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

/// Swaps batch and directions of a state, where the layout asks for it.
static Value swapState(NodeImporter &node, Value state,
                       const RecurrentParts &parts) {
  if (!state || !parts.batchFirst)
    return state;
  return node.transpose(state, {1, 0, 2});
}

/// The result [time, directions, batch, hidden] in the model's layout.
static Value swapSequence(NodeImporter &node, Value sequence,
                          const RecurrentParts &parts) {
  return parts.batchFirst ? node.transpose(sequence, {2, 0, 1, 3}) : sequence;
}

static RecurrentParts getParts(NodeImporter &node,
                               ArrayRef<StringRef> defaults) {
  RecurrentParts parts;
  parts.batchFirst = node.getInt("layout", 0) == 1;
  setDirection(node, parts);
  setActivations(node, defaults, parts);
  if (node.has("clip"))
    parts.clip = node.f64(node.getFloat("clip", 0));
  parts.input = node.operand(0);
  SymShape recurrent = node.getShape(node.operand(2));
  if (node.getRank(parts.input) != 3 || recurrent.size() != 3) {
    node.error() << "inputs X and R must have rank 3, not "
                 << node.getRank(parts.input) << " and " << recurrent.size();
    return parts;
  }
  parts.hidden =
      node.getInt("hidden_size", recurrent[2].getConstant().value_or(0));
  if (parts.hidden < 1)
    node.error() << "needs a positive attribute 'hidden_size'";
  if (parts.batchFirst)
    parts.input = node.transpose(parts.input, {1, 0, 2});
  parts.initialH = swapState(node, node.operand(5), parts);
  return parts;
}

/// Finishes with the results of `op`: a sequence, then states.
static LogicalResult finish(NodeImporter &node, Operation *op,
                            const RecurrentParts &parts) {
  node.infer(op);
  if (node.failed())
    return failure();
  SmallVector<Value> results = {swapSequence(node, op->getResult(0), parts)};
  for (Value state : op->getResults().drop_front())
    results.push_back(swapState(node, state, parts));
  return node.finish(results);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static LogicalResult importLstm(NodeImporter &node) {
  RecurrentParts parts = getParts(node, {"sigmoid", "tanh", "tanh"});
  Value initialC = swapState(node, node.operand(6), parts);
  if (node.failed())
    return failure();
  Type type = node.getPlaceholder();
  return finish(node,
                LstmOp::create(node.getBuilder(), node.getLoc(), type, type,
                               type, parts.input, node.operand(1),
                               node.operand(2), node.operand(3),
                               node.operand(4), parts.initialH, initialC,
                               node.operand(7), parts.hidden, parts.direction,
                               parts.activations, parts.alpha, parts.beta,
                               parts.clip, node.getBool("input_forget", false)),
                parts);
}

static LogicalResult importGru(NodeImporter &node) {
  RecurrentParts parts = getParts(node, {"sigmoid", "tanh"});
  if (node.failed())
    return failure();
  Type type = node.getPlaceholder();
  return finish(node,
                GruOp::create(node.getBuilder(), node.getLoc(), type, type,
                              parts.input, node.operand(1), node.operand(2),
                              node.operand(3), node.operand(4), parts.initialH,
                              parts.hidden, parts.direction, parts.activations,
                              parts.alpha, parts.beta, parts.clip,
                              node.getBool("linear_before_reset", false)),
                parts);
}

static LogicalResult importRnn(NodeImporter &node) {
  RecurrentParts parts = getParts(node, {"tanh"});
  if (node.failed())
    return failure();
  Type type = node.getPlaceholder();
  return finish(node,
                RnnOp::create(node.getBuilder(), node.getLoc(), type, type,
                              parts.input, node.operand(1), node.operand(2),
                              node.operand(3), node.operand(4), parts.initialH,
                              parts.hidden, parts.direction, parts.activations,
                              parts.alpha, parts.beta, parts.clip),
                parts);
}

void lz::registerRecurrent(HandlerTable &handlers) {
  handlers["LSTM"] = importLstm;
  handlers["GRU"] = importGru;
  handlers["RNN"] = importRnn;
}
