//===- ControlOps.cpp - rules of constants, control flow, sequences -------===//

#include "dialects/lz/IR/ExprList.h"
#include "dialects/lz/IR/Rules.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

#define GET_OP_CLASSES
#include "dialects/lz/IR/ControlOps.cpp.inc"

namespace lz {
void registerControlOps(LzDialect *dialect) {
  RegisteredOperationName::insert<ConstantOp>(*dialect);
  RegisteredOperationName::insert<ParameterOp>(*dialect);
  RegisteredOperationName::insert<ParamOp>(*dialect);
  RegisteredOperationName::insert<YieldOp>(*dialect);
  RegisteredOperationName::insert<IfOp>(*dialect);
  RegisteredOperationName::insert<LoopOp>(*dialect);
  RegisteredOperationName::insert<FusionOp>(*dialect);
  RegisteredOperationName::insert<SequenceConstructOp>(*dialect);
  RegisteredOperationName::insert<SequencePackOp>(*dialect);
  RegisteredOperationName::insert<OptionalMakeOp>(*dialect);
}
} // namespace lz

//===----------------------------------------------------------------------===//
// Constants and parameters
//===----------------------------------------------------------------------===//

static SymShape getStaticShape(ShapeAnalysis &shapes, RankedTensorType type) {
  SymShape shape;
  for (int64_t size : type.getShape())
    shape.push_back(shapes.constant(size));
  return shape;
}

/// The elements of a small integer constant.
static std::optional<SymShape> getConstantContents(ShapeAnalysis &shapes,
                                                   Attribute value) {
  auto elements = dyn_cast<DenseIntElementsAttr>(value);
  if (!elements || elements.getNumElements() > ShapeAnalysis::kMaxContents)
    return std::nullopt;
  SymShape contents;
  auto type = cast<IntegerType>(elements.getElementType());
  for (const APInt &element : elements.getValues<APInt>())
    contents.push_back(shapes.constant(type.isUnsigned() || type.getWidth() == 1
                                           ? element.getZExtValue()
                                           : element.getSExtValue()));
  return contents;
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::verify() {
  if (getValue().getType() == getType())
    return success();
  return emitOpError() << "has a value of type " << getValue().getType()
                       << " and a result of type " << getType();
}

LogicalResult ConstantOp::inferResults(ShapeAnalysis &shapes,
                                       SmallVectorImpl<ResultInfo> &results) {
  auto type = cast<RankedTensorType>(getValue().getType());
  results.emplace_back(type.getElementType(), getStaticShape(shapes, type),
                       getConstantContents(shapes, getValue()));
  return success();
}

LogicalResult ParamOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto parameter =
      symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getParameterAttr());
  if (!parameter)
    return emitOpError() << "reads parameter '" << getParameter()
                         << "', which the module does not define";
  if (parameter.getValue().getType() != getType())
    return emitOpError() << "has type " << getType() << ", but parameter '"
                         << getParameter() << "' has type "
                         << parameter.getValue().getType();
  return success();
}

LogicalResult ParamOp::inferResults(ShapeAnalysis &shapes,
                                    SmallVectorImpl<ResultInfo> &results) {
  auto type = cast<RankedTensorType>(getType());
  results.emplace_back(type.getElementType(), getStaticShape(shapes, type));
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Infers the operations of `region`, whose arguments are recorded.
static LogicalResult inferRegion(ShapeAnalysis &shapes, Region &region) {
  for (Operation &op : region.front())
    if (failed(shapes.infer(&op, /*setTypes=*/false)))
      return failure();
  return success();
}

/// Records a region argument as being like `source`.
static void copyInfo(ShapeAnalysis &shapes, Value source, Value target) {
  if (!shapes.hasShape(source))
    return;
  shapes.setShape(target, copyShape(shapes, source));
  if (auto contents = shapes.getContents(source))
    shapes.setContents(target, SymShape(contents->begin(), contents->end()));
}

/// What is known of `value`, as a result.
static ResultInfo getInfo(ShapeAnalysis &shapes, Value value,
                          bool withContents) {
  if (!shapes.hasShape(value))
    return ResultInfo(value.getType());
  std::optional<SymShape> contents;
  if (auto known = shapes.getContents(value); known && withContents)
    contents.emplace(known->begin(), known->end());
  return ResultInfo(getElementType(value), copyShape(shapes, value), contents);
}

/// Hands out the symbols of a control flow operation in order.
namespace {
class SymbolSource {
public:
  explicit SymbolSource(ArrayAttr symbols) : symbols(getExprs(symbols)) {}
  SymExpr next() { return used < symbols.size() ? symbols[used++] : SymExpr(); }

private:
  SymShape symbols;
  size_t used = 0;
};
} // namespace

/// The shape of a value that is like `a` or like `b`.
static FailureOr<ResultInfo> mergeInfos(Operation *op, const ResultInfo &a,
                                        const ResultInfo &b,
                                        SymbolSource &symbols) {
  bool alike = a.elementType == b.elementType && a.type == b.type &&
               a.shape.size() == b.shape.size();
  if (!alike)
    return op->emitOpError() << "has branches that give " << a.getType()
                             << " and " << b.getType();
  ResultInfo merged = a;
  merged.contents.reset();
  for (auto [size, other] : llvm::zip_equal(merged.shape, b.shape)) {
    if (size == other)
      continue;
    size = symbols.next();
    if (!size)
      return op->emitOpError() << "needs one symbol per dimension that differs";
  }
  return merged;
}

LogicalResult IfOp::inferResults(ShapeAnalysis &shapes,
                                 SmallVectorImpl<ResultInfo> &results) {
  if (failed(inferRegion(shapes, getThenRegion())) ||
      failed(inferRegion(shapes, getElseRegion())))
    return failure();
  Operation *thenYield = getThenRegion().front().getTerminator();
  Operation *elseYield = getElseRegion().front().getTerminator();
  if (failed(verifyCount(*this, "else values", elseYield->getNumOperands(),
                         thenYield->getNumOperands())))
    return failure();
  SymbolSource symbols(getSymbols());
  for (auto [a, b] :
       llvm::zip_equal(thenYield->getOperands(), elseYield->getOperands())) {
    auto merged = mergeInfos(*this, getInfo(shapes, a, false),
                             getInfo(shapes, b, false), symbols);
    if (failed(merged))
      return failure();
    results.push_back(*merged);
  }
  return success();
}

/// Records the arguments of a loop's body: the iteration number, the condition,
/// and the carried values, whose changing dimensions are the loop's symbols.
static LogicalResult recordLoopArguments(LoopOp op, ShapeAnalysis &shapes,
                                         SymbolSource &symbols) {
  Block &body = op.getBody().front();
  int64_t carried = op.getInitial().size();
  if (failed(verifyCount(op, "body arguments", body.getNumArguments(),
                         carried + 2)))
    return failure();
  shapes.setShape(body.getArgument(0), {});
  shapes.setShape(body.getArgument(1), {});
  ArrayRef<int64_t> changing = op.getChanging().value_or(ArrayRef<int64_t>());
  int64_t number = 0;
  for (auto [argument, initial] :
       llvm::zip_equal(body.getArguments().drop_front(2), op.getInitial())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    SymShape shape = copyShape(shapes, initial);
    if (failed(verifyCount(op, "dimensions in a carried value", type.getRank(),
                           shape.size())))
      return failure();
    for (auto [dim, size] : llvm::enumerate(shape))
      if ((size.getConstant() && type.isDynamicDim(dim)) ||
          llvm::is_contained(changing, number + static_cast<int64_t>(dim))) {
        size = symbols.next();
        if (!size)
          return op.emitOpError() << "needs one symbol per changing dimension";
      }
    number += type.getRank();
    shapes.setShape(argument, shape);
  }
  return success();
}

LogicalResult LoopOp::inferResults(ShapeAnalysis &shapes,
                                   SmallVectorImpl<ResultInfo> &results) {
  SymbolSource symbols(getSymbols());
  if (failed(recordLoopArguments(*this, shapes, symbols)) ||
      failed(inferRegion(shapes, getBody())))
    return failure();
  Block &body = getBody().front();
  auto yielded = body.getTerminator()->getOperands();
  size_t carried = getInitial().size();
  if (yielded.size() < carried + 1)
    return emitOpError() << "yields " << yielded.size()
                         << " values, expected at least " << carried + 1;
  for (Value argument : body.getArguments().drop_front(2))
    results.push_back(getInfo(shapes, argument, false));
  SymExpr trips;
  for (Value scanned : yielded.drop_front(carried + 1)) {
    if (!trips)
      trips = symbols.next();
    if (!trips || !shapes.hasShape(scanned))
      return emitOpError() << "needs a symbol for the number of iterations";
    ResultInfo info = getInfo(shapes, scanned, false);
    info.shape.insert(info.shape.begin(), trips);
    results.push_back(info);
  }
  return success();
}

LogicalResult FusionOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError() << "has block arguments of other types than its "
                            "operands";
  if (block.getTerminator()->getOperandTypes() != getResultTypes())
    return emitOpError() << "yields other types than its results'";
  return success();
}

LogicalResult FusionOp::inferResults(ShapeAnalysis &shapes,
                                     SmallVectorImpl<ResultInfo> &results) {
  Block &block = getBody().front();
  for (auto [argument, input] :
       llvm::zip_equal(block.getArguments(), getInputs()))
    copyInfo(shapes, input, argument);
  if (failed(inferRegion(shapes, getBody())))
    return failure();
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(getInfo(shapes, value, true));
  return success();
}

//===----------------------------------------------------------------------===//
// Sequences and optionals
//===----------------------------------------------------------------------===//

LogicalResult
SequenceConstructOp::inferResults(ShapeAnalysis &,
                                  SmallVectorImpl<ResultInfo> &results) {
  results.emplace_back(SequenceType::get(getContext(), getElementType()));
  return success();
}

/// Fails unless `op` lists a shape, of `rank` sizes if that is known, for each
/// value.
static LogicalResult verifyShapes(SequencePackOp op,
                                  std::optional<size_t> rank) {
  Value shapes = op.getShapes();
  auto type =
      shapes ? cast<RankedTensorType>(shapes.getType()) : RankedTensorType();
  bool fits = type && type.getRank() == 2 &&
              type.getElementType().isInteger(64) &&
              (!rank || type.getDimSize(1) == static_cast<int64_t>(*rank));
  if (fits && cast<RankedTensorType>(op.getData().getType()).getRank() == 1)
    return success();
  return op.emitOpError()
         << "has values of different shapes, so data must have "
            "rank 1, and shapes a row of i64 for each value";
}

LogicalResult
SequencePackOp::inferResults(ShapeAnalysis &,
                             SmallVectorImpl<ResultInfo> &results) {
  SymShape dims = getDims() ? getExprs(*getDims()) : SymShape();
  bool isUniform = getDims() && llvm::none_of(dims, [](SymExpr size) {
                     return size.isUndefined();
                   });
  int64_t rank = cast<RankedTensorType>(getData().getType()).getRank();
  if (isUniform &&
      (getShapes() || rank != static_cast<int64_t>(dims.size()) + 1))
    return emitOpError() << "has values of one shape, so data must have rank "
                         << dims.size() + 1 << ", and there are no shapes";
  if (!isUniform &&
      failed(verifyShapes(*this, getDims() ? std::optional(dims.size())
                                           : std::nullopt)))
    return failure();
  results.emplace_back(getType());
  return success();
}

LogicalResult
OptionalMakeOp::inferResults(ShapeAnalysis &,
                             SmallVectorImpl<ResultInfo> &results) {
  results.emplace_back(OptionalType::get(getContext(), getElementType()));
  return success();
}
