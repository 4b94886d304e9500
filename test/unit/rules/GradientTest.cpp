//===- GradientTest.cpp - gradients of contractions, control, gathers -----===//

#include "test/unit/rules/GradientSupport.h"

using namespace mlir;
using namespace lz;

namespace {

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

TEST_F(GradientTest, Matmul) {
  check("%a: tensor<2x3xf64>, %b: tensor<3x4xf64>",
        "%r = lz.matmul %a, %b : (tensor<2x3xf64>, tensor<3x4xf64>) -> "
        "tensor<2x4xf64>",
        "2x4xf64", {random("2x3xf64"), random("3x4xf64")});
}

TEST_F(GradientTest, MatmulTransposed) {
  for (bool lhs : {false, true})
    for (bool rhs : {false, true}) {
      std::string a = lhs ? "3x2xf64" : "2x3xf64";
      std::string b = rhs ? "4x3xf64" : "3x4xf64";
      std::string flags = "{";
      if (lhs)
        flags += "transpose_lhs";
      if (lhs && rhs)
        flags += ", ";
      if (rhs)
        flags += "transpose_rhs";
      check("%a: tensor<" + a + ">, %b: tensor<" + b + ">",
            "%r = lz.matmul %a, %b " + flags + "} : (tensor<" + a +
                ">, tensor<" + b + ">) -> tensor<2x4xf64>",
            "2x4xf64", {random(a), random(b)});
    }
}

TEST_F(GradientTest, MatmulSumsOverBroadcastBatches) {
  check("%a: tensor<2x1x3x4xf64>, %b: tensor<5x4x2xf64>",
        "%r = lz.matmul %a, %b : (tensor<2x1x3x4xf64>, tensor<5x4x2xf64>) -> "
        "tensor<2x5x3x2xf64>",
        "2x5x3x2xf64", {random("2x1x3x4xf64"), random("5x4x2xf64")});
  check("%a: tensor<2x3x4xf64>, %b: tensor<2x4xf64>",
        "%r = lz.matmul %a, %b {transpose_rhs} : (tensor<2x3x4xf64>, "
        "tensor<2x4xf64>) -> tensor<2x3x2xf64>",
        "2x3x2xf64", {random("2x3x4xf64"), random("2x4xf64")});
}

TEST_F(GradientTest, MatmulOfVectors) {
  for (auto [a, b, r] : {std::tuple("3xf64", "3x2xf64", "2xf64"),
                         std::tuple("2x3xf64", "3xf64", "2xf64"),
                         std::tuple("3xf64", "3xf64", "f64"),
                         std::tuple("3xf64", "4x3x2xf64", "4x2xf64"),
                         std::tuple("4x2x3xf64", "3xf64", "4x2xf64")})
    check("%a: tensor<" + std::string(a) + ">, %b: tensor<" + b + ">",
          "%r = lz.matmul %a, %b : (tensor<" + std::string(a) + ">, tensor<" +
              b + ">) -> tensor<" + r + ">",
          r, {random(a), random(b)});
}

TEST_F(GradientTest, MatmulOfOneValueTwice) {
  check("%a: tensor<3x3xf64>",
        "%r = lz.matmul %a, %a : (tensor<3x3xf64>, tensor<3x3xf64>) -> "
        "tensor<3x3xf64>",
        "3x3xf64", {random("3x3xf64")});
}

// Whether a batch is broadcast is known only when it runs.
TEST_F(GradientTest, MatmulOfUnknownBatches) {
  constexpr char text[] = R"(
    func.func @f(%a: tensor<?x2x3xf64> {lz.dims = [#lz.expr<n>, #lz.expr<2>,
                                                   #lz.expr<3>]},
                 %b: tensor<?x3x2xf64> {lz.dims = [#lz.expr<m>, #lz.expr<3>,
                                                   #lz.expr<2>]})
        -> tensor<?x2x2xf64> attributes {lz.symbols = [
          #lz.symbol<n, 0, 9, dim>, #lz.symbol<m, 0, 9, dim>]} {
      %r = lz.matmul %a, %b
          : (tensor<?x2x3xf64>, tensor<?x3x2xf64>) -> tensor<?x2x2xf64>
      return %r : tensor<?x2x2xf64>
    })";
  check(text, {random("4x2x3xf64"), random("4x3x2xf64")});
  check(text, {random("1x2x3xf64"), random("4x3x2xf64")});
  check(text, {random("4x2x3xf64"), random("1x3x2xf64")});
  check(text, {random("1x2x3xf64"), random("1x3x2xf64")});
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

TEST_F(GradientTest, ConvStridedPaddedWithBias) {
  check("%x: tensor<2x3x5x6xf64>, %w: tensor<4x3x3x2xf64>, %b: tensor<4xf64>",
        "%r = lz.conv %x, %w bias %b strides [2, 3] low [1, 0] high [2, 1] "
        "dilations [1, 1] groups 1 : (tensor<2x3x5x6xf64>, "
        "tensor<4x3x3x2xf64>, tensor<4xf64>) -> tensor<2x4x3x2xf64>",
        "2x4x3x2xf64",
        {random("2x3x5x6xf64"), random("4x3x3x2xf64"), random("4xf64")});
}

TEST_F(GradientTest, ConvDilated) {
  check("%x: tensor<1x2x9xf64>, %w: tensor<3x2x3xf64>",
        "%r = lz.conv %x, %w strides [2] low [2] high [1] dilations [3] groups "
        "1 : (tensor<1x2x9xf64>, tensor<3x2x3xf64>) -> tensor<1x3x3xf64>",
        "1x3x3xf64", {random("1x2x9xf64"), random("3x2x3xf64")});
}

TEST_F(GradientTest, ConvGrouped) {
  check("%x: tensor<2x6x5xf64>, %w: tensor<4x3x2xf64>",
        "%r = lz.conv %x, %w strides [2] low [1] high [0] dilations [1] groups "
        "2 : (tensor<2x6x5xf64>, tensor<4x3x2xf64>) -> tensor<2x4x3xf64>",
        "2x4x3xf64", {random("2x6x5xf64"), random("4x3x2xf64")});
  check("%x: tensor<2x3x4xf64>, %w: tensor<3x1x2xf64>",
        "%r = lz.conv %x, %w strides [1] low [0] high [0] dilations [1] groups "
        "3 : (tensor<2x3x4xf64>, tensor<3x1x2xf64>) -> tensor<2x3x3xf64>",
        "2x3x3xf64", {random("2x3x4xf64"), random("3x1x2xf64")});
}

// A stride of 4 leaves up to 3 positions over, more than the padding and, with
// a filter of one element, more than the filter.
TEST_F(GradientTest, ConvWithLeftOverPositions) {
  check("%x: tensor<1x1x8xf64>, %w: tensor<2x1x1xf64>",
        "%r = lz.conv %x, %w strides [4] low [0] high [0] dilations [1] groups "
        "1 : (tensor<1x1x8xf64>, tensor<2x1x1xf64>) -> tensor<1x2x2xf64>",
        "1x2x2xf64", {random("1x1x8xf64"), random("2x1x1xf64")});
}

TEST_F(GradientTest, ConvOfUnknownSizes) {
  constexpr char text[] = R"(
    func.func @f(%x: tensor<?x4x?x?xf64> {lz.dims = [#lz.expr<n>, #lz.expr<4>,
                                           #lz.expr<h>, #lz.expr<w>]},
                 %w: tensor<2x2x3x2xf64>)
        -> tensor<?x2x?x?xf64> attributes {lz.symbols = [
          #lz.symbol<n, 0, 9, dim>, #lz.symbol<h, 0, 9, dim>,
          #lz.symbol<w, 0, 9, dim>]} {
      %r = lz.conv %x, %w strides [2, 3] low [1, 0] high [1, 1]
          dilations [1, 2] groups 2
          : (tensor<?x4x?x?xf64>, tensor<2x2x3x2xf64>) -> tensor<?x2x?x?xf64>
      return %r : tensor<?x2x?x?xf64>
    })";
  for (StringRef x : {"2x4x3x4xf64", "1x4x4x5xf64", "1x4x1x3xf64"})
    check(text, {random(x), random("2x2x3x2xf64")});
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

TEST_F(GradientTest, Softmax) {
  for (StringRef kind : {"softmax", "log_softmax"})
    for (int axis : {0, 1, 2})
      check("%x: tensor<2x3x4xf64>",
            ("%r = lz.softmax <" + kind + "> %x axis " + Twine(axis) +
             " : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>")
                .str(),
            "2x3x4xf64", {random("2x3x4xf64")});
}

TEST_F(GradientTest, HardmaxHasNone) {
  checkIsFlat(R"(
    %r = lz.softmax <hardmax> %x axis 0 : (tensor<4xf64>) -> tensor<4xf64>
  )");
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

TEST_F(GradientTest, GatherOfNegativeAndRepeatedIndices) {
  check("%x: tensor<4x2xf64>, %i: tensor<3xi64>",
        "%r = lz.gather %x, %i axis 0 : (tensor<4x2xf64>, tensor<3xi64>) -> "
        "tensor<3x2xf64>",
        "3x2xf64", {random("4x2xf64"), tensor("3xi64", {-1, 1, 1})});
}

// Out of range, gather reads the nearest element.
TEST_F(GradientTest, GatherOfIndicesOutOfRange) {
  check("%x: tensor<4xf64>, %i: tensor<4xi32>",
        "%r = lz.gather %x, %i axis 0 : (tensor<4xf64>, tensor<4xi32>) -> "
        "tensor<4xf64>",
        "4xf64", {random("4xf64"), tensor("4xi32", {-9, -5, 4, 7})});
}

TEST_F(GradientTest, GatherAlongAMiddleDimension) {
  check("%x: tensor<2x4x3xf64>, %i: tensor<2x2xi64>",
        "%r = lz.gather %x, %i axis 1 : (tensor<2x4x3xf64>, tensor<2x2xi64>) "
        "-> tensor<2x2x2x3xf64>",
        "2x2x2x3xf64", {random("2x4x3xf64"), tensor("2x2xi64", {0, -1, 2, 0})});
  check("%x: tensor<2x4x3xf64>, %i: tensor<i64>",
        "%r = lz.gather %x, %i axis 1 : (tensor<2x4x3xf64>, tensor<i64>) -> "
        "tensor<2x3xf64>",
        "2x3xf64", {random("2x4x3xf64"), tensor("i64", {-2})});
}

TEST_F(GradientTest, GatherOfUnknownSizes) {
  constexpr char text[] = R"(
    func.func @f(%x: tensor<?x3xf64> {lz.dims = [#lz.expr<n>, #lz.expr<3>]},
                 %i: tensor<?xi64> {lz.dims = [#lz.expr<k>]})
        -> tensor<?x3xf64> attributes {lz.symbols = [
          #lz.symbol<n, 1, 9, dim>, #lz.symbol<k, 0, 9, dim>]} {
      %r = lz.gather %x, %i axis 0
          : (tensor<?x3xf64>, tensor<?xi64>) -> tensor<?x3xf64>
      return %r : tensor<?x3xf64>
    })";
  check(text, {random("5x3xf64"), tensor("4xi64", {4, -1, 0, -5})});
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

TEST_F(GradientTest, Reshape) {
  constexpr char text[] = R"(
    func.func @f(%x: tensor<?x6xf64> {lz.dims = [#lz.expr<n>, #lz.expr<6>]})
        -> tensor<?x3xf64> attributes {lz.symbols = [
          #lz.symbol<n, 1, 9, dim>]} {
      %r = lz.reshape %x [n * 2, 3] : (tensor<?x6xf64>) -> tensor<?x3xf64>
      return %r : tensor<?x3xf64>
    })";
  check(text, {random("2x6xf64")});
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

// Both branches read %a; only one reads %b, only the other %c. What %d computes
// outside passes through too.
constexpr char kIf[] = R"(
  func.func @f(%p: tensor<i1>, %a: tensor<2x2xf64>, %b: tensor<2x2xf64>,
               %c: tensor<2x2xf64>) -> tensor<2x2xf64> {
    %d = lz.softmax <softmax> %c axis 0 : (tensor<2x2xf64>) -> tensor<2x2xf64>
    %r = lz.if %p symbols [] : (tensor<i1>) -> tensor<2x2xf64> {
      %m = lz.matmul %a, %b
          : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
      %n = lz.softmax <softmax> %m axis 1
          : (tensor<2x2xf64>) -> tensor<2x2xf64>
      lz.yield %n : tensor<2x2xf64>
    } else {
      %m = lz.matmul %d, %a
          : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
      lz.yield %m : tensor<2x2xf64>
    }
    return %r : tensor<2x2xf64>
  })";

TEST_F(GradientTest, IfFollowsTheBranchTaken) {
  for (double condition : {0, 1})
    check(kIf, {tensor("i1", condition), random("2x2xf64"), random("2x2xf64"),
                random("2x2xf64")});
}

TEST_F(GradientTest, IfThatYieldsWhatItCaptures) {
  constexpr char text[] = R"(
    func.func @f(%p: tensor<i1>, %q: tensor<i1>, %a: tensor<4xf64>,
                 %b: tensor<4xf64>) -> tensor<4xf64> {
      %r = lz.if %p symbols [] : (tensor<i1>) -> tensor<4xf64> {
        lz.yield %a : tensor<4xf64>
      } else {
        %s = lz.if %q symbols [] : (tensor<i1>) -> tensor<4xf64> {
          lz.yield %b : tensor<4xf64>
        } else {
          %t = lz.softmax <softmax> %a axis 0 : (tensor<4xf64>) -> tensor<4xf64>
          lz.yield %t : tensor<4xf64>
        }
        lz.yield %s : tensor<4xf64>
      }
      return %r : tensor<4xf64>
    })";
  for (double p : {0, 1})
    for (double q : {0, 1})
      check(text, {tensor("i1", p), tensor("i1", q), random("4xf64"),
                   random("4xf64")});
}

TEST_F(GradientTest, IfWhoseBranchesDifferInSize) {
  constexpr char text[] = R"(
    func.func @f(%p: tensor<i1>, %i: tensor<3xi64>, %a: tensor<5x2xf64>)
        -> tensor<?x2xf64>
        attributes {lz.symbols = [#lz.symbol<n, 0, 5, run>]} {
      %r = lz.if %p symbols [n] : (tensor<i1>) -> tensor<?x2xf64> {
        lz.yield %a : tensor<5x2xf64>
      } else {
        %s = lz.gather %a, %i axis 0
            : (tensor<5x2xf64>, tensor<3xi64>) -> tensor<3x2xf64>
        lz.yield %s : tensor<3x2xf64>
      }
      return %r : tensor<?x2xf64>
    })";
  for (double p : {0, 1})
    check(text,
          {tensor("i1", p), tensor("3xi64", {3, -1, 3}), random("5x2xf64")});
}

//===----------------------------------------------------------------------===//
// Ops without a rule
//===----------------------------------------------------------------------===//

TEST_F(GradientTest, NamesTheOpThatHasNoRule) {
  auto function = parse(R"(
    func.func @f(%x: tensor<2x2xf64>) -> tensor<f64> {
      %r = lz.det %x : (tensor<2x2xf64>) -> tensor<f64>
      return %r : tensor<f64>
    })");
  ASSERT_TRUE(function) << error;
  EXPECT_TRUE(failed(differentiate(function)));
  EXPECT_NE(error.find("'lz.det' op has no gradient rule"), std::string::npos)
      << error;
}

TEST_F(GradientTest, PassesOverOpsThatNoInputReaches) {
  check("%x: tensor<2x2xf64>, %i: tensor<2x2xi64>",
        "%f = lz.cast %i to f64 : (tensor<2x2xi64>) -> tensor<2x2xf64>\n"
        "%r = lz.matmul %x, %f : (tensor<2x2xf64>, tensor<2x2xf64>) -> "
        "tensor<2x2xf64>",
        "2x2xf64", {random("2x2xf64"), random("2x2xi64")});
}

} // namespace
