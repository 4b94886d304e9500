//===- RuleInterfaces.cpp - gradients, shardings, integer forms -----------===//

#include "dialects/lz/Rules/RuleInterfaces.h"

#include "dialects/lz/Rules/Gradient/Gradients.h"
#include "dialects/lz/Rules/Quantization/Quantizations.h"
#include "dialects/lz/Rules/Sharding/Shardings.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

#include "dialects/lz/IR/RuleInterfaces.cpp.inc"

using namespace mlir;
using namespace lz;

SmallVector<Value> lz::getSources(Operation *op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  SmallVector<Value> sources(op->getOperands());
  sources.append(captured.begin(), captured.end());
  return sources;
}

LogicalResult lz::buildCopy(RuleBuilder &builder, Operation *op,
                            ArrayRef<Value> sources,
                            SmallVectorImpl<Value> &results,
                            llvm::function_ref<void(Operation *)> adapt) {
  IRMapping mapping;
  mapping.map(ArrayRef(getSources(op)).drop_front(op->getNumOperands()),
              sources.drop_front(op->getNumOperands()));
  Operation *copy = builder.getBuilder().clone(*op, mapping);
  copy->setOperands(sources.take_front(op->getNumOperands()));
  if (adapt)
    adapt(copy);
  if (failed(builder.getShapes().infer(copy, /*setTypes=*/true)))
    return failure();
  results.append(copy->result_begin(), copy->result_end());
  return success();
}

void lz::registerRuleModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LzDialect *) {
    attachContractionGradients(*context);
    attachConvolutionGradients(*context);
    attachElementwiseGradients(*context);
    attachUnaryGradients(*context);
    attachReductionGradients(*context);
    attachNormGradients(*context);
    attachPoolGradients(*context);
    attachSoftmaxGradients(*context);
    attachIndexGradients(*context);
    attachShapeGradients(*context);
    attachControlGradients(*context);
    attachContractionShardings(*context);
    attachElementShardings(*context);
    attachReshapeShardings(*context);
    attachControlShardings(*context);
    attachContractionQuantizations(*context);
    attachElementQuantizations(*context);
    attachControlQuantizations(*context);
  });
}

void lz::loadRuleModels(MLIRContext &context) {
  OperationName name(MatmulOp::getOperationName(), &context);
  if (name.hasInterface<GradientOpInterface>())
    return;
  DialectRegistry registry;
  registerRuleModels(registry);
  context.appendDialectRegistry(registry);
}
