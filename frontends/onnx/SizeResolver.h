//===- SizeResolver.h - operands that state sizes ---------------*- C++ -*-===//
//
// ONNX passes sizes in tensors; lz wants expressions. Most are known to
// ShapeAnalysis. Where they are not, the elements of a small integer input
// become symbols of the function, and what only the run can tell is bound to
// new symbols by `lz.bind`.
//
//===----------------------------------------------------------------------===//
#ifndef FRONTENDS_ONNX_SIZERESOLVER_H
#define FRONTENDS_ONNX_SIZERESOLVER_H

#include "dialects/lz/Symbols/ShapeAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

namespace lz {

/// The symbols that the function declares, in order.
class SymbolList {
public:
  explicit SymbolList(mlir::MLIRContext *context) : context(context) {}

  /// Declares a symbol named after `hint`; a number makes the name unique.
  SymExpr declare(llvm::StringRef hint, int64_t min, int64_t max,
                  llvm::StringRef source);
  mlir::ArrayAttr getAttr() const;
  /// True if only the run knows a symbol of `expr`.
  bool dependsOnRun(SymExpr expr) const;
  /// Forgets symbols of source `run` that nothing in `function` binds: a body
  /// that was imported twice leaves some.
  void dropUnbound(mlir::func::FuncOp function);

  static constexpr int64_t kMaxSize = 2147483647;

private:
  mlir::MLIRContext *context;
  llvm::StringSet<> names;
  llvm::SmallVector<mlir::Attribute> symbols;
};

class SizeResolver {
public:
  SizeResolver(ShapeAnalysis &shapes, SymbolList &symbols)
      : shapes(shapes), symbols(symbols) {}

  /// The arguments of `function` may become sources of symbols.
  void setFunction(mlir::func::FuncOp function) { this->function = function; }

  /// The elements of the integer tensor `value`, as expressions. Emits an error
  /// at `loc` and fails if their number is not known or too large.
  mlir::FailureOr<SymShape> resolve(mlir::Value value, mlir::Location loc);

private:
  bool isCandidate(mlir::Value value) const;
  void resolveChain(mlir::Value value, unsigned depth);
  void declareElements(mlir::BlockArgument argument, int64_t count);
  void bind(mlir::Value value, int64_t count);

  ShapeAnalysis &shapes;
  SymbolList &symbols;
  mlir::func::FuncOp function;
};

} // namespace lz

#endif // FRONTENDS_ONNX_SIZERESOLVER_H
