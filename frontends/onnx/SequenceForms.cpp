//===- SequenceForms.cpp - sequences at the borders of regions ------------===//
//
// A branch or an iteration hands on tensors. A sequence whose values stay known
// one by one hands on each of them; others the tensors of an
// `lz.sequence_pack`. An optional hands on what its value does, and whether it
// has one where only the run knows: an optional tensor by a packed sequence of
// at most one value, an optional sequence by a boolean.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Sequences.h"

#include "frontends/onnx/Types.h"

using namespace mlir;
using namespace lz;

/// True for an optional of a sequence.
static bool holdsSequence(Type type) {
  auto optional = dyn_cast<OptionalType>(type);
  return optional && isa<SequenceType>(optional.getElementType());
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// `type` with `tensor` in the place of its tensors.
static Type replaceTensor(Type type, Type tensor) {
  MLIRContext *context = type.getContext();
  if (auto sequence = dyn_cast<SequenceType>(type))
    return SequenceType::get(context,
                             replaceTensor(sequence.getElementType(), tensor));
  if (auto optional = dyn_cast<OptionalType>(type))
    return OptionalType::get(context,
                             replaceTensor(optional.getElementType(), tensor));
  return tensor;
}

/// What is carried of the type: of tensors, only that of their elements.
static Type getKind(Type type) {
  return replaceTensor(type, RankedTensorType::get({}, getScalarType(type)));
}

/// True if the form is of something that holds no value at all.
static bool isNothing(const ValueForm &form) {
  return form.has == false || (form.ranks && form.ranks->empty());
}

bool ValueForm::operator==(const ValueForm &other) const {
  bool oneByOne = ranks || has || isa<RankedTensorType>(type);
  return type == other.type && ranks == other.ranks && has == other.has &&
         (oneByOne || dims == other.dims);
}

static ValueForm getOptionalForm(NodeImporter &node, OptionalMakeOp op) {
  ValueForm form;
  if (op.getInput())
    form = getForm(node, op.getInput());
  form.type = getKind(op.getType());
  if (!op.getHas())
    form.has = static_cast<bool>(op.getInput());
  return form;
}

ValueForm lz::getForm(NodeImporter &node, Value value) {
  if (auto op = value.getDefiningOp<OptionalMakeOp>())
    return getOptionalForm(node, op);
  ValueForm form;
  form.type = getKind(value.getType());
  if (form.isTensor()) {
    form.dims = node.getShape(value);
    return form;
  }
  if (auto values = getValues(value)) {
    form.ranks.emplace();
    for (Value element : *values)
      form.ranks->push_back(node.getRank(element));
    if (values->empty())
      return form;
  }
  form.dims = getDims(node, value);
  return form;
}

/// `dims` without sizes that are not known outside of the region they are in.
static ValueDims settle(NodeImporter &node, ValueDims dims) {
  if (dims)
    for (SymExpr &size : *dims)
      if (size && node.getImporter().getSymbols().dependsOnRun(size))
        size = SymExpr();
  return dims;
}

/// True if `type` is an optional of what `form` is.
static bool isOptionalOf(Type type, const ValueForm &form) {
  auto optional = dyn_cast<OptionalType>(type);
  return optional && optional.getElementType() == form.type;
}

/// The form of an optional that has a value of form `form`.
static ValueForm wrap(ValueForm form, Type type) {
  form.type = type;
  form.has = true;
  return form;
}

FailureOr<ValueForm> lz::joinForms(NodeImporter &node, const ValueForm &a,
                                   const ValueForm &b) {
  if (isOptionalOf(a.type, b))
    return joinForms(node, a, wrap(b, a.type));
  if (isOptionalOf(b.type, a))
    return joinForms(node, wrap(a, b.type), b);
  if (a.type != b.type)
    return node.error() << "a value is " << getOnnxTypeName(a.type)
                        << " on one path and " << getOnnxTypeName(b.type)
                        << " on another; they must be alike";
  if (a.isTensor() || a == b)
    return a;
  ValueForm joined = a;
  if (a.has != b.has)
    joined.has = std::nullopt;
  if (a.has == b.has && a.ranks && a.ranks == b.ranks)
    return joined;
  joined.ranks = std::nullopt;
  if (isNothing(a) || isNothing(b))
    joined.dims = isNothing(a) && isNothing(b)
                      ? ValueDims(SymShape())
                      : settle(node, isNothing(a) ? b.dims : a.dims);
  else
    joined.dims = joinDims(a.dims, b.dims);
  return joined;
}

ValueForm lz::getOpenForm(NodeImporter &node, Value value) {
  ValueForm form = getForm(node, value);
  if (form.isTensor())
    return form;
  if (isNothing(form))
    form.dims = SymShape();
  form.ranks = std::nullopt;
  form.has = std::nullopt;
  return form;
}

Type lz::getFormType(const ValueForm &form) {
  return replaceTensor(form.type,
                       getTensorType(getScalarType(form.type), form.dims));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The form of an optional's value.
static ValueForm getInnerForm(const ValueForm &form) {
  ValueForm inner = form;
  inner.type = cast<OptionalType>(form.type).getElementType();
  inner.has = std::nullopt;
  return inner;
}

static void takePackedApart(NodeImporter &node, Value value,
                            const ValueForm &form,
                            SmallVectorImpl<Value> &parts) {
  PackedSequence packed = packSequence(node, value, form.dims);
  parts.push_back(packed.data);
  if (packed.shapes)
    parts.push_back(packed.shapes);
}

/// The sequence in an optional; an empty one if it has none.
static Value getSequenceOf(NodeImporter &node, OptionalMakeOp op) {
  if (op.getInput())
    return op.getInput();
  return makeSequence(node, {}, getScalarType(op.getType()));
}

static void takeOptionalApart(NodeImporter &node, Value value,
                              const ValueForm &form,
                              SmallVectorImpl<Value> &parts) {
  if (form.has == false)
    return;
  auto op = value.getDefiningOp<OptionalMakeOp>();
  if (form.has)
    return takeApart(node, op.getInput(), getInnerForm(form), parts);
  if (!holdsSequence(form.type))
    return takePackedApart(node, value, form, parts);
  takeApart(node, getSequenceOf(node, op), getInnerForm(form), parts);
  parts.push_back(op.getHas() ? op.getHas()
                              : node.scalar(node.getBuilder().getI1Type(),
                                            op.getInput() ? 1 : 0));
}

void lz::takeApart(NodeImporter &node, Value value, const ValueForm &form,
                   SmallVectorImpl<Value> &parts) {
  if (node.failed())
    return;
  if (form.isTensor())
    return parts.push_back(value);
  if (isa<OptionalType>(form.type)) {
    if (!isa<OptionalType>(value.getType()))
      value = node.create<OptionalMakeOp>(value, Value(), value.getType());
    return takeOptionalApart(node, value, form, parts);
  }
  if (!form.ranks)
    return takePackedApart(node, value, form, parts);
  parts.append(*getValues(value));
}

static Value takeFirst(ArrayRef<Value> &parts) {
  Value first = parts.front();
  parts = parts.drop_front();
  return first;
}

static Value putPackedTogether(NodeImporter &node, const ValueForm &form,
                               ArrayRef<Value> &parts) {
  PackedSequence packed{
      getScalarType(form.type), form.dims, takeFirst(parts), {}};
  if (!isUniform(form.dims))
    packed.shapes = takeFirst(parts);
  return makePacked(node, packed, isa<OptionalType>(form.type));
}

static Value putOptionalTogether(NodeImporter &node, const ValueForm &form,
                                 ArrayRef<Value> &parts) {
  if (!form.has && !holdsSequence(form.type))
    return putPackedTogether(node, form, parts);
  Value value, has;
  if (form.has != false)
    value = putTogether(node, getInnerForm(form), parts);
  if (!form.has)
    has = takeFirst(parts);
  Type type =
      value ? value.getType() : cast<OptionalType>(form.type).getElementType();
  return node.create<OptionalMakeOp>(value, has, type);
}

Value lz::putTogether(NodeImporter &node, const ValueForm &form,
                      ArrayRef<Value> &parts) {
  if (node.failed())
    return {};
  if (form.isTensor())
    return takeFirst(parts);
  if (isa<OptionalType>(form.type))
    return putOptionalTogether(node, form, parts);
  if (!form.ranks)
    return putPackedTogether(node, form, parts);
  ArrayRef<Value> values = parts.take_front(form.ranks->size());
  parts = parts.drop_front(values.size());
  return makeSequence(node, values, getScalarType(form.type));
}
