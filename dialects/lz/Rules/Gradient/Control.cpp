//===- Control.cpp - gradient of lz.if ------------------------------------===//
//
// The gradient of an lz.if is an lz.if on the same condition. Each branch first
// computes again what the original branch did, since values inside a region
// can't be seen from outside, then goes through it backwards, and yields the
// gradient of every float that either branch captures: zeros for one that it
// doesn't depend on.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Rules/Gradient/Gradients.h"
#include "dialects/lz/Rules/Gradient/Reverse.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

/// Copies the operations of `branch` to the builder's insertion point, sizes
/// and all, and appends the copies. Run-time symbols that they bind get the
/// values that they had.
static LogicalResult copyBranch(RuleBuilder &b, Block &branch,
                                IRMapping &mapping,
                                SmallVectorImpl<Operation *> &copies) {
  for (Operation &op : branch.without_terminator()) {
    copies.push_back(b.getBuilder().clone(op, mapping));
    if (failed(b.getShapes().infer(copies.back(), /*setTypes=*/false)))
      return failure();
  }
  return success();
}

/// The gradients in one branch of `captured`; null for those it doesn't depend
/// on. `results` are the gradients of what it yields.
static LogicalResult reverseBranch(RuleBuilder &b, Block &branch,
                                   ArrayRef<Value> captured,
                                   ArrayRef<Value> results, Values &built) {
  IRMapping mapping;
  SmallVector<Operation *> copies;
  if (failed(copyBranch(b, branch, mapping, copies)))
    return failure();
  GradientMap gradients;
  for (auto [value, gradient] :
       llvm::zip_equal(branch.getTerminator()->getOperands(), results)) {
    if (!gradient || !isDifferentiable(value))
      continue;
    Value yielded = mapping.lookupOrDefault(value);
    SymShape shape(b.getShapes().getShape(yielded));
    Value seed = b.reshape(gradient, shape);
    if (!seed || failed(gradients.add(b, yielded, seed)))
      return failure();
  }
  if (failed(buildReverse(b, copies, captured, gradients)))
    return failure();
  for (Value value : captured)
    built.push_back(gradients.get(value));
  return success();
}

/// Fills a branch of the gradient but for its end.
static FailureOr<SmallVector<Value>>
buildBranch(RuleBuilder &b, Region &original, Region &branch,
            ArrayRef<Value> captured, ArrayRef<Value> results) {
  OpBuilder::InsertionGuard guard(b.getBuilder());
  b.getBuilder().setInsertionPointToEnd(&branch.front());
  SmallVector<Value> built;
  if (failed(reverseBranch(b, original.front(), captured, results, built)))
    return failure();
  return built;
}

/// Ends a branch: yields the gradients of those of `captured` that `kept` says.
static LogicalResult yieldGradients(RuleBuilder &b, Region &branch,
                                    ArrayRef<Value> captured,
                                    ArrayRef<Value> gradients,
                                    ArrayRef<bool> kept) {
  OpBuilder::InsertionGuard guard(b.getBuilder());
  b.getBuilder().setInsertionPointToEnd(&branch.front());
  SmallVector<Value> yielded;
  for (auto [value, gradient, keep] :
       llvm::zip_equal(captured, gradients, kept))
    if (keep)
      yielded.push_back(gradient ? gradient : b.zerosLike(value));
  if (llvm::is_contained(yielded, Value()))
    return failure();
  YieldOp::create(b.getBuilder(), b.getLoc(), yielded);
  return success();
}

/// The floats that the branches capture, each once.
static SmallVector<Value> getCapturedFloats(IfOp op) {
  auto sources = getSources(op);
  return llvm::to_vector(llvm::make_filter_range(
      ArrayRef(sources).drop_front(op->getNumOperands()), isDifferentiable));
}

/// Builds the gradient's lz.if. `found` gets the gradient of each captured
/// value that has one. These have the shapes of values from outside, so that no
/// size differs between the branches.
static LogicalResult buildGradientIf(IfOp op, RuleBuilder &b,
                                     ArrayRef<Value> results,
                                     DenseMap<Value, Value> &found) {
  SmallVector<Value> captured = getCapturedFloats(op);
  IfOp begun = b.beginIf(op.getCondition(), b.getBuilder().getArrayAttr({}));
  Region &onTrue = begun.getThenRegion(), &onFalse = begun.getElseRegion();
  auto first = buildBranch(b, op.getThenRegion(), onTrue, captured, results);
  if (failed(first))
    return failure();
  auto second = buildBranch(b, op.getElseRegion(), onFalse, captured, results);
  if (failed(second))
    return failure();
  SmallVector<bool> kept;
  for (auto [a, c] : llvm::zip_equal(*first, *second))
    kept.push_back(a || c);
  if (failed(yieldGradients(b, onTrue, captured, *first, kept)) ||
      failed(yieldGradients(b, onFalse, captured, *second, kept)))
    return failure();
  FailureOr<IfOp> ended = b.endIf(begun);
  if (failed(ended))
    return failure();
  unsigned next = 0;
  for (auto [value, keep] : llvm::zip_equal(captured, kept))
    if (keep)
      found[value] = ended->getResult(next++);
  return success();
}

static LogicalResult buildIfGradients(IfOp op, RuleBuilder &b,
                                      ArrayRef<Value> results,
                                      Values &gradients) {
  DenseMap<Value, Value> found;
  if (failed(buildGradientIf(op, b, results, found)))
    return failure();
  gradients.append(op->getNumOperands(), Value());
  auto sources = getSources(op);
  for (Value source : ArrayRef(sources).drop_front(op->getNumOperands()))
    gradients.push_back(found.lookup(source));
  return success();
}

void lz::attachControlGradients(MLIRContext &context) {
  attachGradient<IfOp, buildIfGradients>(context);
}
