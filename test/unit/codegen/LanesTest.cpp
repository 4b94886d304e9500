//===- LanesTest.cpp - kernels of many neighbours at once -----------------===//
//
// Sizes are larger than one block of lanes and no multiples of anything that
// the emitters count in.
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include "gtest/gtest.h"

using namespace lz::test;

/// Reduces f32 [5, 7, 300] (or another type) along `axes`.
static std::string expectReduction(const std::string &kind,
                                   const std::string &type,
                                   const std::string &axes,
                                   const std::string &shape) {
  std::string in = "tensor<5x7x300x" + type + ">";
  std::string out = "tensor<" + shape + "x" + type + ">";
  return expectLikeReference({"(%x: " + in + ") -> " + out,
                              "%0 = lz.reduce <" + kind + "> %x axes " + axes +
                                  " keep_dims false : (" + in + ") -> " + out +
                                  " return %0 : " + out,
                              {{{5, 7, 300}, 1, 3}},
                              {},
                              1e-5});
}

TEST(Lanes, ReduceFirstMiddleAndOuterDimensions) {
  for (const char *kind : {"sum", "mean", "max", "l2", "log_sum_exp"})
    for (const char *type : {"f32", "f64", "i32"}) {
      expectReduction(kind, type, "[0]", "7x300");
      expectReduction(kind, type, "[1]", "5x300");
      expectReduction(kind, type, "[0, 1]", "300");
    }
}

TEST(Lanes, AreVectors) {
  std::string ir = expectReduction("sum", "f32", "[0]", "7x300");
  EXPECT_NE(ir.find("fadd reassoc <"), std::string::npos) << ir;
}

TEST(Lanes, ReduceAnUnknownNumberOfRows) {
  for (int64_t rows : {0, 1, 3, 4, 9})
    expectLikeReference(
        {"(%x: tensor<?x33xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<33>]}) -> "
         "tensor<33xf32>",
         R"(%0 = lz.reduce <sum> %x axes [0] keep_dims false : (tensor<?x33xf32>) -> tensor<33xf32>
            return %0 : tensor<33xf32>)",
         {{{rows, 33}}},
         {rows}});
}

/// Two reductions, the second of what the first gave, and a last pass.
TEST(Lanes, NormalizeChannels) {
  expectLikeReference(
      {"(%x: tensor<2x9x?xf32> {lz.dims = [#lz.expr<2>, #lz.expr<9>, "
       "#lz.expr<s0>]}) -> tensor<2x9x?xf32>",
       R"(
    %m = lz.reduce <mean> %x axes [1] keep_dims true : (tensor<2x9x?xf32>) -> tensor<2x1x?xf32>
    %d = lz.binary <sub> %x, %m : (tensor<2x9x?xf32>, tensor<2x1x?xf32>) -> tensor<2x9x?xf32>
    %s = lz.binary <mul> %d, %d : (tensor<2x9x?xf32>, tensor<2x9x?xf32>) -> tensor<2x9x?xf32>
    %v = lz.reduce <mean> %s axes [1] keep_dims true : (tensor<2x9x?xf32>) -> tensor<2x1x?xf32>
    %q = lz.unary <sqrt> %v : (tensor<2x1x?xf32>) -> tensor<2x1x?xf32>
    %r = lz.binary <div> %d, %q : (tensor<2x9x?xf32>, tensor<2x1x?xf32>) -> tensor<2x9x?xf32>
    return %r : tensor<2x9x?xf32>)",
       {{{2, 9, 301}}},
       {301},
       1e-5});
}

TEST(Lanes, SoftmaxOfAMiddleDimension) {
  for (const char *kind : {"softmax", "log_softmax", "hardmax"})
    for (const char *type : {"f32", "f16"}) {
      std::string tensor = std::string("tensor<2x6x270x") + type + ">";
      expectLikeReference({"(%x: " + tensor + ") -> " + tensor,
                           std::string("%0 = lz.softmax <") + kind +
                               "> %x axis 1 : (" + tensor + ") -> " + tensor +
                               " return %0 : " + tensor,
                           {{{2, 6, 270}, -8, 8}},
                           {},
                           2e-3});
    }
}

TEST(Lanes, FindTheFirstOrLastOfAMiddleDimension) {
  for (const char *kind : {"max", "min"})
    for (const char *last : {"true", "false"})
      expectLikeReference(
          {"(%x: tensor<3x9x290xi32>) -> tensor<3x290xi64>",
           std::string("%0 = lz.arg_reduce <") + kind +
               "> %x axis 1 keep_dims false last " + last +
               " : (tensor<3x9x290xi32>) -> tensor<3x290xi64> return %0 : "
               "tensor<3x290xi64>",
           {{{3, 9, 290}, 0, 3}}});
}

TEST(Lanes, NormalizeAcrossChannels) {
  expectLikeReference(
      {"(%x: tensor<2x7x3x261xf32>) -> tensor<2x7x3x261xf32>",
       R"(%0 = lz.lrn %x size 5 alpha 1.0e-1 beta 7.5e-1 offset 1.0
            : (tensor<2x7x3x261xf32>) -> tensor<2x7x3x261xf32>
          return %0 : tensor<2x7x3x261xf32>)",
       {{{2, 7, 3, 261}}}});
}

/// A softmax keeps its exponentials in the result that is made of them.
TEST(Lanes, SoftmaxBetweenOtherOperations) {
  for (int axis : {1, 2})
    expectLikeReference(
        {"(%x: tensor<2x6x70xf32>, %m: tensor<70xf32>) -> tensor<2x6x70xf32>",
         R"(
    %0 = lz.binary <add> %x, %m : (tensor<2x6x70xf32>, tensor<70xf32>) -> tensor<2x6x70xf32>
    %1 = lz.softmax <softmax> %0 axis )" +
             std::to_string(axis) +
             R"( : (tensor<2x6x70xf32>) -> tensor<2x6x70xf32>
    %2 = lz.binary <mul> %1, %x : (tensor<2x6x70xf32>, tensor<2x6x70xf32>) -> tensor<2x6x70xf32>
    return %2 : tensor<2x6x70xf32>)",
         {{{2, 6, 70}, -8, 8}, {{70}}}});
}

/// Where columns lie is computed once for all rows.
TEST(Lanes, ResizeRows) {
  for (const char *kind : {"nearest", "linear", "cubic"})
    for (const char *coordinate : {"half_pixel", "align_corners"})
      expectLikeReference(
          {"(%x: tensor<2x5x190xf32>) -> tensor<2x9x600xf32>",
           std::string("%0 = lz.resize <") + kind +
               "> %x [2, 9, 600] scales [1.0, 0.0, 0.0] coordinate <" +
               coordinate +
               "> nearest <round_prefer_floor> : (tensor<2x5x190xf32>) -> "
               "tensor<2x9x600xf32> return %0 : tensor<2x9x600xf32>",
           {{{2, 5, 190}}},
           {},
           1e-5});
}

TEST(Lanes, RepeatElements) {
  for (const char *how : {"<asymmetric> nearest <floor>",
                          "<half_pixel> nearest <round_prefer_ceil>"})
    for (const char *scales : {"[1.0, 3.0, 2.0]", "[1.0, 0.0, 0.0]"})
      expectLikeReference(
          {"(%x: tensor<2x5x37xf32>) -> tensor<2x15x74xf32>",
           std::string("%0 = lz.resize <nearest> %x [2, 15, 74] scales ") +
               scales + " coordinate " + how +
               " : (tensor<2x5x37xf32>) -> tensor<2x15x74xf32> return %0 : "
               "tensor<2x15x74xf32>",
           {{{2, 5, 37}}}});
}
