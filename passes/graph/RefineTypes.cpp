//===- RefineTypes.cpp - static sizes and contents ------------------------===//
//
// What ShapeAnalysis knows and types can say is written into them, and integer
// tensors whose elements it knows are made from these, not computed. After it,
// the chains of Shape, Gather, Concat and so on that exporters leave are dead.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/graph/Passes.h"

namespace lz {
#define GEN_PASS_DEF_REFINETYPESPASS
#include "passes/graph/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

/// The type of `value` with the sizes that `shapes` knows; null if it has none.
static RankedTensorType getRefinedType(const ShapeAnalysis &shapes,
                                       Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !shapes.hasShape(value))
    return {};
  SmallVector<int64_t> sizes(type.getShape());
  for (auto [size, expr] : llvm::zip_equal(sizes, shapes.getShape(value)))
    if (size == ShapedType::kDynamic)
      size = expr.getConstant().value_or(size);
  return type.clone(sizes);
}

/// Sets the types of the results of `function`'s operations and of its own
/// arguments. A loop's arguments keep theirs: what is dynamic there changes.
static void refineValues(func::FuncOp function, const ShapeAnalysis &shapes) {
  auto refine = [&](Value value) {
    if (RankedTensorType type = getRefinedType(shapes, value))
      value.setType(type);
  };
  llvm::for_each(function.getArguments(), refine);
  function.walk([&](Operation *op) {
    if (op != function)
      llvm::for_each(op->getResults(), refine);
  });
}

/// Makes the function's type agree with its body.
static void refineSignature(func::FuncOp function) {
  Block &body = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}

/// `contents` as a dense attribute, if all are constants.
static DenseElementsAttr getConstantContents(RankedTensorType type,
                                             ArrayRef<SymExpr> contents) {
  auto elementType = cast<IntegerType>(type.getElementType());
  SmallVector<APInt> values;
  for (SymExpr element : contents) {
    std::optional<int64_t> value = element.getConstant();
    if (!value)
      return {};
    values.emplace_back(elementType.getWidth(), *value, /*isSigned=*/true,
                        /*implicitTrunc=*/true);
  }
  return DenseElementsAttr::get(type, values);
}

/// An operation that makes `value` from its known elements; null if they are
/// not known or it is one already.
static Value createFromContents(OpBuilder &builder, const ShapeAnalysis &shapes,
                                Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto contents = shapes.getContents(value);
  if (!type || !contents || !type.getElementType().isInteger() ||
      !type.hasStaticShape() ||
      static_cast<int64_t>(contents->size()) != type.getNumElements())
    return {};
  if (DenseElementsAttr constant = getConstantContents(type, *contents))
    return ConstantOp::create(builder, value.getLoc(), type, constant);
  if (value.getDefiningOp<SizesOp>() || !type.getElementType().isInteger(64))
    return {};
  return SizesOp::create(builder, value.getLoc(), type,
                         getExprArray(builder.getContext(), *contents),
                         type.getShape());
}

/// Replaces what is known to the last element by these elements.
static void replaceKnownContents(func::FuncOp function,
                                 const ShapeAnalysis &shapes) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (op != function && !isa<ConstantOp>(op) && isMemoryEffectFree(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    for (OpResult result : op->getResults()) {
      OpBuilder builder(op);
      if (result.use_empty())
        continue;
      if (Value known = createFromContents(builder, shapes, result))
        result.replaceAllUsesWith(known);
    }
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

namespace {

struct RefineTypesPass : lz::impl::RefineTypesPassBase<RefineTypesPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    ShapeAnalysis shapes(&getContext());
    if (function.isExternal() || failed(shapes.run(function)))
      return function.isExternal() ? void() : signalPassFailure();
    refineValues(function, shapes);
    replaceKnownContents(function, shapes);
    refineSignature(function);
  }
};

} // namespace
