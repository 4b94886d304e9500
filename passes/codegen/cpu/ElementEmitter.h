//===- ElementEmitter.h - one element of a value ----------------*- C++ -*-===//
//
// Kernels are emitted by pulling: a loop nest asks for an element of the value
// it stores, the rule of the operation that makes the value asks for elements
// of its operands, and so on down to loads. Chains of operations fuse by
// construction, and nothing is computed that is not asked for.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_CPU_ELEMENTEMITTER_H
#define PASSES_CODEGEN_CPU_ELEMENTEMITTER_H

#include "passes/codegen/cpu/KernelBuilder.h"

#include <functional>

namespace lz {

/// Which element: one index per dimension, or its row-major position.
struct Index {
  /*implicit*/ Index(llvm::ArrayRef<mlir::Value> dims)
      : dims(dims.begin(), dims.end()) {}
  /*implicit*/ Index(const llvm::SmallVector<mlir::Value> &dims)
      : dims(dims.begin(), dims.end()) {}
  static Index flat(mlir::Value position) {
    Index index((llvm::ArrayRef<mlir::Value>()));
    index.position = position;
    return index;
  }

  llvm::SmallVector<mlir::Value, 6> dims; // unused if `position` is set
  mlir::Value position;
};

class ElementEmitter;
class ResizeOp;
/// The scalar (of compute type) of element `index` of `result`.
using ElementRule = std::function<mlir::Value(
    ElementEmitter &, mlir::OpResult result, const Index &index)>;

/// The rules of the operations that can be pulled.
class ElementRules {
public:
  ElementRules();

  template <typename OpTy>
  void add(mlir::Value (*rule)(ElementEmitter &, OpTy, mlir::OpResult,
                               const Index &)) {
    rules[mlir::TypeID::get<OpTy>()] = [rule](ElementEmitter &emitter,
                                              mlir::OpResult result,
                                              const Index &index) {
      return rule(emitter, mlir::cast<OpTy>(result.getOwner()), result, index);
    };
  }
  /// Null if there is none.
  const ElementRule *find(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::TypeID, ElementRule> rules;
};

/// Where a softmax keeps the exponentials of a row between its passes: in the
/// result that they lead to, at the same positions.
struct RowBuffer {
  mlir::Operation *softmax = nullptr;
  Buffer buffer;
};

class ElementEmitter {
public:
  ElementEmitter(const KernelInfo &kernel, const ElementRules &rules,
                 KernelBuilder &builder)
      : kernel(kernel), kb(builder), rules(rules) {}

  const KernelInfo &kernel;
  KernelBuilder &kb;
  RowBuffer row;

  /// Element `index` of `tensor`. Equal calls give the equal value where it is
  /// visible, so what several operations share is computed once.
  mlir::Value emit(mlir::Value tensor, const Index &index);

  /// Element of `operand` where the result of an elementwise operation has
  /// `index`, under numpy broadcasting.
  mlir::Value emitBroadcast(mlir::Value operand, mlir::Value result,
                            const Index &index);

  /// Several scalars that belong to `op` at `key` (the statistics of a row):
  /// computed by `compute` unless they are known and visible.
  llvm::SmallVector<mlir::Value>
  getShared(mlir::Operation *op, llvm::ArrayRef<mlir::Value> key,
            llvm::function_ref<llvm::SmallVector<mlir::Value>()> compute);

  /// States that element `index` of `tensor` is `scalar`, which roots do for
  /// what they have computed themselves. Returns what it counts as: rounded to
  /// a narrow float where that can be seen.
  mlir::Value define(mlir::Value tensor, const Index &index,
                     mlir::Value scalar);

  /// One index per dimension of `tensor`.
  llvm::SmallVector<mlir::Value> getDims(mlir::Value tensor,
                                         const Index &index);
  /// The row-major position of `index` in `tensor`.
  mlir::Value getPosition(mlir::Value tensor, const Index &index);
  llvm::ArrayRef<SymExpr> getShape(mlir::Value tensor) const {
    return kernel.getShape(tensor);
  }

  /// The indices with which `operand` is read where the broadcast result of
  /// shape `shape` has `dims`.
  llvm::SmallVector<mlir::Value> broadcast(mlir::Value operand,
                                           llvm::ArrayRef<mlir::Value> dims,
                                           llvm::ArrayRef<SymExpr> shape);

private:
  mlir::Value *findKnown(mlir::Value tensor, const Index &index);
  mlir::Value emitNew(mlir::Value tensor, const Index &index);

  const ElementRules &rules;
  // Few entries each: how often is one value pulled at different indices?
  llvm::DenseMap<mlir::Value,
                 llvm::SmallVector<std::pair<Index, mlir::Value>, 2>>
      known;
  llvm::DenseMap<mlir::Operation *,
                 llvm::SmallVector<std::pair<llvm::SmallVector<mlir::Value>,
                                             llvm::SmallVector<mlir::Value>>,
                                   1>>
      shared;
};

/// True if every element of `tensor` is pulled at the element's own position,
/// or is the same, all the way down: loops need no indices then.
bool isFlat(const KernelInfo &kernel, mlir::Value tensor);

// Each op family adds its rules.
void addUnaryRules(ElementRules &rules);
void addPointwiseRules(ElementRules &rules);
void addCastRules(ElementRules &rules);
void addShapeRules(ElementRules &rules);
void addBorderRules(ElementRules &rules);
void addResizeRules(ElementRules &rules);
void addIndexRules(ElementRules &rules);
void addReductionRules(ElementRules &rules);
void addPoolRules(ElementRules &rules);
void addNormRules(ElementRules &rules);
void addQuantRules(ElementRules &rules);

/// How often a resize to the nearest repeats each element along `dim`: 0 unless
/// every element appears the same whole number of times.
int64_t getRepeat(const KernelInfo &kernel, ResizeOp op, unsigned dim);
/// True if what a resize reads along its last dimension takes a computation
/// that is worth doing once for all rows.
bool hasCostlyColumns(const KernelInfo &kernel, ResizeOp op);

/// Computes what all elements of the row of `op` (softmax, a norm) that holds
/// `dims` share, so that the row's elements find it.
void emitRowStatistics(ElementEmitter &emitter, mlir::Operation *op,
                       llvm::ArrayRef<mlir::Value> dims);

} // namespace lz

#endif // PASSES_CODEGEN_CPU_ELEMENTEMITTER_H
