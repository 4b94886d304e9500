//===- CollapseTest.cpp - neighbouring dimensions as one loop -------------===//

#include "Oracle.h"

#include "gtest/gtest.h"

using namespace lz::test;

/// Small pictures [2, 5, s0, s1] through `body`, which ends in %r of that
/// shape.
static std::string expectPictures(const std::string &body,
                                  std::vector<Input> more = {},
                                  const std::string &arguments = "") {
  std::vector<Input> inputs{{{2, 6, 7, 3}}};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return expectLikeReference(
      {"(%x: tensor<2x6x?x?xf32> {lz.dims = [#lz.expr<2>, #lz.expr<6>, "
       "#lz.expr<s0>, #lz.expr<s1>]}" +
           arguments + ") -> tensor<2x6x?x?xf32>",
       body + " return %r : tensor<2x6x?x?xf32>",
       inputs,
       {7, 3},
       1e-5});
}

TEST(Collapse, BroadcastsOverPictures) {
  expectPictures(
      R"(
    %0 = lz.binary <mul> %x, %c : (tensor<2x6x?x?xf32>, tensor<1x6x1x1xf32>) -> tensor<2x6x?x?xf32>
    %1 = lz.binary <add> %0, %d : (tensor<2x6x?x?xf32>, tensor<6x1x1xf32>) -> tensor<2x6x?x?xf32>
    %r = lz.unary <relu> %1 : (tensor<2x6x?x?xf32>) -> tensor<2x6x?x?xf32>)",
      {{{1, 6, 1, 1}}, {{6, 1, 1}}},
      ", %c: tensor<1x6x1x1xf32>, %d: tensor<6x1x1xf32>");
}

/// One operand has rows of its own, so rows stay.
TEST(Collapse, KeepsRowsThatAreRead) {
  expectPictures(
      R"(
    %0 = lz.binary <mul> %x, %c : (tensor<2x6x?x?xf32>, tensor<1x6x1x1xf32>) -> tensor<2x6x?x?xf32>
    %r = lz.binary <add> %0, %d : (tensor<2x6x?x?xf32>, tensor<?xf32>) -> tensor<2x6x?x?xf32>)",
      {{{1, 6, 1, 1}}, {{3}}},
      ", %c: tensor<1x6x1x1xf32>, %d: tensor<?xf32> {lz.dims = "
      "[#lz.expr<s1>]}");
}

TEST(Collapse, NormalizesPictures) {
  expectPictures(
      R"(%r = lz.batch_norm %x, %c, %c, %c, %v epsilon 1.0e-5
            : (tensor<2x6x?x?xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>)
            -> tensor<2x6x?x?xf32>)",
      {{{6}}, {{6}, 0.5, 2}}, ", %c: tensor<6xf32>, %v: tensor<6xf32>");
  for (int groups : {0, 1, 2, 3, 6})
    expectPictures("%r = lz.group_norm %x, %c, %c groups " +
                       std::to_string(groups) +
                       " epsilon 1.0e-5 : (tensor<2x6x?x?xf32>, tensor<6xf32>, "
                       "tensor<6xf32>) -> tensor<2x6x?x?xf32>",
                   {{{6}}}, ", %c: tensor<6xf32>");
}

/// Channels are reduced for all positions of a picture; pictures are reduced
/// and what they give is spread again.
TEST(Collapse, ReducesBeforeAndOverPictures) {
  for (const char *how : {"axes [1] keep_dims true : (tensor<2x6x?x?xf32>) -> "
                          "tensor<2x1x?x?xf32>",
                          "axes [2, 3] keep_dims true : (tensor<2x6x?x?xf32>) "
                          "-> tensor<2x6x1x1xf32>"}) {
    std::string text = how, type = text.substr(text.rfind("tensor"));
    expectPictures("%0 = lz.reduce <mean> %x " + text +
                   " %r = lz.binary <sub> %x, %0 : (tensor<2x6x?x?xf32>, " +
                   type + ") -> tensor<2x6x?x?xf32>");
  }
  expectPictures("%r = lz.softmax <softmax> %x axis 1 : (tensor<2x6x?x?xf32>) "
                 "-> tensor<2x6x?x?xf32>");
}

TEST(Collapse, QuantizesChannels) {
  expectPictures(
      R"(
    %0 = lz.quantize %x, %s zero %z axis 1 to ui8
        : (tensor<2x6x?x?xf32>, tensor<6xf32>, tensor<6xui8>) -> tensor<2x6x?x?xui8>
    %r = lz.dequantize %0, %s zero %z axis 1 to f32
        : (tensor<2x6x?x?xui8>, tensor<6xf32>, tensor<6xui8>) -> tensor<2x6x?x?xf32>)",
      {{{6}, 0.02, 0.1}, {{6}, 0, 9}},
      ", %s: tensor<6xf32>, %z: tensor<6xui8>");
}

/// Rows of three elements would be no vectors.
TEST(Collapse, MakesVectorsOfShortRows) {
  std::string ir = expectPictures(
      R"(%r = lz.binary <add> %x, %c : (tensor<2x6x?x?xf32>, tensor<6x1x1xf32>) -> tensor<2x6x?x?xf32>)",
      {{{6, 1, 1}}}, ", %c: tensor<6x1x1xf32>");
  EXPECT_NE(ir.find("fadd <8 x float>"), std::string::npos) << ir;
}

/// A last dimension of size 1 does not hide those before it from a broadcast.
TEST(Collapse, KeepsDimensionsBeforeOne) {
  KernelCase test;
  test.signature = "(%x: tensor<2x9x7x1xf32>, %c: tensor<1x1x7x1xf32>) -> "
                   "tensor<2x9x7x1xf32>";
  test.body = "%r = lz.binary <sub> %c, %x : (tensor<1x1x7x1xf32>, "
              "tensor<2x9x7x1xf32>) -> tensor<2x9x7x1xf32>\n"
              "return %r : tensor<2x9x7x1xf32>";
  test.inputs = {{{2, 9, 7, 1}}, {{1, 1, 7, 1}}};
  expectLikeReference(test);
}
