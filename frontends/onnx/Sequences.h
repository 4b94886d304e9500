//===- Sequences.h - sequences and optionals as tensors ---------*- C++ -*-===//
//
// A model's sequences and optionals never reach the graph: nodes see a value
// that one of three operations makes (`sequence_construct`, `sequence_pack`,
// `optional_make`), build on the tensors that it stands for, and make another
// such value. Where values cross the border of a branch, of a loop's body or of
// the model, they are taken apart into tensors, in a form that both sides agree
// on, and put together behind it.
//
//===----------------------------------------------------------------------===//
#ifndef FRONTENDS_ONNX_SEQUENCES_H
#define FRONTENDS_ONNX_SEQUENCES_H

#include "frontends/onnx/NodeImporter.h"

namespace lz {

/// The sizes of a sequence's values: those that differ are null. None if even
/// their number differs.
using ValueDims = std::optional<SymShape>;

/// The tensors of an `lz.sequence_pack`, which describes them.
struct PackedSequence {
  mlir::Type element; // of the values' elements
  ValueDims dims;
  mlir::Value data, shapes;
};

/// The most dimensions of a value in a sequence of values of different ranks,
/// and the length of a row that holds a rank and that many sizes.
constexpr int64_t kMaxMixedRank = 15;
constexpr int64_t kMixedRow = kMaxMixedRank + 1;

/// True if all values have one shape: `shapes` is not needed then.
bool isUniform(const ValueDims &dims);

/// The dims of values of which some have `a` and some have `b`.
ValueDims joinDims(const ValueDims &a, const ValueDims &b);

/// The type of tensors of sizes `dims`.
mlir::Type getTensorType(mlir::Type element, const ValueDims &dims);

/// The sequence, or optional tensor, that lies in `packed`.
mlir::Value makePacked(NodeImporter &node, const PackedSequence &packed,
                       bool isOptional = false);

/// The values of `sequence`, if they are known one by one.
std::optional<llvm::SmallVector<mlir::Value>> getValues(mlir::Value sequence);

/// The sequence of `values`, all of element type `element`.
mlir::Value makeSequence(NodeImporter &node, mlir::ValueRange values,
                         mlir::Type element);

/// `sequence` (or an optional tensor) in tensors, in a form that takes `dims`
/// as well.
PackedSequence packSequence(NodeImporter &node, mlir::Value sequence,
                            const ValueDims &dims);
/// As above, in the form that fits its values best.
PackedSequence packSequence(NodeImporter &node, mlir::Value sequence);

/// The sizes of the values of `sequence`, or of an optional tensor's.
ValueDims getDims(NodeImporter &node, mlir::Value sequence);

/// The number of values.
SymExpr getLength(NodeImporter &node, const PackedSequence &packed);

/// The type of the elements of a sequence's or optional's tensors.
mlir::Type getScalarType(mlir::Type type);

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

/// How a value is taken apart at a border.
struct ValueForm {
  /// Tensor, sequence or optional; the tensors in it are of rank 0 here.
  mlir::Type type;
  /// Of a sequence whose values stay one by one: their ranks.
  std::optional<llvm::SmallVector<int64_t>> ranks;
  /// The sizes of a sequence's values, or of an optional's.
  ValueDims dims;
  /// Of an optional: whether it has a value, if that is known.
  std::optional<bool> has;

  bool isTensor() const { return llvm::isa<mlir::RankedTensorType>(type); }
  /// True if values of the two are taken apart alike.
  bool operator==(const ValueForm &other) const;
};

/// The form of `value` as it is.
ValueForm getForm(NodeImporter &node, mlir::Value value);

/// A form for what has `a` on one side of a border and `b` on the other; an
/// error if there is none.
mlir::FailureOr<ValueForm> joinForms(NodeImporter &node, const ValueForm &a,
                                     const ValueForm &b);

/// The form in which `value` leaves a model: its values lie together.
ValueForm getOpenForm(NodeImporter &node, mlir::Value value);

/// The type of what has the form, with the sizes of its values.
mlir::Type getFormType(const ValueForm &form);

/// Adds the tensors of `value` to `parts`.
void takeApart(NodeImporter &node, mlir::Value value, const ValueForm &form,
               llvm::SmallVectorImpl<mlir::Value> &parts);

/// Makes the value of the first of `parts`, and drops those.
mlir::Value putTogether(NodeImporter &node, const ValueForm &form,
                        llvm::ArrayRef<mlir::Value> &parts);

} // namespace lz

#endif // FRONTENDS_ONNX_SEQUENCES_H
