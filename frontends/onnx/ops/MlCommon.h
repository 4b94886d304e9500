//===- MlCommon.h - operators of classical models ---------------*- C++ -*-===//
//
// Domain `ai.onnx.ml` has the models of scikit-learn, XGBoost and their like.
// What such a model has learned stands in attributes, lists of numbers that
// must fit each other, and becomes constants here: there are no operations of
// their own for it. Where ONNX leaves a meaning open, or ONNX Runtime has
// another one, it is ONNX Runtime's.
//
// Strings are not computed with, and there are no maps: what needs them is
// refused, by the name of the attribute.
//
//===----------------------------------------------------------------------===//
#ifndef FRONTENDS_ONNX_OPS_MLCOMMON_H
#define FRONTENDS_ONNX_OPS_MLCOMMON_H

#include "frontends/onnx/ops/Common.h"

namespace lz {

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Attributes that are small themselves make no constant of more elements.
constexpr int64_t kMaxMlElements = int64_t(1) << 24;

/// Numbers of one element type.
struct NumberList {
  mlir::Type type;
  std::vector<int64_t> integers; // if the type is an integer type
  std::vector<double> reals;     // if it is a float type

  bool isReal() const { return mlir::isa<mlir::FloatType>(type); }
  size_t size() const { return isReal() ? reals.size() : integers.size(); }
  /// The same list, element `i` of which is element `order[i]` of this one.
  NumberList pick(llvm::ArrayRef<size_t> order) const;
};

/// An error if the node states attribute `name`, which holds strings.
void refuseStrings(NodeImporter &node, llvm::StringRef name);

/// Attribute `name`, a tensor; none if it is absent or wrong.
std::optional<NumberList> getTensor(NodeImporter &node, llvm::StringRef name);

/// Attribute `name`; no elements if it is absent.
llvm::SmallVector<double> getFloatList(NodeImporter &node,
                                       llvm::StringRef name);
llvm::SmallVector<int64_t> getIntList(NodeImporter &node, llvm::StringRef name);

/// Attribute `name`, or the tensor `<name>_as_tensor` in its place.
llvm::SmallVector<double> getFloatsOrTensor(NodeImporter &node,
                                            llvm::StringRef name);

/// Requires that attribute `name` has `count` elements if it has `expected`.
void requireCount(NodeImporter &node, llvm::StringRef name, int64_t count,
                  int64_t expected);

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A constant of `type` and `shape`, which is called `what`.
mlir::Value getConstant(NodeImporter &node, llvm::ArrayRef<double> values,
                        llvm::ArrayRef<int64_t> shape, mlir::Type type,
                        llvm::StringRef what);
mlir::Value getConstant(NodeImporter &node, llvm::ArrayRef<int64_t> values,
                        llvm::ArrayRef<int64_t> shape, mlir::Type type,
                        llvm::StringRef what);
/// The same of a list, of rank 1.
mlir::Value getConstant(NodeImporter &node, const NumberList &list,
                        llvm::StringRef what);
/// One number of a list, of rank 0.
mlir::Value getNumber(NodeImporter &node, const NumberList &list, size_t index);

/// The first operand as rows of features, of `type`; a vector is one row. There
/// must be `features` of them, unless that is negative.
mlir::Value getRows(NodeImporter &node, mlir::Type type, int64_t features = -1);

/// The products of the rows with attribute `coefficients`, [columns, features]:
/// [rows, columns].
mlir::Value buildProducts(NodeImporter &node, int64_t columns);

/// Column `index` of [rows, columns], as [rows].
mlir::Value getColumn(NodeImporter &node, mlir::Value table, int64_t index);

//===----------------------------------------------------------------------===//
// Scores and labels
//===----------------------------------------------------------------------===//

/// What is done to scores, with the numbers of TreeEnsemble's attribute.
enum class PostTransform { None, Softmax, Logistic, SoftmaxZero, Probit };

/// Attribute `post_transform`, a string.
PostTransform getPostTransform(NodeImporter &node);

/// The scores [rows, columns], of f32, as `transform` makes them. One column
/// has its own rule: only Probit changes it.
mlir::Value applyTransform(NodeImporter &node, mlir::Value scores,
                           PostTransform transform);

/// The scores of two classes, [rows, 2], from `score` [rows, 1], that of the
/// second. The other one is `1 - score` or, of a score that is not a share of
/// one, `-score`. Logistic makes a share of both kinds.
mlir::Value buildBothScores(NodeImporter &node, mlir::Value score, bool isShare,
                            PostTransform transform);

/// `label` for each row: `onTrue` where `score` [rows] is above `threshold`.
mlir::Value chooseLabel(NodeImporter &node, mlir::Value score, double threshold,
                        int64_t onTrue, int64_t onFalse);

/// The label of the largest of the scores [rows, columns], the first of equals.
mlir::Value getBestLabel(NodeImporter &node, mlir::Value scores,
                         llvm::ArrayRef<int64_t> labels);

} // namespace lz

#endif // FRONTENDS_ONNX_OPS_MLCOMMON_H
