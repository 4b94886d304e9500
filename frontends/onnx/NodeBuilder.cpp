//===- NodeBuilder.cpp - short ways to build lz operations ----------------===//

#include "frontends/onnx/NodeImporter.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace lz;

Type NodeImporter::getPlaceholder() {
  return RankedTensorType::get({}, getBuilder().getI1Type());
}

/// `message` of an operation, without the operation's name.
static StringRef dropOpName(StringRef message) {
  if (!message.consume_front("'lz."))
    return message;
  return message.split("' op ").second;
}

Value NodeImporter::infer(Operation *op) {
  std::string message;
  LogicalResult result = failure();
  {
    // The operation at fault is to be named as the model names it.
    ScopedDiagnosticHandler handler(getContext(), [&](Diagnostic &diagnostic) {
      message += diagnostic.str();
      return success();
    });
    result = getShapes().infer(op, /*setTypes=*/true);
  }
  if (succeeded(result))
    return op->getNumResults() ? op->getResult(0) : Value();
  error() << dropOpName(message);
  return {};
}

Value NodeImporter::unary(UnaryKind kind, Value input,
                          std::optional<double> alpha,
                          std::optional<double> beta) {
  FloatAttr none;
  return create<UnaryOp>(kind, input, alpha ? f64(*alpha) : none,
                         beta ? f64(*beta) : none);
}

Value NodeImporter::binary(BinaryKind kind, Value lhs, Value rhs) {
  return create<BinaryOp>(kind, lhs, rhs);
}

Value NodeImporter::compare(CompareKind kind, Value lhs, Value rhs) {
  return create<CompareOp>(kind, lhs, rhs);
}

Value NodeImporter::cast(Value input, Type to, bool saturate) {
  if (!hasFailed && getElement(input) == to)
    return input;
  return create<CastOp>(input, to, saturate);
}

Value NodeImporter::reshape(Value input, ArrayRef<SymExpr> sizes) {
  if (!hasFailed && llvm::equal(getShape(input), sizes))
    return input;
  return create<ReshapeOp>(input, exprs(sizes));
}

Value NodeImporter::expand(Value input, ArrayRef<SymExpr> sizes) {
  if (!hasFailed && llvm::equal(getShape(input), sizes))
    return input;
  return create<ExpandOp>(input, exprs(sizes));
}

Value NodeImporter::transpose(Value input, ArrayRef<int64_t> permutation) {
  return create<TransposeOp>(input, permutation);
}

Value NodeImporter::concat(ValueRange inputs, int64_t axis) {
  return create<ConcatOp>(inputs, axis);
}

Value NodeImporter::slice(Value input, ArrayRef<SymExpr> offsets,
                          ArrayRef<SymExpr> sizes, ArrayRef<SymExpr> strides) {
  return create<SliceOp>(input, exprs(offsets), exprs(sizes), exprs(strides));
}

Value NodeImporter::sliceAxis(Value input, int64_t axis, SymExpr offset,
                              SymExpr count) {
  if (hasFailed)
    return {};
  SymShape sizes = getShape(input);
  SymShape offsets(sizes.size(), size(0)), strides(sizes.size(), size(1));
  sizes[axis] = count;
  offsets[axis] = offset;
  return slice(input, offsets, sizes, strides);
}

Value NodeImporter::reduce(ReduceKind kind, Value input, ArrayRef<int64_t> axes,
                           bool keepDims) {
  return create<ReduceOp>(kind, input, axes, keepDims);
}

Value NodeImporter::matmul(Value lhs, Value rhs, bool transposeLhs,
                           bool transposeRhs) {
  return create<MatmulOp>(lhs, rhs, transposeLhs, transposeRhs);
}

Value NodeImporter::scalar(Type element, double value) {
  auto type = RankedTensorType::get({}, element);
  if (auto real = dyn_cast<FloatType>(element))
    return constant(DenseElementsAttr::get(type, FloatAttr::get(real, value)));
  auto integer = llvm::cast<IntegerType>(element);
  APInt bits(64, static_cast<int64_t>(value), /*isSigned=*/true);
  return constant(DenseElementsAttr::get(
      type, Attribute(IntegerAttr::get(integer,
                                       bits.sextOrTrunc(integer.getWidth())))));
}

Value NodeImporter::constant(ElementsAttr value) {
  if (hasFailed)
    return {};
  return infer(
      ConstantOp::create(getBuilder(), loc, value.getShapedType(), value));
}

Value NodeImporter::vector(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()),
                                    getBuilder().getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

Value NodeImporter::sizeTensor(ArrayRef<SymExpr> elements,
                               ArrayRef<int64_t> shape) {
  return create<SizesOp>(exprs(elements), shape);
}

void NodeImporter::forbid(Value flags, StringRef what) {
  Value count = cast(flags, getBuilder().getI64Type());
  count = reshape(reduce(ReduceKind::sum, count,
                         llvm::to_vector(llvm::seq<int64_t>(getRank(flags))),
                         /*keepDims=*/false),
                  size(1));
  if (hasFailed)
    return;
  // Their number is bound to a size that can only be 0.
  SymExpr none = importer.getSymbols().declare(what, 0, 0, "run");
  BindOp::create(getBuilder(), loc, count, exprs(none));
}
