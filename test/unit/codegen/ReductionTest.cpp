//===- ReductionTest.cpp - reductions, norms and pools --------------------===//

#include "Oracle.h"

#include "gtest/gtest.h"

using namespace lz::test;

TEST(ReductionKernel, Kinds) {
  for (const char *kind : {"sum", "mean", "prod", "max", "min", "l1", "l2",
                           "log_sum", "log_sum_exp", "sum_square"})
    for (const char *type : {"f32", "f64", "i32"}) {
      std::string in = std::string("tensor<?x4x5x") + type + ">";
      std::string out = std::string("tensor<?x1x5x") + type + ">";
      expectLikeReference(
          {"(%x: " + in +
               " {lz.dims = [#lz.expr<s0>, #lz.expr<4>, #lz.expr<5>]}) -> " +
               out,
           std::string("%0 = lz.reduce <") + kind +
               "> %x axes [1] keep_dims true : (" + in + ") -> " + out +
               " return %0 : " + out,
           {{{3, 4, 5}, 1, 3}},
           {3}});
    }
}

/// One value for a row is computed before the row's loop.
TEST(ReductionKernel, SharedByRow) {
  expectLikeReference(
      {"(%x: tensor<3x?xf32> {lz.dims = [#lz.expr<3>, #lz.expr<s0>]}) -> "
       "tensor<3x?xf32>",
       R"(
    %m = lz.reduce <mean> %x axes [1] keep_dims true : (tensor<3x?xf32>) -> tensor<3x1xf32>
    %d = lz.binary <sub> %x, %m : (tensor<3x?xf32>, tensor<3x1xf32>) -> tensor<3x?xf32>
    %s = lz.binary <mul> %d, %d : (tensor<3x?xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>
    %v = lz.reduce <mean> %s axes [1] keep_dims true : (tensor<3x?xf32>) -> tensor<3x1xf32>
    %q = lz.unary <sqrt> %v : (tensor<3x1xf32>) -> tensor<3x1xf32>
    %r = lz.binary <div> %d, %q : (tensor<3x?xf32>, tensor<3x1xf32>) -> tensor<3x?xf32>
    return %r : tensor<3x?xf32>)",
       {{{3, 19}}},
       {19}});
}

TEST(ReductionKernel, ToScalarAndWithoutDims) {
  expectLikeReference(
      {"(%x: tensor<4x3x5xf32>) -> tensor<f32>",
       R"(%0 = lz.reduce <sum> %x axes [0, 1, 2] keep_dims false : (tensor<4x3x5xf32>) -> tensor<f32>
          return %0 : tensor<f32>)",
       {{{4, 3, 5}}}});
  expectLikeReference(
      {"(%x: tensor<4x3x5xi8>) -> tensor<3xi8>",
       R"(%0 = lz.reduce <max> %x axes [0, 2] keep_dims false : (tensor<4x3x5xi8>) -> tensor<3xi8>
          return %0 : tensor<3xi8>)",
       {{{4, 3, 5}, -100, 100}}});
}

TEST(ReductionKernel, ArgReduce) {
  for (const char *kind : {"max", "min"})
    for (const char *last : {"true", "false"})
      expectLikeReference(
          {"(%x: tensor<4x9xi32>) -> tensor<4xi64>",
           std::string("%0 = lz.arg_reduce <") + kind +
               "> %x axis 1 keep_dims false last " + last +
               " : (tensor<4x9xi32>) -> tensor<4xi64> return %0 : "
               "tensor<4xi64>",
           {{{4, 9}, 0, 3}}});
}

TEST(RowKernel, Softmax) {
  std::string ir;
  for (const char *kind : {"softmax", "log_softmax", "hardmax"})
    for (int axis : {0, 1, 2})
      ir = expectLikeReference(
          {"(%x: tensor<3x?x7xf32> {lz.dims = [#lz.expr<3>, #lz.expr<s0>, "
           "#lz.expr<7>]}) -> tensor<3x?x7xf32>",
           std::string("%0 = lz.softmax <") + kind + "> %x axis " +
               std::to_string(axis) +
               " : (tensor<3x?x7xf32>) -> tensor<3x?x7xf32> return %0 : "
               "tensor<3x?x7xf32>",
           {{{3, 5, 7}, -8, 8}},
           {5}});
  // A row of 64: all its loops are vectors.
  ir = expectLikeReference(
      {"(%x: tensor<3x64xf32>) -> tensor<3x64xf32>",
       R"(%0 = lz.softmax <softmax> %x axis 1 : (tensor<3x64xf32>) -> tensor<3x64xf32>
          return %0 : tensor<3x64xf32>)",
       {{{3, 64}, -8, 8}}});
  EXPECT_NE(ir.find("fmul <"), std::string::npos) << ir;
  EXPECT_NE(ir.find("fadd reassoc <"), std::string::npos) << ir;
}

TEST(RowKernel, LayerNorm) {
  for (const char *kind : {"layer", "rms"})
    expectLikeReference(
        {"(%x: tensor<?x3x8xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<3>, "
         "#lz.expr<8>]}, %s: tensor<8xf32>) -> tensor<?x3x8xf32>",
         std::string("%0 = lz.layer_norm <") + kind +
             "> %x, %s axis 2 epsilon 1.0e-5 : (tensor<?x3x8xf32>, "
             "tensor<8xf32>) -> tensor<?x3x8xf32> return %0 : "
             "tensor<?x3x8xf32>",
         {{{4, 3, 8}}, {{8}}},
         {4}});
  expectLikeReference(
      {"(%x: tensor<2x3x8xf16>, %s: tensor<3x8xf16>, %b: tensor<3x8xf16>) -> "
       "tensor<2x3x8xf16>",
       R"(%0 = lz.layer_norm <layer> %x, %s bias %b axis 1 epsilon 1.0e-5
            : (tensor<2x3x8xf16>, tensor<3x8xf16>, tensor<3x8xf16>) -> tensor<2x3x8xf16>
          return %0 : tensor<2x3x8xf16>)",
       {{{2, 3, 8}}, {{3, 8}}, {{3, 8}}},
       {},
       2e-3});
}

TEST(RowKernel, ChannelNorms) {
  for (int groups : {0, 2, 1})
    expectLikeReference(
        {"(%x: tensor<2x4x3x5xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>) -> "
         "tensor<2x4x3x5xf32>",
         "%0 = lz.group_norm %x, %s, %b groups " + std::to_string(groups) +
             " epsilon 1.0e-5 : (tensor<2x4x3x5xf32>, tensor<4xf32>, "
             "tensor<4xf32>) -> tensor<2x4x3x5xf32> return %0 : "
             "tensor<2x4x3x5xf32>",
         {{{2, 4, 3, 5}}, {{4}}, {{4}}}});
  expectLikeReference(
      {"(%x: tensor<2x4x3x5xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>, %m: "
       "tensor<4xf32>, %v: tensor<4xf32>) -> tensor<2x4x3x5xf32>",
       R"(%0 = lz.batch_norm %x, %s, %b, %m, %v epsilon 1.0e-5
            : (tensor<2x4x3x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
            -> tensor<2x4x3x5xf32>
          return %0 : tensor<2x4x3x5xf32>)",
       {{{2, 4, 3, 5}}, {{4}}, {{4}}, {{4}}, {{4}, 0.5, 2}}});
  expectLikeReference(
      {"(%x: tensor<2x5x3xf32>) -> tensor<2x5x3xf32>",
       R"(%0 = lz.lrn %x size 3 alpha 1.0e-1 beta 7.5e-1 offset 1.0
            : (tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
          return %0 : tensor<2x5x3xf32>)",
       {{{2, 5, 3}}}});
}

TEST(PoolKernel, Kinds) {
  for (const char *kind : {"max", "average", "lp"})
    for (const char *extra : {"", "{count_padding = true}"})
      expectLikeReference(
          {"(%x: tensor<2x3x?x9xf32> {lz.dims = [#lz.expr<2>, #lz.expr<3>, "
           "#lz.expr<s0>, #lz.expr<9>]}) -> tensor<2x3x?x5xf32>",
           std::string("%0 = lz.pool <") + kind +
               "> %x kernel [3, 2] strides [1, 2] low [1, 1] high [1, 1] "
               "dilations [1, 1] sizes [s0, 5] " +
               extra +
               " : (tensor<2x3x?x9xf32>) -> tensor<2x3x?x5xf32> return %0 : "
               "tensor<2x3x?x5xf32>",
           {{{2, 3, 6, 9}}},
           {6}});
}

/// Rows are accumulated by vectors.
TEST(PoolKernel, IsVectorised) {
  std::string ir = expectLikeReference(
      {"(%x: tensor<1x2x32x64xf32>) -> tensor<1x2x32x64xf32>",
       R"(%0 = lz.pool <max> %x kernel [3, 3] strides [1, 1] low [1, 1] high [1, 1]
            dilations [1, 1] sizes [32, 64]
            : (tensor<1x2x32x64xf32>) -> tensor<1x2x32x64xf32>
          %1 = lz.unary <neg> %0 : (tensor<1x2x32x64xf32>) -> tensor<1x2x32x64xf32>
          return %1 : tensor<1x2x32x64xf32>)",
       {{{1, 2, 32, 64}}}});
  EXPECT_NE(ir.find("fcmp uno <"), std::string::npos) << ir;
}

TEST(PoolKernel, Indices) {
  for (const char *extra : {"", ", column_major = true"})
    expectLikeReference(
        {"(%x: tensor<2x1x6x7xf32>) -> (tensor<2x1x3x3xf32>, "
         "tensor<2x1x3x3xi64>)",
         std::string("%0, %1 = lz.pool <max> %x kernel [2, 2] strides [2, 2] "
                     "low [0, 0] high [0, 0] dilations [1, 2] sizes [3, 3] "
                     "{with_indices = true") +
             extra +
             "} : (tensor<2x1x6x7xf32>) -> (tensor<2x1x3x3xf32>, "
             "tensor<2x1x3x3xi64>) return %0, %1 : tensor<2x1x3x3xf32>, "
             "tensor<2x1x3x3xi64>",
         {{{2, 1, 6, 7}}}});
}
