//===- SequenceInputs.cpp - sequences and optionals as inputs -------------===//
//
// An input that is a sequence or an optional is several arguments: its data,
// the shapes of its values unless they are all one, and whether an optional
// sequence is there. The first bears the type in `lz.value`, and their number
// in `lz.parts`; the runtime fills them from the caller's values.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ModelImporter.h"
#include "frontends/onnx/Sequences.h"

using namespace mlir;
using namespace lz;

/// The tensor type in a sequence or optional; null if it has no rank.
static RankedTensorType getValueType(Type type) {
  if (auto optional = dyn_cast<OptionalType>(type))
    return getValueType(optional.getElementType());
  if (auto sequence = dyn_cast<SequenceType>(type))
    return getValueType(sequence.getElementType());
  return dyn_cast<RankedTensorType>(type);
}

/// The sizes of the values. Those that the type leaves open differ in a
/// sequence; in an optional they are symbols, as a tensor's are.
std::optional<SymShape> ModelImporter::importValueDims(Type type,
                                                       StringRef name) {
  RankedTensorType tensor = getValueType(type);
  if (!tensor)
    return std::nullopt;
  bool isOptional = isa<OptionalType>(type) &&
                    isa<ShapedType>(cast<OptionalType>(type).getElementType());
  SymShape dims;
  for (auto [index, size] : llvm::enumerate(tensor.getShape())) {
    std::string own = name.str() + "_" + std::to_string(index);
    dims.push_back(!ShapedType::isDynamic(size) && !options.allDynamic
                       ? SymExpr::constant(context, size)
                       : (isOptional ? getSymbol("\1" + own, own) : SymExpr()));
  }
  return dims;
}

InputParts ModelImporter::importParts(Type type, StringRef name) {
  InputParts parts;
  parts.type = type;
  parts.dims = importValueDims(type, name);
  bool isSequence =
      !isa<OptionalType>(type) ||
      isa<SequenceType>(cast<OptionalType>(type).getElementType());
  const ValueDims &dims = parts.dims;
  SymExpr length =
      symbols.declare((name + "_length").str(), 0,
                      isSequence ? SymbolList::kMaxSize : 1, "dim");
  SymShape data = {length};
  if (isUniform(dims))
    data.append(*dims);
  else
    data = {symbols.declare((name + "_elements").str(), 0, SymbolList::kMaxSize,
                            "dim")};
  parts.add(name.str(), getScalarType(type), data);
  if (!isUniform(dims))
    parts.add(
        (name + ".shapes").str(), builder.getI64Type(),
        {length, SymExpr::constant(context, dims ? dims->size() : kMixedRow)});
  if (isSequence && isa<OptionalType>(type))
    parts.add((name + ".has").str(), builder.getI1Type(), {});
  return parts;
}

/// A node that stands for what the model does at its border.
static onnx::NodeProto getBorderNode(StringRef what) {
  onnx::NodeProto node;
  node.set_op_type(what.str());
  return node;
}

Value ModelImporter::joinInput(const InputParts &parts, Scope &scope,
                               ValueRange arguments) {
  onnx::NodeProto proto = getBorderNode("Input");
  NodeImporter node(*this, proto, scope, module->getLoc(), 1);
  SmallVector<Value> all = llvm::to_vector(arguments);
  ArrayRef<Value> rest = all;
  ValueForm form{parts.type, {}, parts.dims, {}};
  return putTogether(node, form, rest);
}

Type ModelImporter::splitOutput(Value value, Scope &scope,
                                SmallVectorImpl<Value> &parts) {
  onnx::NodeProto proto = getBorderNode("Output");
  NodeImporter node(*this, proto, scope, module->getLoc(), 1);
  ValueForm form = getOpenForm(node, value);
  takeApart(node, value, form, parts);
  return node.failed() ? Type() : getFormType(form);
}

/// An operation of the graph that takes `value`, which stands for a sequence;
/// null if there is none. Bodies that were imported again don't count.
static Operation *findUser(func::FuncOp function, Value value) {
  for (Operation *user : value.getUsers())
    if (function->isProperAncestor(user) &&
        !isa<SequenceConstructOp, SequencePackOp, OptionalMakeOp>(user))
      return user;
  return nullptr;
}

/// Erases what stood for sequences while nodes were imported.
LogicalResult ModelImporter::dropSequences() {
  SmallVector<Operation *> makers;
  function.walk([&](Operation *op) {
    if (isa<SequenceConstructOp, SequencePackOp, OptionalMakeOp>(op))
      makers.push_back(op);
  });
  for (Operation *op : makers)
    if (Operation *user = findUser(function, op->getResult(0)))
      return emitError(user->getLoc())
             << "takes a sequence or an optional where a tensor is expected";
  for (Operation *op : makers) {
    op->dropAllUses();
    op->erase();
  }
  return success();
}
