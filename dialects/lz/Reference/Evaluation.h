//===- Evaluation.h - what the reference models share -----------*- C++ -*-===//
//
// Private to dialects/lz/Reference. A model is a function from an op and an
// Evaluation, which hands out operands and takes results.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LZ_REFERENCE_EVALUATION_H
#define DIALECTS_LZ_REFERENCE_EVALUATION_H

#include "dialects/lz/IR/LzOps.h"
#include "dialects/lz/Reference/Evaluator.h"

namespace lz {

using Sizes = llvm::SmallVector<int64_t>;

/// The evaluation of one operation.
class Evaluation {
public:
  Evaluation(mlir::Operation *op, Evaluator &evaluator,
             llvm::ArrayRef<RefValue> operands,
             llvm::SmallVectorImpl<RefValue> &results)
      : op(op), evaluator(evaluator), operands(operands), results(results) {}

  Evaluator &getEvaluator() { return evaluator; }
  llvm::ArrayRef<RefValue> getOperands() const { return operands; }

  /// The value of an operand of the operation.
  const RefValue &getValue(mlir::Value operand) const;
  const RefTensor &get(mlir::Value operand) const {
    return getValue(operand).getTensor();
  }
  /// The same; null if the operand is absent.
  const RefTensor *find(mlir::Value operand) const {
    return operand ? &get(operand) : nullptr;
  }

  mlir::FailureOr<Sizes> getSizes(mlir::ArrayAttr exprs) {
    return evaluator.getSizes(op, exprs);
  }
  /// The value of an attribute that holds one size.
  mlir::FailureOr<int64_t> getSize(mlir::ArrayAttr exprs);

  /// A tensor of zeros with the element type of result `index`. Fails with an
  /// error where the shape is negative or beyond what memory can hold.
  mlir::FailureOr<RefTensor> makeResult(llvm::ArrayRef<int64_t> shape,
                                        unsigned index = 0);

  mlir::LogicalResult give(RefValue value) {
    results.push_back(std::move(value));
    return mlir::success();
  }

private:
  mlir::Operation *op;
  Evaluator &evaluator;
  llvm::ArrayRef<RefValue> operands;
  llvm::SmallVectorImpl<RefValue> &results;
};

/// Attaches `function` as the reference evaluation of `Op`.
template <typename Op, mlir::LogicalResult (*function)(Op, Evaluation &)>
struct ReferenceModel
    : ReferenceOpInterface::ExternalModel<ReferenceModel<Op, function>, Op> {
  mlir::LogicalResult evaluate(mlir::Operation *op, Evaluator &evaluator,
                               llvm::ArrayRef<RefValue> operands,
                               llvm::SmallVectorImpl<RefValue> &results) const {
    Evaluation evaluation(op, evaluator, operands, results);
    return function(mlir::cast<Op>(op), evaluation);
  }
};

template <typename Op, mlir::LogicalResult (*function)(Op, Evaluation &)>
void attachReference(mlir::MLIRContext &context) {
  Op::template attachInterface<ReferenceModel<Op, function>>(context);
}

// One function per family.
void attachUnaryModels(mlir::MLIRContext &context);
void attachElementwiseModels(mlir::MLIRContext &context);
void attachCastModels(mlir::MLIRContext &context);
void attachShapeModels(mlir::MLIRContext &context);
void attachContractionModels(mlir::MLIRContext &context);
void attachReductionModels(mlir::MLIRContext &context);
void attachNormalizationModels(mlir::MLIRContext &context);
void attachPoolModels(mlir::MLIRContext &context);
void attachResizeModels(mlir::MLIRContext &context);
void attachIndexModels(mlir::MLIRContext &context);
void attachSelectionModels(mlir::MLIRContext &context);
void attachRoiAlignModels(mlir::MLIRContext &context);
void attachLinearModels(mlir::MLIRContext &context);
void attachRecurrentModels(mlir::MLIRContext &context);
void attachQuantModels(mlir::MLIRContext &context);
void attachControlModels(mlir::MLIRContext &context);

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

/// The number of elements of a shape.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// Row-major strides of a shape.
Sizes getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// The position of `index` in a row-major tensor of `shape`.
int64_t getPosition(llvm::ArrayRef<int64_t> index,
                    llvm::ArrayRef<int64_t> shape);

/// Calls `visit` with every index of `shape` in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// The numpy-broadcast shape; an error on `op` if there is none.
mlir::FailureOr<Sizes>
broadcastShapes(mlir::Operation *op,
                llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);

/// Where the elements of an operand lie that is broadcast to a result: the
/// operand's row-major strides, aligned to the right, zero where its size is 1.
class BroadcastMap {
public:
  BroadcastMap(llvm::ArrayRef<int64_t> operand, llvm::ArrayRef<int64_t> result);
  /// The operand's position for an index of the result.
  int64_t at(llvm::ArrayRef<int64_t> index) const;

private:
  Sizes strides;
};

/// A shape seen as [outer, size of `axis`, inner].
struct AxisView {
  AxisView(llvm::ArrayRef<int64_t> shape, int64_t axis);
  int64_t at(int64_t o, int64_t i, int64_t n) const {
    return (o * size + i) * inner + n;
  }
  int64_t outer = 1, size = 1, inner = 1;
};

} // namespace lz

#endif // DIALECTS_LZ_REFERENCE_EVALUATION_H
