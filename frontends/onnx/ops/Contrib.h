//===- Contrib.h - operators of ONNX Runtime --------------------*- C++ -*-===//
//
// ONNX Runtime writes models with operators of its own, domain `com.microsoft`.
// ONNX's library has no schemas of them, so each stands in a table beside its
// handler with what it takes:
//
//   {"BiasGelu", "A:F B:F", 1, "", importBiasGelu}
//
// Inputs are `name:type`, with `?` for one that may be absent and `*` for the
// last one if any number may follow. Types are letters; those in upper case
// stand for one type throughout a node:
//
//   F, G  a float type            f  float
//   Q, R  int8 or uint8           q  int8 or uint8    u  uint8
//   Z     integers of 4 to 32 bits
//   i     int32                   l  int64            b  bool
//   x     anything
//
// Attributes are `name:TYPE` in the spelling of AttributeProto, with `!` for
// those that must be there.
//
//===----------------------------------------------------------------------===//
#ifndef FRONTENDS_ONNX_OPS_CONTRIB_H
#define FRONTENDS_ONNX_OPS_CONTRIB_H

#include "frontends/onnx/ops/Common.h"

namespace lz {

/// One operator: what it takes and gives, and who imports it.
struct ContribOperator {
  llvm::StringRef name;
  llvm::StringRef inputs;
  int maxResults;
  llvm::StringRef attributes;
  Handler handler;
};

/// The domain of ONNX Runtime's own operators.
constexpr llvm::StringLiteral kContribDomain = "com.microsoft";

/// What NodeImporter::getVersion() says in handlers of these operators, all of
/// version 1: code that they share with ONNX's has the meaning of this opset.
constexpr int kContribVersion = 13;

/// The operator called `name` in `domain`; null if there is none. ONNX Runtime
/// has some in ONNX's own domain, too, for models whose opset has them not.
const ContribOperator *findContrib(llvm::StringRef name,
                                   llvm::StringRef domain);

/// Checks the counts, types and attributes of `node` against the table, then
/// imports it.
mlir::LogicalResult importContrib(const ContribOperator &op,
                                  NodeImporter &node);

llvm::ArrayRef<ContribOperator> getContribNorms();
llvm::ArrayRef<ContribOperator> getContribProducts();
llvm::ArrayRef<ContribOperator> getContribQuants();
llvm::ArrayRef<ContribOperator> getContribQuantProducts();
llvm::ArrayRef<ContribOperator> getContribAttentions();
llvm::ArrayRef<ContribOperator> getContribGroupQuery();
llvm::ArrayRef<ContribOperator> getContribRotary();
llvm::ArrayRef<ContribOperator> getContribPictures();

/// `input + addend`; `input` if there is no addend.
inline mlir::Value addIfThere(NodeImporter &node, mlir::Value input,
                              mlir::Value addend) {
  return addend ? node.binary(BinaryKind::add, input, addend) : input;
}

/// `value * factor`, left out where it changes nothing.
mlir::Value scaleBy(NodeImporter &node, mlir::Value value, double factor);

/// Requires that `value`, what is called `name`, is one number if it is there.
void requireScalar(NodeImporter &node, mlir::Value value, llvm::StringRef name);

/// The product of integers as a float: `(lhs - lhsZero) (rhs - rhsZero) *
/// lhsScale * rhsScale`, the right operand's per tensor or per column.
struct IntegerOperand {
  mlir::Value value, scale, zero;
};
mlir::Value multiplyIntegers(NodeImporter &node, const IntegerOperand &lhs,
                             const IntegerOperand &rhs);

} // namespace lz

#endif // FRONTENDS_ONNX_OPS_CONTRIB_H
