//===- GradientElementwiseTest.cpp - gradients element by element ---------===//

#include "test/unit/rules/GradientSupport.h"

#include <cmath>

using namespace mlir;
using namespace lz;

namespace {

struct GradientElementwiseTest : GradientTest {
  /// Checks a function of one element at `points`, none of which is a kink.
  void checkUnary(StringRef kind, ArrayRef<double> points,
                  StringRef attributes = "") {
    SCOPED_TRACE(kind.str());
    std::string type = std::to_string(points.size()) + "xf64";
    check("%x: tensor<" + type + ">",
          "%r = lz.unary <" + kind.str() + "> %x " + attributes.str() +
              " : (tensor<" + type + ">) -> tensor<" + type + ">",
          type, {tensor(type, points)});
  }
  /// Checks a function of two tensors, the right one broadcast.
  void checkBinary(StringRef kind, ArrayRef<double> lhs, ArrayRef<double> rhs) {
    SCOPED_TRACE(kind.str());
    check("%a: tensor<2x3xf64>, %b: tensor<3xf64>",
          "%r = lz.binary <" + kind.str() +
              "> %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>",
          "2x3xf64", {tensor("2x3xf64", lhs), tensor("3xf64", rhs)});
  }
};

TEST_F(GradientElementwiseTest, SmoothFunctions) {
  for (StringRef kind :
       {"identity", "neg", "exp", "sin", "cos", "tan", "atan", "sinh", "cosh",
        "tanh", "asinh", "erf", "sigmoid", "softplus", "softsign", "mish",
        "gelu", "gelu_tanh", "swish"})
    checkUnary(kind, {-1.3, -0.4, 0.2, 0.9, 2.1});
}

TEST_F(GradientElementwiseTest, FunctionsOfAPartOfTheLine) {
  for (StringRef kind : {"log", "sqrt", "rsqrt", "reciprocal"})
    checkUnary(kind, {0.3, 0.8, 1.7, 4.2});
  for (StringRef kind : {"asin", "acos", "atanh"})
    checkUnary(kind, {-0.7, -0.1, 0.4, 0.6});
  checkUnary("acosh", {1.2, 2.5, 7});
}

TEST_F(GradientElementwiseTest, FunctionsWithKinks) {
  for (StringRef kind :
       {"abs", "relu", "leaky_relu", "elu", "celu", "selu", "hard_sigmoid",
        "hard_swish", "thresholded_relu", "shrink"})
    checkUnary(kind, {-4, -1.3, -0.4, 0.2, 0.9, 2.1, 5});
}

TEST_F(GradientElementwiseTest, FunctionsWithParameters) {
  SmallVector<double> points = {-4, -1.3, -0.4, 0.2, 0.9, 2.1, 5};
  for (StringRef kind :
       {"leaky_relu", "elu", "celu", "swish", "thresholded_relu"})
    checkUnary(kind, points, "{alpha = 0.7}");
  for (StringRef kind : {"selu", "hard_sigmoid", "shrink"})
    checkUnary(kind, points, "{alpha = 0.3, beta = 0.6}");
}

// exp(1000) overflows, but only below zero is there an exponential.
TEST_F(GradientElementwiseTest, ExponentialsDoNotOverflow) {
  for (StringRef kind : {"elu", "celu", "selu"})
    checkUnary(kind, {-1, 1000});
}

TEST_F(GradientElementwiseTest, StepsHaveNone) {
  checkIsFlat(R"(
    %0 = lz.unary <floor> %x : (tensor<4xf64>) -> tensor<4xf64>
    %r = lz.unary <sign> %0 : (tensor<4xf64>) -> tensor<4xf64>
  )");
}

TEST_F(GradientElementwiseTest, BroadcastOperandsAreSummed) {
  SmallVector<double> lhs = {0.4, 1.7, 2.9, 1.1, 0.6, 3.3};
  for (StringRef kind : {"add", "sub", "mul", "div", "pow", "max", "min"})
    checkBinary(kind, lhs, {1.3, 0.8, -2.2});
}

TEST_F(GradientElementwiseTest, Remainders) {
  for (StringRef kind : {"mod", "fmod"})
    checkBinary(kind, {5.3, -7.1, 4.6, -0.4, 2.9, -9.7}, {1.3, 2.1, -1.7});
}

TEST_F(GradientElementwiseTest, Prelu) {
  checkBinary("prelu", {0.4, -1.7, 2.9, -1.1, 0.6, -3.3}, {1.3, 0.8, -2.2});
}

TEST_F(GradientElementwiseTest, PowerOfAnInteger) {
  check("%x: tensor<4xf64>, %n: tensor<4xi64>",
        "%r = lz.binary <pow> %x, %n : (tensor<4xf64>, tensor<4xi64>) -> "
        "tensor<4xf64>",
        "4xf64",
        {tensor("4xf64", {-1.3, 0, 0, 2}), tensor("4xi64", {3, 2, 0, -1})});
}

TEST_F(GradientElementwiseTest, PowerOfZero) {
  auto function = parse(R"(
    func.func @f(%x: tensor<2xf64>, %n: tensor<2xf64>) -> tensor<2xf64> {
      %r = lz.binary <pow> %x, %n
          : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
      return %r : tensor<2xf64>
    })");
  ASSERT_TRUE(succeeded(differentiate(function))) << error;
  auto gradients =
      run(function, {tensor("2xf64", {0, 0}), tensor("2xf64", {2, 0}),
                     tensor("2xf64", {1, 1})});
  ASSERT_EQ(gradients.size(), 2u) << error;
  for (int64_t i = 0; i != 2; ++i) {
    EXPECT_EQ(gradients[0].getDouble(i), 0);
    EXPECT_EQ(gradients[1].getDouble(i), 0);
  }
}

// Of equal operands each gets half, as in PyTorch.
TEST_F(GradientElementwiseTest, MaximumOfEqualOperands) {
  auto function = parse(R"(
    func.func @f(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {
      %r = lz.binary <max> %a, %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
      return %r : tensor<f64>
    })");
  ASSERT_TRUE(succeeded(differentiate(function))) << error;
  auto gradients =
      run(function, {tensor("f64", 3), tensor("f64", 3), tensor("f64", 8)});
  ASSERT_EQ(gradients.size(), 2u) << error;
  EXPECT_EQ(gradients[0].getDouble(0), 4);
  EXPECT_EQ(gradients[1].getDouble(0), 4);
}

TEST_F(GradientElementwiseTest, Select) {
  check("%c: tensor<2x1xi1>, %a: tensor<3xf64>, %b: tensor<2x3xf64>",
        "%r = lz.select %c, %a, %b : (tensor<2x1xi1>, tensor<3xf64>, "
        "tensor<2x3xf64>) -> tensor<2x3xf64>",
        "2x3xf64",
        {tensor("2x1xi1", {1, 0}), random("3xf64"), random("2x3xf64")});
}

// A gradient takes the way of the cast back; none goes through an integer.
TEST_F(GradientElementwiseTest, Cast) {
  auto function = parse(R"(
    func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
      %0 = lz.cast %x to f32 : (tensor<2xf64>) -> tensor<2xf32>
      %1 = lz.cast %x to i64 : (tensor<2xf64>) -> tensor<2xi64>
      %2 = lz.cast %1 to f64 : (tensor<2xi64>) -> tensor<2xf64>
      %3 = lz.cast %0 to f64 : (tensor<2xf32>) -> tensor<2xf64>
      %r = lz.binary <mul> %3, %2
          : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
      return %r : tensor<2xf64>
    })");
  ASSERT_TRUE(succeeded(differentiate(function))) << error;
  auto gradients =
      run(function, {tensor("2xf64", {3.5, -2.5}), tensor("2xf64", {1, 10})});
  ASSERT_EQ(gradients.size(), 1u) << error;
  EXPECT_EQ(gradients[0].getDouble(0), 3);
  EXPECT_EQ(gradients[0].getDouble(1), -20);
}

// A product of a value with itself, through two ways.
TEST_F(GradientElementwiseTest, SeveralUsesAreSummed) {
  check("%x: tensor<3xf64>",
        "%0 = lz.unary <sin> %x : (tensor<3xf64>) -> tensor<3xf64>\n"
        "%1 = lz.binary <mul> %0, %x : (tensor<3xf64>, tensor<3xf64>) -> "
        "tensor<3xf64>\n"
        "%r = lz.binary <mul> %1, %0 : (tensor<3xf64>, tensor<3xf64>) -> "
        "tensor<3xf64>",
        "3xf64", {random("3xf64")});
}

} // namespace
