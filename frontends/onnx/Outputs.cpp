//===- Outputs.cpp - a model's outputs and what it says of them -----------===//
//
// The shapes of outputs follow from the nodes. What the model declares beside
// them is often left over from an export with other sizes, so where it can't be
// true it is a warning; a wrong type is an error.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "frontends/onnx/ModelImporter.h"
#include "frontends/onnx/Types.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lz;

/// The declared size of a dimension; none if it is free. Exporters write -1 for
/// free ones, too.
static std::optional<int64_t>
getSize(const onnx::TensorShapeProto::Dimension &dim) {
  if (!dim.has_dim_value() || dim.dim_value() < 0)
    return std::nullopt;
  return dim.dim_value();
}

/// "[batch, 3, ?]"
static std::string getText(const onnx::TensorShapeProto &shape) {
  SmallVector<std::string> sizes;
  for (const auto &dim : shape.dim())
    if (std::optional<int64_t> size = getSize(dim))
      sizes.push_back(std::to_string(*size));
    else
      sizes.push_back(dim.dim_param().empty() ? "?" : dim.dim_param());
  return "[" + llvm::join(sizes, ", ") + "]";
}

static std::string getText(ArrayRef<SymExpr> shape) {
  auto sizes = llvm::map_range(shape, [](SymExpr size) { return size.str(); });
  return "[" + llvm::join(sizes, ", ") + "]";
}

/// True if no run can give the shape that is declared.
static bool isImpossible(const onnx::TensorShapeProto &declared,
                         ArrayRef<SymExpr> shape) {
  if (declared.dim_size() != static_cast<int>(shape.size()))
    return true;
  for (auto [dim, size] : llvm::zip_equal(declared.dim(), shape))
    if (auto stated = getSize(dim), known = size.getConstant();
        stated && known && *stated != *known)
      return true;
  return false;
}

void ModelImporter::checkShape(const onnx::ValueInfoProto &output,
                               Value value) {
  const onnx::TypeProto::Tensor &declared = output.type().tensor_type();
  if (!output.type().has_tensor_type() || !declared.has_shape() ||
      !shapes.hasShape(value))
    return;
  ArrayRef<SymExpr> shape = shapes.getShape(value);
  if (isImpossible(declared.shape(), shape))
    emitWarning(module->getLoc())
        << "output '" << output.name() << "' is declared with shape "
        << getText(declared.shape()) << ", but the nodes give it shape "
        << getText(shape) << ", which holds";
}

LogicalResult ModelImporter::checkType(const onnx::ValueInfoProto &output,
                                       Value value) {
  int declared = output.type().tensor_type().elem_type();
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor || !declared ||
      declared == getOnnxElementType(tensor.getElementType()))
    return success();
  return error() << "output '" << output.name()
                 << "' is declared with element type " << declared
                 << ", but is " << getOnnxTypeName(tensor);
}

LogicalResult ModelImporter::importOutputs(Scope &scope) {
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attributes;
  if (getGraph().output().empty())
    return error()
           << "the graph has no outputs, so there is nothing to compute";
  for (const onnx::ValueInfoProto &output : getGraph().output()) {
    Value value = lookup(scope, output.name(), module->getLoc());
    if (!value || failed(checkType(output, value)))
      return failure();
    checkShape(output, value);
    SmallVector<Value> parts = {value};
    NamedAttrList list;
    list.set(LzDialect::kNameAttr, builder.getStringAttr(output.name()));
    if (!isa<RankedTensorType>(value.getType())) {
      parts.clear();
      Type type = splitOutput(value, scope, parts);
      if (!type)
        return failure();
      list.set(LzDialect::kValueAttr, TypeAttr::get(type));
      list.set(LzDialect::kPartsAttr, builder.getI64IntegerAttr(parts.size()));
    }
    results.append(parts);
    attributes.push_back(list.getDictionary(context));
    for (size_t index = 1; index < parts.size(); ++index)
      attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
          LzDialect::kNameAttr,
          builder.getStringAttr(output.name() + "." + std::to_string(index)))));
  }
  func::ReturnOp::create(builder, module->getLoc(), results);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(results).getTypes()));
  function.setAllResultAttrs(attributes);
  return success();
}
