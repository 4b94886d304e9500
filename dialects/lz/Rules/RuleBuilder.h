//===- RuleBuilder.h - builds lz ops without naming types -------*- C++ -*-===//
//
// Rules build small graphs. Here an op's result type comes from the op's own
// inference, so that a rule states what it computes and nothing else, and works
// for any sizes, known or not.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LZ_RULES_RULEBUILDER_H
#define DIALECTS_LZ_RULES_RULEBUILDER_H

#include "dialects/lz/IR/LzOps.h"
#include "mlir/IR/Builders.h"

namespace lz {

/// Builds ops at an OpBuilder's insertion point. A value that can't be built is
/// null, and so is whatever is built from it; the error has been emitted.
class RuleBuilder {
public:
  /// `shapes` must know the values that are built from.
  RuleBuilder(mlir::OpBuilder &builder, ShapeAnalysis &shapes,
              mlir::Location loc)
      : builder(builder), shapes(shapes), loc(loc) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  ShapeAnalysis &getShapes() { return shapes; }
  mlir::Location getLoc() const { return loc; }
  /// The same builder for ops that stem from another one.
  RuleBuilder at(mlir::Location other) { return {builder, shapes, other}; }

  /// The value to pass for an optional operand that is absent.
  struct Absent {
    operator mlir::Value() const { return {}; }
  };

  /// Builds an op with one result.
  template <typename Op, typename... Args> mlir::Value create(Args &&...args) {
    if ((isMissing(args) || ...))
      return {};
    return infer(Op::create(builder, loc, placeholder(), args...));
  }

  /// Infers the types of an op of one result that has been built; that result.
  mlir::Value infer(mlir::Operation *op);

  mlir::Value unary(UnaryKind kind, mlir::Value input);
  mlir::Value binary(BinaryKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value compare(CompareKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value onTrue,
                     mlir::Value onFalse);
  /// `value` where `condition`, zero elsewhere.
  mlir::Value keepIf(mlir::Value condition, mlir::Value value);
  mlir::Value scale(double factor, mlir::Value value);
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs, bool transposeLhs,
                     bool transposeRhs);
  mlir::Value reduceSum(mlir::Value input, llvm::ArrayRef<int64_t> axes,
                        bool keepDims);
  /// The positive or negative padding of a tensor by zeros.
  mlir::Value pad(mlir::Value input, llvm::ArrayRef<SymExpr> low,
                  llvm::ArrayRef<SymExpr> high);
  mlir::Value slice(mlir::Value input, llvm::ArrayRef<SymExpr> offsets,
                    llvm::ArrayRef<SymExpr> sizes);
  /// The integers below `size`, as i64.
  mlir::Value positions(SymExpr size);

  /// These give the input itself where nothing would change.
  mlir::Value cast(mlir::Value input, mlir::Type elementType);
  mlir::Value reshape(mlir::Value input, llvm::ArrayRef<SymExpr> sizes);
  mlir::Value transpose(mlir::Value input, llvm::ArrayRef<int64_t> permutation);
  mlir::Value expand(mlir::Value input, llvm::ArrayRef<SymExpr> sizes);

  /// A scalar constant of a float or integer type.
  mlir::Value scalar(mlir::Type elementType, double value);
  /// A scalar constant of the element type of `like`.
  mlir::Value number(mlir::Value like, double value);
  /// A tensor like `like`, all of whose elements are `value`.
  mlir::Value fullLike(mlir::Value like, double value);
  mlir::Value zerosLike(mlir::Value like) { return fullLike(like, 0); }
  /// A scalar integer that holds a size.
  mlir::Value size(SymExpr expr, mlir::Type elementType);

  /// Begins an lz.if, without results until its branches, here two empty
  /// blocks, have been filled and ended. They see values from outside
  /// meanwhile.
  IfOp beginIf(mlir::Value condition, mlir::ArrayAttr symbols);
  /// The lz.if that gives what the branches of `begun` yield; replaces it.
  mlir::FailureOr<IfOp> endIf(IfOp begun);

private:
  static bool isMissing(const mlir::Value &value) { return !value; }
  template <typename T> static bool isMissing(const T &) { return false; }
  mlir::Type placeholder();

  mlir::OpBuilder &builder;
  ShapeAnalysis &shapes;
  mlir::Location loc;
};

} // namespace lz

#endif // DIALECTS_LZ_RULES_RULEBUILDER_H
