//===- Oracle.h - kernels against the reference evaluator -------*- C++ -*-===//
#ifndef TEST_UNIT_CODEGEN_ORACLE_H
#define TEST_UNIT_CODEGEN_ORACLE_H

#include "KernelJit.h"

namespace lz::test {

/// Random values of an input: uniform in [low, high]; whole numbers if the
/// element type is an integer.
struct Input {
  std::vector<int64_t> shape;
  double low = -2, high = 2;
};

struct KernelCase {
  /// "(%x: tensor<4xf32>) -> tensor<4xf32>"
  std::string signature;
  /// The operations and the return.
  std::string body;
  std::vector<Input> inputs;
  /// Values of s0, s1 ...; shapes of inputs agree with them.
  std::vector<int64_t> symbols = {};
  /// Of |difference|, as a part of 1 + |expected|.
  double tolerance = 2e-6;
  /// What the kernel is emitted for; it runs on this machine.
  std::string cpu = "x86-64-v3";
};

/// Runs the kernel in one chunk and in several; both must agree in every bit,
/// and with the evaluator within the tolerance. Returns the optimized LLVM IR.
std::string expectLikeReference(const KernelCase &test);

} // namespace lz::test

#endif // TEST_UNIT_CODEGEN_ORACLE_H
