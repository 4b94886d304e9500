//===- Evaluator.h - runs lz functions by the plainest loops ----*- C++ -*-===//
//
// The oracle: folds constants, serves `--verify`, and is what kernels are
// tested against. Slow on purpose, and never linked into an artifact.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LZ_REFERENCE_EVALUATOR_H
#define DIALECTS_LZ_REFERENCE_EVALUATOR_H

#include "dialects/lz/Reference/RefValue.h"
#include "dialects/lz/Symbols/ShapeAnalysis.h"
#include "dialects/lz/Symbols/SymExpr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace mlir {
class DialectRegistry;
class FunctionOpInterface;
} // namespace mlir

namespace lz {

/// Attaches ReferenceOpInterface to the operations of `lz`.
void registerReferenceModels(mlir::DialectRegistry &registry);

class Evaluator {
public:
  /// Sees every operation's results; a failure stops the evaluation.
  using Observer = llvm::function_ref<mlir::LogicalResult(
      mlir::Operation *, llvm::ArrayRef<RefValue>)>;

  /// Runs `function` on `inputs`: binds its symbols from the inputs' shapes
  /// (and from elements, for symbols with that source), checks them against
  /// their ranges, and evaluates the body. Emits an error where it fails.
  mlir::LogicalResult run(mlir::FunctionOpInterface function,
                          llvm::ArrayRef<RefValue> inputs,
                          llvm::SmallVectorImpl<RefValue> &results,
                          std::optional<Observer> observer = std::nullopt);

  /// Evaluates one operation on given operands, symbols being bound. Checks the
  /// results against the operation's result types.
  mlir::LogicalResult evaluate(mlir::Operation *op,
                               llvm::ArrayRef<RefValue> operands,
                               llvm::SmallVectorImpl<RefValue> &results);

  /// Evaluates a single-block region with the given arguments; `results` are
  /// the terminator's operands. Values from outside must have been evaluated.
  mlir::LogicalResult evaluateRegion(mlir::Region &region,
                                     llvm::ArrayRef<RefValue> arguments,
                                     llvm::SmallVectorImpl<RefValue> &results);

  void bindSymbol(llvm::StringRef name, int64_t value) {
    symbols[name] = value;
  }
  /// Binds the symbol that `symbol` is; an error on `op` if it was declared,
  /// on the function around `op`, with a range that `value` is not in.
  mlir::LogicalResult bindChecked(mlir::Operation *op, SymExpr symbol,
                                  int64_t value);

  /// Binds those of `names` that stand for dimensions of `values`, as
  /// ShapeAnalysis has it, to the sizes of the `given` tensors.
  mlir::LogicalResult bindSizes(mlir::Operation *op, mlir::ArrayAttr names,
                                mlir::ValueRange values,
                                llvm::ArrayRef<RefValue> given);

  /// The value of a size; emits an error on `op` if a symbol is not bound.
  mlir::FailureOr<int64_t> getSize(mlir::Operation *op, SymExpr expr);
  mlir::FailureOr<llvm::SmallVector<int64_t>> getSizes(mlir::Operation *op,
                                                       mlir::ArrayAttr exprs);

private:
  mlir::LogicalResult bindArguments(mlir::FunctionOpInterface function,
                                    llvm::ArrayRef<RefValue> inputs);
  mlir::LogicalResult matchSizes(mlir::Operation *op, mlir::ArrayAttr exprs,
                                 llvm::ArrayRef<int64_t> values,
                                 llvm::StringRef what);
  std::optional<int64_t> tryGetSize(SymExpr expr) const;
  mlir::FailureOr<const ShapeAnalysis *> getShapes(mlir::Operation *op);

  llvm::StringMap<int64_t> symbols;
  llvm::DenseMap<mlir::Value, RefValue> values;
  std::optional<Observer> observer;
  /// Of the function that runs; made when first asked for.
  std::unique_ptr<ShapeAnalysis> shapes;
};

/// The reference value of an attribute (dense, or a resource, whose bytes are
/// read in place) and back. Fails, silently, for other attributes and for
/// resources whose bytes are not there.
mlir::FailureOr<RefTensor> getRefTensor(mlir::ElementsAttr attr);
mlir::ElementsAttr getElementsAttr(const RefTensor &tensor);

} // namespace lz

#endif // DIALECTS_LZ_REFERENCE_EVALUATOR_H
