//===- GradientReductionTest.cpp - gradients of reductions, norms, pools --===//

#include "test/unit/rules/GradientSupport.h"

using namespace mlir;
using namespace lz;

namespace {

using GradientReductionTest = GradientTest;

TEST_F(GradientReductionTest, Reduce) {
  for (StringRef kind : {"sum", "mean", "prod", "max", "min", "l1", "l2",
                         "log_sum_exp", "sum_square"})
    for (bool keep : {false, true}) {
      SCOPED_TRACE(kind.str());
      std::string result = keep ? "1x3x1xf64" : "3xf64";
      check("%x: tensor<2x3x2xf64>",
            "%r = lz.reduce <" + kind.str() + "> %x axes [0, 2] keep_dims " +
                (keep ? "true" : "false") +
                " : (tensor<2x3x2xf64>) -> tensor<" + result + ">",
            result, {random("2x3x2xf64")});
    }
}

TEST_F(GradientReductionTest, ReduceLogSum) {
  check("%x: tensor<2x3xf64>",
        "%r = lz.reduce <log_sum> %x axes [1] keep_dims false : "
        "(tensor<2x3xf64>) -> tensor<2xf64>",
        "2xf64", {tensor("2x3xf64", {0.3, 1.2, 2, 0.1, 0.8, 4})});
}

TEST_F(GradientReductionTest, ReduceOfNoAxes) {
  for (StringRef kind : {"sum", "l2", "sum_square", "prod"})
    check("%x: tensor<3xf64>",
          "%r = lz.reduce <" + kind.str() +
              "> %x axes [] keep_dims false : "
              "(tensor<3xf64>) -> tensor<3xf64>",
          "3xf64", {random("3xf64")});
}

TEST_F(GradientReductionTest, ReduceOfUnknownSizes) {
  for (std::string kind : {"mean", "prod", "max"})
    check("func.func @f(%x: tensor<?x?xf64> {lz.dims = [#lz.expr<n>, "
          "#lz.expr<m>]}) -> tensor<?xf64> attributes {lz.symbols = ["
          "#lz.symbol<n, 0, 9, dim>, #lz.symbol<m, 0, 9, dim>]} {\n"
          "%r = lz.reduce <" +
              kind +
              "> %x axes [0] keep_dims false : "
              "(tensor<?x?xf64>) -> tensor<?xf64>\n"
              "return %r : tensor<?xf64>\n}",
          {random("4x3xf64")});
}

// Zeros among the factors: no quotient tells the product of the others.
TEST_F(GradientReductionTest, ProductOfZeros) {
  check("%x: tensor<3x3xf64>",
        "%r = lz.reduce <prod> %x axes [1] keep_dims false : "
        "(tensor<3x3xf64>) -> tensor<3xf64>",
        "3xf64", {tensor("3x3xf64", {2, 0, 3, 0, 0, 4, 1, 2, 3})});
}

TEST_F(GradientReductionTest, LargestOfEqualElementsShare) {
  auto function = parse(R"(
    func.func @f(%x: tensor<4xf64>) -> tensor<f64> {
      %r = lz.reduce <max> %x axes [0] keep_dims false
          : (tensor<4xf64>) -> tensor<f64>
      return %r : tensor<f64>
    })");
  ASSERT_TRUE(succeeded(differentiate(function))) << error;
  auto gradients =
      run(function, {tensor("4xf64", {5, 1, 5, 2}), tensor("f64", 6)});
  ASSERT_EQ(gradients.size(), 1u) << error;
  for (int64_t i = 0; i != 4; ++i)
    EXPECT_EQ(gradients[0].getDouble(i), i % 2 == 0 ? 3 : 0);
}

TEST_F(GradientReductionTest, RunningSums) {
  for (StringRef exclusive : {"false", "true"})
    for (StringRef reverse : {"false", "true"})
      check("%x: tensor<2x4xf64>",
            ("%r = lz.cumsum %x axis 1 exclusive " + exclusive + " reverse " +
             reverse + " : (tensor<2x4xf64>) -> tensor<2x4xf64>")
                .str(),
            "2x4xf64", {random("2x4xf64")});
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

TEST_F(GradientReductionTest, LayerNorm) {
  check("%x: tensor<2x3x4xf64>, %s: tensor<3x4xf64>, %b: tensor<4xf64>",
        "%r = lz.layer_norm <layer> %x, %s bias %b axis 1 epsilon 1.0e-2 : "
        "(tensor<2x3x4xf64>, tensor<3x4xf64>, tensor<4xf64>) -> "
        "tensor<2x3x4xf64>",
        "2x3x4xf64", {random("2x3x4xf64"), random("3x4xf64"), random("4xf64")});
  check("%x: tensor<2x5xf64>, %s: tensor<f64>",
        "%r = lz.layer_norm <rms> %x, %s axis 1 epsilon 1.0e-2 : "
        "(tensor<2x5xf64>, tensor<f64>) -> tensor<2x5xf64>",
        "2x5xf64", {random("2x5xf64"), random("f64")});
}

TEST_F(GradientReductionTest, BatchNorm) {
  for (auto [x, c] :
       {std::pair("2x3x4xf64", "3xf64"), std::pair("5x2xf64", "2xf64"),
        std::pair("4xf64", "4xf64")}) {
    std::string input = x, one = c;
    RefTensor variance = random(one);
    for (int64_t i = 0; i != variance.getNumElements(); ++i)
      variance.setDouble(i, variance.getDouble(i) + 1.5);
    check("%x: tensor<" + input + ">, %s: tensor<" + one + ">, %b: tensor<" +
              one + ">, %m: tensor<" + one + ">, %v: tensor<" + one + ">",
          "%r = lz.batch_norm %x, %s, %b, %m, %v epsilon 1.0e-2 : (tensor<" +
              input + ">, tensor<" + one + ">, tensor<" + one + ">, tensor<" +
              one + ">, tensor<" + one + ">) -> tensor<" + input + ">",
          input,
          {random(input), random(one), random(one), random(one), variance});
  }
}

TEST_F(GradientReductionTest, GroupNorm) {
  for (int groups : {0, 1, 2})
    check("%x: tensor<2x4x3xf64>, %s: tensor<4xf64>, %b: tensor<4xf64>",
          "%r = lz.group_norm %x, %s, %b groups " + std::to_string(groups) +
              " epsilon 1.0e-2 : (tensor<2x4x3xf64>, tensor<4xf64>, "
              "tensor<4xf64>) -> tensor<2x4x3xf64>",
          "2x4x3xf64", {random("2x4x3xf64"), random("4xf64"), random("4xf64")});
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

TEST_F(GradientReductionTest, PoolPadded) {
  for (StringRef kind : {"max", "average", "lp"})
    check("%x: tensor<2x2x5x6xf64>",
          "%r = lz.pool <" + kind.str() +
              "> %x kernel [3, 2] strides [2, 3] low [1, 0] high [1, 1] "
              "dilations [1, 1] sizes [3, 2] : (tensor<2x2x5x6xf64>) -> "
              "tensor<2x2x3x2xf64>",
          "2x2x3x2xf64", {random("2x2x5x6xf64")});
}

// Windows of which some taps lie in the padding, and the last beyond it.
TEST_F(GradientReductionTest, PoolDilated) {
  for (StringRef kind : {"max", "average", "lp"})
    for (StringRef attributes : {"", "{count_padding = true, power = 3}"})
      check("%x: tensor<1x1x9xf64>",
            "%r = lz.pool <" + kind.str() +
                "> %x kernel [3] strides [2] low [2] high [1] dilations [2] "
                "sizes [5] " +
                attributes.str() +
                " : (tensor<1x1x9xf64>) -> tensor<1x1x5xf64>",
            "1x1x5xf64", {random("1x1x9xf64")});
}

TEST_F(GradientReductionTest, PoolOfUnknownSizes) {
  for (std::string kind : {"max", "average"})
    check("func.func @f(%x: tensor<?x?x?xf64> {lz.dims = [#lz.expr<n>, "
          "#lz.expr<c>, #lz.expr<w>]}) -> tensor<?x?x?xf64> attributes "
          "{lz.symbols = [#lz.symbol<n, 1, 9, dim>, #lz.symbol<c, 1, 9, dim>, "
          "#lz.symbol<w, 1, 9, dim>]} {\n"
          "%r = lz.pool <" +
              kind +
              "> %x kernel [3] strides [2] low [1] "
              "high [1] dilations [1] sizes [floordiv(w + -1, 2) + 1] : "
              "(tensor<?x?x?xf64>) -> tensor<?x?x?xf64>\n"
              "return %r : tensor<?x?x?xf64>\n}",
          {random("2x3x6xf64")});
}

} // namespace
