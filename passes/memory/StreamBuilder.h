//===- StreamBuilder.h - loops that compute values in parts -----*- C++ -*-===//
#ifndef PASSES_MEMORY_STREAMBUILDER_H
#define PASSES_MEMORY_STREAMBUILDER_H

#include "dialects/lz/Symbols/ShapeAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace lz {

/// `type`, a ranked tensor, with `size` for dimension `dim`.
mlir::RankedTensorType withSize(mlir::Type type, unsigned dim, int64_t size);

/// Writes before an operation of `function`.
class StreamBuilder {
public:
  StreamBuilder(mlir::func::FuncOp function, const ShapeAnalysis &shapes,
                mlir::Operation *before)
      : function(function), shapes(shapes), builder(before),
        loc(before->getLoc()) {}

protected:
  SymExpr constant(int64_t value) const { return shapes.constant(value); }
  mlir::Value constant(mlir::Type elementType, int64_t value);

  /// `count` indices of dimension `dim` of `value`, from `first` on. In other
  /// dimensions, `value` has the sizes of `whole`.
  mlir::Value slice(mlir::Value value, mlir::Value whole, unsigned dim,
                    SymExpr first, int64_t count);

  /// Writes what an iteration computes from its number and what is carried to
  /// it. Returns what it carries on, then its parts of the stacked results.
  using Iteration = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      SymExpr number, mlir::ValueRange carried)>;

  /// A loop of `trips` iterations. The results are what the last one carries
  /// on, then the stacked parts, of types `parts`.
  mlir::ValueRange loop(int64_t trips, mlir::ValueRange initial,
                        mlir::TypeRange parts, Iteration iteration);

  mlir::func::FuncOp function;
  const ShapeAnalysis &shapes;
  mlir::OpBuilder builder;
  mlir::Location loc;

private:
  SymExpr bindIteration(mlir::Value iteration, int64_t trips);
};

} // namespace lz

#endif // PASSES_MEMORY_STREAMBUILDER_H
