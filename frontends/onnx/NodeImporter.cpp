//===- NodeImporter.cpp - operands, attributes and sizes of a node --------===//

#include "frontends/onnx/NodeImporter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lz;
using onnx::AttributeProto;

NodeImporter::NodeImporter(ModelImporter &importer, const onnx::NodeProto &node,
                           Scope &scope, Location loc, int version)
    : importer(importer), node(node), scope(scope), loc(loc), version(version) {
}

InFlightDiagnostic NodeImporter::error() {
  hasFailed = true;
  return emitError(loc) << getOpType() << ": ";
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

LogicalResult NodeImporter::readOperands() {
  for (const std::string &input : node.input()) {
    operands.push_back(input.empty() ? Value()
                                     : importer.lookup(scope, input, loc));
    if (!input.empty() && !operands.back())
      return failure();
  }
  return success();
}

LogicalResult NodeImporter::finish(ArrayRef<Value> results) {
  if (hasFailed)
    return failure();
  for (int i = 0; i != node.output_size(); ++i) {
    if (node.output(i).empty())
      continue;
    if (i >= static_cast<int>(results.size()) || !results[i])
      return error() << "result " << i << " ('" << node.output(i)
                     << "') is not supported; remove its uses";
    scope.values[node.output(i)] = results[i];
  }
  return success();
}

SmallVector<Value> NodeImporter::getResults() const {
  SmallVector<Value> results;
  for (const std::string &name : node.output())
    results.push_back(name.empty() ? Value() : scope.values.lookup(name));
  return results;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const AttributeProto *NodeImporter::find(StringRef name, AttributeType type) {
  const AttributeProto *found = nullptr;
  for (const AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      found = attribute.ref_attr_name().empty()
                  ? &attribute
                  : scope.frame.attributes.lookup(attribute.ref_attr_name());
  // Files before IR version 2 state no type.
  bool untyped = found && found->type() == AttributeProto::UNDEFINED;
  if (!found || untyped || found->type() == type)
    return found;
  error() << "attribute '" << name << "' has type "
          << AttributeProto::AttributeType_Name(found->type()) << ", expected "
          << AttributeProto::AttributeType_Name(type);
  return nullptr;
}

bool NodeImporter::has(StringRef name) const {
  return llvm::any_of(node.attribute(), [&](const AttributeProto &attribute) {
    return attribute.name() == name &&
           (attribute.ref_attr_name().empty() ||
            scope.frame.attributes.contains(attribute.ref_attr_name()));
  });
}

SmallVector<StringRef> NodeImporter::getAttributeNames() const {
  return llvm::map_to_vector(node.attribute(),
                             [](const AttributeProto &attribute) -> StringRef {
                               return attribute.name();
                             });
}

int64_t NodeImporter::getInt(StringRef name, int64_t fallback) {
  const AttributeProto *found = find(name, AttributeProto::INT);
  return found ? found->i() : fallback;
}

double NodeImporter::getFloat(StringRef name, double fallback) {
  const AttributeProto *found = find(name, AttributeProto::FLOAT);
  return found ? found->f() : fallback;
}

std::string NodeImporter::getString(StringRef name, StringRef fallback) {
  const AttributeProto *found = find(name, AttributeProto::STRING);
  return found ? found->s() : fallback.str();
}

std::optional<SmallVector<int64_t>> NodeImporter::getInts(StringRef name) {
  const AttributeProto *found = find(name, AttributeProto::INTS);
  if (!found)
    return std::nullopt;
  return SmallVector<int64_t>(found->ints().begin(), found->ints().end());
}

std::optional<SmallVector<double>> NodeImporter::getFloats(StringRef name) {
  const AttributeProto *found = find(name, AttributeProto::FLOATS);
  if (!found)
    return std::nullopt;
  return SmallVector<double>(found->floats().begin(), found->floats().end());
}

std::optional<std::vector<std::string>>
NodeImporter::getStrings(StringRef name) {
  const AttributeProto *found = find(name, AttributeProto::STRINGS);
  if (!found)
    return std::nullopt;
  return std::vector<std::string>(found->strings().begin(),
                                  found->strings().end());
}

int64_t NodeImporter::getAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  if (!hasFailed)
    error() << "axis " << axis << " is out of range for rank " << rank;
  return 0;
}

SmallVector<int64_t> NodeImporter::getAxes(ArrayRef<int64_t> axes,
                                           int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes)
    result.push_back(getAxis(axis, rank));
  llvm::sort(result);
  if (!hasFailed &&
      std::adjacent_find(result.begin(), result.end()) != result.end())
    error() << "axes [" << axes << "] name a dimension twice";
  return result;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

SymShape NodeImporter::getShape(Value value) {
  if (!value || !getShapes().hasShape(value))
    return {};
  ArrayRef<SymExpr> shape = getShapes().getShape(value);
  return SymShape(shape.begin(), shape.end());
}

Type NodeImporter::getElement(Value value) {
  auto type =
      value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  return type ? type.getElementType() : getBuilder().getF32Type();
}

SymShape NodeImporter::sizes(ArrayRef<int64_t> values) {
  return llvm::map_to_vector<4>(values,
                                [&](int64_t value) { return size(value); });
}

SymShape NodeImporter::getSizes(Value value) {
  if (hasFailed || !value)
    return {};
  auto sizes = importer.getSizes().resolve(value, loc);
  if (succeeded(sizes))
    return *sizes;
  fail();
  return {};
}

SmallVector<int64_t> NodeImporter::getConstants(Value value, StringRef what) {
  SmallVector<int64_t> values;
  if (hasFailed || !value)
    return values;
  auto known = getShapes().getContents(value);
  for (SymExpr element : known ? *known : ArrayRef<SymExpr>())
    if (std::optional<int64_t> constant = element.getConstant())
      values.push_back(*constant);
  if (known && values.size() == known->size())
    return values;
  error() << "input '" << what << "' must be constant; make it an initializer";
  return {};
}

/// The numbers of a dense attribute.
static std::optional<SmallVector<double>> readNumbers(ElementsAttr attr) {
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  SmallVector<double> numbers;
  if (!dense)
    return std::nullopt;
  if (auto type = dyn_cast<IntegerType>(dense.getElementType())) {
    bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
    for (const APInt &value : dense.getValues<APInt>())
      numbers.push_back(value.roundToDouble(!isUnsigned));
    return numbers;
  }
  if (!isa<FloatType>(dense.getElementType()))
    return std::nullopt;
  for (APFloat value : dense.getValues<APFloat>()) {
    bool lossy;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    numbers.push_back(value.convertToDouble());
  }
  return numbers;
}

std::optional<SmallVector<double>> NodeImporter::getNumbers(Value value) {
  if (!value)
    return std::nullopt;
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(op))
    return readNumbers(constant.getValue());
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op))
    return getNumbers(reshape.getInput());
  SmallVector<double> joined;
  auto concat = dyn_cast_or_null<ConcatOp>(op);
  if (concat && getRank(value) == 1) {
    for (Value input : concat.getInputs()) {
      auto part = getNumbers(input);
      if (!part)
        return std::nullopt;
      joined.append(*part);
    }
    return joined;
  }
  auto known = getShapes().getContents(value);
  if (!known)
    return std::nullopt;
  for (SymExpr element : *known) {
    if (!element.getConstant())
      return std::nullopt;
    joined.push_back(*element.getConstant());
  }
  return joined;
}
