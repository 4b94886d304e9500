//===- SelectionTest.cpp - values of reference models that select ---------===//
//
// Of unique, the selection of boxes, region pooling, transforms, determinants
// and running products. Expected values are from ONNX's text or numpy, or
// written down by hand.
//
//===----------------------------------------------------------------------===//

#include "test/unit/reference/Evaluate.h"

#include <cmath>

namespace {

struct SelectionTest : ReferenceTest {
  /// Runs `body`, whose last values have the types `types`, and compares the
  /// elements of each.
  void expectAll(const std::string &body, const std::string &names,
                 const std::string &types,
                 llvm::ArrayRef<std::vector<double>> expected) {
    std::string text = "func.func @f() -> (" + types + ") {\n" + body +
                       "\nreturn " + names + " : " + types + "\n}";
    ASSERT_TRUE(succeeded(run(text))) << error;
    ASSERT_EQ(results.size(), expected.size());
    for (auto [result, elements] : llvm::zip(results, expected))
      expectElements(result.getTensor(), elements);
  }
};

//===----------------------------------------------------------------------===//
// Unique
//===----------------------------------------------------------------------===//

// The examples of the ONNX text.
TEST_F(SelectionTest, UniqueInOrderOfOccurrence) {
  expectAll(R"(%x = lz.constant dense<[2, 1, 1, 3, 4, 3]> : tensor<6xi32>
               %v, %i, %j, %c, %n = lz.unique %x axis 0 sorted false
                   : (tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi64>,
                     tensor<6xi64>, tensor<6xi64>, tensor<1xi64>))",
            "%v, %i, %j, %c, %n",
            "tensor<6xi32>, tensor<6xi64>, tensor<6xi64>, tensor<6xi64>, "
            "tensor<1xi64>",
            {{2, 1, 3, 4, 0, 0},
             {0, 1, 3, 4, 0, 0},
             {0, 1, 1, 2, 3, 2},
             {1, 2, 2, 1, 0, 0},
             {4}});
}

TEST_F(SelectionTest, UniqueSortsSlices) {
  expectAll(R"(%x = lz.constant dense<[
                   [[1., 1.], [0., 1.], [2., 1.], [0., 1.]],
                   [[1., 1.], [0., 1.], [2., 1.], [0., 1.]]]>
                   : tensor<2x4x2xf32>
               %v, %i, %j, %c, %n = lz.unique %x axis 1 sorted true
                   : (tensor<2x4x2xf32>) -> (tensor<2x4x2xf32>, tensor<4xi64>,
                     tensor<4xi64>, tensor<4xi64>, tensor<1xi64>))",
            "%v, %i, %j, %c, %n",
            "tensor<2x4x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, "
            "tensor<1xi64>",
            {{0, 1, 1, 1, 2, 1, 0, 0, 0, 1, 1, 1, 2, 1, 0, 0},
             {1, 0, 2, 0},
             {1, 0, 2, 0},
             {2, 1, 1, 0},
             {3}});
}

// The operation's description: NaN is the largest, and equal to NaN.
TEST_F(SelectionTest, UniqueTakesNanForEqual) {
  expectAll(R"(%x = lz.constant dense<[0x7FC00000, 1., 0x7FC00000, -0., 0.]>
                   : tensor<5xf32>
               %v, %i, %j, %c, %n = lz.unique %x axis 0 sorted true
                   : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xi64>,
                     tensor<5xi64>, tensor<5xi64>, tensor<1xi64>))",
            "%j, %c", "tensor<5xi64>, tensor<5xi64>",
            {{2, 1, 2, 0, 0}, {2, 1, 2, 0, 0}});
}

//===----------------------------------------------------------------------===//
// Boxes and regions
//===----------------------------------------------------------------------===//

/// The boxes and scores of ONNX's examples.
constexpr char kBoxes[] = R"(
    %b = lz.constant dense<[[[0., 0., 1., 1.], [0., 0.1, 1., 1.1],
        [0., -0.1, 1., 0.9], [0., 10., 1., 11.], [0., 10.1, 1., 11.1],
        [0., 100., 1., 101.]]]> : tensor<1x6x4xf32>
    %s = lz.constant dense<[[[0.9, 0.75, 0.6, 0.95, 0.5, 0.3]]]>
        : tensor<1x1x6xf32>
    %o = lz.constant dense<0.5> : tensor<f32>
    %t = lz.constant dense<0.4> : tensor<1xf32>
    %m = lz.constant dense<3> : tensor<1xi64>
)";

TEST_F(SelectionTest, NonMaxSuppression) {
  expectAll(std::string(kBoxes) +
                R"(%i, %n = lz.non_max_suppression %b, %s most %m overlap %o
                       limit [4] center false
                       : (tensor<1x6x4xf32>, tensor<1x1x6xf32>, tensor<1xi64>,
                          tensor<f32>) -> (tensor<4x3xi64>, tensor<1xi64>))",
            "%i, %n", "tensor<4x3xi64>, tensor<1xi64>",
            {{0, 0, 3, 0, 0, 0, 0, 0, 5, 0, 0, 0}, {3}});
  expectAll(std::string(kBoxes) +
                R"(%i, %n = lz.non_max_suppression %b, %s most %m overlap %o
                       threshold %t limit [4] center false
                       : (tensor<1x6x4xf32>, tensor<1x1x6xf32>, tensor<1xi64>,
                          tensor<f32>, tensor<1xf32>)
                       -> (tensor<4x3xi64>, tensor<1xi64>))",
            "%n", "tensor<1xi64>", {{2}});
}

/// Points of a region on pictures of 2 x 2 pixels.
std::string getRegion(const std::string &region, const std::string &how) {
  return "%x = lz.constant dense<[[[[1., 2.], [3., 4.]]]]> : "
         "tensor<1x1x2x2xf32>\n"
         "%b = lz.constant dense<5> : tensor<1xi64>\n"
         "%p = lz.constant dense<[" +
         region +
         "]> : tensor<1x4xf32>\n"
         "%r = lz.roi_align " +
         how +
         ": (tensor<1x1x2x2xf32>, tensor<1x4xf32>, tensor<1xi64>)"
         " -> tensor<1x1x1x1xf32>";
}

TEST_F(SelectionTest, RoiAlign) {
  const char *type = "tensor<1x1x1x1xf32>";
  std::string half = "<average> %x, %p, %b sizes [1, 1] samples 1 scale 1.0 "
                     "half_pixel true";
  expect(getRegion("[0., 0., 2., 2.]", half), type, {2.5});
  expect(getRegion("[50., 0., 52., 2.]", half), type, {0});
  expect(getRegion("[0., 0., 2., 2.]", "<average> %x, %p, %b sizes [1, 1] "
                                       "samples 1 scale 1.0 half_pixel false"),
         type, {4});
  // Of four weighted pixels, the largest.
  expect(getRegion("[0., 0., 2., 2.]", "<max> %x, %p, %b sizes [1, 1] "
                                       "samples 1 scale 1.0 half_pixel true"),
         type, {1});
  // 8 x 8 points, of which those at 0.5 and 1.5 are inside.
  expect(getRegion("[0., 0., 8., 8.]", "<average> %x, %p, %b sizes [1, 1] "
                                       "samples 0 scale 1.0 half_pixel false"),
         type, {13. / 64});
}

//===----------------------------------------------------------------------===//
// Transforms and matrices
//===----------------------------------------------------------------------===//

TEST_F(SelectionTest, Dft) {
  double half = std::sqrt(3) / 2;
  expect(R"(%x = lz.constant dense<[[1.], [2.], [3.]]> : tensor<3x1xf64>
            %r = lz.dft %x length [3] axis 0 inverse false onesided false
                : (tensor<3x1xf64>) -> tensor<3x2xf64>)",
         "tensor<3x2xf64>", {6, 0, -1.5, half, -1.5, -half}, 1e-14);
  expect(R"(%x = lz.constant dense<[[1.], [3.]]> : tensor<2x1xf64>
            %r = lz.dft %x length [3] axis 0 inverse false onesided true
                : (tensor<2x1xf64>) -> tensor<2x2xf64>)",
         "tensor<2x2xf64>", {4, 0, -0.5, -3 * half}, 1e-14);
  expect(R"(%x = lz.constant dense<[[6., 0.], [-1.5, 0.75]]> : tensor<2x2xf64>
            %r = lz.dft %x length [2] axis 0 inverse true onesided false
                : (tensor<2x2xf64>) -> tensor<2x2xf64>)",
         "tensor<2x2xf64>", {2.25, 0.375, 3.75, -0.375}, 1e-14);
}

// numpy.fft.irfft([10 + 9j, -2 + 2j, -2 + 5j], 4)
TEST_F(SelectionTest, DftMirrorsAOneSidedInverse) {
  expect(R"(%x = lz.constant dense<[[10., 9.], [-2., 2.], [-2., 5.]]>
                : tensor<3x2xf64>
            %r = lz.dft %x length [4] axis 0 inverse true onesided true
                : (tensor<3x2xf64>) -> tensor<4x1xf64>)",
         "tensor<4x1xf64>", {1, 2, 3, 4}, 1e-14);
}

TEST_F(SelectionTest, Det) {
  expect(R"(%x = lz.constant dense<[[[0., 1.], [2., 3.]], [[1., 2.], [2., 4.]]]>
                : tensor<2x2x2xf32>
            %r = lz.det %x : (tensor<2x2x2xf32>) -> tensor<2xf32>)",
         "tensor<2xf32>", {-2, 0});
  expect(R"(%x = lz.constant dense<> : tensor<0x0xf32>
            %r = lz.det %x : (tensor<0x0xf32>) -> tensor<f32>)",
         "tensor<f32>", {1});
}

// ONNX CumProd.
TEST_F(SelectionTest, RunningProducts) {
  expect(R"(%x = lz.constant dense<[1., 2., 3.]> : tensor<3xf32>
            %r = lz.cumsum %x axis 0 exclusive true reverse true {product}
                : (tensor<3xf32>) -> tensor<3xf32>)",
         "tensor<3xf32>", {6, 3, 1});
  expect(R"(%x = lz.constant dense<[65536, 65536, 3]> : tensor<3xi32>
            %r = lz.cumsum %x axis 0 exclusive false reverse false {product}
                : (tensor<3xi32>) -> tensor<3xi32>)",
         "tensor<3xi32>", {65536, 0, 0});
}

} // namespace
