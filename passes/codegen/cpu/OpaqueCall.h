//===- OpaqueCall.h - a call of a C++ kernel --------------------*- C++ -*-===//
#ifndef PASSES_CODEGEN_CPU_OPAQUECALL_H
#define PASSES_CODEGEN_CPU_OPAQUECALL_H

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"

namespace lz {

/// What planning asks of an irregular operation.
struct OpaquePlan {
  SymExpr iterations;
  SymExpr cost;         ///< of one iteration
  SymExpr scratchBytes; ///< of one chunk
};

/// A shape collapsed around an axis.
struct AxisSizes {
  SymExpr outer, n, inner;

  AxisSizes(const KernelInfo &kernel, mlir::Value tensor, int64_t axis);
};

/// Puts the arguments of a call together.
class OpaqueCall {
public:
  /// `scratch` is the chunk's memory.
  OpaqueCall(ElementEmitter &e, mlir::Operation *op, Buffer scratch);

  /// A pointer to an operand's elements, null if it is absent.
  void addOperand(mlir::Value operand);
  /// A pointer to a result's elements, null if the kernel doesn't return it.
  void addResult(mlir::Value result);
  void addSize(SymExpr size) { add(kb.getSize(size)); }
  void addNumber(int64_t value) { add(kb.getIndex(value)); }
  /// The bounds of the parallel iterations.
  void addRange();

  /// Pointers into the scratch memory: to what was written so far, and to the
  /// rest of it.
  void addList(llvm::ArrayRef<SymExpr> sizes);
  void addSlots(llvm::ArrayRef<mlir::Value> slots);
  void addScratch() { add(getScratch()); }

  /// Calls lz_<name>_<type of elements of `typed`>.
  void emit(llvm::StringRef name, mlir::Value typed);

  ElementEmitter &e;
  KernelBuilder &kb;

private:
  void add(mlir::Value argument) { arguments.push_back(argument); }
  mlir::Value getNull();
  mlir::Value getScratch();

  mlir::Operation *op;
  Buffer scratch;
  int64_t used = 0; // bytes of the scratch
  llvm::SmallVector<mlir::Value> arguments;
};

struct OpaqueRule {
  OpaquePlan (*plan)(const KernelInfo &kernel, mlir::Operation *op);
  void (*emit)(OpaqueCall &call, mlir::Operation *op);
};

/// Null if `op` is not irregular, or no kernel can be made of it.
const OpaqueRule *findOpaqueRule(mlir::Operation *op);
/// Those of LSTM, GRU and RNN.
const OpaqueRule *findRecurrentRule(mlir::Operation *op);
/// Those of operations on boxes and regions.
const OpaqueRule *findDetectionRule(mlir::Operation *op);
/// Those of transforms and functions of matrices.
const OpaqueRule *findLinearRule(mlir::Operation *op);

/// The bytes of an element of an index tensor.
int64_t getIndexBytes(mlir::Value tensor);

} // namespace lz

#endif // PASSES_CODEGEN_CPU_OPAQUECALL_H
