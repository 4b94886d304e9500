//===- OpaqueRules.cpp - calls of the index kernels -----------------------===//

#include "passes/codegen/cpu/OpaqueCall.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// TopK
//===----------------------------------------------------------------------===//

static SymExpr getK(TopKOp op) { return getExprs(op.getK()).front(); }

static OpaquePlan planTopK(const KernelInfo &kernel, Operation *op) {
  auto top = cast<TopKOp>(op);
  AxisSizes sizes(kernel, top.getInput(), top.getAxis());
  return {sizes.outer * sizes.inner, sizes.n * 8 + getK(top) * 32,
          getK(top) * 8};
}

static void emitTopK(OpaqueCall &call, Operation *op) {
  auto top = cast<TopKOp>(op);
  if (getIndexBytes(top.getIndices()) != 8)
    return call.kb.fail(op, "must give indices of type i64");
  AxisSizes sizes(call.e.kernel, top.getInput(), top.getAxis());
  call.addOperand(top.getInput());
  call.addResult(top.getValues());
  call.addResult(top.getIndices());
  call.addScratch();
  call.addSize(sizes.n);
  call.addSize(sizes.inner);
  call.addSize(getK(top));
  call.addNumber(top.getLargest());
  call.addRange();
  call.emit("top_k", top.getInput());
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// One iteration: updates follow each other.
static OpaquePlan planScatter(const KernelInfo &kernel, Operation *op) {
  Value input = op->getOperand(0), updates = op->getOperand(2);
  auto slots = static_cast<int64_t>(2 * kernel.getShape(input).size());
  return {kernel.constant(1),
          kernel.getNumElements(input) + kernel.getNumElements(updates) * 8,
          kernel.constant(8 * slots)};
}

/// For booleans a sum is "or", as the largest is.
static int64_t getScatterKind(ScatterKind kind, Value tensor) {
  bool isBool = getElementTypeOrSelf(tensor).isInteger(1);
  if (isBool && kind == ScatterKind::add)
    kind = ScatterKind::max;
  return static_cast<int64_t>(kind);
}

static void emitScatterElements(OpaqueCall &call, Operation *op) {
  auto scatter = cast<ScatterElementsOp>(op);
  ArrayRef<SymExpr> shape = call.e.getShape(scatter.getInput());
  call.addOperand(scatter.getInput());
  call.addOperand(scatter.getIndices());
  call.addOperand(scatter.getUpdates());
  call.addResult(scatter.getResult());
  call.addList(shape);
  call.addList(call.e.getShape(scatter.getIndices()));
  call.addNumber(static_cast<int64_t>(shape.size()));
  call.addNumber(scatter.getAxis());
  call.addNumber(getScatterKind(scatter.getKind(), scatter.getInput()));
  call.addNumber(getIndexBytes(scatter.getIndices()));
  call.emit("scatter_elements", scatter.getInput());
}

static void emitScatterNd(OpaqueCall &call, Operation *op) {
  auto scatter = cast<ScatterNdOp>(op);
  ArrayRef<SymExpr> shape = call.e.getShape(scatter.getInput());
  ArrayRef<SymExpr> indices = call.e.getShape(scatter.getIndices());
  call.addOperand(scatter.getInput());
  call.addOperand(scatter.getIndices());
  call.addOperand(scatter.getUpdates());
  call.addResult(scatter.getResult());
  call.addList(shape);
  call.addNumber(static_cast<int64_t>(shape.size()));
  call.addSize(getProduct(op->getContext(), indices.drop_back()));
  call.addSize(indices.back());
  call.addNumber(getScatterKind(scatter.getKind(), scatter.getInput()));
  call.addNumber(getIndexBytes(scatter.getIndices()));
  call.emit("scatter_nd", scatter.getInput());
}

//===----------------------------------------------------------------------===//
// Cumsum
//===----------------------------------------------------------------------===//

static OpaquePlan planCumsum(const KernelInfo &kernel, Operation *op) {
  auto cumsum = cast<CumsumOp>(op);
  AxisSizes sizes(kernel, cumsum.getInput(), cumsum.getAxis());
  return {sizes.outer, sizes.n * sizes.inner * 4, kernel.constant(0)};
}

static void emitCumsum(OpaqueCall &call, Operation *op) {
  auto cumsum = cast<CumsumOp>(op);
  AxisSizes sizes(call.e.kernel, cumsum.getInput(), cumsum.getAxis());
  call.addOperand(cumsum.getInput());
  call.addResult(cumsum.getResult());
  call.addSize(sizes.n);
  call.addSize(sizes.inner);
  call.addNumber(cumsum.getExclusive());
  call.addNumber(cumsum.getReverse());
  call.addRange();
  call.emit(cumsum.getProduct() ? "cumprod" : "cumsum", cumsum.getInput());
}

//===----------------------------------------------------------------------===//
// Pack
//===----------------------------------------------------------------------===//

/// An iteration is a byte of the result.
static OpaquePlan planPack(const KernelInfo &kernel, Operation *op) {
  auto pack = cast<PackOp>(op);
  auto bits = static_cast<int64_t>(pack.getTo().getIntOrFloatBitWidth());
  SymExpr count = kernel.getNumElements(pack.getInput());
  return {count.ceilDiv(kernel.constant(8 / bits)), kernel.constant(8 / bits),
          kernel.constant(0)};
}

static void emitPack(OpaqueCall &call, Operation *op) {
  auto pack = cast<PackOp>(op);
  bool isHalf = pack.getTo().getIntOrFloatBitWidth() == 4;
  call.addOperand(pack.getInput());
  call.addResult(pack.getResult());
  call.addSize(call.e.kernel.getNumElements(pack.getInput()));
  call.addRange();
  call.emit(isHalf ? "pack4" : "pack2", pack.getInput());
}

//===----------------------------------------------------------------------===//
// NonZero
//===----------------------------------------------------------------------===//

/// One iteration: where an element goes depends on all before it.
static OpaquePlan planNonZero(const KernelInfo &kernel, Operation *op) {
  Value input = cast<NonZeroOp>(op).getInput();
  auto rank = static_cast<int64_t>(kernel.getShape(input).size());
  return {kernel.constant(1), kernel.getNumElements(input) * 4,
          kernel.constant(8 * rank)};
}

/// The count is a size of the result, so it is known when this runs.
static void emitNonZero(OpaqueCall &call, Operation *op) {
  auto nonZero = cast<NonZeroOp>(op);
  ArrayRef<SymExpr> shape = call.e.getShape(nonZero.getInput());
  call.addOperand(nonZero.getInput());
  call.addResult(nonZero.getResult());
  call.addList(shape);
  call.addNumber(static_cast<int64_t>(shape.size()));
  call.addSize(getExprs(nonZero.getCount()).front());
  call.emit("non_zero", nonZero.getInput());
}

//===----------------------------------------------------------------------===//
// Unique
//===----------------------------------------------------------------------===//

/// One iteration: slices are sorted.
static OpaquePlan planUnique(const KernelInfo &kernel, Operation *op) {
  auto unique = cast<UniqueOp>(op);
  AxisSizes sizes(kernel, unique.getInput(), unique.getAxis());
  return {kernel.constant(1), kernel.getNumElements(unique.getInput()) * 64,
          sizes.n * 24};
}

static void emitUnique(OpaqueCall &call, Operation *op) {
  auto unique = cast<UniqueOp>(op);
  AxisSizes sizes(call.e.kernel, unique.getInput(), unique.getAxis());
  call.addOperand(unique.getInput());
  for (Value result : unique.getResults())
    call.addResult(result);
  call.addScratch();
  call.addSize(sizes.outer);
  call.addSize(sizes.n);
  call.addSize(sizes.inner);
  call.addNumber(unique.getSorted());
  call.emit("unique", unique.getInput());
}

/// That of a file of its own.
static const OpaqueRule *findOtherRule(Operation *op) {
  for (auto *find : {findRecurrentRule, findDetectionRule, findLinearRule})
    if (const OpaqueRule *rule = find(op))
      return rule;
  return nullptr;
}

const OpaqueRule *lz::findOpaqueRule(Operation *op) {
  static const OpaqueRule topK = {planTopK, emitTopK};
  static const OpaqueRule elements = {planScatter, emitScatterElements};
  static const OpaqueRule nd = {planScatter, emitScatterNd};
  static const OpaqueRule cumsum = {planCumsum, emitCumsum};
  static const OpaqueRule pack = {planPack, emitPack};
  static const OpaqueRule nonZero = {planNonZero, emitNonZero};
  static const OpaqueRule unique = {planUnique, emitUnique};
  return llvm::TypeSwitch<Operation *, const OpaqueRule *>(op)
      .Case([](TopKOp) { return &topK; })
      .Case([](ScatterElementsOp) { return &elements; })
      .Case([](ScatterNdOp) { return &nd; })
      .Case([](CumsumOp) { return &cumsum; })
      .Case([](PackOp) { return &pack; })
      .Case([](NonZeroOp) { return &nonZero; })
      .Case([](UniqueOp) { return &unique; })
      .Default([](Operation *other) { return findOtherRule(other); });
}
