//===- OpaqueTest.cpp - calls of the C++ kernels --------------------------===//
//
// The kernels have tests of their own; these are about what is passed to them.
//
//===----------------------------------------------------------------------===//

#include "KernelJit.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace lz::test;

namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

TEST(OpaqueKernel, TakesTheLargestOfAMiddleDimension) {
  KernelJit kernel(R"(
    func.func private @k(
        %x: tensor<2x?x2xf32> {lz.dims = [#lz.expr<2>, #lz.expr<s0>,
                                          #lz.expr<2>]})
        -> (tensor<2x2x2xf32>, tensor<2x2x2xi64>)
        attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 2, 99, dim>]} {
      %v, %i = lz.top_k %x k [2] axis 1 largest true
          : (tensor<2x?x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2x2xi64>)
      return %v, %i : tensor<2x2x2xf32>, tensor<2x2x2xi64>
    })");
  Floats x = {1, 9, 5, 8, 3, 7, 0, -1, -5, 2, -3, 4}, values(8);
  Ints indices(8);
  for (int64_t chunk : {1, 100}) {
    kernel.run({x.data(), values.data(), indices.data()}, chunk, {{"s0", 3}});
    EXPECT_EQ(values, (Floats{5, 9, 3, 8, 0, 4, -3, 2}));
    EXPECT_EQ(indices, (Ints{1, 0, 2, 1, 0, 2, 2, 1}));
  }
}

/// Only the indices are wanted.
TEST(OpaqueKernel, LeavesOutAResult) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<4xi32>) -> tensor<1xi64>
        attributes {lzx.kernel} {
      %v, %i = lz.top_k %x k [1] axis 0 largest false
          : (tensor<4xi32>) -> (tensor<1xi32>, tensor<1xi64>)
      return %i : tensor<1xi64>
    })");
  std::vector<int32_t> x = {4, 2, -7, 2};
  Ints index(1);
  kernel.run({x.data(), index.data()}, 1);
  EXPECT_EQ(index[0], 2);
}

TEST(OpaqueKernel, ScattersElementsAndSlices) {
  KernelJit elements(R"(
    func.func private @k(%x: tensor<2x3xf32>, %i: tensor<1x2xi32>,
                         %u: tensor<1x2xf32>) -> tensor<2x3xf32>
        attributes {lzx.kernel} {
      %0 = lz.scatter_elements <add> %x, %i, %u axis 1
          : (tensor<2x3xf32>, tensor<1x2xi32>, tensor<1x2xf32>)
          -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    })");
  Floats x = {1, 2, 3, 4, 5, 6}, updates = {10, 20}, y(6);
  std::vector<int32_t> narrow = {2, -3};
  elements.run({x.data(), narrow.data(), updates.data(), y.data()}, 1);
  EXPECT_EQ(y, (Floats{21, 2, 13, 4, 5, 6}));
  KernelJit slices(R"(
    func.func private @k(%x: tensor<3x2xi1>, %i: tensor<1x1xi64>,
                         %u: tensor<1x2xi1>) -> tensor<3x2xi1>
        attributes {lzx.kernel} {
      %0 = lz.scatter_nd <none> %x, %i, %u
          : (tensor<3x2xi1>, tensor<1x1xi64>, tensor<1x2xi1>) -> tensor<3x2xi1>
      return %0 : tensor<3x2xi1>
    })");
  std::vector<char> bits = {0, 0, 1, 0, 1, 1}, set = {0, 1}, result(6);
  Ints wide = {1};
  slices.run({bits.data(), wide.data(), set.data(), result.data()}, 1);
  EXPECT_EQ(result, (std::vector<char>{0, 0, 0, 1, 1, 1}));
}

TEST(OpaqueKernel, SumsAlongADimension) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
        attributes {lzx.kernel} {
      %0 = lz.cumsum %x axis 1 exclusive true reverse true
          : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
      return %0 : tensor<2x3x1xf32>
    })");
  Floats x = {1, 2, 3, 4, 5, 6}, y(6);
  kernel.run({x.data(), y.data()}, 1);
  EXPECT_EQ(y, (Floats{5, 3, 0, 11, 6, 0}));
}

TEST(OpaqueKernel, WritesWhereElementsAreNotZero) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<2x3xf32>) -> tensor<2x?xi64>
        attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 6, run>]} {
      %0 = lz.non_zero %x count [s0] : (tensor<2x3xf32>) -> tensor<2x?xi64>
      return %0 : tensor<2x?xi64>
    })");
  Floats x = {0, 1, 0, 2, 0, 3};
  Ints y(6);
  kernel.run({x.data(), y.data()}, 1, {{"s0", 3}});
  EXPECT_EQ(y, (Ints{0, 1, 1, 1, 0, 2}));
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// One unit, one input: every term can be written down.
TEST(OpaqueKernel, RunsAnLstm) {
  KernelJit kernel(R"(
    func.func private @k(
        %x: tensor<?x1x1xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<1>,
                                          #lz.expr<1>]},
        %w: tensor<1x4x1xf32>, %r: tensor<1x4x1xf32>, %b: tensor<1x8xf32>,
        %h: tensor<1x1x1xf32>, %c: tensor<1x1x1xf32>, %p: tensor<1x3xf32>)
        -> (tensor<?x1x1x1xf32>, tensor<1x1x1xf32>)
        attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 99, dim>]} {
      %y, %yh, %yc = lz.lstm %x, %w, %r bias %b h %h c %c peepholes %p
          <forward> {hidden = 1 : i64, activations = ["sigmoid", "tanh", "tanh"],
                     activation_alpha = [], activation_beta = [],
                     input_forget = false}
          : (tensor<?x1x1xf32>, tensor<1x4x1xf32>, tensor<1x4x1xf32>,
             tensor<1x8xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>,
             tensor<1x3xf32>)
          -> (tensor<?x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
      return %y, %yc : tensor<?x1x1x1xf32>, tensor<1x1x1xf32>
    })");
  Floats x = {0.5f, -1}, w = {1, 2, 3, 4}, r = {-1, 0.5f, 0.25f, 2};
  Floats b = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f}, h = {0.3f};
  Floats c = {0.2f}, p = {0.9f, -0.8f, 0.7f}, y(2), yc(1);
  kernel.run({x.data(), w.data(), r.data(), b.data(), h.data(), c.data(),
              p.data(), y.data(), yc.data()},
             1, {{"s0", 2}});
  double state = h[0], cell = c[0];
  for (int64_t t = 0; t != 2; ++t) {
    auto gate = [&](int g) {
      return w[g] * x[t] + r[g] * state + b[g] + b[4 + g];
    };
    double i = sigmoid(gate(0) + p[0] * cell),
           f = sigmoid(gate(2) + p[2] * cell);
    cell = f * cell + i * std::tanh(gate(3));
    state = sigmoid(gate(1) + p[1] * cell) * std::tanh(cell);
    EXPECT_NEAR(y[t], state, 1e-6) << t;
  }
  EXPECT_NEAR(yc[0], cell, 1e-6);
}

TEST(OpaqueKernel, RunsAnRnnBothWays) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<2x1x1xf32>, %w: tensor<2x1x1xf32>,
                         %r: tensor<2x1x1xf32>, %l: tensor<1xi32>)
        -> (tensor<2x2x1x1xf32>, tensor<2x1x1xf32>) attributes {lzx.kernel} {
      %y, %yh = lz.rnn %x, %w, %r lengths %l <bidirectional>
          {hidden = 1 : i64, activations = ["affine", "leakyrelu"],
           activation_alpha = [2.0, 0.5], activation_beta = [1.0, 0.0],
           clip = 3.0}
          : (tensor<2x1x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>,
             tensor<1xi32>) -> (tensor<2x2x1x1xf32>, tensor<2x1x1xf32>)
      return %y, %yh : tensor<2x2x1x1xf32>, tensor<2x1x1xf32>
    })");
  Floats x = {1, 5}, w = {1, -1}, r = {1, 1}, y(4), yh(2);
  std::vector<int32_t> length = {2};
  kernel.run({x.data(), w.data(), r.data(), length.data(), y.data(), yh.data()},
             1);
  // Forward: 2 * 1 + 1 = 3, then the sum 8 is limited to 3: 7. Backward: -5 is
  // limited to -3: -1.5, then 0.5 * (-1 - 1.5) = -1.25.
  EXPECT_EQ(y, (Floats{3, -1.25f, 7, -1.5f}));
  EXPECT_EQ(yh, (Floats{7, -1.25f}));
}

} // namespace
