//===- Handlers.h - who imports which operator ------------------*- C++ -*-===//
//
// One file per family registers its operators. A handler serves all versions
// of its operator and looks at NodeImporter::getVersion().
//
//===----------------------------------------------------------------------===//
#ifndef FRONTENDS_ONNX_OPS_HANDLERS_H
#define FRONTENDS_ONNX_OPS_HANDLERS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

namespace lz {

class NodeImporter;

using Handler = mlir::LogicalResult (*)(NodeImporter &node);
/// Handlers of one domain, by operator.
using HandlerTable = llvm::StringMap<Handler>;

void registerElementwise(HandlerTable &handlers);
void registerLogic(HandlerTable &handlers);
void registerShape(HandlerTable &handlers);
void registerSlice(HandlerTable &handlers);
void registerPad(HandlerTable &handlers);
void registerResize(HandlerTable &handlers);
void registerGenerator(HandlerTable &handlers);
void registerIndex(HandlerTable &handlers);
void registerContraction(HandlerTable &handlers);
void registerConvolution(HandlerTable &handlers);
void registerReduction(HandlerTable &handlers);
void registerNormalization(HandlerTable &handlers);
void registerPool(HandlerTable &handlers);
void registerRecurrent(HandlerTable &handlers);
void registerEinsum(HandlerTable &handlers);
void registerDetection(HandlerTable &handlers);
void registerLinear(HandlerTable &handlers);
void registerSequence(HandlerTable &handlers);
void registerSequenceTensor(HandlerTable &handlers);
void registerOptional(HandlerTable &handlers);
void registerSampling(HandlerTable &handlers);
void registerRandom(HandlerTable &handlers);
void registerControl(HandlerTable &handlers);
void registerQuant(HandlerTable &handlers);

void registerMlLabels(HandlerTable &handlers);
void registerMlLinear(HandlerTable &handlers);
void registerMlPreprocess(HandlerTable &handlers);
void registerMlSvm(HandlerTable &handlers);
void registerMlTree(HandlerTable &handlers);

void registerGradient(HandlerTable &handlers);
void registerOptimizer(HandlerTable &handlers);

/// Handlers of ONNX's own domain.
inline HandlerTable getOnnxHandlers() {
  HandlerTable handlers;
  registerElementwise(handlers);
  registerLogic(handlers);
  registerShape(handlers);
  registerSlice(handlers);
  registerPad(handlers);
  registerResize(handlers);
  registerGenerator(handlers);
  registerIndex(handlers);
  registerContraction(handlers);
  registerConvolution(handlers);
  registerReduction(handlers);
  registerNormalization(handlers);
  registerPool(handlers);
  registerRecurrent(handlers);
  registerEinsum(handlers);
  registerDetection(handlers);
  registerLinear(handlers);
  registerSequence(handlers);
  registerSequenceTensor(handlers);
  registerOptional(handlers);
  registerSampling(handlers);
  registerRandom(handlers);
  registerControl(handlers);
  registerQuant(handlers);
  return handlers;
}

/// Handlers of the domain of classical models.
inline HandlerTable getMlHandlers() {
  HandlerTable handlers;
  registerMlLabels(handlers);
  registerMlLinear(handlers);
  registerMlPreprocess(handlers);
  registerMlSvm(handlers);
  registerMlTree(handlers);
  return handlers;
}

/// Handlers of the domain of training.
inline HandlerTable getTrainingHandlers() {
  HandlerTable handlers;
  registerGradient(handlers);
  registerOptimizer(handlers);
  return handlers;
}

/// All handlers, by domain ("" for ONNX's own).
inline llvm::StringMap<HandlerTable> getHandlers() {
  llvm::StringMap<HandlerTable> domains;
  domains[""] = getOnnxHandlers();
  domains["ai.onnx.ml"] = getMlHandlers();
  domains["ai.onnx.preview.training"] = getTrainingHandlers();
  return domains;
}

} // namespace lz

#endif // FRONTENDS_ONNX_OPS_HANDLERS_H
