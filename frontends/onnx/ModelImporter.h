//===- ModelImporter.h - one model being imported ---------------*- C++ -*-===//
//
// Walks the graph and its subgraphs and functions. Owns what all nodes share:
// the module under construction, the shapes, the symbols, the tensors. Each
// node goes to the handler registered for its operator (see NodeImporter.h).
//
//===----------------------------------------------------------------------===//
#ifndef FRONTENDS_ONNX_MODELIMPORTER_H
#define FRONTENDS_ONNX_MODELIMPORTER_H

#include "frontends/onnx/Importer.h"
#include "frontends/onnx/NodeOrder.h"
#include "frontends/onnx/SizeResolver.h"
#include "frontends/onnx/TensorData.h"
#include "frontends/onnx/ops/Handlers.h"

namespace lz {

/// What the nodes of a graph, or of one call of a function, have in common.
struct Frame {
  llvm::StringMap<int> opsets;
  /// The attributes of the call, for those of its nodes that refer to them.
  llvm::StringMap<const onnx::AttributeProto *> attributes;
  /// Leads the names of the nodes.
  std::string prefix;
  /// Where all nodes stand, if the standard and not the model wrote them.
  std::optional<mlir::Location> loc;
  unsigned depth = 0;
};

/// The names of one graph, inside the graph around it.
struct Scope {
  explicit Scope(const Frame &frame, Scope *parent = nullptr)
      : frame(frame), parent(parent) {}

  const Frame &frame;
  Scope *parent;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<const onnx::TensorProto *> initializers;
  llvm::StringMap<const onnx::SparseTensorProto *> sparse;
};

/// The arguments of an input that is a sequence or an optional.
struct InputParts {
  mlir::Type type;
  /// The sizes of the values; see `ValueDims`.
  std::optional<SymShape> dims;
  llvm::SmallVector<std::string> names;
  llvm::SmallVector<mlir::Type> elements;
  llvm::SmallVector<SymShape> shapes;

  void add(std::string name, mlir::Type element, SymShape shape) {
    names.push_back(std::move(name));
    elements.push_back(element);
    shapes.push_back(std::move(shape));
  }
};

class ModelImporter {
public:
  ModelImporter(llvm::StringRef path, mlir::MLIRContext &context,
                const ImportOptions &options,
                std::shared_ptr<const ModelFile> file);

  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> run();

  /// The value called `name`; null, after an error at `loc`, if there is none.
  mlir::Value lookup(Scope &scope, llvm::StringRef name, mlir::Location loc);

  /// Imports `graph` at the end of `block` with its inputs standing for
  /// `arguments`, and returns its outputs.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  importSubgraph(const onnx::GraphProto &graph, Scope &parent,
                 mlir::ValueRange arguments, mlir::Location loc);

  /// Fails, with an error at `loc`, if with `count` more nodes there are too
  /// many that the model doesn't hold but expands to.
  mlir::LogicalResult countNodes(uint64_t count, mlir::Location loc);

  /// A constant or parameter of the module.
  mlir::Value createTensor(const onnx::TensorProto &tensor,
                           llvm::StringRef name, mlir::Location loc);
  mlir::Value createTensor(const onnx::SparseTensorProto &tensor,
                           llvm::StringRef name, mlir::Location loc);
  /// The same of a tensor that the importer made itself.
  mlir::Value createOwnTensor(onnx::TensorProto tensor, llvm::StringRef name,
                              mlir::Location loc);

  /// The data of a tensor that is an attribute, which no value stands for.
  llvm::Expected<TensorData> readTensor(const onnx::TensorProto &tensor) {
    return tensors.read(context, tensor);
  }

  /// The type for `proto`; sizes of tensors inside sequences may stay open.
  mlir::Type getType(const onnx::TypeProto &proto);

  /// Keeps a region that is not used until the import ends: what is known of
  /// its values goes by their addresses, which must not be used again.
  void discard(std::unique_ptr<mlir::Region> region) {
    discarded.push_back(std::move(region));
  }

  mlir::OpBuilder &getBuilder() { return builder; }
  ShapeAnalysis &getShapes() { return shapes; }
  SizeResolver &getSizes() { return sizes; }
  SymbolList &getSymbols() { return symbols; }

private:
  mlir::LogicalResult readOpsets();
  mlir::LogicalResult importInputs(Scope &scope);
  mlir::FailureOr<InputParts> importInput(const onnx::ValueInfoProto &input);
  mlir::Type importTensor(const onnx::ValueInfoProto &input, SymShape &shape);
  void addArguments(const InputParts &parts,
                    llvm::SmallVectorImpl<mlir::Type> &types,
                    llvm::SmallVectorImpl<mlir::DictionaryAttr> &attributes);
  mlir::FailureOr<SymExpr>
  importDim(const onnx::TensorShapeProto::Dimension &dim, llvm::StringRef input,
            int index);
  SymExpr getSymbol(llvm::StringRef key, llvm::StringRef hint);
  mlir::LogicalResult checkDims();

  // Sequences and optionals at the model's border (SequenceInputs.cpp).
  std::optional<SymShape> importValueDims(mlir::Type type,
                                          llvm::StringRef name);
  InputParts importParts(mlir::Type type, llvm::StringRef name);
  mlir::Value joinInput(const InputParts &parts, Scope &scope,
                        mlir::ValueRange arguments);
  /// Adds the tensors of an output to `parts`; returns its type, or null.
  mlir::Type splitOutput(mlir::Value value, Scope &scope,
                         llvm::SmallVectorImpl<mlir::Value> &parts);
  mlir::LogicalResult dropSequences();

  mlir::LogicalResult importOutputs(Scope &scope);
  mlir::LogicalResult checkType(const onnx::ValueInfoProto &output,
                                mlir::Value value);
  void checkShape(const onnx::ValueInfoProto &output, mlir::Value value);
  void setAttributes();

  void addInitializers(const onnx::GraphProto &graph, Scope &scope);
  mlir::Value createTensor(const TensorData &data, llvm::StringRef name,
                           mlir::Location loc);
  /// Gives `name`, if it is there and of floats, a value of its own. That of a
  /// node that computes nothing, such as Identity, has other names as well, and
  /// the derivative by one is not that by another.
  void separate(llvm::StringRef name, Scope &scope, mlir::Location loc);
  mlir::LogicalResult importNodes(const NodeList &nodes, Scope &scope);
  mlir::LogicalResult importNode(const onnx::NodeProto &node, Scope &scope,
                                 mlir::Location loc);
  mlir::LogicalResult importCall(const onnx::NodeProto &node,
                                 const onnx::FunctionProto &function,
                                 Scope &scope, mlir::Location loc,
                                 bool isStandard);
  mlir::LogicalResult importOperator(const onnx::NodeProto &node, int opset,
                                     const std::string &domain, Scope &scope,
                                     mlir::Location loc);
  /// The handler of an operator; null if there is none.
  Handler findHandler(llvm::StringRef type, llvm::StringRef domain) const;
  const onnx::FunctionProto *findFunction(const onnx::NodeProto &node) const;
  mlir::LogicalResult importStandardFunction(const onnx::NodeProto &node,
                                             int opset,
                                             const std::string &domain,
                                             Scope &scope, mlir::Location loc);

  mlir::InFlightDiagnostic error();
  const onnx::GraphProto &getGraph() const { return file->model.graph(); }

  std::string path;
  mlir::MLIRContext *context;
  const ImportOptions &options;
  std::shared_ptr<const ModelFile> file;
  TensorReader tensors;
  llvm::StringMap<HandlerTable> handlers;

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  mlir::Operation *lastConstant = nullptr;
  mlir::SymbolTable moduleSymbols;

  ShapeAnalysis shapes;
  SymbolList symbols;
  SizeResolver sizes;
  Frame mainFrame;
  std::vector<std::unique_ptr<mlir::Region>> discarded;
  /// Symbols (or constants) by the model's names of dimensions.
  llvm::StringMap<SymExpr> dimNames;
  std::map<std::string, DimRange> unusedDims;
  uint64_t nodeCount = 0;
};

/// The usual spelling of an operator's domain: "" for "ai.onnx".
inline std::string getDomain(const std::string &domain) {
  return domain == "ai.onnx" ? "" : domain;
}

} // namespace lz

#endif // FRONTENDS_ONNX_MODELIMPORTER_H
