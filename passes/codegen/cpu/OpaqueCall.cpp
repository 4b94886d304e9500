//===- OpaqueCall.cpp - a call of a C++ kernel ----------------------------===//

#include "passes/codegen/cpu/OpaqueCall.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace lz;

/// The end of the names of kernels for this element type; none if there is no
/// kernel for it.
static std::string getTypeName(Type type) {
  if (type.isInteger(1))
    return "u8";
  if (isa<BFloat16Type>(type))
    return "bf16";
  if (isa<Float16Type, Float32Type, Float64Type>(type))
    return "f" + std::to_string(type.getIntOrFloatBitWidth());
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() < 8 || integer.getWidth() > 64)
    return "";
  return (integer.isUnsigned() ? "u" : "i") +
         std::to_string(integer.getWidth());
}

int64_t lz::getIndexBytes(Value tensor) {
  return getElementTypeOrSelf(tensor).getIntOrFloatBitWidth() / 8;
}

AxisSizes::AxisSizes(const KernelInfo &kernel, Value tensor, int64_t axis) {
  ArrayRef<SymExpr> shape = kernel.getShape(tensor);
  outer = getProduct(kernel.getContext(), shape.take_front(axis));
  n = shape[axis];
  inner = getProduct(kernel.getContext(), shape.drop_front(axis + 1));
}

OpaqueCall::OpaqueCall(ElementEmitter &e, Operation *op, Buffer scratch)
    : e(e), kb(e.kb), op(op), scratch(scratch) {}

Value OpaqueCall::getNull() {
  return LLVM::ZeroOp::create(kb.getBuilder(), kb.getLoc(),
                              scratch.pointer.getType());
}

Value OpaqueCall::getScratch() {
  return kb.getAddress(scratch, kb.getIndex(used));
}

void OpaqueCall::addOperand(Value operand) {
  if (!operand)
    return add(getNull());
  if (auto argument = dyn_cast<BlockArgument>(operand))
    return add(kb.getOperand(argument.getArgNumber()).pointer);
  auto constant = operand.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements) {
    kb.fail(op, "has an operand that is not in memory");
    return add(getNull());
  }
  add(kb.getTable(constant, elements).pointer);
}

void OpaqueCall::addResult(Value result) {
  for (auto [number, returned] : llvm::enumerate(e.kernel.getResults()))
    if (returned == result)
      return add(kb.getResult(number).pointer);
  add(getNull());
}

void OpaqueCall::addRange() {
  add(kb.getLo());
  add(kb.getHi());
}

void OpaqueCall::addSlots(ArrayRef<Value> slots) {
  add(getScratch());
  for (Value slot : slots) {
    Buffer place = {getScratch(), slot.getType(), scratch.group};
    kb.store(place, kb.getIndex(0), slot);
    used += 8;
  }
}

void OpaqueCall::addList(ArrayRef<SymExpr> sizes) {
  addSlots(llvm::map_to_vector(sizes,
                               [&](SymExpr size) { return kb.getSize(size); }));
}

void OpaqueCall::emit(StringRef name, Value typed) {
  Type type = getElementTypeOrSelf(typed);
  std::string typeName = getTypeName(type);
  if (typeName.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return kb.fail(op, "cannot be compiled for elements of type " + text);
  }
  kb.call(("lz_" + name + "_" + typeName).str(), {}, arguments);
}
