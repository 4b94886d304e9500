//===- Random.h - random numbers built of lz operations ---------*- C++ -*-===//
#ifndef FRONTENDS_ONNX_OPS_RANDOM_H
#define FRONTENDS_ONNX_OPS_RANDOM_H

#include "frontends/onnx/NodeImporter.h"

namespace lz {

/// Random numbers of a node: Philox4x32-10 (Salmon et al., SC 2011) with the
/// position of an element as counter and a key of the node, from its attribute
/// `seed` or else the name of its first result. So they don't depend on the
/// number of threads or the machine, and are the same in each run.
class RandomNumbers {
public:
  RandomNumbers(NodeImporter &node, llvm::ArrayRef<SymExpr> shape);

  /// Numbers of [0, 1), each multiple of 2^-24 (of 2^-53 for f64) as likely as
  /// the others, in f64 or f32.
  mlir::Value getUniform(bool isDouble);
  /// Numbers of the standard normal distribution (Box and Muller, 1958).
  mlir::Value getNormal(bool isDouble);

private:
  using Words = std::array<mlir::Value, 4>;

  mlir::Value number(uint64_t value);
  mlir::Value combine(BinaryKind kind, mlir::Value lhs, uint64_t rhs);
  Words mix(Words words, uint32_t key0, uint32_t key1);
  /// A number of [0, 1) of one word, or of two for f64.
  mlir::Value toFraction(mlir::Value high, mlir::Value low, bool isDouble);

  NodeImporter &node;
  mlir::Type type; ///< of words: u64, of which the upper halves are 0
  Words words;
};

} // namespace lz

#endif // FRONTENDS_ONNX_OPS_RANDOM_H
