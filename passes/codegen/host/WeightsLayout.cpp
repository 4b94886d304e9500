//===- WeightsLayout.cpp - where each constant lies in the weights --------===//

#include "passes/codegen/host/WeightsLayout.h"

#include "dialects/lzx/IR/LzxDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "passes/schedule/BufferAssignment.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lz;

static int64_t getNumBytes(ElementsAttr value) {
  SymExpr count = SymExpr::constant(value.getContext(), value.getNumElements());
  return *getByteSize(value.getShapedType().getElementType(), count)
              .getConstant();
}

WeightsLayout::WeightsLayout(ModuleOp module) {
  module.walk([&](lzx::ConstantOp constant) {
    ElementsAttr value = constant.getValue();
    if (entries.contains(value))
      return;
    auto resource = dyn_cast<DenseResourceElementsAttr>(value);
    std::string name = resource ? resource.getRawHandle().getKey().str()
                                : "constant" + std::to_string(entries.size());
    int64_t offset = llvm::alignTo(getNumBytes(), 64);
    entries.insert({value, {name, offset, ::getNumBytes(value)}});
  });
}

int64_t WeightsLayout::getOffset(ElementsAttr value) const {
  auto found = entries.find(value);
  assert(found != entries.end() && "the constant is not in the module");
  return found->second.offset;
}

int64_t WeightsLayout::getNumBytes() const {
  if (entries.empty())
    return 0;
  const Entry &last = entries.back().second;
  return last.offset + last.bytes;
}
