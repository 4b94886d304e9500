//===- Choices.cpp - operands that must be constant, but are not ----------===//
//
// Axes decide what a tensor's dimensions are, so operations have them as
// attributes. Where a model computes them, or takes them as an input, there are
// few that they can be.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Choices.h"

#include "frontends/onnx/ops/OpenAxes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace lz;

/// More branches than that are not built.
static constexpr size_t kMaxChoices = 24;

namespace {
/// The operand that names axes.
struct AxesOperand {
  int index = -1; ///< -1: the operator has none
  bool isScalar = false;
  bool inserts = false; ///< axes are those of the result
  bool removes = false; ///< axes must have size 1
  bool hasParts = false; ///< the last dimension is no axis
};

/// What is asked of the axes of a node.
struct Axes {
  AxesOperand operand;
  int64_t rank = 0;  ///< of the tensor whose axes they are
  int64_t count = 0; ///< how many there are
  SmallVector<int64_t> possible;
  std::vector<SmallVector<int64_t>> choices;
};
} // namespace

static AxesOperand getAxesOperand(StringRef op) {
  return llvm::StringSwitch<AxesOperand>(op)
      .Cases({"ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin",
              "ReduceL1"},
             {1})
      .Cases({"ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"},
             {1})
      .Case("Squeeze", {1, false, false, true})
      .Case("Unsqueeze", {1, false, true})
      .Cases({"CumSum", "CumProd"}, {1, true})
      .Case("DFT", {2, true, false, false, true})
      .Default({});
}

bool lz::hasOpenAxes(NodeImporter &node) {
  AxesOperand operand = getAxesOperand(node.getOpType());
  Value value = operand.index < 0 ? Value() : node.operand(operand.index);
  return value && node.getShapes().hasShape(value) && !isFixed(node, value);
}

/// Adds the ways to choose `count` of the possible axes from the `first` on.
static void addChoices(Axes &axes, SmallVector<int64_t> &chosen, size_t first) {
  if (axes.choices.size() > kMaxChoices)
    return;
  if (static_cast<int64_t>(chosen.size()) == axes.count)
    return axes.choices.push_back(chosen);
  for (size_t i = first; i < axes.possible.size(); ++i) {
    chosen.push_back(axes.possible[i]);
    addChoices(axes, chosen, i + 1);
    chosen.pop_back();
  }
}

/// What the axes of the node can be; an error if that is too much.
static FailureOr<Axes> getChoices(NodeImporter &node) {
  Axes axes;
  axes.operand = getAxesOperand(node.getOpType());
  Value value = node.operand(axes.operand.index);
  auto count = node.getShapes().getNumElements(value).getConstant();
  if (!count)
    return node.error() << "input " << axes.operand.index
                        << " names axes, so their number must be known";
  axes.count = *count;
  axes.rank = node.getRank(node.operand(0));
  if (axes.operand.inserts && axes.count <= ShapeAnalysis::kMaxContents)
    axes.rank += axes.count;
  SymShape shape = node.getShape(node.operand(0));
  for (int64_t axis = 0; axis != axes.rank - axes.operand.hasParts; ++axis)
    if (!axes.operand.removes || shape[axis].getConstant().value_or(1) == 1)
      axes.possible.push_back(axis);
  SmallVector<int64_t> chosen;
  addChoices(axes, chosen, 0);
  if (axes.choices.empty() || axes.choices.size() > kMaxChoices)
    return node.error() << "takes " << axes.count << " of "
                        << axes.possible.size() << " axes from input "
                        << axes.operand.index
                        << ", which must be constant for so many; make it an "
                           "initializer";
  return axes;
}

/// The number of the choice that a run has, of rank 0; -1 if it has none. Each
/// axis counts as a power of two, so that their order does not matter.
static Value getChosen(NodeImporter &node, const Axes &axes) {
  Type i64 = node.getBuilder().getI64Type();
  auto number = [&](int64_t value) {
    return node.scalar(i64, static_cast<double>(value));
  };
  Value given = node.reshape(node.cast(node.operand(axes.operand.index), i64),
                             node.size(axes.count));
  Value isNegative = node.compare(CompareKind::lt, given, number(0));
  given = node.create<SelectOp>(
      isNegative, node.binary(BinaryKind::add, given, number(axes.rank)),
      given);
  SmallVector<int64_t> powers, codes, numbers;
  for (int64_t axis = 0; axis != axes.rank; ++axis)
    powers.push_back(int64_t(1) << axis);
  for (const SmallVector<int64_t> &choice : axes.choices) {
    int64_t code = 0;
    for (int64_t axis : choice)
      code += powers[axis];
    codes.push_back(code);
    numbers.push_back(static_cast<int64_t>(numbers.size()) + 1);
  }
  Value power = node.create<GatherOp>(node.vector(powers), given, 0);
  Value isAxis = node.create<BinaryOp>(
      BinaryKind::logical_and, node.compare(CompareKind::ge, given, number(0)),
      node.compare(CompareKind::lt, given, number(axes.rank)));
  power = node.create<SelectOp>(isAxis, power, number(0));
  Value code = node.reduce(ReduceKind::sum, power, 0, /*keepDims=*/false);
  Value isChosen = node.compare(CompareKind::eq, code, node.vector(codes));
  Value found = node.reduce(
      ReduceKind::sum,
      node.create<SelectOp>(isChosen, node.vector(numbers), number(0)), 0,
      /*keepDims=*/false);
  return node.binary(BinaryKind::sub, found, number(1));
}

/// Lets the run end with an error if there is no choice `chosen`.
static void requireChoice(NodeImporter &node, Value chosen, const Axes &axes) {
  if (node.failed())
    return;
  SymExpr symbol = node.getImporter().getSymbols().declare(
      "axes_" + node.getResultName(0).str(), 0,
      static_cast<int64_t>(axes.choices.size()) - 1, "run");
  BindOp::create(node.getBuilder(), node.getLoc(),
                 node.reshape(chosen, node.size(1)), node.exprs(symbol));
}

/// The results of the node with the axes `choice`.
static FailureOr<SmallVector<Value>> importChoice(NodeImporter &node,
                                                  const Axes &axes,
                                                  ArrayRef<int64_t> choice,
                                                  Handler handler) {
  NodeImporter chosen = node;
  Value constant = node.vector(choice);
  if (axes.operand.isScalar)
    constant = node.reshape(constant, {});
  chosen.setOperand(axes.operand.index, constant);
  if (failed(handler(chosen))) {
    node.fail();
    return failure();
  }
  return chosen.getResults();
}

/// The results of the choices from `first` on.
static FailureOr<SmallVector<Value>> importFrom(NodeImporter &node,
                                                const Axes &axes, Value chosen,
                                                size_t first, Handler handler) {
  if (first + 1 == axes.choices.size())
    return importChoice(node, axes, axes.choices[first], handler);
  Type i64 = node.getBuilder().getI64Type();
  Value isThis = node.compare(CompareKind::eq, chosen,
                              node.scalar(i64, static_cast<double>(first)));
  return buildIf(
      node, isThis,
      [&] { return importChoice(node, axes, axes.choices[first], handler); },
      [&] { return importFrom(node, axes, chosen, first + 1, handler); });
}

LogicalResult lz::importChoices(NodeImporter &node, Handler handler) {
  auto axes = getChoices(node);
  if (failed(axes))
    return failure();
  Value chosen = getChosen(node, *axes);
  requireChoice(node, chosen, *axes);
  if (node.failed())
    return failure();
  auto results = importFrom(node, *axes, chosen, 0, handler);
  return failed(results) ? failure() : node.finish(*results);
}
