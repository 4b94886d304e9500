//===- MlSvm.h - support vector machines ------------------------*- C++ -*-===//
#ifndef FRONTENDS_ONNX_OPS_MLSVM_H
#define FRONTENDS_ONNX_OPS_MLSVM_H

#include "frontends/onnx/ops/MlCommon.h"

namespace lz {

/// The probability of each of `classes` classes, [N, classes], from the scores
/// of their pairs, [N, pairs]: see MlSvmProbability.cpp.
mlir::Value buildProbabilities(NodeImporter &node, mlir::Value scores,
                               int64_t classes, llvm::ArrayRef<double> slopes,
                               llvm::ArrayRef<double> offsets);

} // namespace lz

#endif // FRONTENDS_ONNX_OPS_MLSVM_H
