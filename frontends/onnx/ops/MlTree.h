//===- MlTree.h - the scores of a tree ensemble -----------------*- C++ -*-===//
#ifndef FRONTENDS_ONNX_OPS_MLTREE_H
#define FRONTENDS_ONNX_OPS_MLTREE_H

#include "frontends/onnx/ops/MlForest.h"

namespace lz {

/// How the trees' leaves become one score, with the numbers of TreeEnsemble's
/// attribute.
enum class Aggregate { Average, Sum, Min, Max };

/// The leaf of each tree that each row of the input reaches, [rows, trees].
mlir::Value buildLeaves(NodeImporter &node, const Forest &forest,
                        mlir::Type type);

/// The scores of the leaves, [rows, targets] of `type`.
mlir::Value buildForestScores(NodeImporter &node, const Forest &forest,
                              mlir::Value leaves, mlir::Type type,
                              Aggregate aggregate);

/// Which targets have a weight in one of the leaves, [rows, targets] of i1.
mlir::Value buildHasScore(NodeImporter &node, const Forest &forest,
                          mlir::Value leaves);

/// The type in which features meet thresholds: f64 for f64, else f32.
mlir::Type getThresholdType(NodeImporter &node);

} // namespace lz

#endif // FRONTENDS_ONNX_OPS_MLTREE_H
