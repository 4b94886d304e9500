//===- Contrib.cpp - checks of ONNX Runtime's operators -------------------===//

#include "frontends/onnx/ops/Contrib.h"

#include "frontends/onnx/Types.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace lz;
using onnx::AttributeProto;

const ContribOperator *lz::findContrib(StringRef name, StringRef domain) {
  bool isInOnnx = llvm::is_contained<StringRef>(
      {"SimplifiedLayerNormalization", "LayerNormalization", "ImageScaler",
       "Crop", "Affine"},
      name);
  if (domain != kContribDomain && !(domain.empty() && isInOnnx))
    return nullptr;
  for (ArrayRef<ContribOperator> family :
       {getContribNorms(), getContribProducts(), getContribQuants(),
        getContribQuantProducts(), getContribAttentions(),
        getContribGroupQuery(), getContribRotary(), getContribPictures()})
    for (const ContribOperator &op : family)
      if (op.name == name)
        return &op;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {
/// An input as the table has it.
struct Formal {
  StringRef name;
  char type;
  bool isOptional, isVariadic;
};
} // namespace

static SmallVector<Formal> parseInputs(StringRef text) {
  SmallVector<Formal> formals;
  for (StringRef part : llvm::split(text, ' ')) {
    auto [name, type] = part.split(':');
    formals.push_back(
        {name, type[0], type.ends_with("?"), type.ends_with("*")});
  }
  return formals;
}

/// The types that a letter of the table stands for.
static StringRef getAllowed(char type) {
  switch (type) {
  case 'F':
  case 'G':
    return "tensor(float), tensor(float16), tensor(bfloat16), tensor(double)";
  case 'f':
    return "tensor(float)";
  case 'Q':
  case 'R':
  case 'q':
    return "tensor(int8), tensor(uint8)";
  case 'u':
    return "tensor(uint8)";
  case 'Z':
    return "tensor(int8), tensor(uint8), tensor(int16), tensor(uint16), "
           "tensor(int4), tensor(uint4), tensor(int32)";
  case 'b':
    return "tensor(bool)";
  case 'i':
    return "tensor(int32)";
  case 'l':
    return "tensor(int64)";
  default:
    return "";
  }
}

static LogicalResult checkType(NodeImporter &node, int index,
                               const Formal &formal,
                               std::map<char, std::string> &bound) {
  std::string type = getOnnxTypeName(node.operand(index).getType());
  StringRef allowed = getAllowed(formal.type);
  SmallVector<StringRef> choices;
  allowed.split(choices, ", ");
  if (!allowed.empty() && !llvm::is_contained(choices, type))
    return node.error() << "input " << index << " (" << formal.name
                        << ") has type " << type << ", but must be one of "
                        << allowed;
  if (!llvm::isUpper(formal.type))
    return success();
  auto [entry, isNew] = bound.try_emplace(formal.type, type);
  if (isNew || entry->second == type)
    return success();
  return node.error() << "input " << index << " (" << formal.name
                      << ") has type " << type
                      << ", but another input that must be alike has "
                      << entry->second;
}

static LogicalResult checkInputs(NodeImporter &node, StringRef inputs) {
  SmallVector<Formal> formals = parseInputs(inputs);
  int most = formals.size(), count = node.getNumOperands();
  if (count > most && !formals.back().isVariadic)
    return node.error() << "takes at most " << most << " inputs, not " << count;
  std::map<char, std::string> bound;
  for (int i = 0; i < std::max(most, count); ++i) {
    const Formal &formal = formals[std::min(i, most - 1)];
    if (node.operand(i)) {
      if (failed(checkType(node, i, formal, bound)))
        return failure();
    } else if (!formal.isOptional && !formal.isVariadic) {
      return node.error() << "input " << i << " (" << formal.name
                          << ") is missing";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Requires that attribute `name` is there if it must, and has its type.
static LogicalResult checkAttribute(NodeImporter &node, StringRef name,
                                    StringRef type) {
  bool isRequired = type.consume_back("!");
  if (isRequired && !node.has(name))
    return node.error() << "needs attribute '" << name << "'";
  AttributeProto::AttributeType expected;
  bool known = AttributeProto::AttributeType_Parse(type.str(), &expected);
  assert(known && "the table names a type that ONNX has");
  (void)known;
  node.find(name, expected);
  return failure(node.failed());
}

static LogicalResult checkAttributes(NodeImporter &node, StringRef attributes) {
  SmallVector<StringRef> names;
  for (StringRef part : llvm::split(attributes, ' ')) {
    auto [name, type] = part.split(':');
    names.push_back(name);
    if (!name.empty() && failed(checkAttribute(node, name, type)))
      return failure();
  }
  for (StringRef name : node.getAttributeNames())
    if (!llvm::is_contained(names, name))
      return node.error() << "attribute '" << name
                          << "' is none of this operator's; expected "
                          << (attributes.empty() ? "none"
                                                 : llvm::join(names, ", "));
  return success();
}

LogicalResult lz::importContrib(const ContribOperator &op, NodeImporter &node) {
  if (failed(checkInputs(node, op.inputs)) ||
      failed(checkAttributes(node, op.attributes)))
    return failure();
  if (node.getNumResults() > op.maxResults)
    return node.error() << "gives at most " << op.maxResults << " results, not "
                        << node.getNumResults();
  return op.handler(node);
}

//===----------------------------------------------------------------------===//
// What families share
//===----------------------------------------------------------------------===//

Value lz::scaleBy(NodeImporter &node, Value value, double factor) {
  if (factor == 1)
    return value;
  return node.binary(BinaryKind::mul, value,
                     node.scalar(node.getElement(value), factor));
}
