//===- SequenceParts.cpp - sequences as the tensors they lie in -----------===//
//
// What the runtime does for compiled models, for the evaluator; see
// docs/sequences.md.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/SequenceParts.h"

#include "dialects/lz/IR/LzDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace lz;

namespace {
/// What is known of a sequence or optional from its type and number of parts.
struct Layout {
  Layout(Type type, int64_t parts) {
    if (auto optional = dyn_cast<OptionalType>(type)) {
      isOptional = true;
      type = optional.getElementType();
    }
    if (auto sequence = dyn_cast<SequenceType>(type)) {
      isSequence = true;
      type = sequence.getElementType();
    }
    tensor = cast<ShapedType>(type);
    hasFlag = isOptional && isSequence;
    hasShapes = parts == (hasFlag ? 3 : 2);
  }

  ShapedType tensor;
  bool isOptional = false, isSequence = false;
  bool hasFlag = false, hasShapes = false;
};
} // namespace

/// The tensors in a value, one after the other.
static SmallVector<RefTensor> getTensors(const RefValue &value) {
  if (value.getKind() == RefValue::Kind::Tensor)
    return {value.getTensor()};
  SmallVector<RefTensor> tensors;
  for (const RefValue &element : value.getElements())
    tensors.append(getTensors(element));
  return tensors;
}

/// The shape of the block in which `tensors` of one shape lie.
static SmallVector<int64_t> getStackedShape(RankedTensorType block,
                                            ArrayRef<RefTensor> tensors) {
  SmallVector<int64_t> shape(block.getShape());
  if (!tensors.empty())
    llvm::copy(tensors[0].getShape(), shape.begin() + 1);
  for (int64_t &size : shape)
    size = ShapedType::isDynamic(size) ? 0 : size;
  shape[0] = static_cast<int64_t>(tensors.size());
  return shape;
}

static RefTensor getShapes(ArrayRef<RefTensor> tensors, int64_t columns,
                           bool isMixed, MLIRContext *context) {
  int64_t count = tensors.size();
  RefTensor shapes(
      RankedTensorType::get({count, columns}, IntegerType::get(context, 64)));
  for (auto [index, tensor] : llvm::enumerate(tensors)) {
    int64_t at = static_cast<int64_t>(index) * columns;
    if (isMixed)
      shapes.setInt(at++, tensor.getRank());
    for (int64_t size : tensor.getShape())
      shapes.setInt(at++, size);
  }
  return shapes;
}

void lz::addParts(FunctionOpInterface function, unsigned index,
                  const RefValue &value, SmallVectorImpl<RefValue> &parts) {
  Layout layout(
      function.getArgAttrOfType<TypeAttr>(index, LzDialect::kValueAttr)
          .getValue(),
      function.getArgAttrOfType<IntegerAttr>(index, LzDialect::kPartsAttr)
          .getInt());
  auto typeOf = [&](unsigned number) {
    return cast<RankedTensorType>(function.getArgument(number).getType());
  };
  SmallVector<RefTensor> tensors = getTensors(value);
  SmallVector<int64_t> shape = {0};
  for (const RefTensor &tensor : tensors)
    shape[0] += tensor.getNumElements();
  if (!layout.hasShapes)
    shape = getStackedShape(typeOf(index), tensors);
  RefTensor data(RankedTensorType::get(shape, layout.tensor.getElementType()));
  int64_t at = 0;
  for (const RefTensor &tensor : tensors)
    for (int64_t i = 0; i != tensor.getNumElements(); ++i)
      data.copyElement(at++, tensor, i);
  parts.push_back(data);
  if (layout.hasShapes)
    parts.push_back(getShapes(tensors, typeOf(index + 1).getDimSize(1),
                              !layout.tensor.hasRank(),
                              function->getContext()));
  if (!layout.hasFlag)
    return;
  RefTensor flag(
      RankedTensorType::get({}, IntegerType::get(function->getContext(), 1)));
  flag.setInt(0, !value.getElements().empty());
  parts.push_back(flag);
}

/// The shape of value `index`.
static SmallVector<int64_t> readShape(const Layout &layout,
                                      ArrayRef<RefValue> parts, int64_t index) {
  if (!layout.hasShapes)
    return llvm::to_vector(parts[0].getTensor().getShape().drop_front());
  const RefTensor &shapes = parts[1].getTensor();
  int64_t at = index * shapes.getShape()[1];
  int64_t rank =
      layout.tensor.hasRank() ? layout.tensor.getRank() : shapes.getInt(at++);
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim != rank; ++dim)
    shape.push_back(shapes.getInt(at++));
  return shape;
}

static RefValue join(const Layout &layout, ArrayRef<RefValue> parts) {
  const RefTensor &data = parts[0].getTensor();
  int64_t count = parts[layout.hasShapes ? 1 : 0].getTensor().getShape()[0];
  std::vector<RefValue> values;
  int64_t at = 0;
  for (int64_t index = 0; index != count; ++index) {
    RefTensor value(RankedTensorType::get(readShape(layout, parts, index),
                                          data.getElementType()));
    for (int64_t i = 0; i != value.getNumElements(); ++i)
      value.copyElement(i, data, at++);
    values.push_back(value);
  }
  if (layout.hasFlag && !parts.back().getTensor().getBool(0))
    return RefValue::none();
  if (layout.isSequence) {
    RefValue sequence = RefValue::sequence(std::move(values));
    return layout.isOptional ? RefValue::some(sequence) : sequence;
  }
  return values.empty() ? RefValue::none() : RefValue::some(values.front());
}

SmallVector<RefValue> lz::joinParts(FunctionOpInterface function,
                                    ArrayRef<RefValue> results) {
  SmallVector<RefValue> values;
  for (unsigned index = 0; index < results.size();) {
    auto type =
        function.getResultAttrOfType<TypeAttr>(index, LzDialect::kValueAttr);
    if (!type) {
      values.push_back(results[index++]);
      continue;
    }
    int64_t parts =
        function.getResultAttrOfType<IntegerAttr>(index, LzDialect::kPartsAttr)
            .getInt();
    values.push_back(
        join(Layout(type.getValue(), parts), results.slice(index, parts)));
    index += parts;
  }
  return values;
}
