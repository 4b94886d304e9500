//===- ElementEmitter.cpp - one element of a value ------------------------===//

#include "passes/codegen/cpu/ElementEmitter.h"

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

ElementRules::ElementRules() {
  addUnaryRules(*this);
  addPointwiseRules(*this);
  addCastRules(*this);
  addShapeRules(*this);
  addBorderRules(*this);
  addResizeRules(*this);
  addIndexRules(*this);
  addReductionRules(*this);
  addPoolRules(*this);
  addNormRules(*this);
  addQuantRules(*this);
}

const ElementRule *ElementRules::find(Operation *op) const {
  auto found = rules.find(op->getName().getTypeID());
  return found == rules.end() ? nullptr : &found->second;
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

static bool isSame(const Index &a, const Index &b) {
  return a.position == b.position && (a.position || a.dims == b.dims);
}

Value *ElementEmitter::findKnown(Value tensor, const Index &index) {
  for (auto &[other, scalar] : known[tensor])
    if (isSame(index, other) && kb.isVisible(scalar))
      return &scalar;
  return nullptr;
}

/// True if something sees of what kind the elements of `tensor` are: a
/// comparison or conversion must not find digits, or values beyond the range,
/// that a narrow float does not have.
static bool mustBeRounded(Value tensor) {
  Type type = getElementTypeOrSelf(tensor);
  if (!isa<FloatType>(type) || getComputeType(type) == type ||
      isa<BlockArgument>(tensor) || tensor.getDefiningOp<CastOp>())
    return false;
  return llvm::any_of(tensor.getUsers(), [&](Operation *user) {
    return llvm::any_of(user->getResultTypes(), [&](Type result) {
      return getElementTypeOrSelf(result) != type;
    });
  });
}

Value ElementEmitter::define(Value tensor, const Index &index, Value scalar) {
  Type type = getElementTypeOrSelf(tensor);
  if (mustBeRounded(tensor))
    scalar = emitCast(kb, scalar, getComputeType(type), type,
                      /*saturate=*/false);
  known[tensor].push_back({index, scalar});
  return scalar;
}

SmallVector<Value>
ElementEmitter::getShared(Operation *op, ArrayRef<Value> key,
                          function_ref<SmallVector<Value>()> compute) {
  for (auto &[other, scalars] : shared[op])
    if (ArrayRef<Value>(other) == key &&
        llvm::all_of(scalars, [&](Value v) { return kb.isVisible(v); }))
      return scalars;
  SmallVector<Value> scalars = compute();
  shared[op].push_back({SmallVector<Value>(key), scalars});
  return scalars;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

SmallVector<Value> ElementEmitter::getDims(Value tensor, const Index &index) {
  if (index.position)
    return kb.delinearize(index.position, getShape(tensor));
  return SmallVector<Value>(index.dims);
}

Value ElementEmitter::getPosition(Value tensor, const Index &index) {
  return index.position ? index.position
                        : kb.linearize(index.dims, getShape(tensor));
}

SmallVector<Value> ElementEmitter::broadcast(Value operand,
                                             ArrayRef<Value> dims,
                                             ArrayRef<SymExpr> shape) {
  ArrayRef<SymExpr> own = getShape(operand);
  SmallVector<Value> indices;
  size_t skipped = shape.size() - own.size();
  for (auto [dim, size] : llvm::enumerate(own)) {
    Value index = dims[skipped + dim];
    if (size.isConstant(1)) {
      index = kb.getIndex(0);
    } else if (size != shape[skipped + dim]) { // 1, or the result's
      Value isOne = kb.compare(arith::CmpIPredicate::eq, kb.getSize(size),
                               kb.getIndex(1));
      index = kb.select(isOne, kb.getIndex(0), index);
    }
    indices.push_back(index);
  }
  return indices;
}

static bool isOneElement(ArrayRef<SymExpr> shape) {
  return llvm::all_of(shape, [](SymExpr size) { return size.isConstant(1); });
}

Value ElementEmitter::emitBroadcast(Value operand, Value result,
                                    const Index &index) {
  ArrayRef<SymExpr> shape = getShape(result), own = getShape(operand);
  if (own == shape)
    return emit(operand, index);
  if (isOneElement(own))
    return emit(operand, SmallVector<Value>(own.size(), kb.getIndex(0)));
  return emit(operand, broadcast(operand, getDims(result, index), shape));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value ElementEmitter::emit(Value tensor, const Index &index) {
  if (Value *scalar = findKnown(tensor, index))
    return *scalar;
  return define(tensor, index, emitNew(tensor, index));
}

Value ElementEmitter::emitNew(Value tensor, const Index &index) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return kb.load(kb.getOperand(argument.getArgNumber()),
                   getPosition(tensor, index));
  auto result = cast<OpResult>(tensor);
  Operation *op = result.getOwner();
  Location outer = kb.getLoc();
  kb.setLoc(op->getLoc());
  Value scalar;
  if (const ElementRule *rule = rules.find(op)) {
    scalar = (*rule)(*this, result, index);
  } else {
    kb.fail(op, "cannot be computed inside a fused CPU kernel");
    scalar = kb.getScalar(getComputeType(getElementTypeOrSelf(tensor)), 0);
  }
  kb.setLoc(outer);
  return scalar;
}

bool lz::isFlat(const KernelInfo &kernel, Value tensor) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> worklist{tensor};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<ConstantOp, SizesOp>(op))
      continue;
    if (isa<ReshapeOp>(op)) {
      worklist.push_back(op->getOperand(0));
      continue;
    }
    if (!isa<UnaryOp, BinaryOp, CompareOp, SelectOp, CastOp>(op))
      return false;
    for (Value operand : op->getOperands()) {
      ArrayRef<SymExpr> own = kernel.getShape(operand);
      if (!isOneElement(own) && own != kernel.getShape(value))
        return false;
      worklist.push_back(operand);
    }
  }
  return true;
}
