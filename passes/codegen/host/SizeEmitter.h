//===- SizeEmitter.h - size expressions as code -----------------*- C++ -*-===//
#ifndef PASSES_CODEGEN_HOST_SIZEEMITTER_H
#define PASSES_CODEGEN_HOST_SIZEEMITTER_H

#include "dialects/lz/Symbols/SymExpr.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace lz {

/// Emits expressions as i64 arithmetic of the LLVM dialect, each once. Overflow
/// and division by zero are remembered, not trapped: see getFault().
class SizeEmitter {
public:
  SizeEmitter(mlir::OpBuilder &builder, mlir::Location loc);

  void bind(SymExpr symbol, mlir::Value value) {
    values[symbol.getAttr()] = value;
  }
  mlir::Value emit(SymExpr expr);
  mlir::Value constant(int64_t value);
  /// An i1: some emitted expression had no value.
  mlir::Value getFault() const { return fault; }
  /// The i1 `lhs <predicate> rhs`.
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);

private:
  mlir::Value emitChain(SymExpr expr);
  mlir::Value emitChecked(bool multiply, mlir::Value lhs, mlir::Value rhs);
  mlir::Value emitDivision(bool remainder, mlir::Value lhs, mlir::Value rhs);
  mlir::Value emitBinary(SymExpr expr);
  void addFault(mlir::Value condition);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::DenseMap<mlir::Attribute, mlir::Value> values;
  mlir::Value fault;
};

} // namespace lz

#endif // PASSES_CODEGEN_HOST_SIZEEMITTER_H
