//===- NodeImporter.h - one node being imported -----------------*- C++ -*-===//
//
// What a handler works with: the node's operands and attributes (those of a
// function call substituted), the contents of operands that state sizes, and
// short ways to build lz operations.
//
// Errors are sticky: after the first, everything that is built is null, nothing
// more is reported, and `finish` fails. A handler so asks `failed()` only
// before it looks at what it asked for.
//
//===----------------------------------------------------------------------===//
#ifndef FRONTENDS_ONNX_NODEIMPORTER_H
#define FRONTENDS_ONNX_NODEIMPORTER_H

#include "dialects/lz/IR/LzOps.h"
#include "frontends/onnx/ModelImporter.h"

namespace lz {

class NodeImporter {
public:
  NodeImporter(ModelImporter &importer, const onnx::NodeProto &node,
               Scope &scope, mlir::Location loc, int version);

  /// The opset that introduced this version of the operator.
  int getVersion() const { return version; }
  llvm::StringRef getOpType() const { return node.op_type(); }
  mlir::Location getLoc() const { return loc; }
  mlir::MLIRContext *getContext() const { return loc.getContext(); }
  mlir::OpBuilder &getBuilder() { return importer.getBuilder(); }
  ShapeAnalysis &getShapes() { return importer.getShapes(); }
  ModelImporter &getImporter() { return importer; }
  Scope &getScope() { return scope; }

  //===--------------------------------------------------------------------===//
  // Errors
  //===--------------------------------------------------------------------===//

  bool failed() const { return hasFailed; }
  void fail() { hasFailed = true; }
  /// Starts an error at the node, led by the operator's name.
  mlir::InFlightDiagnostic error();

  //===--------------------------------------------------------------------===//
  // Operands and results
  //===--------------------------------------------------------------------===//

  /// Looks all operands up.
  mlir::LogicalResult readOperands();
  llvm::ArrayRef<mlir::Value> getOperands() const { return operands; }
  int getNumOperands() const { return operands.size(); }
  /// Operand `index`; null if it is absent.
  mlir::Value operand(int index) const {
    return index < getNumOperands() ? operands[index] : mlir::Value();
  }
  void setOperand(int index, mlir::Value value) { operands[index] = value; }
  int getNumResults() const { return node.output_size(); }
  /// True if the model gives result `index` a name.
  bool hasResult(int index) const {
    return index < node.output_size() && !node.output(index).empty();
  }
  llvm::StringRef getResultName(int index) const { return node.output(index); }
  /// Makes `results` the node's.
  mlir::LogicalResult finish(llvm::ArrayRef<mlir::Value> results);
  /// What `finish` made the node's: those that the model gives a name.
  llvm::SmallVector<mlir::Value> getResults() const;

  //===--------------------------------------------------------------------===//
  // Attributes
  //===--------------------------------------------------------------------===//

  using AttributeType = onnx::AttributeProto::AttributeType;
  /// The attribute, if it is there and has the type.
  const onnx::AttributeProto *find(llvm::StringRef name, AttributeType type);
  bool has(llvm::StringRef name) const;
  /// The names of the attributes that the node states.
  llvm::SmallVector<llvm::StringRef> getAttributeNames() const;
  int64_t getInt(llvm::StringRef name, int64_t fallback);
  bool getBool(llvm::StringRef name, bool fallback) {
    return getInt(name, fallback) != 0;
  }
  double getFloat(llvm::StringRef name, double fallback);
  std::string getString(llvm::StringRef name, llvm::StringRef fallback);
  std::optional<llvm::SmallVector<int64_t>> getInts(llvm::StringRef name);
  std::optional<llvm::SmallVector<double>> getFloats(llvm::StringRef name);
  std::optional<std::vector<std::string>> getStrings(llvm::StringRef name);
  /// `axis`, counted from the front; an error if it is out of range.
  int64_t getAxis(int64_t axis, int64_t rank);
  llvm::SmallVector<int64_t> getAxes(llvm::ArrayRef<int64_t> axes,
                                     int64_t rank);

  //===--------------------------------------------------------------------===//
  // Sizes
  //===--------------------------------------------------------------------===//

  SymShape getShape(mlir::Value value);
  int64_t getRank(mlir::Value value) { return getShape(value).size(); }
  mlir::Type getElement(mlir::Value value);
  SymExpr size(int64_t value) { return SymExpr::constant(getContext(), value); }
  SymShape sizes(llvm::ArrayRef<int64_t> values);
  mlir::ArrayAttr exprs(llvm::ArrayRef<SymExpr> values) {
    return getExprArray(getContext(), values);
  }
  mlir::ArrayAttr exprs(llvm::ArrayRef<int64_t> values) {
    return getExprArray(getContext(), values);
  }
  /// The elements of an integer operand as expressions.
  SymShape getSizes(mlir::Value value);
  /// The same of an operand that must be constant.
  llvm::SmallVector<int64_t> getConstants(mlir::Value value,
                                          llvm::StringRef what);
  /// The numbers of `value`, if it is constant.
  std::optional<llvm::SmallVector<double>> getNumbers(mlir::Value value);

  //===--------------------------------------------------------------------===//
  // Building
  //===--------------------------------------------------------------------===//

  /// Creates an operation of one result, and infers its type.
  template <typename Op, typename... Args> mlir::Value create(Args &&...args) {
    if (hasFailed)
      return {};
    return infer(Op::create(getBuilder(), loc, getPlaceholder(),
                            std::forward<Args>(args)...));
  }
  /// Infers the results of a new operation; the first of them.
  mlir::Value infer(mlir::Operation *op);
  /// The type of results before their inference.
  mlir::Type getPlaceholder();

  mlir::Value unary(UnaryKind kind, mlir::Value input,
                    std::optional<double> alpha = std::nullopt,
                    std::optional<double> beta = std::nullopt);
  mlir::Value binary(BinaryKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value compare(CompareKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value cast(mlir::Value input, mlir::Type to, bool saturate = true);
  mlir::Value reshape(mlir::Value input, llvm::ArrayRef<SymExpr> sizes);
  mlir::Value expand(mlir::Value input, llvm::ArrayRef<SymExpr> sizes);
  mlir::Value transpose(mlir::Value input, llvm::ArrayRef<int64_t> permutation);
  mlir::Value concat(mlir::ValueRange inputs, int64_t axis);
  mlir::Value slice(mlir::Value input, llvm::ArrayRef<SymExpr> offsets,
                    llvm::ArrayRef<SymExpr> sizes,
                    llvm::ArrayRef<SymExpr> strides);
  /// Elements [offset, offset + size) of one dimension.
  mlir::Value sliceAxis(mlir::Value input, int64_t axis, SymExpr offset,
                        SymExpr size);
  mlir::Value reduce(ReduceKind kind, mlir::Value input,
                     llvm::ArrayRef<int64_t> axes, bool keepDims);
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs, bool transposeLhs,
                     bool transposeRhs);
  /// A tensor of rank 0; numbers are rounded to the type.
  mlir::Value scalar(mlir::Type element, double value);
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value vector(llvm::ArrayRef<int64_t> values);
  mlir::Value sizeTensor(llvm::ArrayRef<SymExpr> elements,
                         llvm::ArrayRef<int64_t> shape);
  /// Lets the run end with an error if any of the booleans is true; `what` is
  /// the name of their number in it.
  void forbid(mlir::Value flags, llvm::StringRef what);
  mlir::FloatAttr f64(double value) {
    return getBuilder().getF64FloatAttr(value);
  }

private:
  ModelImporter &importer;
  const onnx::NodeProto &node;
  Scope &scope;
  mlir::Location loc;
  int version;
  llvm::SmallVector<mlir::Value> operands;
  bool hasFailed = false;
};

} // namespace lz

#endif // FRONTENDS_ONNX_NODEIMPORTER_H
