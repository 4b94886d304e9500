//===- ShapeOps.cpp - rules and folds of ops that move data ---------------===//

#include "dialects/lz/IR/ExprList.h"
#include "dialects/lz/IR/MovedContents.h"
#include "dialects/lz/IR/Rules.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace lz;

#define GET_OP_CLASSES
#include "dialects/lz/IR/ShapeOps.cpp.inc"

namespace lz {
void registerShapeOps(LzDialect *dialect) {
  RegisteredOperationName::insert<TransposeOp>(*dialect);
  RegisteredOperationName::insert<ReshapeOp>(*dialect);
  RegisteredOperationName::insert<ExpandOp>(*dialect);
  RegisteredOperationName::insert<SizesOp>(*dialect);
  RegisteredOperationName::insert<BindOp>(*dialect);
  RegisteredOperationName::insert<SliceOp>(*dialect);
  RegisteredOperationName::insert<ConcatOp>(*dialect);
  RegisteredOperationName::insert<PadOp>(*dialect);
  RegisteredOperationName::insert<TileOp>(*dialect);
  RegisteredOperationName::insert<RangeOp>(*dialect);
  RegisteredOperationName::insert<TriluOp>(*dialect);
  RegisteredOperationName::insert<ResizeOp>(*dialect);
}
} // namespace lz

/// The known contents of `value` as they are, for ops that keep the order.
static std::optional<SymShape> copyContents(ShapeAnalysis &shapes,
                                            Value value) {
  auto contents = shapes.getContents(value);
  if (!contents)
    return std::nullopt;
  return SymShape(contents->begin(), contents->end());
}

//===----------------------------------------------------------------------===//
// Transpose, reshape, expand
//===----------------------------------------------------------------------===//

/// Returns true if `perm` holds each of 0 .. rank-1 exactly once.
static bool isPermutation(ArrayRef<int64_t> perm, int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : perm) {
    if (dim < 0 || dim >= rank || seen.test(dim))
      return false;
    seen.set(dim);
  }
  return static_cast<int64_t>(perm.size()) == rank;
}

LogicalResult TransposeOp::inferResults(ShapeAnalysis &shapes,
                                        SmallVectorImpl<ResultInfo> &results) {
  ArrayRef<SymExpr> shape = shapes.getShape(getInput());
  if (!isPermutation(getPermutation(), shape.size()))
    return emitOpError() << "permutation [" << getPermutation()
                         << "] does not hold each of the " << shape.size()
                         << " dimensions once";
  SymShape permuted;
  for (int64_t dim : getPermutation())
    permuted.push_back(shape[dim]);
  results.emplace_back(getElementType(getInput()), permuted,
                       getContents(*this, shapes));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  bool identity = llvm::equal(getPermutation(),
                              llvm::seq<int64_t>(0, getPermutation().size()));
  return identity && getInput().getType() == getType() ? getInput() : Value();
}

LogicalResult ReshapeOp::inferResults(ShapeAnalysis &shapes,
                                      SmallVectorImpl<ResultInfo> &results) {
  SymShape sizes = getExprs(getSizes());
  SymExpr count = getProduct(getContext(), sizes);
  if (failed(shapes.requireEqual(*this, shapes.getNumElements(getInput()),
                                 count, "must keep the number of elements")))
    return failure();
  results.emplace_back(getElementType(getInput()), sizes,
                       copyContents(shapes, getInput()));
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  auto type = cast<RankedTensorType>(getType());
  if (getInput().getType() == type && type.hasStaticShape())
    return getInput();
  // reshape(reshape(x)) -> reshape(x)
  if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
    setOperand(inner.getInput());
    return getResult();
  }
  return {};
}

LogicalResult ExpandOp::inferResults(ShapeAnalysis &shapes,
                                     SmallVectorImpl<ResultInfo> &results) {
  SymShape sizes = getExprs(getSizes());
  auto shape = shapes.broadcast(*this, {shapes.getShape(getInput()), sizes});
  if (failed(shape))
    return failure();
  std::optional<SymShape> contents;
  auto known = shapes.getContents(getInput());
  std::optional<int64_t> count = getProduct(getContext(), *shape).getConstant();
  if (known && known->size() == 1 && count && *count >= 0 &&
      *count <= ShapeAnalysis::kMaxContents)
    contents = SymShape(*count, known->front());
  results.emplace_back(getElementType(getInput()), *shape, contents);
  return success();
}

OpFoldResult ExpandOp::fold(FoldAdaptor) {
  auto type = cast<RankedTensorType>(getType());
  return getInput().getType() == type && type.hasStaticShape() ? getInput()
                                                               : Value();
}

//===----------------------------------------------------------------------===//
// Sizes and binding
//===----------------------------------------------------------------------===//

LogicalResult SizesOp::inferResults(ShapeAnalysis &shapes,
                                    SmallVectorImpl<ResultInfo> &results) {
  SymShape elements = getExprs(getElements());
  SymShape shape;
  int64_t count = 1;
  for (int64_t size : getShape()) {
    shape.push_back(shapes.constant(size));
    count *= size;
  }
  if (failed(verifyCount(*this, "elements", elements.size(), count)))
    return failure();
  results.emplace_back(IntegerType::get(getContext(), 64), shape, elements);
  return success();
}

LogicalResult BindOp::inferResults(ShapeAnalysis &shapes,
                                   SmallVectorImpl<ResultInfo> &) {
  SymShape symbols = getExprs(getSymbols());
  for (SymExpr symbol : symbols)
    if (symbol.getKind() != SymExpr::Symbol)
      return emitOpError() << "binds '" << symbol.str()
                           << "', which is not a symbol";
  std::optional<int64_t> count =
      shapes.getNumElements(getInput()).getConstant();
  if (!count)
    return emitOpError() << "needs an operand of known size";
  return verifyCount(*this, "symbols", symbols.size(), *count);
}

//===----------------------------------------------------------------------===//
// Slice, concat, pad, tile
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferResults(ShapeAnalysis &shapes,
                                    SmallVectorImpl<ResultInfo> &results) {
  int64_t rank = shapes.getShape(getInput()).size();
  SymShape sizes = getExprs(getSizes());
  if (failed(verifyCount(*this, "sizes", sizes.size(), rank)) ||
      failed(verifyCount(*this, "offsets", getOffsets().size(), rank)) ||
      failed(verifyCount(*this, "strides", getStrides().size(), rank)))
    return failure();
  results.emplace_back(getElementType(getInput()), sizes,
                       getContents(*this, shapes));
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  auto type = cast<RankedTensorType>(getType());
  bool whole = getInput().getType() == type && type.hasStaticShape() &&
               llvm::all_of(getExprs(getOffsets()),
                            [](SymExpr e) { return e.isConstant(0); }) &&
               llvm::all_of(getExprs(getStrides()),
                            [](SymExpr e) { return e.isConstant(1); });
  return whole ? getInput() : Value();
}

LogicalResult ConcatOp::inferResults(ShapeAnalysis &shapes,
                                     SmallVectorImpl<ResultInfo> &results) {
  if (getInputs().empty())
    return emitOpError() << "needs at least one operand";
  SymShape shape = copyShape(shapes, getInputs()[0]);
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, axis, shape.size())))
    return failure();
  for (Value input : getInputs().drop_front()) {
    ArrayRef<SymExpr> other = shapes.getShape(input);
    if (failed(verifySameElementType(*this, getInputs()[0], input)) ||
        failed(verifyCount(*this, "dimensions in an operand", other.size(),
                           shape.size())))
      return failure();
    for (auto [dim, size] : llvm::enumerate(other))
      if (static_cast<int64_t>(dim) == axis)
        shape[dim] = shape[dim] + size;
      else if (failed(shapes.requireEqual(*this, shape[dim], size,
                                          "sizes off the axis must be equal")))
        return failure();
  }
  results.emplace_back(getElementType(getInputs()[0]), shape,
                       getContents(*this, shapes));
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 && getInputs()[0].getType() == getType()
             ? getInputs()[0]
             : Value();
}

LogicalResult PadOp::inferResults(ShapeAnalysis &shapes,
                                  SmallVectorImpl<ResultInfo> &results) {
  SymShape shape = copyShape(shapes, getInput());
  SymShape low = getExprs(getLow()), high = getExprs(getHigh());
  if (failed(verifyCount(*this, "low counts", low.size(), shape.size())) ||
      failed(verifyCount(*this, "high counts", high.size(), shape.size())))
    return failure();
  for (auto [size, before, after] : llvm::zip_equal(shape, low, high)) {
    SymExpr padded = size + before + after;
    if (failed(shapes.requireNotLess(*this, padded, shapes.constant(0),
                                     "must not crop more than there is")))
      return failure();
    size = padded;
  }
  results.emplace_back(getElementType(getInput()), shape);
  return success();
}

LogicalResult TileOp::inferResults(ShapeAnalysis &shapes,
                                   SmallVectorImpl<ResultInfo> &results) {
  SymShape shape = copyShape(shapes, getInput());
  SymShape repeats = getExprs(getRepeats());
  if (failed(verifyCount(*this, "repeats", repeats.size(), shape.size())))
    return failure();
  for (auto [size, count] : llvm::zip_equal(shape, repeats))
    size = size * count;
  results.emplace_back(getElementType(getInput()), shape);
  return success();
}

//===----------------------------------------------------------------------===//
// Range, trilu, resize
//===----------------------------------------------------------------------===//

LogicalResult RangeOp::inferResults(ShapeAnalysis &shapes,
                                    SmallVectorImpl<ResultInfo> &results) {
  if (failed(verifySameElementType(*this, getStart(), getDelta())) ||
      failed(verifyCount(*this, "sizes", getSize().size(), 1)))
    return failure();
  SymShape shape = getExprs(getSize());
  std::optional<SymShape> contents;
  auto start = shapes.getContents(getStart());
  auto delta = shapes.getContents(getDelta());
  std::optional<int64_t> count = shape[0].getConstant();
  if (start && delta && count && *count <= ShapeAnalysis::kMaxContents) {
    contents.emplace();
    for (int64_t i = 0; i < *count; ++i)
      contents->push_back((*start)[0] + (*delta)[0] * i);
  }
  results.emplace_back(getElementType(getStart()), shape, contents);
  return success();
}

LogicalResult TriluOp::inferResults(ShapeAnalysis &shapes,
                                    SmallVectorImpl<ResultInfo> &results) {
  SymShape shape = copyShape(shapes, getInput());
  if (shape.size() < 2)
    return emitOpError() << "needs an operand of rank 2 or more, not "
                         << shape.size();
  if (failed(verifyCount(*this, "values of k", getK().size(), 1)))
    return failure();
  results.emplace_back(getElementType(getInput()), shape);
  return success();
}

/// Checks that `operand`, if it is there, is a vector of `count` elements.
static LogicalResult requireVector(Operation *op, ShapeAnalysis &shapes,
                                   Value operand, StringRef what,
                                   int64_t count) {
  if (!operand)
    return success();
  ArrayRef<SymExpr> shape = shapes.getShape(operand);
  if (shape.size() != 1)
    return op->emitOpError()
           << what << " have rank " << shape.size() << ", expected 1";
  return shapes.requireEqual(op, shape[0],
                             SymExpr::constant(op->getContext(), count),
                             (what + " have a wrong number").str());
}

LogicalResult ResizeOp::inferResults(ShapeAnalysis &shapes,
                                     SmallVectorImpl<ResultInfo> &results) {
  int64_t rank = shapes.getShape(getInput()).size();
  if (failed(verifyCount(*this, "sizes", getSizes().size(), rank)) ||
      failed(verifyCount(*this, "scales", getScales().size(), rank)))
    return failure();
  if (getRoi() &&
      failed(verifyCount(*this, "roi values", getRoi()->size(), 2 * rank)))
    return failure();
  if (failed(requireVector(*this, shapes, getFactors(), "factors", rank)) ||
      failed(requireVector(*this, shapes, getRegion(), "bounds of the region",
                           2 * rank)))
    return failure();
  results.emplace_back(getElementType(getInput()), getExprs(getSizes()));
  return success();
}
