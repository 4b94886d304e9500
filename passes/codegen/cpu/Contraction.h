//===- Contraction.h - products of a matrix and packed panels ---*- C++ -*-===//
//
// Matrix products and convolutions are computed the same way: as result[row,
// column] = start[row] + sum over k of lhs[row, k] * rhs[k, column], once for
// each index of the outer dimensions. A convolution's rows are its output
// channels, its columns the output positions, and k counts input channels and
// taps of the filter.
//
// A parallel iteration is a panel (a few vectors wide) of columns and a block
// of rows. The panel of rhs is packed to [k, width] in scratch memory, with
// zeros where there is padding; then tiles of a few rows are accumulated in
// registers over the whole of k. What is fused behind the contraction is
// applied to each finished tile.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_CPU_CONTRACTION_H
#define PASSES_CODEGEN_CPU_CONTRACTION_H

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"

#include <memory>
#include <optional>

namespace lz {

/// A panel to pack.
struct Panel {
  llvm::SmallVector<mlir::Value> outer; ///< indices of the outer dimensions
  mlir::Value first, count;             ///< its columns of the contraction
  int64_t width;                        ///< columns it has room for
  Buffer buffer;                        ///< [k, width]
  Buffer offsets;                       ///< (rank + 1) * width of i64 at least
};

/// A matrix in memory whose rows are contiguous.
struct PlainMatrix {
  Buffer buffer;
  mlir::Value start;  ///< position of its first element
  mlir::Value stride; ///< of rows
};

/// result[row, column] = bias[column] + sum over k of lhs[row, k] * rhs[k,
/// column], once for each index of the outer dimensions.
class Product {
public:
  virtual ~Product() = default;

  SymShape outer;
  SymExpr rows, columns, depth;
  mlir::Value result;

  virtual mlir::Value emitLhs(ElementEmitter &e,
                              llvm::ArrayRef<mlir::Value> outer,
                              mlir::Value row, mlir::Value k) const = 0;
  /// The index of an element of the result.
  virtual llvm::SmallVector<mlir::Value>
  getResultDims(ElementEmitter &e, llvm::ArrayRef<mlir::Value> outer,
                mlir::Value row, mlir::Value column) const = 0;
  /// rhs as it lies in memory, or its transpose [column, k], if it does.
  virtual std::optional<PlainMatrix>
  getMatrix(ElementEmitter &e, llvm::ArrayRef<mlir::Value> outer) const {
    return std::nullopt;
  }
  /// What is added for a column; null: nothing.
  virtual mlir::Value emitBias(ElementEmitter &e, mlir::Value column) const {
    return nullptr;
  }
};

/// A product that is computed from panels.
class Contraction : public Product {
public:
  /// Writes a whole panel; columns from `count` on become zero.
  virtual void pack(ElementEmitter &e, const Panel &panel) const = 0;
  /// What a row's sums start from; null: zero.
  virtual mlir::Value emitStart(ElementEmitter &e,
                                llvm::ArrayRef<mlir::Value> outer,
                                mlir::Value row) const {
    return nullptr;
  }
  /// True if rhs has been stored in panels of `width` columns.
  virtual bool hasPanels(int64_t width) const { return false; }
  /// Those panels.
  virtual Buffer getPanels(ElementEmitter &e) const { return {}; }
  /// The operand in whose memory rhs can be read; null if there is none.
  virtual mlir::Value getPlainOperand() const { return nullptr; }
  /// rhs as it lies there.
  virtual std::optional<PlainMatrix>
  getPlainRhs(ElementEmitter &e, llvm::ArrayRef<mlir::Value> outer) const {
    return std::nullopt;
  }
};

std::unique_ptr<Contraction> makeMatmul(const KernelInfo &kernel, MatmulOp op);
std::unique_ptr<Contraction> makeConv(const KernelInfo &kernel, ConvOp op);
std::unique_ptr<Contraction> makeConvTranspose(const KernelInfo &kernel,
                                               ConvTransposeOp op);
/// A convolution whose filters are as large as its input, or have one tap for
/// an input of one position: each filter is a column. Null if `op` is another.
std::unique_ptr<Product> makeWholeConv(const KernelInfo &kernel, ConvOp op);
/// Null if `op` is no contraction.
std::unique_ptr<Contraction> makeContraction(const KernelInfo &kernel,
                                             mlir::Operation *op);

/// The contraction of a kernel that has just one; else null.
mlir::Operation *getOnlyContraction(const KernelInfo &kernel);
/// True if the kernel's loops run over the shape of `result`.
bool isNestShape(const KernelInfo &kernel, mlir::Value result);

/// Zero of a compute type.
inline mlir::Value getZero(KernelBuilder &kb, mlir::Type type) {
  return kb.getScalar(type, 0);
}

} // namespace lz

#endif // PASSES_CODEGEN_CPU_CONTRACTION_H
