//===- TilesTest.cpp - transposes and copies in pieces --------------------===//

#include "Oracle.h"

#include "gtest/gtest.h"

using namespace lz::test;

/// Larger than a tile both ways, and a multiple of no vector.
TEST(TransposeKernel, MovesElementsOfAnyWidth) {
  for (const char *type : {"i8", "bf16", "f32", "f64", "i1"}) {
    std::string in = std::string("tensor<2x37x141x") + type + ">";
    std::string out = std::string("tensor<2x141x37x") + type + ">";
    expectLikeReference({"(%x: " + in + ") -> " + out,
                         "%0 = lz.transpose %x [0, 2, 1] : (" + in + ") -> " +
                             out + " return %0 : " + out,
                         {{{2, 37, 141}}}});
  }
}

TEST(TransposeKernel, TransposesInRegisters) {
  std::string ir = expectLikeReference(
      {"(%x: tensor<64x64xf32>) -> tensor<64x64xf32>",
       R"(%0 = lz.transpose %x [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
          return %0 : tensor<64x64xf32>)",
       {{{64, 64}}}});
  EXPECT_NE(ir.find("shufflevector <8 x i32>"), std::string::npos) << ir;
}

/// Neighbours that stay so are one dimension; sizes may be unknown.
TEST(TransposeKernel, JoinsDimensions) {
  expectLikeReference(
      {"(%x: tensor<2x19x?x1x10xf32> {lz.dims = [#lz.expr<2>, #lz.expr<19>, "
       "#lz.expr<s0>, #lz.expr<1>, #lz.expr<10>]}) -> tensor<2x?x1x10x19xf32>",
       R"(%0 = lz.transpose %x [0, 2, 3, 4, 1]
            : (tensor<2x19x?x1x10xf32>) -> tensor<2x?x1x10x19xf32>
          return %0 : tensor<2x?x1x10x19xf32>)",
       {{{2, 19, 5, 1, 10}}},
       {5}});
  expectLikeReference({"(%x: tensor<3x4x20x17xf32>) -> tensor<17x20x4x3xf32>",
                       R"(%0 = lz.transpose %x [3, 2, 1, 0]
            : (tensor<3x4x20x17xf32>) -> tensor<17x20x4x3xf32>
          return %0 : tensor<17x20x4x3xf32>)",
                       {{{3, 4, 20, 17}}}});
}

/// Reshapes before and after change no position.
TEST(TransposeKernel, LooksThroughReshapes) {
  expectLikeReference({"(%x: tensor<8x6x10xf32>) -> tensor<4x3x4x10xf32>",
                       R"(
    %0 = lz.reshape %x [4, 2, 6, 10] : (tensor<8x6x10xf32>) -> tensor<4x2x6x10xf32>
    %1 = lz.transpose %0 [0, 2, 1, 3] : (tensor<4x2x6x10xf32>) -> tensor<4x6x2x10xf32>
    %2 = lz.reshape %1 [4, 3, 4, 10] : (tensor<4x6x2x10xf32>) -> tensor<4x3x4x10xf32>
    return %2 : tensor<4x3x4x10xf32>)",
                       {{{8, 6, 10}}}});
}

/// Rows that begin before the last dimension, cropped and bordered.
TEST(PadKernel, SurroundsRows) {
  expectLikeReference(
      {"(%x: tensor<2x4x5x3xf32>, %v: tensor<f32>) -> tensor<2x7x6x3xf32>",
       R"(%0 = lz.pad <constant> %x value %v [0, 1, 2, 0] [0, 2, -1, 0]
            : (tensor<2x4x5x3xf32>, tensor<f32>) -> tensor<2x7x6x3xf32>
          return %0 : tensor<2x7x6x3xf32>)",
       {{{2, 4, 5, 3}}, {{}}}});
  // More is cropped than there is; the input has to be computed.
  expectLikeReference(
      {"(%x: tensor<3x4xf32>, %y: tensor<1x4xf32>) -> tensor<5x3xf32>",
       R"(
    %0 = lz.binary <add> %x, %y : (tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
    %1 = lz.pad <constant> %0 [1, -6] [1, 5] : (tensor<3x4xf32>) -> tensor<5x3xf32>
    return %1 : tensor<5x3xf32>)",
       {{{3, 4}}, {{1, 4}}}});
}

TEST(TileKernel, RepeatsLongRows) {
  expectLikeReference(
      {"(%x: tensor<3x?xf32> {lz.dims = [#lz.expr<3>, #lz.expr<s0>]}) -> "
       "tensor<6x?xf32>",
       R"(%0 = lz.tile %x [2, 3] : (tensor<3x?xf32>) -> tensor<6x?xf32>
          return %0 : tensor<6x?xf32>)",
       {{{3, 21}}},
       {21}});
}
