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

/// A convolution of one output position; filters of one tap, or as large as the
/// picture.
KernelCase getWholeConv(int64_t batch, std::vector<int64_t> picture,
                        const char *type) {
  std::vector<int64_t> x = {batch}, f = {70}, y = {batch, 70};
  x.insert(x.end(), picture.begin(), picture.end());
  f.insert(f.end(), picture.begin(), picture.end());
  y.resize(x.size(), 1);
  auto getTensor = [&](const std::vector<int64_t> &shape) {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + type + ">";
  };
  auto repeat = [&](const char *number) {
    std::string text = "[";
    for (size_t dim = 1; dim != picture.size(); ++dim)
      text += (dim > 1 ? ", " : "") + std::string(number);
    return text + "]";
  };
  std::string xt = getTensor(x), ft = getTensor(f), bt = getTensor({70}),
              yt = getTensor(y);
  std::string body =
      "%0 = lz.conv %x, %f bias %b strides " + repeat("2") + " low " +
      repeat("0") + " high " + repeat("0") + " dilations " + repeat("1") +
      " groups 1 : (" + xt + ", " + ft + ", " + bt + ") -> " + yt +
      " %1 = lz.unary <relu> %0 : (" + yt + ") -> " + yt + " return %1 : " + yt;
  KernelCase test = {"(%x: " + xt + ", %f: " + ft + ", %b: " + bt + ") -> " +
                         yt,
                     body,
                     {{x}, {f}, {{70}}}};
  test.tolerance = 1e-4;
  return test;
}

TEST(GemvKernel, ConvolvesToOnePosition) {
  for (int64_t batch : {1, 3, 4, 5, 9})
    for (const std::vector<int64_t> &picture :
         {std::vector<int64_t>{33, 1, 1}, {20, 3, 2}, {17, 5}, {18, 1, 2, 3}})
      expectLikeReference(getWholeConv(batch, picture, "f32"));
  expectLikeReference(getWholeConv(2, {40, 1, 1}, "f64"));
}

/// A free batch: each picture is a product of its own.
TEST(GemvKernel, ConvolvesAnyNumberOfPictures) {
  for (int64_t batch : {0, 1, 7})
    expectLikeReference(
        {"(%x: tensor<?x25x1x1xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<25>, "
         "#lz.expr<1>, #lz.expr<1>]}, %f: tensor<66x25x1x1xf32>) -> "
         "tensor<?x66x1x1xf32>",
         R"(
      %0 = lz.conv %x, %f strides [1, 1] low [0, 0] high [0, 0]
          dilations [1, 1] groups 1
          : (tensor<?x25x1x1xf32>, tensor<66x25x1x1xf32>) -> tensor<?x66x1x1xf32>
      %1 = lz.unary <sigmoid> %0 : (tensor<?x66x1x1xf32>) -> tensor<?x66x1x1xf32>
      return %1 : tensor<?x66x1x1xf32>)",
         {{{batch, 25, 1, 1}}, {{66, 25, 1, 1}}},
         {batch},
         1e-5});
}

} // namespace
