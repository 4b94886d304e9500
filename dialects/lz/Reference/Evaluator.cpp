//===- Evaluator.cpp - runs lz functions by the plainest loops ------------===//

#include "dialects/lz/Reference/Evaluator.h"

#include "dialects/lz/IR/LzDialect.h"
#include "dialects/lz/Reference/Evaluation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

void lz::registerReferenceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LzDialect *) {
    attachUnaryModels(*context);
    attachElementwiseModels(*context);
    attachCastModels(*context);
    attachShapeModels(*context);
    attachContractionModels(*context);
    attachReductionModels(*context);
    attachNormalizationModels(*context);
    attachPoolModels(*context);
    attachResizeModels(*context);
    attachIndexModels(*context);
    attachSelectionModels(*context);
    attachRoiAlignModels(*context);
    attachLinearModels(*context);
    attachRecurrentModels(*context);
    attachQuantModels(*context);
    attachControlModels(*context);
  });
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

std::optional<int64_t> Evaluator::tryGetSize(SymExpr expr) const {
  return expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
    auto found = symbols.find(name);
    if (found == symbols.end())
      return std::nullopt;
    return found->second;
  });
}

FailureOr<int64_t> Evaluator::getSize(Operation *op, SymExpr expr) {
  std::optional<int64_t> value = tryGetSize(expr);
  if (!value)
    return op->emitOpError()
           << "size '" << expr.str()
           << "' has no value: a symbol is not bound or it overflows";
  return *value;
}

FailureOr<SmallVector<int64_t>> Evaluator::getSizes(Operation *op,
                                                    ArrayAttr exprs) {
  SmallVector<int64_t> sizes;
  for (SymExpr expr : getExprs(exprs)) {
    FailureOr<int64_t> size = getSize(op, expr);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  return sizes;
}

/// The declaration of symbol `name` on the function around `op`, if any.
static SymbolAttr findDeclaration(Operation *op, StringRef name) {
  Operation *function = isa<FunctionOpInterface>(op)
                            ? op
                            : op->getParentOfType<FunctionOpInterface>();
  auto declared =
      function ? function->getAttrOfType<ArrayAttr>(LzDialect::kSymbolsAttr)
               : ArrayAttr();
  if (declared)
    for (auto symbol : declared.getAsRange<SymbolAttr>())
      if (symbol.getName() == name)
        return symbol;
  return {};
}

LogicalResult Evaluator::bindChecked(Operation *op, SymExpr symbol,
                                     int64_t value) {
  StringRef name = symbol.getName();
  SymbolAttr declared = findDeclaration(op, name);
  if (declared && (value < declared.getMin() || value > declared.getMax()))
    return op->emitOpError()
           << "size '" << name << "' is " << value << ", outside its range "
           << declared.getMin() << ".." << declared.getMax();
  bindSymbol(name, value);
  return success();
}

/// Binds the plain symbols among `exprs` and checks the other expressions.
LogicalResult Evaluator::matchSizes(Operation *op, ArrayAttr exprs,
                                    ArrayRef<int64_t> sizes, StringRef what) {
  if (exprs.size() != sizes.size())
    return op->emitOpError() << what << " has " << sizes.size()
                             << " sizes, expected " << exprs.size();
  for (auto [expr, size] : llvm::zip_equal(getExprs(exprs), sizes)) {
    bool fresh = expr.getKind() == SymExpr::Symbol && !tryGetSize(expr);
    if (fresh && failed(bindChecked(op, expr, size)))
      return failure();
    std::optional<int64_t> expected = tryGetSize(expr);
    if (expected && *expected != size)
      return op->emitOpError() << what << " gives " << expr.str() << " = "
                               << size << ", expected " << *expected;
  }
  return success();
}

FailureOr<const ShapeAnalysis *> Evaluator::getShapes(Operation *op) {
  if (shapes)
    return shapes.get();
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto analysis = std::make_unique<ShapeAnalysis>(op->getContext());
  if (!function || failed(analysis->run(function)))
    return failure();
  shapes = std::move(analysis);
  return shapes.get();
}

LogicalResult Evaluator::bindSizes(Operation *op, ArrayAttr names,
                                   ValueRange bound, ArrayRef<RefValue> given) {
  if (names.empty())
    return success();
  FailureOr<const ShapeAnalysis *> analysis = getShapes(op);
  if (failed(analysis))
    return failure();
  for (auto [value, reference] : llvm::zip_equal(bound, given)) {
    if (!(*analysis)->hasShape(value))
      continue;
    ArrayRef<SymExpr> exprs = (*analysis)->getShape(value);
    for (auto [expr, size] :
         llvm::zip_equal(exprs, reference.getTensor().getShape()))
      if (llvm::is_contained(names, expr.getAttr()) &&
          failed(bindChecked(op, expr, size)))
        return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Functions, regions, operations
//===----------------------------------------------------------------------===//

/// Fails with an error on `op` unless `value` is of type `type`.
static LogicalResult verifyType(Operation *op, const RefValue &value, Type type,
                                const Twine &what) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    bool fits =
        value.getKind() == (isa<SequenceType>(type) ? RefValue::Kind::Sequence
                                                    : RefValue::Kind::Optional);
    return fits ? success()
                : op->emitOpError() << what << " is not of type " << type;
  }
  if (value.getKind() != RefValue::Kind::Tensor)
    return op->emitOpError()
           << what << " is not a tensor, but " << type << " is expected";
  RankedTensorType actual = value.getTensor().getType();
  if (actual.getElementType() == tensor.getElementType() &&
      succeeded(verifyCompatibleShape(actual, tensor)))
    return success();
  return op->emitOpError() << what << " has type " << actual << ", but " << type
                           << " is expected";
}

/// The elements of an integer tensor, as sizes.
static SmallVector<int64_t> getElements(const RefTensor &tensor) {
  return llvm::to_vector(ArrayRef<int64_t>(tensor.getInts()));
}

LogicalResult Evaluator::bindArguments(FunctionOpInterface function,
                                       ArrayRef<RefValue> inputs) {
  if (inputs.size() != function.getNumArguments())
    return function->emitOpError()
           << "takes " << function.getNumArguments() << " inputs, but "
           << inputs.size() << " were given";
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs)) {
    unsigned index = argument.getArgNumber();
    std::string what = "input " + std::to_string(index);
    if (failed(verifyType(function, input, argument.getType(), what)))
      return failure();
    values[argument] = input;
    auto dims = function.getArgAttrOfType<ArrayAttr>(index, "lz.dims");
    if (dims &&
        failed(matchSizes(function, dims, input.getTensor().getShape(), what)))
      return failure();
    auto elements = function.getArgAttrOfType<ArrayAttr>(index, "lz.elements");
    if (elements && failed(matchSizes(function, elements,
                                      getElements(input.getTensor()), what)))
      return failure();
  }
  return success();
}

LogicalResult Evaluator::run(FunctionOpInterface function,
                             ArrayRef<RefValue> inputs,
                             SmallVectorImpl<RefValue> &results,
                             std::optional<Observer> watcher) {
  symbols.clear();
  values.clear();
  shapes.reset();
  observer = watcher;
  if (function.isExternal())
    return function->emitOpError() << "has no body to evaluate";
  // Twice: an expression may come before the symbols in it are bound.
  if (failed(bindArguments(function, inputs)) ||
      failed(bindArguments(function, inputs)))
    return failure();
  return evaluateRegion(function.getFunctionBody(), inputs, results);
}

LogicalResult Evaluator::evaluateRegion(Region &region,
                                        ArrayRef<RefValue> arguments,
                                        SmallVectorImpl<RefValue> &results) {
  Block &block = region.front();
  if (block.getNumArguments() != arguments.size())
    return region.getParentOp()->emitOpError()
           << "has a region of " << block.getNumArguments()
           << " arguments, but " << arguments.size() << " were given";
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = value;
  for (Operation &op : block) {
    SmallVector<RefValue> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      results.append(operands.begin(), operands.end());
      return success();
    }
    SmallVector<RefValue> given;
    if (failed(evaluate(&op, operands, given)))
      return failure();
    for (auto [result, value] : llvm::zip_equal(op.getResults(), given))
      values[result] = value;
  }
  return region.getParentOp()->emitOpError() << "has a region without an end";
}

LogicalResult Evaluator::evaluate(Operation *op, ArrayRef<RefValue> operands,
                                  SmallVectorImpl<RefValue> &results) {
  auto reference = dyn_cast<ReferenceOpInterface>(op);
  if (!reference)
    return op->emitOpError() << "has no reference evaluation";
  if (failed(reference.evaluate(*this, operands, results)))
    return failure();
  if (results.size() != op->getNumResults())
    return op->emitOpError() << "was evaluated to " << results.size()
                             << " results, expected " << op->getNumResults();
  for (auto [index, result] : llvm::enumerate(results))
    if (failed(verifyType(op, result, op->getResult(index).getType(),
                          "reference result " + Twine(index))))
      return failure();
  return observer ? (*observer)(op, results) : success();
}
