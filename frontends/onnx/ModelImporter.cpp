//===- ModelImporter.cpp - a model's inputs and tensors -------------------===//

#include "frontends/onnx/ModelImporter.h"

#include "dialects/lz/IR/LzOps.h"
#include "frontends/onnx/OnnxLibrary.h"
#include "frontends/onnx/Types.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lz;

ModelImporter::ModelImporter(StringRef path, MLIRContext &context,
                             const ImportOptions &options,
                             std::shared_ptr<const ModelFile> file)
    : path(path), context(&context), options(options), file(file),
      tensors(file, path), handlers(getHandlers()),
      module(ModuleOp::create(FileLineColLoc::get(&context, path, 0, 0))),
      builder(&context), moduleSymbols(*module), shapes(&context),
      symbols(&context), sizes(shapes, symbols), unusedDims(options.dims) {}

InFlightDiagnostic ModelImporter::error() {
  return emitError(module->getLoc());
}

FailureOr<OwningOpRef<ModuleOp>> ModelImporter::run() {
  Scope scope(mainFrame);
  builder.setInsertionPointToEnd(module->getBody());
  if (failed(readOpsets()))
    return failure();
  addInitializers(getGraph(), scope);
  if (failed(importInputs(scope)) || failed(checkDims()) ||
      failed(importNodes(getGraph().node(), scope)) ||
      failed(importOutputs(scope)) || failed(dropSequences()))
    return failure();
  setAttributes();
  return std::move(module);
}

LogicalResult ModelImporter::readOpsets() {
  for (const auto &import : file->model.opset_import()) {
    std::string domain = getDomain(import.domain());
    auto newest = onnxlib::getNewestOpset(domain);
    if (import.version() < 1 || (newest && import.version() > *newest))
      return error() << "opset " << import.version() << " of domain '"
                     << (domain.empty() ? "ai.onnx" : domain)
                     << "' is not among the known ones, 1 to "
                     << newest.value_or(1)
                     << "; convert the model to one of them";
    mainFrame.opsets[domain] = import.version();
  }
  if (mainFrame.opsets.empty())
    return error() << "the model states no opset; an ONNX model has an "
                      "opset_import";
  return success();
}

void ModelImporter::setAttributes() {
  (*module)->setAttr("lz.model_name", builder.getStringAttr(getGraph().name()));
  NamedAttrList metadata;
  for (const auto &entry : file->model.metadata_props())
    if (!entry.key().empty())
      metadata.set(entry.key(), builder.getStringAttr(entry.value()));
  (*module)->setAttr("lz.metadata", metadata.getDictionary(context));
  symbols.dropUnbound(function);
  function->setAttr(LzDialect::kSymbolsAttr, symbols.getAttr());
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Type ModelImporter::getType(const onnx::TypeProto &proto) {
  if (proto.has_sequence_type()) {
    Type element = getType(proto.sequence_type().elem_type());
    return element ? SequenceType::get(context, element) : Type();
  }
  if (proto.has_optional_type()) {
    Type element = getType(proto.optional_type().elem_type());
    return element ? OptionalType::get(context, element) : Type();
  }
  if (!proto.has_tensor_type())
    return {};
  Type element = getElementType(context, proto.tensor_type().elem_type());
  if (!proto.tensor_type().has_shape())
    return element ? UnrankedTensorType::get(element) : Type();
  SmallVector<int64_t> shape;
  for (const auto &dim : proto.tensor_type().shape().dim())
    shape.push_back(dim.has_dim_value() && dim.dim_value() >= 0
                        ? dim.dim_value()
                        : ShapedType::kDynamic);
  return element ? RankedTensorType::get(shape, element) : Type();
}

/// The symbol, or constant, for the dimension that the model calls `key`.
SymExpr ModelImporter::getSymbol(StringRef key, StringRef hint) {
  SymExpr &symbol = dimNames[key];
  if (symbol)
    return symbol;
  auto found = options.dims.find(key.str());
  if (found == options.dims.end())
    found = options.dims.find(getSymbolName(hint));
  DimRange range{0, SymbolList::kMaxSize};
  if (found != options.dims.end()) {
    range = found->second;
    unusedDims.erase(found->first);
  }
  symbol = range.min == range.max
               ? SymExpr::constant(context, range.min)
               : symbols.declare(hint, range.min, range.max, "dim");
  return symbol;
}

FailureOr<SymExpr>
ModelImporter::importDim(const onnx::TensorShapeProto::Dimension &dim,
                         StringRef input, int index) {
  std::string own = input.str() + "_" + std::to_string(index);
  // Exporters write "?" for sizes that have no name.
  bool isNamed = llvm::any_of(dim.dim_param(), llvm::isAlnum);
  if (dim.has_dim_param() && isNamed && !options.allDynamic)
    return getSymbol(dim.dim_param(), dim.dim_param());
  bool isFree = !dim.has_dim_value() || dim.dim_value() == -1; // as exporters
  if (isFree || options.allDynamic)
    return getSymbol("\1" + own, own); // no dim_param has this name
  if (dim.dim_value() >= 0)
    return SymExpr::constant(context, dim.dim_value());
  return error() << "input '" << input << "' has the negative dimension "
                 << dim.dim_value() << "; name free dimensions by a dim_param";
}

Type ModelImporter::importTensor(const onnx::ValueInfoProto &input,
                                 SymShape &shape) {
  const onnx::TypeProto &proto = input.type();
  Type element = getElementType(context, proto.tensor_type().elem_type());
  if (!element || !proto.tensor_type().has_shape()) {
    error() << "input '" << input.name() << "' has no "
            << (element ? "shape" : "element type")
            << "; state it in the model (free dimensions may be named)";
    return {};
  }
  for (const auto &dim : proto.tensor_type().shape().dim()) {
    auto size = importDim(dim, input.name(), shape.size());
    if (failed(size))
      return {};
    shape.push_back(*size);
  }
  Type type = ResultInfo(element, shape).getType();
  SmallVector<int64_t> known;
  for (SymExpr size : shape)
    known.push_back(size.getConstant().value_or(1));
  if (getByteSize(RankedTensorType::get(known, builder.getF64Type())))
    return type;
  error() << "input '" << input.name() << "' of type " << type
          << " is larger than any memory";
  return {};
}

FailureOr<InputParts>
ModelImporter::importInput(const onnx::ValueInfoProto &input) {
  if (input.type().has_sequence_type() || input.type().has_optional_type()) {
    if (Type type = getType(input.type()))
      return importParts(type, input.name());
    return error() << "input '" << input.name() << "' has no type that is "
                   << "supported; a sequence or optional needs an element type";
  }
  if (!input.type().has_tensor_type())
    return error() << "input '" << input.name()
                   << "' has no type that is supported; it must be a tensor, a "
                      "sequence or an optional";
  InputParts parts;
  SymShape shape;
  parts.type = importTensor(input, shape);
  if (!parts.type)
    return failure();
  parts.add(input.name(), cast<RankedTensorType>(parts.type).getElementType(),
            shape);
  return parts;
}

void ModelImporter::addArguments(const InputParts &parts,
                                 SmallVectorImpl<Type> &types,
                                 SmallVectorImpl<DictionaryAttr> &attributes) {
  for (auto [index, name] : llvm::enumerate(parts.names)) {
    Type type =
        ResultInfo(parts.elements[index], parts.shapes[index]).getType();
    NamedAttrList list;
    list.set(LzDialect::kNameAttr, builder.getStringAttr(name));
    if (!cast<RankedTensorType>(type).hasStaticShape())
      list.set(LzDialect::kDimsAttr,
               getExprArray(context, parts.shapes[index]));
    if (index == 0 && !isa<RankedTensorType>(parts.type)) {
      list.set(LzDialect::kValueAttr, TypeAttr::get(parts.type));
      list.set(LzDialect::kPartsAttr,
               builder.getI64IntegerAttr(parts.names.size()));
    }
    types.push_back(type);
    attributes.push_back(list.getDictionary(context));
  }
}

LogicalResult ModelImporter::importInputs(Scope &scope) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<InputParts> inputs;
  SmallVector<StringRef> names;
  for (const onnx::ValueInfoProto &input : getGraph().input()) {
    if (scope.initializers.count(input.name()) ||
        scope.sparse.count(input.name()))
      continue; // a constant with a value, listed as input up to IR version 3
    auto parts = importInput(input);
    if (failed(parts))
      return failure();
    addArguments(*parts, types, attributes);
    inputs.push_back(*parts);
    names.push_back(input.name());
  }
  function = func::FuncOp::create(builder, module->getLoc(), "main",
                                  builder.getFunctionType(types, {}));
  moduleSymbols.insert(function);
  function.setAllArgAttrs(attributes);
  Block *body = function.addEntryBlock();
  sizes.setFunction(function);
  builder.setInsertionPointToEnd(body);
  if (failed(shapes.addArguments(function)))
    return failure();
  ValueRange arguments = body->getArguments();
  for (auto [name, parts] : llvm::zip_equal(names, inputs)) {
    ValueRange own = arguments.take_front(parts.names.size());
    arguments = arguments.drop_front(own.size());
    scope.values[name] = isa<RankedTensorType>(parts.type)
                             ? own.front()
                             : joinInput(parts, scope, own);
  }
  return success();
}

LogicalResult ModelImporter::checkDims() {
  if (unusedDims.empty())
    return success();
  auto diagnostic = error() << "the model has no free dimension '"
                            << unusedDims.begin()->first << "'; it has";
  if (options.allDynamic || symbols.getAttr().empty())
    return diagnostic << " none by that name";
  for (Attribute symbol : symbols.getAttr())
    diagnostic << " '" << cast<SymbolAttr>(symbol).getName() << "'";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void ModelImporter::addInitializers(const onnx::GraphProto &graph,
                                    Scope &scope) {
  for (const onnx::TensorProto &tensor : graph.initializer())
    scope.initializers[tensor.name()] = &tensor;
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    scope.sparse[tensor.values().name()] = &tensor;
}

Value ModelImporter::lookup(Scope &scope, StringRef name, Location loc) {
  for (Scope *current = &scope; current; current = current->parent) {
    if (Value value = current->values.lookup(name))
      return value;
    Value made;
    if (auto *tensor = current->initializers.lookup(name))
      made = createTensor(*tensor, name, loc);
    else if (auto *sparse = current->sparse.lookup(name))
      made = createTensor(*sparse, name, loc);
    else
      continue;
    current->values[name] = made;
    return made;
  }
  emitError(loc) << "value '" << name << "' is not defined";
  return {};
}

Value ModelImporter::createTensor(const onnx::TensorProto &tensor,
                                  StringRef name, Location loc) {
  auto data = tensors.read(context, tensor);
  if (data)
    return createTensor(*data, name, loc);
  emitError(loc) << toString(data.takeError());
  return {};
}

Value ModelImporter::createTensor(const onnx::SparseTensorProto &tensor,
                                  StringRef name, Location loc) {
  auto data = tensors.readSparse(context, tensor);
  if (data)
    return createTensor(*data, name, loc);
  emitError(loc) << toString(data.takeError());
  return {};
}

Value ModelImporter::createOwnTensor(onnx::TensorProto tensor, StringRef name,
                                     Location loc) {
  auto kept = std::make_shared<const onnx::TensorProto>(std::move(tensor));
  auto data = tensors.read(context, *kept);
  if (data) {
    // The bytes may lie in the message, or in a copy that `owner` holds.
    auto owner = std::make_shared<
        std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
        kept, data->owner);
    data->owner = owner;
    return createTensor(*data, name, loc);
  }
  emitError(loc) << toString(data.takeError());
  return {};
}

/// Constants stand at the start of the function, so that they serve wherever
/// the first use is.
Value ModelImporter::createTensor(const TensorData &data, StringRef name,
                                  Location loc) {
  OpBuilder::InsertionGuard guard(builder);
  ElementsAttr elements = getElements(data, name);
  std::string symbol = name.str();
  if (!isSmall(data)) {
    builder.setInsertionPoint(function);
    auto parameter = ParameterOp::create(builder, loc, name, elements);
    symbol = moduleSymbols.insert(parameter).str();
  }
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(&function.getBody().front());
  lastConstant =
      isSmall(data)
          ? ConstantOp::create(builder, loc, data.type, elements).getOperation()
          : ParamOp::create(builder, loc, data.type, symbol);
  if (failed(shapes.infer(lastConstant, /*setTypes=*/false)))
    return {};
  return lastConstant->getResult(0);
}
