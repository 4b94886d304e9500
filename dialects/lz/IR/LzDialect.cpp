//===- LzDialect.cpp - registration of the lz dialect ---------------------===//

#include "dialects/lz/IR/LzDialect.h"

#include "dialects/lz/IR/LzOps.h"
#include "dialects/lz/Symbols/ShapeAnalysis.h"
#include "mlir/IR/Builders.h"

#include "dialects/lz/IR/LzDialect.cpp.inc"

using namespace mlir;

namespace lz {
/// Registers the operations of one family; each is defined with its family, so
/// that no translation unit holds them all.
void registerElementwiseOps(LzDialect *dialect);
void registerShapeOps(LzDialect *dialect);
void registerContractionOps(LzDialect *dialect);
void registerLinearOps(LzDialect *dialect);
void registerReductionOps(LzDialect *dialect);
void registerIndexOps(LzDialect *dialect);
void registerRecurrentOps(LzDialect *dialect);
void registerQuantOps(LzDialect *dialect);
void registerControlOps(LzDialect *dialect);
} // namespace lz

unsigned lz::getStoredBits(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  return element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth();
}

bool lz::sharesBytes(Type element) {
  return element.isIntOrFloat() && getStoredBits(element) < 8;
}

void lz::LzDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerElementwiseOps(this);
  registerShapeOps(this);
  registerContractionOps(this);
  registerLinearOps(this);
  registerReductionOps(this);
  registerIndexOps(this);
  registerRecurrentOps(this);
  registerQuantOps(this);
  registerControlOps(this);
}

Operation *lz::LzDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}
