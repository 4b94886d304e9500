//===- WeightLayouts.cpp - what packed constants stand for ----------------===//

#include "passes/layout/WeightLayouts.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace lz;

static constexpr llvm::StringLiteral kLayouts = "lz.layouts";

static std::string getKey(DenseResourceElementsAttr value) {
  return value.getRawHandle().getKey().str();
}

void lz::setWeightLayout(ModuleOp module, DenseResourceElementsAttr packed,
                         const WeightLayout &layout) {
  Builder builder(module.getContext());
  NamedAttrList layouts(module->getAttrOfType<DictionaryAttr>(kLayouts));
  layouts.set(
      getKey(packed),
      builder.getDictionaryAttr(
          {builder.getNamedAttr("name", builder.getStringAttr(layout.name)),
           builder.getNamedAttr("shape",
                                builder.getDenseI64ArrayAttr(layout.shape)),
           builder.getNamedAttr("layout",
                                builder.getStringAttr(layout.layout))}));
  module->setAttr(kLayouts, layouts.getDictionary(module.getContext()));
}

std::optional<WeightLayout> lz::getWeightLayout(ModuleOp module,
                                                Attribute value) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  auto layouts = module->getAttrOfType<DictionaryAttr>(kLayouts);
  if (!resource || !layouts)
    return std::nullopt;
  auto entry = layouts.getAs<DictionaryAttr>(getKey(resource));
  if (!entry)
    return std::nullopt;
  auto name = entry.getAs<StringAttr>("name");
  auto layout = entry.getAs<StringAttr>("layout");
  auto shape = entry.getAs<DenseI64ArrayAttr>("shape");
  if (!name || !layout || !shape)
    return std::nullopt;
  return WeightLayout{name.str(), SmallVector<int64_t>(shape.asArrayRef()),
                      layout.str()};
}
