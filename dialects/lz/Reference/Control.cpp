//===- Control.cpp - reference models of constants and control flow -------===//

#include "dialects/lz/Reference/Evaluation.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

/// The value of `attr`; an error on `op` if its bytes are not there.
static FailureOr<RefTensor> readAttribute(Operation *op, ElementsAttr attr) {
  FailureOr<RefTensor> tensor = getRefTensor(attr);
  if (failed(tensor))
    return op->emitOpError() << "has a value whose bytes are not there";
  return tensor;
}

static LogicalResult evaluateConstant(ConstantOp op, Evaluation &e) {
  FailureOr<RefTensor> tensor = readAttribute(op, op.getValue());
  return failed(tensor) ? failure() : e.give(*tensor);
}

static LogicalResult evaluateParam(ParamOp op, Evaluation &e) {
  auto parameter = SymbolTable::lookupNearestSymbolFrom<ParameterOp>(
      op, op.getParameterAttr());
  if (!parameter)
    return op.emitOpError() << "reads parameter '" << op.getParameter()
                            << "', which the module does not define";
  FailureOr<RefTensor> tensor = readAttribute(parameter, parameter.getValue());
  return failed(tensor) ? failure() : e.give(*tensor);
}

static LogicalResult evaluateFusion(FusionOp op, Evaluation &e) {
  SmallVector<RefValue> values;
  if (failed(e.getEvaluator().evaluateRegion(op.getBody(), e.getOperands(),
                                             values)))
    return failure();
  for (RefValue &value : values)
    (void)e.give(std::move(value));
  return success();
}

/// The one element of a condition.
static FailureOr<bool> readCondition(Operation *op, const RefTensor &tensor) {
  if (tensor.getNumElements() != 1)
    return op->emitOpError() << "has a condition of " << tensor.getNumElements()
                             << " elements, expected one";
  return tensor.getBool(0);
}

/// ONNX If-25.
static LogicalResult evaluateIf(IfOp op, Evaluation &e) {
  FailureOr<bool> condition = readCondition(op, e.get(op.getCondition()));
  if (failed(condition))
    return failure();
  Region &region = *condition ? op.getThenRegion() : op.getElseRegion();
  SmallVector<RefValue> values;
  if (failed(e.getEvaluator().evaluateRegion(region, {}, values)) ||
      failed(e.getEvaluator().bindSizes(op, op.getSymbols(), op.getResults(),
                                        values)))
    return failure();
  for (RefValue &value : values)
    (void)e.give(std::move(value));
  return success();
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

namespace {
/// A loop while it runs.
struct LoopState {
  int64_t iteration = 0;
  bool condition = true;
  SmallVector<RefValue> carried;
  /// The values of each iteration, for each scanned result.
  SmallVector<std::vector<RefTensor>> scanned;
};
} // namespace

static RefTensor makeScalar(MLIRContext *context, unsigned width,
                            int64_t value) {
  RefTensor scalar(RankedTensorType::get({}, IntegerType::get(context, width)));
  scalar.setInt(0, value);
  return scalar;
}

/// Runs the body once and takes its results into `state`.
static LogicalResult runIteration(LoopOp op, Evaluation &e, LoopState &state) {
  Block &body = op.getBody().front();
  SmallVector<RefValue> arguments = {
      makeScalar(op.getContext(), 64, state.iteration),
      makeScalar(op.getContext(), 1, state.condition)};
  arguments.append(state.carried);
  SmallVector<RefValue> values;
  Evaluator &evaluator = e.getEvaluator();
  if (failed(evaluator.bindSizes(op, op.getSymbols(), body.getArguments(),
                                 arguments)) ||
      failed(evaluator.evaluateRegion(op.getBody(), arguments, values)))
    return failure();
  FailureOr<bool> condition = readCondition(op, values.front().getTensor());
  if (failed(condition))
    return failure();
  state.condition = *condition;
  for (auto [index, value] : llvm::enumerate(llvm::drop_begin(values)))
    if (index < state.carried.size())
      state.carried[index] = value;
    else
      state.scanned[index - state.carried.size()].push_back(value.getTensor());
  ++state.iteration;
  return success();
}

/// The sizes of an element of result `result` of a loop that never ran.
static Sizes getEmptyScanShape(Value result) {
  Sizes shape;
  for (int64_t size : cast<RankedTensorType>(result.getType()).getShape())
    shape.push_back(ShapedType::isDynamic(size) ? 0 : size);
  shape[0] = 0;
  return shape;
}

/// Stacks `parts` along a new first dimension as result `index`.
static FailureOr<RefTensor> stack(LoopOp op, Evaluation &e, unsigned index,
                                  ArrayRef<RefTensor> parts) {
  if (parts.empty())
    return e.makeResult(getEmptyScanShape(op.getResult(index)), index);
  Sizes shape(parts.front().getShape());
  shape.insert(shape.begin(), parts.size());
  FailureOr<RefTensor> result = e.makeResult(shape, index);
  if (failed(result))
    return failure();
  int64_t position = 0;
  for (const RefTensor &part : parts) {
    if (part.getType() != parts.front().getType())
      return op.emitOpError() << "scans values of " << parts.front().getType()
                              << " and of " << part.getType();
    for (int64_t i = 0; i != part.getNumElements(); ++i)
      result->copyElement(position++, part, i);
  }
  return result;
}

/// ONNX Loop-25.
static LogicalResult evaluateLoop(LoopOp op, Evaluation &e) {
  LoopState state;
  for (Value initial : op.getInitial())
    state.carried.push_back(e.getValue(initial));
  state.scanned.resize(op.getNumResults() - state.carried.size());
  if (const RefTensor *condition = e.find(op.getCondition()))
    state.condition = condition->getBool(0);
  int64_t trips = std::numeric_limits<int64_t>::max();
  if (const RefTensor *count = e.find(op.getTripCount()))
    trips = count->getInt(0);
  while (state.iteration < trips && state.condition)
    if (failed(runIteration(op, e, state)))
      return failure();
  SmallVector<RefValue> values(state.carried);
  for (auto [index, parts] : llvm::enumerate(state.scanned)) {
    auto stacked = stack(op, e, state.carried.size() + index, parts);
    if (failed(stacked))
      return failure();
    values.push_back(*stacked);
  }
  for (const RefValue &value : values)
    (void)e.give(value);
  return e.getEvaluator().bindSizes(op, op.getSymbols(), op.getResults(),
                                    values);
}

void lz::attachControlModels(MLIRContext &context) {
  attachReference<ConstantOp, evaluateConstant>(context);
  attachReference<ParamOp, evaluateParam>(context);
  attachReference<FusionOp, evaluateFusion>(context);
  attachReference<IfOp, evaluateIf>(context);
  attachReference<LoopOp, evaluateLoop>(context);
}
