//===- DepthwiseTest.cpp - convolutions of small groups -------------------===//

#include "Oracle.h"

#include "gtest/gtest.h"

using namespace lz::test;

namespace {

std::string getTensor(const std::vector<int64_t> &shape,
                      const std::string &type) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + type + ">";
}

std::string getList(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (int64_t value : values)
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

/// A convolution of `groups` groups of `channels` channels, each with `filters`
/// filters.
struct Depthwise {
  std::vector<int64_t> size, taps, strides, dilations, low, high;
  int64_t batch = 2, groups = 3, channels = 1, filters = 1;
  std::string type = "f32", cpu = "x86-64-v3";

  std::vector<int64_t> getResultShape() const {
    std::vector<int64_t> shape = {batch, groups * filters};
    for (size_t d = 0; d != size.size(); ++d)
      shape.push_back(
          (size[d] + low[d] + high[d] - dilations[d] * (taps[d] - 1) - 1) /
              strides[d] +
          1);
    return shape;
  }

  KernelCase getCase() const {
    std::vector<int64_t> x = {batch, groups * channels},
                         f = {groups * filters, channels};
    x.insert(x.end(), size.begin(), size.end());
    f.insert(f.end(), taps.begin(), taps.end());
    std::vector<int64_t> y = getResultShape(), b = {groups * filters};
    std::string xt = getTensor(x, type), ft = getTensor(f, type),
                bt = getTensor(b, type), yt = getTensor(y, type);
    std::string body = "%0 = lz.conv %x, %f bias %b strides " +
                       getList(strides) + " low " + getList(low) + " high " +
                       getList(high) + " dilations " + getList(dilations) +
                       " groups " + std::to_string(groups) + " : (" + xt +
                       ", " + ft + ", " + bt + ") -> " + yt +
                       " %1 = lz.binary <add> %0, %r : (" + yt + ", " + yt +
                       ") -> " + yt + " return %1 : " + yt;
    KernelCase test = {"(%x: " + xt + ", %f: " + ft + ", %b: " + bt +
                           ", %r: " + yt + ") -> " + yt,
                       body,
                       {{x}, {f}, {b}, {y}}};
    test.tolerance = type == "f16" ? 2e-3 : type == "bf16" ? 2e-2 : 1e-5;
    test.cpu = cpu;
    return test;
  }
};

/// Widths below, at and above one and two vectors.
TEST(DepthwiseKernel, OfAnyWidth) {
  for (int64_t width : {1, 5, 7, 8, 9, 14, 16, 17, 33})
    expectLikeReference(
        Depthwise{{7, width}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}
            .getCase());
}

/// 130 rows make several bands, one row none that is full; long vectors too.
TEST(DepthwiseKernel, OfAnyHeight) {
  for (int64_t height : {1, 130})
    for (const char *cpu : {"x86-64-v3", "x86-64-v4"}) {
      Depthwise conv{{height, 33}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
      conv.cpu = cpu;
      expectLikeReference(conv.getCase());
    }
}

TEST(DepthwiseKernel, StridesAndDilates) {
  for (auto [stride, dilation] : {std::pair<int64_t, int64_t>{1, 2},
                                  {1, 3},
                                  {2, 1},
                                  {2, 2},
                                  {3, 2},
                                  {5, 1}})
    expectLikeReference(Depthwise{{17, 29},
                                  {3, 3},
                                  {stride, stride},
                                  {dilation, dilation},
                                  {2, 0},
                                  {3, 4}}
                            .getCase());
}

/// 25 taps are unrolled, 63 are not; a filter of one row or column.
TEST(DepthwiseKernel, HasFiltersOfAnySize) {
  for (auto [kh, kw] : {std::pair<int64_t, int64_t>{1, 1},
                        {1, 3},
                        {3, 1},
                        {5, 5},
                        {7, 9},
                        {2, 21}})
    for (int64_t stride : {1, 2})
      expectLikeReference(Depthwise{
          {23, 30}, {kh, kw}, {stride, stride}, {1, 1}, {1, 1}, {1, 1}}
                              .getCase());
}

TEST(DepthwiseKernel, HasSeveralFiltersForAChannel) {
  Depthwise conv{{9, 10}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  conv.filters = 3;
  expectLikeReference(conv.getCase());
  conv.groups = 1; // nothing is grouped
  expectLikeReference(conv.getCase());
}

TEST(DepthwiseKernel, HasSmallGroups) {
  for (int64_t stride : {1, 2}) {
    Depthwise conv{{9, 21}, {3, 3}, {stride, stride}, {1, 1}, {1, 1}, {1, 1}};
    conv.channels = 4;
    conv.filters = 6;
    expectLikeReference(conv.getCase());
  }
  Depthwise space{{4, 5, 9}, {3, 2, 3}, {1, 1, 1},
                  {1, 1, 1}, {1, 0, 1}, {1, 1, 1}};
  space.channels = 2;
  space.filters = 3;
  expectLikeReference(space.getCase());
}

/// Tiles of filters, of which the last repeats some; wide and narrow rows.
TEST(DepthwiseKernel, HasLoneGroups) {
  for (int64_t filters : {3, 4, 5, 6, 7, 9, 11, 13, 16})
    for (int64_t width : {5, 24, 37}) {
      Depthwise conv{{19, width}, {3, 5}, {1, 2}, {1, 1}, {1, 2}, {1, 2}};
      conv.groups = 1;
      conv.channels = 3;
      conv.filters = filters;
      expectLikeReference(conv.getCase());
    }
}

TEST(DepthwiseKernel, HasLoneGroupsOfManyChannels) {
  for (int64_t channels : {1, 2, 15, 16, 17})
    for (int64_t taps : {1, 2, 7}) {
      Depthwise conv{{40, 33}, {taps, taps}, {2, 2}, {1, 1}, {3, 3}, {3, 3}};
      conv.batch = 1;
      conv.groups = 1;
      conv.channels = channels;
      conv.filters = 12;
      KernelCase test = conv.getCase();
      test.tolerance = 5e-5; // sums of up to 833 products of either sign
      expectLikeReference(test);
    }
}

TEST(DepthwiseKernel, HasOneToThreeDimensions) {
  Depthwise lone{{6, 9, 19}, {3, 2, 3}, {2, 1, 2},
                 {1, 2, 1},  {2, 1, 0}, {1, 0, 1}};
  lone.groups = 1;
  lone.channels = 2;
  lone.filters = 5;
  expectLikeReference(lone.getCase());

  expectLikeReference(Depthwise{{37}, {4}, {2}, {1}, {3}, {0}}.getCase());
  expectLikeReference(Depthwise{
      {6, 9, 11}, {3, 2, 3}, {2, 1, 2}, {1, 2, 1}, {2, 1, 0}, {1, 0, 1}}
                          .getCase());
}

TEST(DepthwiseKernel, ComputesInOtherTypes) {
  for (const char *type : {"f64", "f16", "bf16", "i32"})
    for (int64_t stride : {1, 2}) {
      Depthwise conv{{9, 19}, {3, 3}, {stride, stride}, {1, 1}, {1, 1}, {1, 1}};
      conv.type = type;
      expectLikeReference(conv.getCase());
    }
}

TEST(DepthwiseKernel, HasLoneGroupsOfFreeSize) {
  for (int64_t size : {1, 8, 50})
    expectLikeReference(
        {"(%x: tensor<?x3x?x?xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<3>, "
         "#lz.expr<s1>, #lz.expr<s2>]}, %f: tensor<10x3x3x3xf32>) -> "
         "tensor<?x10x?x?xf32>",
         R"(
      %0 = lz.conv %x, %f strides [2, 1] low [1, 1] high [1, 1]
          dilations [1, 1] groups 1
          : (tensor<?x3x?x?xf32>, tensor<10x3x3x3xf32>) -> tensor<?x10x?x?xf32>
      %1 = lz.unary <relu> %0 : (tensor<?x10x?x?xf32>) -> tensor<?x10x?x?xf32>
      return %1 : tensor<?x10x?x?xf32>)",
         {{{2, 3, size, size + 2}}, {{10, 3, 3, 3}}},
         {2, size, size + 2}});
}

/// What comes before is computed as rows are copied; sizes are symbols.
TEST(DepthwiseKernel, TakesWhatComesBefore) {
  for (int64_t size : {1, 8, 27})
    expectLikeReference(
        {"(%x: tensor<1x4x?x?xf32> {lz.dims = [#lz.expr<1>, #lz.expr<4>, "
         "#lz.expr<s0>, #lz.expr<s1>]}, %f: tensor<4x1x3x3xf32>) -> "
         "tensor<1x4x?x?xf32>",
         R"(
      %0 = lz.unary <relu> %x : (tensor<1x4x?x?xf32>) -> tensor<1x4x?x?xf32>
      %1 = lz.conv %0, %f strides [1, 2] low [1, 1] high [1, 1]
          dilations [1, 1] groups 4
          : (tensor<1x4x?x?xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x?x?xf32>
      %2 = lz.unary <sigmoid> %1 : (tensor<1x4x?x?xf32>) -> tensor<1x4x?x?xf32>
      return %2 : tensor<1x4x?x?xf32>)",
         {{{1, 4, size, size + 2}}, {{4, 1, 3, 3}}},
         {size, size + 2}});
}

} // namespace
