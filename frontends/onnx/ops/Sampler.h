//===- Sampler.h - reading tensors between their elements -------*- C++ -*-===//
#ifndef FRONTENDS_ONNX_OPS_SAMPLER_H
#define FRONTENDS_ONNX_OPS_SAMPLER_H

#include "frontends/onnx/NodeImporter.h"

namespace lz {

/// Reads a tensor at points between its elements, as ONNX's GridSample does.
class Sampler {
public:
  enum class Mode { Nearest, Linear, Cubic };
  /// What lies outside of the tensor: zeros, the nearest element, or the
  /// elements mirrored.
  enum class Border { Zeros, Edge, Mirror };

  /// `source` is [batch, channels, sizes...]. `mirrorsAtCentres`: the mirrors
  /// stand on the outermost elements, not half an element beyond them.
  Sampler(NodeImporter &node, mlir::Value source, Mode mode, Border border,
          bool mirrorsAtCentres);

  /// The values, [batch, channels, points], at `points`: for each spatial
  /// dimension positions in elements, [batch, points] in the compute type.
  mlir::Value sample(llvm::ArrayRef<mlir::Value> points);

  /// The type that positions and weights are computed in.
  mlir::Type getType() const { return type; }
  /// `size` as a scalar of the compute type.
  mlir::Value number(SymExpr size);

private:
  /// One of the elements that a point reads in a dimension.
  struct Tap {
    mlir::Value index;  ///< in range, i64
    mlir::Value inside; ///< null: always
    mlir::Value weight; ///< null: 1
  };
  using Taps = llvm::SmallVector<Tap>;

  mlir::Value combine(BinaryKind kind, mlir::Value lhs, double rhs);
  mlir::Value clamp(mlir::Value position, SymExpr size);
  mlir::Value mirror(mlir::Value position, SymExpr size);
  Tap getTap(mlir::Value position, mlir::Value weight, SymExpr size);
  Taps getTaps(mlir::Value position, SymExpr size);
  llvm::SmallVector<mlir::Value> getCubicWeights(mlir::Value fraction);
  mlir::Value read(llvm::ArrayRef<Tap> taps);
  void addProducts(llvm::ArrayRef<Taps> taps,
                   llvm::SmallVectorImpl<Tap> &chosen, mlir::Value &sum);

  NodeImporter &node;
  mlir::Value elements; ///< [batch, channels, all elements]
  SymExpr batch, channels;
  SymShape sizes;
  Mode mode;
  Border border;
  bool mirrorsAtCentres;
  mlir::Type type;
};

} // namespace lz

#endif // FRONTENDS_ONNX_OPS_SAMPLER_H
