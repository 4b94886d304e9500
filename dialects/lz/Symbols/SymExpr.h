//===- SymExpr.h - integer expressions over size symbols --------*- C++ -*-===//
//
// The sizes of a model are integers, or expressions over the symbols that its
// free dimensions are named by. A SymExpr wraps an #lz.expr attribute in normal
// form: a sum of integer multiples of products of atoms, in a fixed order. Two
// expressions that are equal as polynomials over their atoms are the same
// attribute, so `==` proves equality (and its failure disproves nothing).
//
// Numbers never wrap. What overflows 64 bits, divides by zero or grows without
// bound is the undefined expression, which every operation on it gives again.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LZ_SYMBOLS_SYMEXPR_H
#define DIALECTS_LZ_SYMBOLS_SYMEXPR_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mlir {
class AsmParser;
class AsmPrinter;
} // namespace mlir

namespace lz {

class ExprAttr;

class SymExpr {
public:
  enum Kind : unsigned {
    Constant,
    Symbol,
    Sum,     // of operands, plus `value`
    Product, // `value` times operands
    FloorDiv,
    Mod,
    Max,
    Bcast
  };

  SymExpr() = default;
  /// Wraps an attribute that is an ExprAttr.
  explicit SymExpr(mlir::Attribute attr) : attr(attr) {}

  static SymExpr constant(mlir::MLIRContext *context, int64_t value);
  static SymExpr symbol(mlir::MLIRContext *context, llvm::StringRef name);
  /// The expression without a value, `floordiv(1, 0)`. Equal to itself, so that
  /// whoever compares sizes must have refused it first.
  static SymExpr undefined(mlir::MLIRContext *context);

  explicit operator bool() const { return static_cast<bool>(attr); }
  bool operator==(SymExpr other) const { return attr == other.attr; }
  bool operator!=(SymExpr other) const { return attr != other.attr; }

  mlir::Attribute getAttr() const { return attr; }
  mlir::MLIRContext *getContext() const { return attr.getContext(); }

  Kind getKind() const;
  /// The value of a constant, addend of a sum, factor of a product.
  int64_t getValue() const;
  /// The name of a symbol.
  llvm::StringRef getName() const;
  llvm::SmallVector<SymExpr, 4> getOperands() const;

  /// The value, if this is a constant.
  std::optional<int64_t> getConstant() const;
  bool isConstant(int64_t value) const { return getConstant() == value; }
  bool isUndefined() const;

  SymExpr operator+(SymExpr other) const;
  SymExpr operator-(SymExpr other) const;
  SymExpr operator*(SymExpr other) const;
  SymExpr operator+(int64_t other) const;
  SymExpr operator-(int64_t other) const;
  SymExpr operator*(int64_t other) const;

  /// Division rounding down. Exact quotients of products are cancelled.
  SymExpr floorDiv(SymExpr divisor) const;
  SymExpr ceilDiv(SymExpr divisor) const;
  /// The remainder of floorDiv.
  SymExpr mod(SymExpr divisor) const;
  SymExpr max(SymExpr other) const;
  SymExpr min(SymExpr other) const;
  /// The size of two broadcast dimensions: `other` if this is 1, else this.
  SymExpr bcast(SymExpr other) const;

  /// Adds the names of the symbols in this expression to `names`, each once.
  void collectSymbols(llvm::SmallVectorImpl<llvm::StringRef> &names) const;
  /// True if this is provably >= `bound`, symbols being never negative.
  bool isAtLeast(int64_t bound) const;
  /// The number of attributes in this tree, or some number above `limit`.
  size_t countNodes(size_t limit) const;

  /// The value under an assignment of symbols; none if a symbol has no value or
  /// an intermediate result overflows or divides by zero.
  std::optional<int64_t>
  evaluate(llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> symbols)
      const;
  /// This expression with symbols replaced (a null SymExpr keeps a symbol).
  SymExpr
  substitute(llvm::function_ref<SymExpr(llvm::StringRef)> symbols) const;

  void print(llvm::raw_ostream &os) const;
  std::string str() const;

private:
  mlir::Attribute attr;
};

using SymShape = llvm::SmallVector<SymExpr, 4>;

/// The product of `sizes`; 1 if there are none.
SymExpr getProduct(mlir::MLIRContext *context, llvm::ArrayRef<SymExpr> sizes);

/// Conversions between lists of expressions and array attributes.
mlir::ArrayAttr getExprArray(mlir::MLIRContext *context,
                             llvm::ArrayRef<SymExpr> exprs);
mlir::ArrayAttr getExprArray(mlir::MLIRContext *context,
                             llvm::ArrayRef<int64_t> values);
SymShape getExprs(mlir::ArrayAttr attr);

/// Makes `name` usable as a symbol: an identifier of letters, digits, `_`, `.`.
std::string getSymbolName(llvm::StringRef name);

/// `expr ::= sum of products of integers, symbols, calls and parentheses`.
mlir::ParseResult parseExpr(mlir::AsmParser &parser, SymExpr &expr);

} // namespace lz

#endif // DIALECTS_LZ_SYMBOLS_SYMEXPR_H
