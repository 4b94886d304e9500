//===- Sequence.cpp - reference models of sequences and optionals ---------===//

#include "dialects/lz/Reference/Evaluation.h"

using namespace mlir;
using namespace lz;

/// ONNX SequenceConstruct-11; without inputs SequenceEmpty-11.
static LogicalResult evaluateConstruct(SequenceConstructOp op, Evaluation &e) {
  return e.give(RefValue::sequence(e.getOperands().vec()));
}

/// ONNX SequenceAt-11: a negative position counts from the end.
static LogicalResult evaluateAt(SequenceAtOp op, Evaluation &e) {
  ArrayRef<RefValue> elements = e.getValue(op.getSequence()).getElements();
  int64_t count = elements.size();
  int64_t position = e.get(op.getPosition()).getInt(0);
  if (position < -count || position >= count)
    return op.emitOpError()
           << "position " << position << " is outside a sequence of " << count
           << " values";
  return e.give(elements[position < 0 ? position + count : position]);
}

/// ONNX SequenceLength-11.
static LogicalResult evaluateLength(SequenceLengthOp op, Evaluation &e) {
  FailureOr<RefTensor> result = e.makeResult({});
  if (failed(result))
    return failure();
  result->setInt(0, e.getValue(op.getSequence()).getElements().size());
  return e.give(*result);
}

/// ONNX Optional-15.
static LogicalResult evaluateMake(OptionalMakeOp op, Evaluation &e) {
  return e.give(op.getInput() ? RefValue::some(e.getValue(op.getInput()))
                              : RefValue::none());
}

/// ONNX OptionalHasElement-18.
static LogicalResult evaluateHas(OptionalHasOp op, Evaluation &e) {
  FailureOr<RefTensor> result = e.makeResult({});
  if (failed(result))
    return failure();
  result->setInt(0, !e.getValue(op.getInput()).getElements().empty());
  return e.give(*result);
}

/// ONNX OptionalGetElement-18.
static LogicalResult evaluateGet(OptionalGetOp op, Evaluation &e) {
  ArrayRef<RefValue> elements = e.getValue(op.getInput()).getElements();
  if (elements.empty())
    return op.emitOpError() << "reads an optional that has no value";
  return e.give(elements.front());
}

void lz::attachSequenceModels(MLIRContext &context) {
  attachReference<SequenceConstructOp, evaluateConstruct>(context);
  attachReference<SequenceAtOp, evaluateAt>(context);
  attachReference<SequenceLengthOp, evaluateLength>(context);
  attachReference<OptionalMakeOp, evaluateMake>(context);
  attachReference<OptionalHasOp, evaluateHas>(context);
  attachReference<OptionalGetOp, evaluateGet>(context);
}
