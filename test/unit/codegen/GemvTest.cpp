//===- GemvTest.cpp - products of a few rows and a large matrix -----------===//

#include "Oracle.h"

#include "gtest/gtest.h"

using namespace lz::test;

namespace {

std::string getTensor(int64_t rows, int64_t columns, const char *type) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
         "x" + type + ">";
}

/// [m, k] times [k, n], or the transpose of [n, k]; then a bias and Relu.
KernelCase getProduct(int64_t m, int64_t k, int64_t n, bool transposed,
                      const char *type) {
  std::string x = getTensor(m, k, type), z = getTensor(m, n, type);
  std::string y = transposed ? getTensor(n, k, type) : getTensor(k, n, type);
  std::string b = "tensor<" + std::to_string(n) + "x" + type + ">";
  KernelCase test = {
      "(%x: " + x + ", %y: " + y + ", %b: " + b + ") -> " + z,
      std::string("%0 = lz.matmul %x, %y ") +
          (transposed ? "{transpose_rhs} " : "") + ": (" + x + ", " + y +
          ") -> " + z + " %1 = lz.binary <add> %0, %b : (" + z + ", " + b +
          ") -> " + z + " %2 = lz.unary <relu> %1 : (" + z + ") -> " + z +
          " return %2 : " + z,
      {{{m, k}}, {transposed ? std::vector{n, k} : std::vector{k, n}}, {{n}}}};
  test.tolerance = 1e-4;
  return test;
}

/// Depths and widths around multiples of vectors, streams and blocks.
TEST(GemvKernel, MultipliesFewRows) {
  for (bool transposed : {false, true})
    for (int64_t m : {1, 3})
      for (auto [k, n] : {std::pair<int64_t, int64_t>{1, 1},
                          {0, 9},
                          {8, 7},
                          {33, 65},
                          {19, 1100}})
        expectLikeReference(getProduct(m, k, n, transposed, "f32"));
}

TEST(GemvKernel, ComputesDoublesAndLongVectors) {
  for (bool transposed : {false, true}) {
    expectLikeReference(getProduct(3, 21, 70, transposed, "f64"));
    KernelCase test = getProduct(2, 37, 150, transposed, "f32");
    test.cpu = "x86-64-v4";
    expectLikeReference(test);
  }
}

/// Each batch has a matrix of its own, in sizes that are symbols.
TEST(GemvKernel, MultipliesBatches) {
  for (int64_t depth : {1, 9, 40})
    expectLikeReference(
        {"(%x: tensor<2x1x?xf32> {lz.dims = [#lz.expr<2>, #lz.expr<1>, "
         "#lz.expr<s0>]}, %y: tensor<2x?x?xf32> {lz.dims = [#lz.expr<2>, "
         "#lz.expr<s1>, #lz.expr<s0>]}) -> tensor<2x1x?xf32>",
         R"(
      %0 = lz.unary <tanh> %x : (tensor<2x1x?xf32>) -> tensor<2x1x?xf32>
      %1 = lz.matmul %0, %y {transpose_rhs}
          : (tensor<2x1x?xf32>, tensor<2x?x?xf32>) -> tensor<2x1x?xf32>
      return %1 : tensor<2x1x?xf32>)",
         {{{2, 1, depth}}, {{2, 71, depth}}},
         {depth, 71},
         1e-5});
}

} // namespace
