//===- ShapeAnalysis.h - every size as an expression ------------*- C++ -*-===//
//
// For each value of a function: its shape as expressions over the function's
// symbols and, for small integer tensors, its elements as expressions too, so
// that the shape arithmetic which exporters spell out in tensors is plain
// algebra here. One rule per operation (`inferResults`) gives both, and the
// types.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LZ_SYMBOLS_SHAPEANALYSIS_H
#define DIALECTS_LZ_SYMBOLS_SHAPEANALYSIS_H

#include "dialects/lz/Symbols/SymExpr.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace mlir {
class FunctionOpInterface;
} // namespace mlir

namespace lz {

/// What a rule says of one result. Either `elementType` (of a tensor of shape
/// `shape`) or `type` (of anything else) is set.
struct ResultInfo {
  ResultInfo(mlir::Type elementType, SymShape shape,
             std::optional<SymShape> contents = std::nullopt)
      : elementType(elementType), shape(std::move(shape)),
        contents(std::move(contents)) {}
  explicit ResultInfo(mlir::Type type) : type(type) {}

  mlir::Type elementType;
  SymShape shape;
  /// The elements in row-major order, if they are known as expressions.
  std::optional<SymShape> contents;
  mlir::Type type;

  /// The MLIR type: unknown sizes become dynamic.
  mlir::Type getType() const;
};

/// A condition on sizes that compilation could not decide. `prepare` checks it
/// at run time and names the operation.
struct SizeCheck {
  enum Kind {
    Equal,         // lhs == rhs
    Broadcastable, // lhs == rhs, or one of them is 1
    NotLess        // lhs >= rhs
  };
  Kind kind;
  SymExpr lhs, rhs;
  mlir::Operation *op;
  std::string message;
};

/// True if an element of type `elementType` can be `value` without wrapping or
/// rounding. Contents of tensors that can't be are not known.
bool canHoldExactly(mlir::Type elementType, SymExpr value);

class ShapeAnalysis {
public:
  /// Contents are tracked for integer tensors of at most this many elements.
  static constexpr int64_t kMaxContents = 1024;

  explicit ShapeAnalysis(mlir::MLIRContext *context) : context(context) {}

  /// Takes the shapes of the function's arguments from its attributes and
  /// infers every operation in it. Fails, with an error on the operation, where
  /// sizes contradict. Result types are not touched.
  mlir::LogicalResult run(mlir::FunctionOpInterface function);

  /// Records the arguments of `function`.
  mlir::LogicalResult addArguments(mlir::FunctionOpInterface function);

  /// Infers one operation whose operands are known and records its results.
  /// With `setTypes`, results get the inferred types; otherwise their types
  /// must be compatible with them.
  mlir::LogicalResult infer(mlir::Operation *op, bool setTypes);

  /// Records a value that no operation defines.
  void setShape(mlir::Value value, SymShape shape);
  void setContents(mlir::Value value, SymShape contents);

  /// The shape of a tensor that has been recorded.
  llvm::ArrayRef<SymExpr> getShape(mlir::Value value) const;
  SymExpr getNumElements(mlir::Value value) const;
  bool hasShape(mlir::Value value) const { return shapes.count(value); }

  /// The elements of an integer tensor, if known as expressions.
  std::optional<llvm::ArrayRef<SymExpr>> getContents(mlir::Value value) const;

  mlir::MLIRContext *getContext() const { return context; }
  SymExpr constant(int64_t value) const {
    return SymExpr::constant(context, value);
  }

  /// States that two sizes are equal. Fails with an error on `op` if they can't
  /// be; recorded as a check if that is not decided.
  mlir::LogicalResult requireEqual(mlir::Operation *op, SymExpr lhs,
                                   SymExpr rhs, llvm::StringRef message);
  /// As above for `lhs >= rhs`.
  mlir::LogicalResult requireNotLess(mlir::Operation *op, SymExpr lhs,
                                     SymExpr rhs, llvm::StringRef message);
  /// The numpy-broadcast shape of `shapes`, with the checks that it needs.
  mlir::FailureOr<SymShape>
  broadcast(mlir::Operation *op,
            llvm::ArrayRef<llvm::ArrayRef<SymExpr>> shapes);

  /// The checks recorded so far, each once, in program order.
  llvm::ArrayRef<SizeCheck> getChecks() const { return checks; }

private:
  mlir::LogicalResult inferRegions(mlir::Operation *op);
  mlir::LogicalResult record(mlir::Operation *op, unsigned index,
                             const ResultInfo &info, bool setTypes);
  void addCheck(SizeCheck check);

  mlir::MLIRContext *context;
  llvm::DenseMap<mlir::Value, SymShape> shapes;
  llvm::DenseMap<mlir::Value, SymShape> contents;
  llvm::SmallVector<SizeCheck> checks;
};

} // namespace lz

#endif // DIALECTS_LZ_SYMBOLS_SHAPEANALYSIS_H
