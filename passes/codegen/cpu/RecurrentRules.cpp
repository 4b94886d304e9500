//===- RecurrentRules.cpp - calls of the LSTM, GRU and RNN kernels --------===//

#include "kernels/Kernels.h"
#include "passes/codegen/cpu/OpaqueCall.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace lz;

namespace {

/// What the three have in common.
struct Network {
  Value input, weights, recurrent, bias, lengths, h;
  int64_t hidden, gates;
  DirectionKind direction;
  ArrayAttr activations, alpha, beta;
  double clip;
  bool flag;

  int64_t getDirections() const {
    return direction == DirectionKind::bidirectional ? 2 : 1;
  }
};

/// LzActivation of kernels/Kernels.h.
struct Activation {
  int64_t kind;
  double alpha, beta;
};

} // namespace

template <typename OpTy>
static Network describe(OpTy op, int64_t gates, bool flag) {
  Network net = {op.getInput(),
                 op.getWeights(),
                 op.getRecurrentWeights(),
                 op.getBias(),
                 op.getLengths(),
                 op.getInitialH(),
                 static_cast<int64_t>(op.getHidden()),
                 gates,
                 op.getDirection(),
                 op.getActivations(),
                 op.getActivationAlpha(),
                 op.getActivationBeta(),
                 std::numeric_limits<double>::infinity(),
                 flag};
  if (op.getClip())
    net.clip = op.getClip()->convertToDouble();
  return net;
}

static Network describe(Operation *op) {
  return llvm::TypeSwitch<Operation *, Network>(op)
      .Case(
          [](LstmOp lstm) { return describe(lstm, 4, lstm.getInputForget()); })
      .Case([](GruOp gru) {
        return describe(gru, 3, gru.getLinearBeforeReset());
      })
      .Default(
          [](Operation *rnn) { return describe(cast<RnnOp>(rnn), 1, false); });
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// The activation of that name with its defaults; kind -1 if there is none.
static Activation getDefaults(StringRef name) {
  return llvm::StringSwitch<Activation>(name)
      .Case("relu", {0, 0, 0})
      .Case("tanh", {1, 0, 0})
      .Case("sigmoid", {2, 0, 0})
      .Case("affine", {3, 1, 0})
      .Case("leakyrelu", {4, 0.01f, 0})
      .Case("thresholdedrelu", {5, 1, 0})
      .Case("scaledtanh", {6, 1, 1})
      .Case("hardsigmoid", {7, 0.2f, 0.5})
      .Case("elu", {8, 1, 0})
      .Case("softsign", {9, 0, 0})
      .Case("softplus", {10, 0, 0})
      .Default({-1, 0, 0});
}

/// Element `index` of a list of parameters; `value` if it is absent or NaN.
static double getParameter(ArrayAttr list, size_t index, double value) {
  if (index >= list.size())
    return value;
  double given = cast<FloatAttr>(list[index]).getValueAsDouble();
  return std::isnan(given) ? value : given;
}

/// Three for each direction, the unused last ones zero.
static SmallVector<Activation> getActivations(OpaqueCall &call, Operation *op,
                                              const Network &net) {
  SmallVector<Activation> all(6, {0, 0, 0});
  size_t each = net.activations.size() / net.getDirections();
  for (auto [i, name] : llvm::enumerate(net.activations)) {
    StringRef text = cast<StringAttr>(name).getValue();
    Activation activation = getDefaults(text);
    if (activation.kind < 0 || each > 3) {
      call.kb.fail(op, "has an unknown activation '" + text + "'");
      return all;
    }
    activation.alpha = getParameter(net.alpha, i, activation.alpha);
    activation.beta = getParameter(net.beta, i, activation.beta);
    all[i / each * 3 + i % each] = activation;
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Plan and call
//===----------------------------------------------------------------------===//

/// Slots of LzRecurrent: 7 integers, clip, and 6 activations of 3.
static constexpr int64_t kSlots = 8 + 6 * 3;

static OpaquePlan planRecurrent(const KernelInfo &kernel, Operation *op) {
  Network net = describe(op);
  ArrayRef<SymExpr> shape = kernel.getShape(net.input);
  int64_t bytes = getElementTypeOrSelf(net.input).isF64() ? 8 : 4;
  SymExpr row = shape[2] + net.hidden;
  SymExpr steps = shape[0].min(kernel.constant(LZ_RECURRENT_BLOCK));
  SymExpr elements =
      steps * (shape[2] + net.gates * net.hidden) + 3 * net.hidden;
  return {shape[1] * net.getDirections(),
          shape[0] * row * (net.gates * net.hidden),
          elements * bytes + kSlots * 8};
}

/// Writes LzRecurrent.
static void addDescription(OpaqueCall &call, Operation *op,
                           const Network &net) {
  KernelBuilder &kb = call.kb;
  Type f64 = kb.getBuilder().getF64Type();
  ArrayRef<SymExpr> shape = call.e.getShape(net.input);
  SmallVector<Value> slots = {
      kb.getSize(shape[0]),
      kb.getSize(shape[1]),
      kb.getSize(shape[2]),
      kb.getIndex(net.hidden),
      kb.getIndex(static_cast<int64_t>(net.direction)),
      kb.getIndex(net.lengths ? getIndexBytes(net.lengths) : 8),
      kb.getIndex(net.flag),
      kb.getFloat(f64, net.clip)};
  for (const Activation &activation : getActivations(call, op, net)) {
    slots.push_back(kb.getIndex(activation.kind));
    slots.push_back(kb.getFloat(f64, activation.alpha));
    slots.push_back(kb.getFloat(f64, activation.beta));
  }
  call.addSlots(slots);
}

static void emitRecurrent(OpaqueCall &call, Operation *op) {
  Network net = describe(op);
  auto lstm = dyn_cast<LstmOp>(op);
  addDescription(call, op, net);
  for (Value operand :
       {net.input, net.weights, net.recurrent, net.bias, net.lengths, net.h})
    call.addOperand(operand);
  if (lstm) {
    call.addOperand(lstm.getInitialC());
    call.addOperand(lstm.getPeepholes());
  }
  for (Value result : op->getResults())
    call.addResult(result);
  call.addScratch();
  call.addRange();
  call.emit(lstm ? "lstm" : isa<GruOp>(op) ? "gru" : "rnn", net.input);
}

const OpaqueRule *lz::findRecurrentRule(Operation *op) {
  static const OpaqueRule rule = {planRecurrent, emitRecurrent};
  return isa<LstmOp, GruOp, RnnOp>(op) ? &rule : nullptr;
}
