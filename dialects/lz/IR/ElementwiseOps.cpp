//===- ElementwiseOps.cpp - rules and folds of elementwise ops ------------===//

#include "dialects/lz/IR/Rules.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

#define GET_OP_CLASSES
#include "dialects/lz/IR/ElementwiseOps.cpp.inc"

namespace lz {
void registerElementwiseOps(LzDialect *dialect) {
  RegisteredOperationName::insert<UnaryOp>(*dialect);
  RegisteredOperationName::insert<BinaryOp>(*dialect);
  RegisteredOperationName::insert<CompareOp>(*dialect);
  RegisteredOperationName::insert<SelectOp>(*dialect);
  RegisteredOperationName::insert<CastOp>(*dialect);
  RegisteredOperationName::insert<BitcastOp>(*dialect);
  RegisteredOperationName::insert<PackOp>(*dialect);
}
} // namespace lz

//===----------------------------------------------------------------------===//
// Contents: elementwise arithmetic on expressions
//===----------------------------------------------------------------------===//

/// The element of `contents`, whose shape is constant, that position `index` of
/// the constant shape `result` reads under broadcasting.
static SymExpr getBroadcastElement(ArrayRef<SymExpr> contents,
                                   ArrayRef<SymExpr> shape,
                                   ArrayRef<SymExpr> result, int64_t index) {
  int64_t position = 0, stride = 1;
  for (auto [offset, size] : llvm::enumerate(llvm::reverse(result))) {
    int64_t coordinate = index % *size.getConstant();
    index /= *size.getConstant();
    if (offset >= shape.size())
      continue;
    int64_t own = *shape[shape.size() - 1 - offset].getConstant();
    position += own == 1 ? 0 : coordinate * stride;
    stride *= own;
  }
  return contents[position];
}

/// Applies `function` to the operands' contents, if all are known.
static std::optional<SymShape>
mapContents(ShapeAnalysis &shapes, ValueRange operands,
            ArrayRef<SymExpr> result,
            function_ref<SymExpr(ArrayRef<SymExpr>)> function) {
  std::optional<int64_t> count =
      getProduct(shapes.getContext(), result).getConstant();
  if (!count || *count < 0 || *count > ShapeAnalysis::kMaxContents)
    return std::nullopt;
  SymShape mapped;
  for (int64_t i = 0; i != *count; ++i) {
    SmallVector<SymExpr> elements;
    for (Value operand : operands) {
      auto contents = shapes.getContents(operand);
      if (!contents)
        return std::nullopt;
      elements.push_back(
          getBroadcastElement(*contents, shapes.getShape(operand), result, i));
    }
    SymExpr value = function(elements);
    if (!value)
      return std::nullopt;
    mapped.push_back(value);
  }
  return mapped;
}

/// Integer division that truncates, where rounding down is the same.
static SymExpr divide(SymExpr a, SymExpr b) {
  std::optional<int64_t> x = a.getConstant(), y = b.getConstant();
  if (x && y)
    return *y == 0 || (*y == -1 && *x == INT64_MIN)
               ? SymExpr()
               : SymExpr::constant(a.getContext(), *x / *y);
  return a.isAtLeast(0) && b.isAtLeast(1) ? a.floorDiv(b) : SymExpr();
}

/// A logical operation on known truths.
static SymExpr applyLogical(BinaryKind kind, SymExpr a, SymExpr b) {
  std::optional<int64_t> x = a.getConstant(), y = b.getConstant();
  if (!x || !y)
    return {};
  bool truth = kind == BinaryKind::logical_and  ? *x && *y
               : kind == BinaryKind::logical_or ? *x || *y
                                                : !*x != !*y;
  return SymExpr::constant(a.getContext(), truth);
}

static SymExpr applyBinary(BinaryKind kind, bool isFloat, SymExpr a,
                           SymExpr b) {
  switch (kind) {
  case BinaryKind::add:
    return a + b;
  case BinaryKind::sub:
    return a - b;
  case BinaryKind::mul:
    return a * b;
  case BinaryKind::div:
    return isFloat ? SymExpr() : divide(a, b);
  case BinaryKind::mod:
    return !isFloat && b.isAtLeast(1) ? a.mod(b) : SymExpr();
  case BinaryKind::max:
    return a.max(b);
  case BinaryKind::min:
    return a.min(b);
  case BinaryKind::logical_and:
  case BinaryKind::logical_or:
  case BinaryKind::logical_xor:
    return applyLogical(kind, a, b);
  default:
    return {};
  }
}

static SymExpr applyUnary(UnaryKind kind, SymExpr a) {
  switch (kind) {
  case UnaryKind::identity:
  case UnaryKind::floor:
  case UnaryKind::ceil:
  case UnaryKind::round:
    return a;
  case UnaryKind::neg:
    return a * -1;
  case UnaryKind::abs:
  case UnaryKind::relu:
    return a.isAtLeast(0) ? a : SymExpr();
  case UnaryKind::logical_not:
    return a.getConstant()
               ? SymExpr::constant(a.getContext(), !*a.getConstant())
               : SymExpr();
  default:
    return {};
  }
}

/// The truth of `a <kind> b`, if it is decided.
static std::optional<bool> applyCompare(CompareKind kind, SymExpr a,
                                        SymExpr b) {
  SymExpr difference = a - b;
  bool notLess = difference.isAtLeast(0), greater = difference.isAtLeast(1);
  SymExpr opposite = b - a;
  bool notGreater = opposite.isAtLeast(0), less = opposite.isAtLeast(1);
  auto decide = [](bool yes, bool no) -> std::optional<bool> {
    return yes ? std::optional(true) : no ? std::optional(false) : std::nullopt;
  };
  switch (kind) {
  case CompareKind::eq:
    return decide(notLess && notGreater, greater || less);
  case CompareKind::ne:
    return decide(greater || less, notLess && notGreater);
  case CompareKind::lt:
    return decide(less, notLess);
  case CompareKind::le:
    return decide(notGreater, greater);
  case CompareKind::gt:
    return decide(greater, notGreater);
  case CompareKind::ge:
    return decide(notLess, less);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult UnaryOp::inferResults(ShapeAnalysis &shapes,
                                    SmallVectorImpl<ResultInfo> &results) {
  Type type = getElementType(getInput());
  bool test = getKind() == UnaryKind::is_nan || getKind() == UnaryKind::is_inf;
  SymShape shape = copyShape(shapes, getInput());
  auto contents =
      mapContents(shapes, getInput(), shape, [&](ArrayRef<SymExpr> elements) {
        return applyUnary(getKind(), elements[0]);
      });
  results.emplace_back(test ? IntegerType::get(getContext(), 1) : type, shape,
                       contents);
  return success();
}

LogicalResult BinaryOp::inferResults(ShapeAnalysis &shapes,
                                     SmallVectorImpl<ResultInfo> &results) {
  if (getKind() != BinaryKind::pow &&
      failed(verifySameElementType(*this, getLhs(), getRhs())))
    return failure();
  auto shape = shapes.broadcast(
      *this, {shapes.getShape(getLhs()), shapes.getShape(getRhs())});
  if (failed(shape))
    return failure();
  Type type = getElementType(getLhs());
  auto contents = mapContents(
      shapes, getOperands(), *shape, [&](ArrayRef<SymExpr> elements) {
        return applyBinary(getKind(), isa<FloatType>(type), elements[0],
                           elements[1]);
      });
  results.emplace_back(type, *shape, contents);
  return success();
}

LogicalResult CompareOp::inferResults(ShapeAnalysis &shapes,
                                      SmallVectorImpl<ResultInfo> &results) {
  if (failed(verifySameElementType(*this, getLhs(), getRhs())))
    return failure();
  auto shape = shapes.broadcast(
      *this, {shapes.getShape(getLhs()), shapes.getShape(getRhs())});
  if (failed(shape))
    return failure();
  auto contents = mapContents(
      shapes, getOperands(), *shape, [&](ArrayRef<SymExpr> elements) {
        auto truth = applyCompare(getKind(), elements[0], elements[1]);
        return truth ? shapes.constant(*truth) : SymExpr();
      });
  results.emplace_back(IntegerType::get(getContext(), 1), *shape, contents);
  return success();
}

LogicalResult SelectOp::inferResults(ShapeAnalysis &shapes,
                                     SmallVectorImpl<ResultInfo> &results) {
  if (failed(verifySameElementType(*this, getOnTrue(), getOnFalse())))
    return failure();
  auto shape = shapes.broadcast(*this, {shapes.getShape(getCondition()),
                                        shapes.getShape(getOnTrue()),
                                        shapes.getShape(getOnFalse())});
  if (failed(shape))
    return failure();
  auto contents = mapContents(
      shapes, getOperands(), *shape, [](ArrayRef<SymExpr> elements) {
        std::optional<int64_t> truth = elements[0].getConstant();
        return !truth ? SymExpr() : *truth ? elements[1] : elements[2];
      });
  results.emplace_back(getElementType(getOnTrue()), *shape, contents);
  return success();
}

LogicalResult CastOp::inferResults(ShapeAnalysis &shapes,
                                   SmallVectorImpl<ResultInfo> &results) {
  SymShape shape = copyShape(shapes, getInput());
  auto contents =
      mapContents(shapes, getInput(), shape, [&](ArrayRef<SymExpr> elements) {
        return canHoldExactly(getTo(), elements[0]) ? elements[0] : SymExpr();
      });
  results.emplace_back(getTo(), shape, contents);
  return success();
}

LogicalResult BitcastOp::inferResults(ShapeAnalysis &shapes,
                                      SmallVectorImpl<ResultInfo> &results) {
  Type from = getElementType(getInput());
  if (!from.isIntOrFloat() || !getTo().isIntOrFloat() ||
      getStoredBits(from) != getStoredBits(getTo()))
    return emitOpError() << "reads " << from << " as " << getTo()
                         << ", which needs types of one number of bits";
  results.emplace_back(getTo(), copyShape(shapes, getInput()));
  return success();
}

LogicalResult PackOp::inferResults(ShapeAnalysis &shapes,
                                   SmallVectorImpl<ResultInfo> &results) {
  bool isNarrow = sharesBytes(getTo()) && 8 % getStoredBits(getTo()) == 0;
  if (!getElementType(getInput()).isInteger(8) || !isNarrow)
    return emitOpError() << "packs " << getElementType(getInput()) << " into "
                         << getTo()
                         << ", which needs bytes and a type of 2 or 4 bits";
  results.emplace_back(getTo(), copyShape(shapes, getInput()));
  return success();
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

OpFoldResult UnaryOp::fold(FoldAdaptor) {
  if (getKind() == UnaryKind::identity && getInput().getType() == getType())
    return getInput();
  return {};
}

/// True if every element of `attr` is the number `value`.
static bool isSplatOf(Attribute attr, double value) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attr);
  if (!elements || !elements.isSplat())
    return false;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().convertToDouble() == value;
  if (auto type = dyn_cast<IntegerType>(elements.getElementType()))
    return elements.getSplatValue<APInt>().getSExtValue() == value &&
           type.getWidth() > 1;
  return false;
}

OpFoldResult BinaryOp::fold(FoldAdaptor adaptor) {
  if (getLhs().getType() != getType())
    return {};
  bool neutral = false;
  // x + 0 is not here: it turns -0 into 0.
  if (getKind() == BinaryKind::mul || getKind() == BinaryKind::div)
    neutral = isSplatOf(adaptor.getRhs(), 1);
  if (getKind() == BinaryKind::sub)
    neutral = isSplatOf(adaptor.getRhs(), 0);
  return neutral ? getLhs() : OpFoldResult();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}
