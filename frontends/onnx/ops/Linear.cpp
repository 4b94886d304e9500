//===- Linear.cpp - Fourier transforms and determinants -------------------===//

#include "frontends/onnx/Types.h"
#include "frontends/onnx/ops/Common.h"

#include <cmath>

using namespace mlir;
using namespace lz;

static LogicalResult importDet(NodeImporter &node) {
  return node.finish(node.create<DetOp>(node.operand(0)));
}

//===----------------------------------------------------------------------===//
// DFT
//===----------------------------------------------------------------------===//

/// The axis of the signal: an attribute before version 20, then an operand.
static int64_t getSignalAxis(NodeImporter &node) {
  int64_t rank = node.getRank(node.operand(0));
  if (node.getVersion() < 20)
    return node.getAxis(node.getInt("axis", 1), rank);
  if (!node.operand(2))
    return node.getAxis(-2, rank);
  SmallVector<int64_t> axis = node.getConstants(node.operand(2), "axis");
  if (!node.failed() && axis.size() != 1)
    node.error() << "input 'axis' must have one element";
  return node.failed() ? 0 : node.getAxis(axis[0], rank);
}

static LogicalResult importDft(NodeImporter &node) {
  Value input = node.operand(0);
  bool inverse = node.getBool("inverse", false);
  bool onesided = node.getBool("onesided", false);
  int64_t axis = getSignalAxis(node);
  if (node.failed())
    return failure();
  SymExpr size = node.getShape(input)[axis];
  SymExpr length = size;
  if (inverse && onesided) // a single number is the spectrum of a single one
    length = ((size - 1) * 2).max(node.size(1));
  if (node.operand(1))
    length = getSizeOperand(node, 1);
  return node.finish(
      node.create<DftOp>(input, node.exprs(length), axis, inverse, onesided));
}

//===----------------------------------------------------------------------===//
// STFT
//===----------------------------------------------------------------------===//

/// `count` numbers of a type, from 0 on, `step` apart.
static Value getRange(NodeImporter &node, Type type, SymExpr count,
                      Value step) {
  return node.create<RangeOp>(node.scalar(type, 0), step, node.exprs(count));
}

/// The frames [batch, frames, length, parts] of a signal, `step` apart, of as
/// many as lie in it.
static Value getFrames(NodeImporter &node, Value signal, SymExpr length,
                       SymExpr step) {
  SymExpr count = (node.getShape(signal)[1] - length).floorDiv(step) + 1;
  count = count.max(node.size(0));
  Type i64 = node.getBuilder().getI64Type();
  Value starts = getRange(node, i64, count, node.sizeTensor(step, {}));
  Value offsets = getRange(node, i64, length, node.scalar(i64, 1));
  Value positions = node.binary(
      BinaryKind::add, node.reshape(starts, {count, node.size(1)}), offsets);
  return node.create<GatherOp>(signal, positions, 1);
}

/// The length of a frame: that which is stated, the window's or the signal's.
static SymExpr getFrameLength(NodeImporter &node, SymShape signal) {
  Value window = node.operand(2);
  if (node.operand(3))
    return getSizeOperand(node, 3);
  if (!window)
    return signal[1];
  return node.getShapes().getNumElements(window);
}

static LogicalResult importStft(NodeImporter &node) {
  Value signal = node.operand(0), window = node.operand(2);
  SymShape shape = node.getShape(signal);
  if (shape.size() == 2) { // PyTorch's exporter leaves out the last
    shape.push_back(node.size(1));
    signal = node.reshape(signal, shape);
  }
  if (shape.size() != 3)
    return node.error() << "needs a signal of rank 3, not " << shape.size();
  SymExpr step = getSizeOperand(node, 1), length = getFrameLength(node, shape);
  if (!node.failed() && step.getConstant().value_or(1) < 1)
    return node.error() << "the step of the frames is " << step.str()
                        << ", expected a positive number";
  Value frames = getFrames(node, signal, length, step);
  if (window)
    frames = node.binary(BinaryKind::mul, frames,
                         node.reshape(window, {length, node.size(1)}));
  return node.finish(node.create<DftOp>(frames, node.exprs(length), 2,
                                        /*inverse=*/false,
                                        node.getBool("onesided", true)));
}

//===----------------------------------------------------------------------===//
// MelWeightMatrix
//===----------------------------------------------------------------------===//

namespace {

/// Arithmetic in f64 on one node's values.
struct Doubles {
  NodeImporter &node;
  Type type;

  explicit Doubles(NodeImporter &node)
      : node(node), type(node.getBuilder().getF64Type()) {}

  Value number(double value) { return node.scalar(type, value); }
  Value operand(int index) {
    return node.reshape(node.cast(node.operand(index), type), {});
  }
  Value size(SymExpr size) {
    return node.cast(node.sizeTensor(size, {}), type);
  }
  Value range(SymExpr count) { return getRange(node, type, count, number(1)); }
  Value apply(Value a, BinaryKind kind, Value b) {
    return node.binary(kind, a, b);
  }
  /// low <= x and x < high, or x <= high.
  Value isWithin(Value low, Value x, CompareKind kind, Value high) {
    return node.binary(BinaryKind::logical_and,
                       node.compare(CompareKind::le, low, x),
                       node.compare(kind, x, high));
  }
};

} // namespace

/// mel(f) = 2595 log10(1 + f / 700)
static Value getMel(Doubles &f, Value hertz) {
  Value sum = f.apply(f.number(1), BinaryKind::add,
                      f.apply(hertz, BinaryKind::div, f.number(700)));
  return f.apply(f.node.unary(UnaryKind::log, sum), BinaryKind::mul,
                 f.number(2595 / std::log(10)));
}

static Value getHertz(Doubles &f, Value mel) {
  Value power = f.apply(f.number(10), BinaryKind::pow,
                        f.apply(mel, BinaryKind::div, f.number(2595)));
  return f.apply(f.apply(power, BinaryKind::sub, f.number(1)), BinaryKind::mul,
                 f.number(700));
}

/// In which bins of a spectrum of `length` the bands begin, peak and end: each
/// begins where the one before peaks.
static Value getEdges(Doubles &f, SymExpr bands, SymExpr length) {
  Value low = getMel(f, f.operand(3)), high = getMel(f, f.operand(4));
  Value step = f.apply(f.apply(high, BinaryKind::sub, low), BinaryKind::div,
                       f.size(bands + 2));
  Value mels = f.apply(f.apply(f.range(bands + 2), BinaryKind::mul, step),
                       BinaryKind::add, low);
  Value scaled =
      f.apply(getHertz(f, mels), BinaryKind::mul, f.size(length + 1));
  return f.node.unary(UnaryKind::floor,
                      f.apply(scaled, BinaryKind::div, f.operand(2)));
}

/// The weights: each band rises to 1 from its beginning to its peak, and falls
/// to its end. One that begins at its peak is 1 there.
static Value getWeights(Doubles &f, Value edges, SymExpr bands, SymExpr bins) {
  NodeImporter &node = f.node;
  auto take = [&](int64_t first) {
    return node.sliceAxis(edges, 0, node.size(first), bands);
  };
  auto part = [&](Value low, Value high) {
    return f.apply(high, BinaryKind::sub, low);
  };
  Value left = take(0), peak = take(1), right = take(2);
  Value bin = node.reshape(f.range(bins), {bins, node.size(1)});
  Value rise = f.apply(part(left, bin), BinaryKind::div, part(left, peak));
  rise = node.create<SelectOp>(f.isWithin(left, bin, CompareKind::le, peak),
                               rise, f.number(0));
  Value isSteep = node.compare(CompareKind::eq, left, peak);
  Value isPeak = node.compare(CompareKind::eq, bin, peak);
  rise = node.create<SelectOp>(isSteep, node.cast(isPeak, f.type), rise);
  Value fall = f.apply(part(bin, right), BinaryKind::div, part(peak, right));
  return node.create<SelectOp>(f.isWithin(peak, bin, CompareKind::lt, right),
                               fall, rise);
}

/// As ONNX's reference has it, but all in f64, as ONNX Runtime does.
static LogicalResult importMelWeightMatrix(NodeImporter &node) {
  SymExpr bands = getSizeOperand(node, 0), length = getSizeOperand(node, 1);
  Type type =
      getElementType(node.getContext(), node.getInt("output_datatype", 1));
  if (!type || !isa<FloatType, IntegerType>(type))
    return node.error() << "attribute 'output_datatype' names no type of "
                           "numbers";
  Doubles f(node);
  Value edges = getEdges(f, bands, length);
  SymExpr bins = length.floorDiv(node.size(2)) + 1;
  return node.finish(node.cast(getWeights(f, edges, bands, bins), type));
}

void lz::registerLinear(HandlerTable &handlers) {
  handlers["Det"] = importDet;
  handlers["DFT"] = importDft;
  handlers["STFT"] = importStft;
  handlers["MelWeightMatrix"] = importMelWeightMatrix;
}
