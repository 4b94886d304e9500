//===- GradientMovementTest.cpp - gradients of ops that move data ---------===//

#include "test/unit/rules/GradientSupport.h"

using namespace mlir;
using namespace lz;

namespace {

struct GradientMovementTest : GradientTest {
  /// Checks `op`, a text in which %x is of type `input`.
  void checkOp(StringRef op, std::string input, StringRef result) {
    SCOPED_TRACE(op.str());
    check(
        "%x: tensor<" + input + ">",
        ("%r = " + op + " : (tensor<" + input + ">) -> tensor<" + result + ">")
            .str(),
        result, {random(input)});
  }
};

TEST_F(GradientMovementTest, Transpose) {
  checkOp("lz.transpose %x [1, 2, 0]", "2x3x4xf64", "3x4x2xf64");
}

TEST_F(GradientMovementTest, Expand) {
  checkOp("lz.expand %x [2, 3, 4]", "3x1xf64", "2x3x4xf64");
}

TEST_F(GradientMovementTest, Slice) {
  checkOp("lz.slice %x [1, 0] [2, 4] [1, 1]", "4x4xf64", "2x4xf64");
  checkOp("lz.slice %x [1] [3] [3]", "9xf64", "3xf64");
  checkOp("lz.slice %x [1] [3] [3]", "8xf64", "3xf64");
  checkOp("lz.slice %x [6, 0] [3, 2] [-2, 2]", "8x4xf64", "3x2xf64");
  checkOp("lz.slice %x [3] [4] [-1]", "4xf64", "4xf64");
}

TEST_F(GradientMovementTest, SliceOfUnknownSizes) {
  check("func.func @f(%x: tensor<?xf64> {lz.dims = [#lz.expr<n>]}) -> "
        "tensor<?xf64> attributes {lz.symbols = [#lz.symbol<n, 1, 9, dim>]} {\n"
        "%r = lz.slice %x [n + -1] [floordiv(n + 1, 2)] [-2] : "
        "(tensor<?xf64>) -> tensor<?xf64>\nreturn %r : tensor<?xf64>\n}",
        {random("7xf64")});
}

TEST_F(GradientMovementTest, Concat) {
  check("%a: tensor<2x1xf64>, %b: tensor<2x3xf64>",
        "%r = lz.concat %a, %b, %a axis 1 : (tensor<2x1xf64>, "
        "tensor<2x3xf64>, tensor<2x1xf64>) -> tensor<2x5xf64>",
        "2x5xf64", {random("2x1xf64"), random("2x3xf64")});
}

TEST_F(GradientMovementTest, Pad) {
  for (StringRef kind : {"constant", "reflect", "edge", "wrap"})
    checkOp("lz.pad <" + kind.str() + "> %x [1, 2] [0, 1]", "3x4xf64",
            "4x7xf64");
  checkOp("lz.pad <constant> %x [-1, 2] [2, -3]", "3x4xf64", "4x3xf64");
}

TEST_F(GradientMovementTest, PadByAValue) {
  check("%x: tensor<2x2xf64>, %v: tensor<f64>",
        "%r = lz.pad <constant> %x value %v [1, -1] [0, 2] : "
        "(tensor<2x2xf64>, tensor<f64>) -> tensor<3x3xf64>",
        "3x3xf64", {random("2x2xf64"), random("f64")});
}

TEST_F(GradientMovementTest, Tile) {
  checkOp("lz.tile %x [2, 3]", "2x3xf64", "4x9xf64");
}

TEST_F(GradientMovementTest, Trilu) {
  checkOp("lz.trilu %x k [1] {upper = true}", "2x3x4xf64", "2x3x4xf64");
  checkOp("lz.trilu %x k [0] {upper = false}", "3x3xf64", "3x3xf64");
}

TEST_F(GradientMovementTest, ConvTranspose) {
  check("%x: tensor<2x4x3xf64>, %w: tensor<4x3x2xf64>, %b: tensor<6xf64>",
        "%r = lz.conv_transpose %x, %w bias %b strides [3] low [1] high [0] "
        "extra [2] dilations [2] groups 2 : (tensor<2x4x3xf64>, "
        "tensor<4x3x2xf64>, tensor<6xf64>) -> tensor<2x6x10xf64>",
        "2x6x10xf64",
        {random("2x4x3xf64"), random("4x3x2xf64"), random("6xf64")});
  check("%x: tensor<1x2x3x2xf64>, %w: tensor<2x1x2x3xf64>",
        "%r = lz.conv_transpose %x, %w strides [2, 1] low [0, 1] high [1, 1] "
        "extra [0, 0] dilations [1, 1] groups 1 : (tensor<1x2x3x2xf64>, "
        "tensor<2x1x2x3xf64>) -> tensor<1x1x5x2xf64>",
        "1x1x5x2xf64", {random("1x2x3x2xf64"), random("2x1x2x3xf64")});
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

TEST_F(GradientMovementTest, GatherElements) {
  check("%x: tensor<3x4xf64>, %i: tensor<2x4xi64>",
        "%r = lz.gather_elements %x, %i axis 0 : (tensor<3x4xf64>, "
        "tensor<2x4xi64>) -> tensor<2x4xf64>",
        "2x4xf64",
        {random("3x4xf64"), tensor("2x4xi64", {0, -1, 2, 9, 0, -1, 1, -9})});
}

TEST_F(GradientMovementTest, GatherNd) {
  check("%x: tensor<3x4x2xf64>, %i: tensor<3x2xi64>",
        "%r = lz.gather_nd %x, %i batch_dims 0 : (tensor<3x4x2xf64>, "
        "tensor<3x2xi64>) -> tensor<3x2xf64>",
        "3x2xf64",
        {random("3x4x2xf64"), tensor("3x2xi64", {0, -1, 2, 3, 0, 3})});
  check("%x: tensor<2x3x4xf64>, %i: tensor<2x2x1xi64>",
        "%r = lz.gather_nd %x, %i batch_dims 1 : (tensor<2x3x4xf64>, "
        "tensor<2x2x1xi64>) -> tensor<2x2x4xf64>",
        "2x2x4xf64", {random("2x3x4xf64"), tensor("2x2x1xi64", {0, -1, 2, 2})});
}

// Index 1 comes twice and 7 is out of range.
TEST_F(GradientMovementTest, ScatterElements) {
  for (StringRef kind : {"none", "add"})
    check(
        "%x: tensor<4xf64>, %i: tensor<5xi64>, %u: tensor<5xf64>",
        "%r = lz.scatter_elements <" + kind.str() +
            "> %x, %i, %u axis 0 : (tensor<4xf64>, tensor<5xi64>, "
            "tensor<5xf64>) -> tensor<4xf64>",
        "4xf64",
        {random("4xf64"), tensor("5xi64", {1, -1, 1, 7, 0}), random("5xf64")});
}

TEST_F(GradientMovementTest, ScatterNd) {
  for (StringRef kind : {"none", "add"})
    check("%x: tensor<4x2xf64>, %i: tensor<2x1xi64>, %u: tensor<2x2xf64>",
          "%r = lz.scatter_nd <" + kind.str() +
              "> %x, %i, %u : (tensor<4x2xf64>, tensor<2x1xi64>, "
              "tensor<2x2xf64>) -> tensor<4x2xf64>",
          "4x2xf64",
          {random("4x2xf64"), tensor("2x1xi64", {2, 0}), random("2x2xf64")});
}

TEST_F(GradientMovementTest, ScatterByAProductHasNone) {
  auto function = parse(R"(
    func.func @f(%x: tensor<4xf64>, %i: tensor<1xi64>, %u: tensor<1xf64>)
        -> tensor<4xf64> {
      %r = lz.scatter_elements <mul> %x, %i, %u axis 0
          : (tensor<4xf64>, tensor<1xi64>, tensor<1xf64>) -> tensor<4xf64>
      return %r : tensor<4xf64>
    })");
  ASSERT_TRUE(function) << error;
  EXPECT_TRUE(failed(differentiate(function)));
  EXPECT_NE(error.find("no gradient rule for reduction 'mul'"),
            std::string::npos)
      << error;
}

TEST_F(GradientMovementTest, TopK) {
  check("%x: tensor<2x5xf64>",
        "%r, %i = lz.top_k %x k [2] axis 1 largest true : (tensor<2x5xf64>) "
        "-> (tensor<2x2xf64>, tensor<2x2xi64>)",
        "2x2xf64", {random("2x5xf64")});
}

TEST_F(GradientMovementTest, ReverseSequence) {
  check("%x: tensor<4x2xf64>, %n: tensor<2xi64>",
        "%r = lz.reverse_sequence %x, %n batch 1 time 0 : (tensor<4x2xf64>, "
        "tensor<2xi64>) -> tensor<4x2xf64>",
        "4x2xf64", {random("4x2xf64"), tensor("2xi64", {3, 1})});
}

} // namespace
