//===- DataMovementTest.cpp - kernels that move, gather and resample ------===//

#include "Oracle.h"

#include "gtest/gtest.h"

using namespace lz::test;

TEST(ShapeKernel, TransposeReshapeSlice) {
  expectLikeReference(
      {"(%x: tensor<?x4x6xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<4>, "
       "#lz.expr<6>]}) -> tensor<?x2x4xf32>",
       R"(
    %0 = lz.transpose %x [0, 2, 1] : (tensor<?x4x6xf32>) -> tensor<?x6x4xf32>
    %1 = lz.slice %0 [0, 5, 0] [s0, 2, 4] [1, -3, 1] : (tensor<?x6x4xf32>) -> tensor<?x2x4xf32>
    return %1 : tensor<?x2x4xf32>)",
       {{{3, 4, 6}}},
       {3}});
  expectLikeReference(
      {"(%x: tensor<?x4x6xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<4>, "
       "#lz.expr<6>]}, %b: tensor<24xf32>) -> tensor<?x24xf32>",
       R"(
    %0 = lz.transpose %x [0, 2, 1] : (tensor<?x4x6xf32>) -> tensor<?x6x4xf32>
    %1 = lz.reshape %0 [s0, 24] : (tensor<?x6x4xf32>) -> tensor<?x24xf32>
    %2 = lz.binary <add> %1, %b : (tensor<?x24xf32>, tensor<24xf32>) -> tensor<?x24xf32>
    return %2 : tensor<?x24xf32>)",
       {{{3, 4, 6}}, {{24}}},
       {3}});
  // Heads are merged: the loops run over the shape before the reshape.
  expectLikeReference(
      {"(%x: tensor<2x3x?x4xf32> {lz.dims = [#lz.expr<2>, #lz.expr<3>, "
       "#lz.expr<s0>, #lz.expr<4>]}) -> tensor<2x?x12xf32>",
       R"(
    %0 = lz.transpose %x [0, 2, 1, 3] : (tensor<2x3x?x4xf32>) -> tensor<2x?x3x4xf32>
    %1 = lz.reshape %0 [2, s0, 12] : (tensor<2x?x3x4xf32>) -> tensor<2x?x12xf32>
    return %1 : tensor<2x?x12xf32>)",
       {{{2, 3, 5, 4}}},
       {5}});
}

TEST(ShapeKernel, ConstantsExpandTileRange) {
  expectLikeReference({"(%x: tensor<2x1xi32>, %n: tensor<?xi1> {lz.dims = "
                       "[#lz.expr<s0>]}) -> tensor<2x?xi32>",
                       R"(
    %0 = lz.expand %x [2, s0] : (tensor<2x1xi32>) -> tensor<2x?xi32>
    %c = lz.constant dense<[[3], [5]]> : tensor<2x1xi32>
    %1 = lz.binary <mul> %0, %c : (tensor<2x?xi32>, tensor<2x1xi32>) -> tensor<2x?xi32>
    return %1 : tensor<2x?xi32>)",
                       {{{2, 1}, -9, 9}, {{4}}},
                       {4}});
  expectLikeReference(
      {"(%x: tensor<2x3xi8>, %n: tensor<?xi1> {lz.dims = [#lz.expr<s0>]}) -> "
       "tensor<4x?xi8>",
       R"(%0 = lz.tile %x [2, s0] : (tensor<2x3xi8>) -> tensor<4x?xi8>
          return %0 : tensor<4x?xi8>)",
       {{{2, 3}, -9, 9}, {{4}}},
       {4}});
  expectLikeReference(
      {"(%a: tensor<f32>, %d: tensor<f32>, %n: tensor<?xi1> {lz.dims = "
       "[#lz.expr<s0>]}) -> tensor<?xf32>",
       R"(%0 = lz.range %a, %d size [s0] : (tensor<f32>, tensor<f32>) -> tensor<?xf32>
          return %0 : tensor<?xf32>)",
       {{{}}, {{}}, {{11}}},
       {11}});
  expectLikeReference(
      {"(%n: tensor<?xi1> {lz.dims = [#lz.expr<s0>]}) -> tensor<3xi64>",
       R"(%0 = lz.sizes [s0, 7, s0 * 2] shape [3] : () -> tensor<3xi64>
          return %0 : tensor<3xi64>)",
       {{{11}}},
       {11}});
}

TEST(ShapeKernel, Trilu) {
  for (const char *upper : {"true", "false"})
    expectLikeReference(
        {"(%x: tensor<2x4x5xf32>) -> tensor<2x4x5xf32>",
         std::string("%0 = lz.trilu %x k [1] {upper = ") + upper +
             "} : (tensor<2x4x5xf32>) -> tensor<2x4x5xf32> return %0 : "
             "tensor<2x4x5xf32>",
         {{{2, 4, 5}}}});
}

TEST(ShapeKernel, Pad) {
  for (const char *kind : {"constant", "reflect", "edge", "wrap"}) {
    expectLikeReference(
        {"(%x: tensor<3x5xf32>) -> tensor<4x8xf32>",
         std::string("%0 = lz.pad <") + kind +
             "> %x [1, 2] [0, 1] : (tensor<3x5xf32>) -> tensor<4x8xf32> return "
             "%0 : tensor<4x8xf32>",
         {{{3, 5}}}});
    expectLikeReference(
        {"(%x: tensor<?x5xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<5>]}) -> "
         "tensor<?x4xf32>",
         std::string("%0 = lz.pad <") + kind +
             "> %x [2, -1] [1, 0] : (tensor<?x5xf32>) -> tensor<?x4xf32> "
             "return %0 : tensor<?x4xf32>",
         {{{4, 5}}},
         {4}});
  }
}

TEST(ShapeKernel, Concat) {
  const char *signature =
      "(%x: tensor<2x?xf32> {lz.dims = [#lz.expr<2>, #lz.expr<s0>]}, %y: "
      "tensor<2x3xf32>) -> tensor<2x?xf32>";
  const char *concat =
      "%0 = lz.concat %x, %y, %x axis 1 : (tensor<2x?xf32>, tensor<2x3xf32>, "
      "tensor<2x?xf32>) -> tensor<2x?xf32>\n";
  expectLikeReference({signature,
                       std::string(concat) + "return %0 : tensor<2x?xf32>",
                       {{{2, 4}}, {{2, 3}}},
                       {4}});
  // Inside a chain.
  expectLikeReference(
      {signature,
       std::string(concat) +
           "%1 = lz.unary <exp> %0 : (tensor<2x?xf32>) -> tensor<2x?xf32>\n"
           "return %1 : tensor<2x?xf32>",
       {{{2, 0}}, {{2, 3}}},
       {0}});
}

TEST(IndexKernel, Gather) {
  expectLikeReference(
      {"(%x: tensor<3x?x4xf32> {lz.dims = [#lz.expr<3>, #lz.expr<s0>, "
       "#lz.expr<4>]}, %i: tensor<2x2xi64>) -> tensor<3x2x2x4xf32>",
       R"(%0 = lz.gather %x, %i axis 1 : (tensor<3x?x4xf32>, tensor<2x2xi64>) -> tensor<3x2x2x4xf32>
          return %0 : tensor<3x2x2x4xf32>)",
       {{{3, 5, 4}}, {{2, 2}, -5, 4}},
       {5}});
  expectLikeReference(
      {"(%x: tensor<3x5xf32>, %i: tensor<2x5xi32>) -> tensor<2x5xf32>",
       R"(%0 = lz.gather_elements %x, %i axis 0 : (tensor<3x5xf32>, tensor<2x5xi32>) -> tensor<2x5xf32>
          return %0 : tensor<2x5xf32>)",
       {{{3, 5}}, {{2, 5}, -3, 2}}});
  expectLikeReference(
      {"(%x: tensor<2x3x4x5xf32>, %i: tensor<2x6x2xi64>) -> tensor<2x6x5xf32>",
       R"(%0 = lz.gather_nd %x, %i batch_dims 1 : (tensor<2x3x4x5xf32>, tensor<2x6x2xi64>) -> tensor<2x6x5xf32>
          return %0 : tensor<2x6x5xf32>)",
       {{{2, 3, 4, 5}}, {{2, 6, 2}, -3, 2}}});
}

TEST(IndexKernel, OneHotAndReverse) {
  for (int axis : {0, 1})
    expectLikeReference(
        {"(%i: tensor<4xi64>, %v: tensor<2xf32>) -> tensor<" +
             std::string(axis ? "4x3" : "3x4") + "xf32>",
         "%0 = lz.one_hot %i, %v depth [3] axis " + std::to_string(axis) +
             " : (tensor<4xi64>, tensor<2xf32>) -> tensor<" +
             (axis ? "4x3" : "3x4") + "xf32> return %0 : tensor<" +
             (axis ? "4x3" : "3x4") + "xf32>",
         {{{4}, -4, 4}, {{2}}}});
  expectLikeReference(
      {"(%x: tensor<5x3x2xf32>, %l: tensor<3xi64>) -> tensor<5x3x2xf32>",
       R"(%0 = lz.reverse_sequence %x, %l batch 1 time 0 : (tensor<5x3x2xf32>, tensor<3xi64>) -> tensor<5x3x2xf32>
          return %0 : tensor<5x3x2xf32>)",
       {{{5, 3, 2}}, {{3}, 1, 5}}});
}

TEST(QuantKernel, QuantizeAndBack) {
  for (const char *type : {"ui8", "i8", "i16"})
    expectLikeReference(
        {"(%x: tensor<3x9xf32>, %s: tensor<9xf32>, %z: tensor<9x" +
             std::string(type) + ">) -> tensor<3x9xf32>",
         "%0 = lz.quantize %x, %s zero %z axis 1 to " + std::string(type) +
             " : (tensor<3x9xf32>, tensor<9xf32>, tensor<9x" + type +
             ">) -> tensor<3x9x" + type +
             ">\n%1 = lz.dequantize %0, %s zero %z axis 1 to f32 : "
             "(tensor<3x9x" +
             type + ">, tensor<9xf32>, tensor<9x" + type +
             ">) -> tensor<3x9xf32>\nreturn %1 : tensor<3x9xf32>",
         {{{3, 9}, -5, 5}, {{9}, 0.02, 0.1}, {{9}, 0, 9}}});
}

static void expectResize(std::string kind, std::string coordinate,
                         std::string nearest, int width) {
  std::string type = "tensor<1x2x6x" + std::to_string(width) + "xf32>";
  std::string roi = coordinate == "tf_crop_and_resize"
                        ? "{roi = array<f32: 0.0, 0.0, 0.1, 0.3, 1.0, 1.0, "
                          "0.8, 1.2>, extrapolation_value = 9.0 : f64}"
                        : "";
  expectLikeReference(
      {"(%x: tensor<1x2x4x5xf32>) -> " + type,
       "%0 = lz.resize <" + kind + "> %x [1, 2, 6, " + std::to_string(width) +
           "] scales [0.0, 0.0, 0.0, 0.0] coordinate <" + coordinate +
           "> nearest <" + nearest + "> " + roi +
           " : (tensor<1x2x4x5xf32>) -> " + type + " return %0 : " + type,
       {{{1, 2, 4, 5}}}});
}

TEST(ResizeKernel, Coordinates) {
  for (const char *kind : {"nearest", "linear", "cubic"})
    for (const char *coordinate :
         {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
          "align_corners", "asymmetric", "tf_crop_and_resize"})
      expectResize(kind, coordinate, "round_prefer_floor", 8);
  for (const char *nearest : {"round_prefer_ceil", "floor", "ceil"})
    expectResize("nearest", "half_pixel", nearest, 3);
}
