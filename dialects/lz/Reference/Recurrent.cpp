//===- Recurrent.cpp - reference models of LSTM, GRU and RNN --------------===//
//
// One state update at a time, for one sequence of the batch and one direction.
// States stay in double between the steps.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Reference/Evaluation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

namespace {
enum class ActivationKind {
  Unknown,
  Relu,
  Tanh,
  Sigmoid,
  Affine,
  LeakyRelu,
  ThresholdedRelu,
  ScaledTanh,
  HardSigmoid,
  Elu,
  Softsign,
  Softplus
};

/// An activation with its parameters.
struct Activation {
  ActivationKind kind;
  double alpha, beta;
  double operator()(double x) const;
};
} // namespace

double Activation::operator()(double x) const {
  switch (kind) {
  case ActivationKind::Relu:
    return std::max(0.0, x);
  case ActivationKind::Tanh:
    return std::tanh(x);
  case ActivationKind::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case ActivationKind::Affine:
    return alpha * x + beta;
  case ActivationKind::LeakyRelu:
    return x < 0 ? alpha * x : x;
  case ActivationKind::ThresholdedRelu:
    return x >= alpha ? x : 0;
  case ActivationKind::ScaledTanh:
    return alpha * std::tanh(beta * x);
  case ActivationKind::HardSigmoid:
    return std::min(1.0, std::max(0.0, alpha * x + beta));
  case ActivationKind::Elu:
    return x < 0 ? alpha * std::expm1(x) : x;
  case ActivationKind::Softsign:
    return x / (1 + std::abs(x));
  case ActivationKind::Softplus:
    return std::log1p(std::exp(x));
  case ActivationKind::Unknown:
    break;
  }
  return std::nan("");
}

static ActivationKind getActivationKind(StringRef name) {
  return llvm::StringSwitch<ActivationKind>(name)
      .Case("relu", ActivationKind::Relu)
      .Case("tanh", ActivationKind::Tanh)
      .Case("sigmoid", ActivationKind::Sigmoid)
      .Case("affine", ActivationKind::Affine)
      .Case("leakyrelu", ActivationKind::LeakyRelu)
      .Case("thresholdedrelu", ActivationKind::ThresholdedRelu)
      .Case("scaledtanh", ActivationKind::ScaledTanh)
      .Case("hardsigmoid", ActivationKind::HardSigmoid)
      .Case("elu", ActivationKind::Elu)
      .Case("softsign", ActivationKind::Softsign)
      .Case("softplus", ActivationKind::Softplus)
      .Default(ActivationKind::Unknown);
}

/// The activation with the defaults that ONNX gives its function.
static Activation getDefaults(ActivationKind kind) {
  switch (kind) {
  case ActivationKind::LeakyRelu:
    return {kind, 0.01f, 0};
  case ActivationKind::HardSigmoid:
    return {kind, 0.2f, 0.5};
  case ActivationKind::ScaledTanh:
    return {kind, 1, 1};
  default:
    return {kind, 1, 0};
  }
}

/// Element `index` of a list of numbers; `fallback` if it is absent or NaN.
static double getParameter(ArrayAttr list, size_t index, double fallback) {
  if (index >= list.size())
    return fallback;
  double value = cast<FloatAttr>(list[index]).getValueAsDouble();
  return std::isnan(value) ? fallback : value;
}

/// The activations of an op, those of one direction after those of the other.
template <typename Op>
static FailureOr<std::vector<Activation>> readActivations(Op op) {
  std::vector<Activation> activations;
  for (auto [i, name] : llvm::enumerate(op.getActivations())) {
    StringRef text = cast<StringAttr>(name).getValue();
    Activation activation = getDefaults(getActivationKind(text));
    if (activation.kind == ActivationKind::Unknown)
      return op.emitOpError() << "has an unknown activation '" << text << "'";
    activation.alpha =
        getParameter(op.getActivationAlpha(), i, activation.alpha);
    activation.beta = getParameter(op.getActivationBeta(), i, activation.beta);
    activations.push_back(activation);
  }
  return activations;
}

//===----------------------------------------------------------------------===//
// The loop over time, directions and the batch
//===----------------------------------------------------------------------===//

namespace {
/// The operands of a recurrent operation, as numbers.
struct Network {
  int64_t time, batch, input, directions, hidden, gates;
  std::vector<double> x, w, r, bias, h, c, peepholes;
  std::vector<int64_t> lengths;
  std::vector<Activation> activations;
  std::optional<double> clip;
  bool backward;

  /// `value` limited as attribute `clip` says.
  double limit(double value) const {
    return clip ? std::clamp(value, -*clip, *clip) : value;
  }
  const Activation *getActivations(int64_t direction) const {
    return activations.data() + direction * (activations.size() / directions);
  }
};

/// One step of one sequence: what the cell reads and changes.
struct Step {
  const Network &net;
  int64_t direction;
  const double *x;
  std::vector<double> &h, &c;

  /// Row `row` (of gates * hidden) of W x, plus its bias.
  double input(int64_t row) const {
    int64_t rows = net.gates * net.hidden;
    double sum = getBias(row);
    for (int64_t i = 0; i != net.input; ++i)
      sum += net.w[(direction * rows + row) * net.input + i] * x[i];
    return sum;
  }
  /// Row `row` of R `state`, plus its bias.
  double recurrent(int64_t row, ArrayRef<double> state) const {
    int64_t rows = net.gates * net.hidden;
    double sum = getBias(rows + row);
    for (int64_t i = 0; i != net.hidden; ++i)
      sum += net.r[(direction * rows + row) * net.hidden + i] * state[i];
    return sum;
  }
  double getBias(int64_t row) const {
    if (net.bias.empty())
      return 0;
    return net.bias[direction * 2 * net.gates * net.hidden + row];
  }
  /// The peephole weight of `gate` (i, o, f) at `unit`.
  double peephole(int64_t gate, int64_t unit) const {
    if (net.peepholes.empty())
      return 0;
    return net.peepholes[(direction * 3 + gate) * net.hidden + unit];
  }
};

/// The final states and all outputs, in ONNX's layout 0.
struct States {
  std::vector<double> y, h, c;
};

using Cell = llvm::function_ref<void(Step &)>;
} // namespace

/// Elements of an optional operand, none if absent.
static std::vector<double> readOptional(Evaluation &e, Value operand) {
  const RefTensor *tensor = e.find(operand);
  return tensor ? tensor->getDoubles() : std::vector<double>();
}

/// Reads what all kinds have in common.
template <typename Op>
static FailureOr<Network> readNetwork(Op op, Evaluation &e, int64_t gates) {
  auto activations = readActivations(op);
  if (failed(activations))
    return failure();
  const RefTensor &x = e.get(op.getInput());
  Network net;
  net.time = x.getShape()[0];
  net.batch = x.getShape()[1];
  net.input = x.getShape()[2];
  net.directions = e.get(op.getWeights()).getShape()[0];
  net.hidden = op.getHidden();
  net.gates = gates;
  net.x = x.getDoubles();
  net.w = e.get(op.getWeights()).getDoubles();
  net.r = e.get(op.getRecurrentWeights()).getDoubles();
  net.bias = readOptional(e, op.getBias());
  net.h = readOptional(e, op.getInitialH());
  net.activations = *activations;
  if (op.getClip())
    net.clip = op.getClip()->convertToDouble();
  net.backward = op.getDirection() == DirectionKind::reverse;
  net.lengths.assign(net.batch, net.time);
  if (const RefTensor *lengths = e.find(op.getLengths()))
    for (auto [length, given] :
         llvm::zip_equal(net.lengths, lengths->getInts()))
      length = std::clamp<int64_t>(given, 0, net.time);
  return net;
}

/// The part of a [directions, batch, hidden] state for one sequence; zeros if
/// there is no initial state.
static std::vector<double>
getState(const Network &net, ArrayRef<double> initial, int64_t sequence) {
  if (initial.empty())
    return std::vector<double>(net.hidden);
  return initial.slice(sequence * net.hidden, net.hidden).vec();
}

/// Runs one sequence in one direction. Outputs past its length stay zero.
static void runSequence(const Network &net, int64_t direction, int64_t b,
                        Cell cell, States &states) {
  int64_t sequence = direction * net.batch + b, length = net.lengths[b];
  std::vector<double> h = getState(net, net.h, sequence);
  std::vector<double> c = getState(net, net.c, sequence);
  bool backward = net.backward || direction == 1;
  for (int64_t step = 0; step != length; ++step) {
    int64_t t = backward ? length - 1 - step : step;
    Step now = {net, direction, net.x.data() + (t * net.batch + b) * net.input,
                h, c};
    cell(now);
    int64_t row = (t * net.directions + direction) * net.batch + b;
    llvm::copy(h, states.y.begin() + row * net.hidden);
  }
  llvm::copy(h, states.h.begin() + sequence * net.hidden);
  llvm::copy(c, states.c.begin() + sequence * net.hidden);
}

static States runNetwork(const Network &net, Cell cell) {
  int64_t size = net.directions * net.batch * net.hidden;
  States states = {std::vector<double>(net.time * size),
                   std::vector<double>(size), std::vector<double>(size)};
  for (int64_t direction = 0; direction != net.directions; ++direction)
    for (int64_t b = 0; b != net.batch; ++b)
      runSequence(net, direction, b, cell, states);
  return states;
}

/// Gives `values` as the next result.
static LogicalResult giveState(Evaluation &e, const Network &net,
                               ArrayRef<double> values, unsigned index) {
  Sizes shape = {net.directions, net.batch, net.hidden};
  if (index == 0)
    shape.insert(shape.begin(), net.time);
  FailureOr<RefTensor> result = e.makeResult(shape, index);
  if (failed(result))
    return failure();
  // Y is [time, directions, batch, hidden] already.
  for (auto [i, value] : llvm::enumerate(values))
    result->setDouble(i, value);
  return e.give(*result);
}

//===----------------------------------------------------------------------===//
// The cells
//===----------------------------------------------------------------------===//

/// ONNX LSTM-22, gate order i, o, f, c; activations f, g, h.
static void stepLstm(Step &step, bool inputForget) {
  const Network &net = step.net;
  const Activation *act = net.getActivations(step.direction);
  std::vector<double> h(net.hidden);
  for (int64_t u = 0; u != net.hidden; ++u) {
    auto gate = [&](int64_t g) {
      int64_t row = g * net.hidden + u;
      return step.input(row) + step.recurrent(row, step.h);
    };
    double old = step.c[u];
    double i = act[0](net.limit(gate(0) + step.peephole(0, u) * old));
    double f = inputForget
                   ? 1 - i
                   : act[0](net.limit(gate(2) + step.peephole(2, u) * old));
    double candidate = act[1](net.limit(gate(3)));
    step.c[u] = f * old + i * candidate;
    double o = act[0](net.limit(gate(1) + step.peephole(1, u) * step.c[u]));
    h[u] = o * act[2](step.c[u]);
  }
  step.h = h;
}

/// ONNX GRU-22, gate order z, r, h; activations f, g.
static void stepGru(Step &step, bool linearBeforeReset) {
  const Network &net = step.net;
  const Activation *act = net.getActivations(step.direction);
  int64_t size = net.hidden;
  std::vector<double> z(size), r(size), reset(size), h(size);
  for (int64_t u = 0; u != size; ++u) {
    z[u] = act[0](net.limit(step.input(u) + step.recurrent(u, step.h)));
    r[u] = act[0](
        net.limit(step.input(size + u) + step.recurrent(size + u, step.h)));
    reset[u] = r[u] * step.h[u];
  }
  for (int64_t u = 0; u != size; ++u) {
    double hidden = linearBeforeReset
                        ? r[u] * step.recurrent(2 * size + u, step.h)
                        : step.recurrent(2 * size + u, reset);
    double candidate = act[1](net.limit(step.input(2 * size + u) + hidden));
    h[u] = (1 - z[u]) * candidate + z[u] * step.h[u];
  }
  step.h = h;
}

/// ONNX RNN-22.
static void stepRnn(Step &step) {
  const Network &net = step.net;
  const Activation *act = net.getActivations(step.direction);
  std::vector<double> h(net.hidden);
  for (int64_t u = 0; u != net.hidden; ++u)
    h[u] = act[0](net.limit(step.input(u) + step.recurrent(u, step.h)));
  step.h = h;
}

/// Fails with an error unless each direction has `count` activations.
template <typename Op>
static LogicalResult verifyActivations(Op op, const Network &net,
                                       size_t count) {
  if (net.activations.size() == count * net.directions)
    return success();
  return op.emitOpError() << "has " << net.activations.size()
                          << " activations, expected "
                          << count * net.directions;
}

static LogicalResult evaluateLstm(LstmOp op, Evaluation &e) {
  FailureOr<Network> net = readNetwork(op, e, 4);
  if (failed(net) || failed(verifyActivations(op, *net, 3)))
    return failure();
  net->c = readOptional(e, op.getInitialC());
  net->peepholes = readOptional(e, op.getPeepholes());
  States states = runNetwork(
      *net, [&](Step &step) { stepLstm(step, op.getInputForget()); });
  return success(succeeded(giveState(e, *net, states.y, 0)) &&
                 succeeded(giveState(e, *net, states.h, 1)) &&
                 succeeded(giveState(e, *net, states.c, 2)));
}

static LogicalResult evaluateGru(GruOp op, Evaluation &e) {
  FailureOr<Network> net = readNetwork(op, e, 3);
  if (failed(net) || failed(verifyActivations(op, *net, 2)))
    return failure();
  States states = runNetwork(
      *net, [&](Step &step) { stepGru(step, op.getLinearBeforeReset()); });
  return success(succeeded(giveState(e, *net, states.y, 0)) &&
                 succeeded(giveState(e, *net, states.h, 1)));
}

static LogicalResult evaluateRnn(RnnOp op, Evaluation &e) {
  FailureOr<Network> net = readNetwork(op, e, 1);
  if (failed(net) || failed(verifyActivations(op, *net, 1)))
    return failure();
  States states = runNetwork(*net, stepRnn);
  return success(succeeded(giveState(e, *net, states.y, 0)) &&
                 succeeded(giveState(e, *net, states.h, 1)));
}

void lz::attachRecurrentModels(MLIRContext &context) {
  attachReference<LstmOp, evaluateLstm>(context);
  attachReference<GruOp, evaluateGru>(context);
  attachReference<RnnOp, evaluateRnn>(context);
}
