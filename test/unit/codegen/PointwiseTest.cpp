//===- PointwiseTest.cpp - elementwise kernels against plain loops --------===//

#include "KernelJit.h"

#include "gtest/gtest.h"

#include <cmath>
#include <numeric>

using namespace lz::test;

TEST(PointwiseKernel, AddReluFlat) {
  KernelJit kernel(R"(
    func.func private @k(
        %x: tensor<?x8xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<8>]},
        %y: tensor<?x8xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<8>]})
        -> tensor<?x8xf32>
        attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 99, dim>]} {
      %0 = lz.binary <add> %x, %y
          : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
      %1 = lz.unary <relu> %0 : (tensor<?x8xf32>) -> tensor<?x8xf32>
      return %1 : tensor<?x8xf32>
    })");
  for (int64_t rows : {0, 1, 7})
    for (int64_t chunk : {3, 1000}) {
      std::vector<float> x(rows * 8), y(rows * 8), z(rows * 8, -1);
      for (size_t i = 0; i != x.size(); ++i) {
        x[i] = static_cast<float>(i) - 20;
        y[i] = static_cast<float>(i % 5);
      }
      kernel.run({x.data(), y.data(), z.data()}, chunk, {{"s0", rows}});
      EXPECT_EQ(kernel.getIterations(), rows * 8);
      for (size_t i = 0; i != x.size(); ++i)
        EXPECT_EQ(z[i], std::max(x[i] + y[i], 0.0f)) << i;
    }
  // The loop is vectorised.
  EXPECT_NE(kernel.getIr().find("fadd <"), std::string::npos);
}

TEST(PointwiseKernel, BroadcastRows) {
  KernelJit kernel(R"(
    func.func private @k(
        %x: tensor<?x?xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<s1>]},
        %y: tensor<?x1xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<1>]})
        -> tensor<?x?xf32>
        attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 99, dim>,
                                              #lz.symbol<s1, 0, 99, dim>]} {
      %0 = lz.binary <sub> %x, %y
          : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
      %1 = lz.unary <exp> %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
      return %1 : tensor<?x?xf32>
    })");
  std::vector<float> x(5 * 3), y(5), z(5 * 3);
  std::iota(x.begin(), x.end(), 0.0f);
  std::iota(y.begin(), y.end(), 3.0f);
  for (int64_t chunk : {2, 100}) {
    kernel.run({x.data(), y.data(), z.data()}, chunk, {{"s0", 5}, {"s1", 3}});
    for (size_t i = 0; i != z.size(); ++i)
      EXPECT_FLOAT_EQ(z[i], std::exp(x[i] - y[i / 3]));
  }
}

/// Sizes that may be equal or 1 are decided when the kernel runs.
TEST(PointwiseKernel, BroadcastUnknown) {
  KernelJit kernel(R"(
    func.func private @k(
        %x: tensor<?xi32> {lz.dims = [#lz.expr<s0>]},
        %y: tensor<?xi32> {lz.dims = [#lz.expr<s1>]}) -> tensor<?xi32>
        attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 99, dim>,
                                              #lz.symbol<s1, 0, 99, dim>]} {
      %0 = lz.binary <mul> %x, %y
          : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
      return %0 : tensor<?xi32>
    })");
  std::vector<int> x{1, 2, 3}, y{10, 20, 30}, z(3);
  kernel.run({x.data(), y.data(), z.data()}, 2, {{"s0", 3}, {"s1", 3}});
  EXPECT_EQ(z, (std::vector<int>{10, 40, 90}));
  kernel.run({x.data(), y.data(), z.data()}, 2, {{"s0", 3}, {"s1", 1}});
  EXPECT_EQ(z, (std::vector<int>{10, 20, 30}));
  kernel.run({x.data(), y.data(), z.data()}, 2, {{"s0", 1}, {"s1", 3}});
  EXPECT_EQ(z, (std::vector<int>{10, 20, 30}));
}
