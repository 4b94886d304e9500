//===- OpsTest.cpp - values of reference models ---------------------------===//
//
// Where no other source is named, expected values are ONNX Runtime 1.32's for
// the ONNX operator of the same name, on elements -3, -2 .. 3, -3 .. in
// row-major order.
//
//===----------------------------------------------------------------------===//

#include "test/unit/reference/Evaluate.h"

#include <cmath>

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct OpsTest : ReferenceTest {};

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// The points at which activations are compared; expected values by numpy in
/// float64 from the formulas of the ONNX text.
constexpr char kPoints[] =
    "%x = lz.constant dense<[-3., -1., -0.5, 0., 0.5, 1., 3.]> : tensor<7xf64>";

TEST_F(OpsTest, Gelu) {
  expect(std::string(kPoints) +
             "%r = lz.unary <gelu> %x : (tensor<7xf64>) -> tensor<7xf64>",
         "tensor<7xf64>",
         {-0.00404969409489031, -0.15865525393145707, -0.15426876936299347, 0,
          0.3457312306370065, 0.8413447460685429, 2.99595030590511},
         1e-12);
}

TEST_F(OpsTest, GeluTanh) {
  expect(std::string(kPoints) +
             "%r = lz.unary <gelu_tanh> %x : (tensor<7xf64>) -> tensor<7xf64>",
         "tensor<7xf64>",
         {-0.0036373920817729943, -0.1588080093917233, -0.15428599017485606, 0,
          0.34571400982514394, 0.8411919906082768, 2.996362607918227},
         1e-12);
}

TEST_F(OpsTest, Mish) {
  expect(std::string(kPoints) +
             "%r = lz.unary <mish> %x : (tensor<7xf64>) -> tensor<7xf64>",
         "tensor<7xf64>",
         {-0.1456474612756246, -0.30340146137410895, -0.22074377465173, 0,
          0.3752452113048951, 0.8650983882673103, 2.986535004967957},
         1e-12);
}

// IEEE 754: halves go to the even neighbour.
TEST_F(OpsTest, RoundGoesToEven) {
  expect(R"(%x = lz.constant dense<[0.5, 1.5, 2.5, -0.5, -2.5]> : tensor<5xf32>
            %r = lz.unary <round> %x : (tensor<5xf32>) -> tensor<5xf32>)",
         "tensor<5xf32>", {0, 2, 2, 0, -2});
}

// The operation's description: the remainder has the divisor's sign, or with
// fmod the dividend's.
TEST_F(OpsTest, ModuloSigns) {
  expect(R"(%a = lz.constant dense<[-4, 7, 5, 4, -7, 8]> : tensor<6xi32>
            %b = lz.constant dense<[2, -3, 8, -2, 3, 5]> : tensor<6xi32>
            %r = lz.binary <mod> %a, %b
                : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>)",
         "tensor<6xi32>", {0, -2, 5, 0, 2, 3});
  expect(R"(%a = lz.constant dense<[-4, 7, 5, 4, -7, 8]> : tensor<6xi32>
            %b = lz.constant dense<[2, -3, 8, -2, 3, 5]> : tensor<6xi32>
            %r = lz.binary <fmod> %a, %b
                : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>)",
         "tensor<6xi32>", {0, 1, 5, 0, -1, 3});
}

// C's division truncates; the two cases that stop a machine are defined.
TEST_F(OpsTest, IntegerDivision) {
  expect(
      R"(%a = lz.constant dense<[-7, 7, 5, -2147483648]> : tensor<4xi32>
         %b = lz.constant dense<[2, -2, 0, -1]> : tensor<4xi32>
         %r = lz.binary <div> %a, %b
             : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>)",
      "tensor<4xi32>", {-3, -3, 0, -2147483648.0});
}

TEST_F(OpsTest, UnsignedIntegersAreNotSigned) {
  expect(R"(%a = lz.constant dense<[18446744073709551615, 1]> : tensor<2xui64>
            %b = lz.constant dense<[2, 3]> : tensor<2xui64>
            %r = lz.binary <div> %a, %b
                : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>)",
         "tensor<2xui64>", {9223372036854775807.0, 0});
  expect(R"(%a = lz.constant dense<[18446744073709551615, 1]> : tensor<2xui64>
            %b = lz.constant dense<[2, 3]> : tensor<2xui64>
            %r = lz.compare <gt> %a, %b
                : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xi1>)",
         "tensor<2xi1>", {1, 0});
}

TEST_F(OpsTest, ComparisonsWithNaN) {
  const char *operands = R"(
      %a = lz.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
      %b = lz.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>)";
  expect(std::string(operands) + R"(%r = lz.compare <ne> %a, %b
      : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>)",
         "tensor<2xi1>", {1, 1});
  expect(std::string(operands) + R"(%r = lz.compare <ge> %a, %b
      : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>)",
         "tensor<2xi1>", {0, 0});
  expect(std::string(operands) + R"(%r = lz.binary <max> %a, %b
      : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>)",
         "tensor<2xf32>", {kNaN, kNaN});
}

// numpy: numpy.where([[True], [False]], [1, 2, 3], 9).
TEST_F(OpsTest, SelectBroadcasts) {
  expect(R"(%c = lz.constant dense<[[true], [false]]> : tensor<2x1xi1>
            %a = lz.constant dense<[1, 2, 3]> : tensor<3xi8>
            %b = lz.constant dense<9> : tensor<i8>
            %r = lz.select %c, %a, %b : (tensor<2x1xi1>, tensor<3xi8>,
                tensor<i8>) -> tensor<2x3xi8>)",
         "tensor<2x3xi8>", {1, 2, 3, 9, 9, 9});
}

// ONNX Cast's tables: what is too large for f8E4M3FN is 448, or NaN.
TEST_F(OpsTest, CastSaturates) {
  expect(R"(%x = lz.constant dense<[500., -1000., 0x7F800000, 3.]>
                : tensor<4xf32>
            %r = lz.cast %x to f8E4M3FN
                : (tensor<4xf32>) -> tensor<4xf8E4M3FN>)",
         "tensor<4xf8E4M3FN>", {448, -448, 448, 3});
  expect(R"(%x = lz.constant dense<[500., -1000., 0x7F800000, 3.]>
                : tensor<4xf32>
            %r = lz.cast %x to f8E4M3FN {saturate = false}
                : (tensor<4xf32>) -> tensor<4xf8E4M3FN>)",
         "tensor<4xf8E4M3FN>", {kNaN, kNaN, kNaN, 3});
}

TEST_F(OpsTest, CastTruncates) {
  expect(R"(%x = lz.constant dense<[-1.9, 2.9, 0.5, -0.0]> : tensor<4xf32>
            %r = lz.cast %x to i32 : (tensor<4xf32>) -> tensor<4xi32>)",
         "tensor<4xi32>", {-1, 2, 0, 0});
  expect(R"(%x = lz.constant dense<[-1.9, 2.9, 0.5, -0.0]> : tensor<4xf32>
            %r = lz.cast %x to i1 : (tensor<4xf32>) -> tensor<4xi1>)",
         "tensor<4xi1>", {1, 1, 1, 0});
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

TEST_F(OpsTest, MatmulBroadcastsBatches) {
  expect(R"(%a = lz.constant dense<[[[[-3., -2., -1.], [0., 1., 2.]]],
                [[[3., -3., -2.], [-1., 0., 1.]]]]> : tensor<2x1x2x3xf32>
            %b = lz.constant dense<[[[-3., -2.], [-1., 0.], [1., 2.]],
                [[3., -3.], [-2., -1.], [0., 1.]]]> : tensor<2x3x2xf32>
            %r = lz.matmul %a, %b : (tensor<2x1x2x3xf32>, tensor<2x3x2xf32>)
                -> tensor<2x2x2x2xf32>)",
         "tensor<2x2x2x2xf32>",
         {10, 4, 1, 4, -5, 10, -2, 1, -8, -10, 4, 4, 15, -8, -3, 4});
}

TEST_F(OpsTest, MatmulTransposes) {
  // numpy: a.T @ b.T of a = [[1, 2], [3, 4]], b = [[5, 6], [7, 8]].
  expect(R"(%a = lz.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
            %b = lz.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
            %r = lz.matmul %a, %b {transpose_lhs, transpose_rhs}
                : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>)",
         "tensor<2x2xi32>", {23, 31, 34, 46});
}

TEST_F(OpsTest, ConvInGroups) {
  expect(R"(%x = lz.constant dense<[[[-3., -2., -1., 0., 1.],
                [2., 3., -3., -2., -1.], [0., 1., 2., 3., -3.],
                [-2., -1., 0., 1., 2.]]]> : tensor<1x4x5xf32>
            %w = lz.constant dense<[[[-3., -2., -1.], [0., 1., 2.]],
                [[3., -3., -2.], [-1., 0., 1.]]]> : tensor<2x2x3xf32>
            %b = lz.constant dense<[10., 20.]> : tensor<2xf32>
            %r = lz.conv %x, %w bias %b strides [2] low [1] high [0]
                dilations [1] groups 2 : (tensor<1x4x5xf32>, tensor<2x2x3xf32>,
                tensor<2xf32>) -> tensor<1x2x2xf32>)",
         "tensor<1x2x2xf32>", {26, 11, 17, 13});
}

TEST_F(OpsTest, ConvTransposeInGroups) {
  expect(R"(%x = lz.constant dense<[[[-3., -2., -1.], [0., 1., 2.]]]>
                : tensor<1x2x3xf32>
            %w = lz.constant dense<[[[-3., -2., -1.]], [[0., 1., 2.]]]>
                : tensor<2x1x3xf32>
            %r = lz.conv_transpose %x, %w strides [2] low [1] high [0]
                extra [1] dilations [1] groups 2 : (tensor<1x2x3xf32>,
                tensor<2x1x3xf32>) -> tensor<1x2x7xf32>)",
         "tensor<1x2x7xf32>", {6, 9, 4, 5, 2, 1, 0, 0, 0, 1, 2, 2, 4, 0});
}

//===----------------------------------------------------------------------===//
// Reductions, norms, pools
//===----------------------------------------------------------------------===//

// numpy: log(sum(exp(x - 1001))) + 1001.
TEST_F(OpsTest, LogSumExpDoesNotOverflow) {
  expect(R"(%x = lz.constant dense<[1000., 1001., 999.]> : tensor<3xf64>
            %r = lz.reduce <log_sum_exp> %x axes [0] keep_dims false
                : (tensor<3xf64>) -> tensor<f64>)",
         "tensor<f64>", {1001.4076059644444}, 1e-14);
}

// The operation's description: neutral elements.
TEST_F(OpsTest, ReductionsOfNothing) {
  expect(R"(%x = lz.constant dense<> : tensor<2x0xi8>
            %r = lz.reduce <max> %x axes [1] keep_dims false
                : (tensor<2x0xi8>) -> tensor<2xi8>)",
         "tensor<2xi8>", {-128, -128});
  expect(R"(%x = lz.constant dense<> : tensor<2x0xf32>
            %r = lz.reduce <prod> %x axes [1] keep_dims true
                : (tensor<2x0xf32>) -> tensor<2x1xf32>)",
         "tensor<2x1xf32>", {1, 1});
}

TEST_F(OpsTest, ArgReduceChoosesFirstOrLast) {
  const char *x = "%x = lz.constant dense<[[1, 5, 5, 2]]> : tensor<1x4xi32>";
  expect(std::string(x) + R"(%r = lz.arg_reduce <max> %x axis 1 keep_dims false
      last false : (tensor<1x4xi32>) -> tensor<1xi64>)",
         "tensor<1xi64>", {1});
  expect(std::string(x) + R"(%r = lz.arg_reduce <max> %x axis 1 keep_dims false
      last true : (tensor<1x4xi32>) -> tensor<1xi64>)",
         "tensor<1xi64>", {2});
}

TEST_F(OpsTest, LayerNorm) {
  expect(R"(%x = lz.constant dense<[[-3., -2., -1.], [0., 1., 2.]]>
                : tensor<2x3xf32>
            %s = lz.constant dense<[1., 2., 3.]> : tensor<3xf32>
            %b = lz.constant dense<[0.5, 0., -1.]> : tensor<3xf32>
            %r = lz.layer_norm <layer> %x, %s bias %b axis 1 epsilon 1.0e-5
                : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
                -> tensor<2x3xf32>)",
         "tensor<2x3xf32>",
         {-0.7247356176376343, 0, 2.6742067337036133, -0.7247356176376343, 0,
          2.6742067337036133},
         1e-6);
}

TEST_F(OpsTest, InstanceNormIsGroupNormOfZeroGroups) {
  expect(R"(%x = lz.constant dense<[[[-3., -2., -1.], [0., 1., 2.]]]>
                : tensor<1x2x3xf32>
            %s = lz.constant dense<[1., 2.]> : tensor<2xf32>
            %b = lz.constant dense<[0.5, -1.]> : tensor<2xf32>
            %r = lz.group_norm %x, %s, %b groups 0 epsilon 1.0e-5
                : (tensor<1x2x3xf32>, tensor<2xf32>, tensor<2xf32>)
                -> tensor<1x2x3xf32>)",
         "tensor<1x2x3xf32>",
         {-0.7247354984283447, 0.5, 1.7247356176376343, -3.4494712352752686, -1,
          1.4494712352752686},
         1e-6);
}

TEST_F(OpsTest, Lrn) {
  expect(R"(%x = lz.constant dense<[[[-3.], [-2.], [-1.], [0.]]]>
                : tensor<1x4x1xf32>
            %r = lz.lrn %x size 3 alpha 0.5 beta 0.75 offset 1.0
                : (tensor<1x4x1xf32>) -> tensor<1x4x1xf32>)",
         "tensor<1x4x1xf32>",
         {-1.2637741565704346, -0.8107200860977173, -0.63470059633255, 0},
         1e-6);
}

TEST_F(OpsTest, AveragePoolCountsPaddingOrNot) {
  const char *x = R"(%x = lz.constant dense<[[[-3., -2., -1., 0., 1.]]]>
      : tensor<1x1x5xf32>)";
  const char *type = "(tensor<1x1x5xf32>) -> tensor<1x1x3xf32>";
  const char *window = R"(kernel [3] strides [2] low [1] high [1]
      dilations [1] sizes [3])";
  expect(std::string(x) + "%r = lz.pool <average> %x " + window +
             "{count_padding = true} : " + type,
         "tensor<1x1x3xf32>", {-1.6666666269302368, -1, 0.3333333432674408},
         1e-6);
  expect(std::string(x) + "%r = lz.pool <average> %x " + window + " : " + type,
         "tensor<1x1x3xf32>", {-2.5, -1, 0.5}, 1e-6);
}

TEST_F(OpsTest, MaxPoolIndicesInColumnMajorOrder) {
  const char *text = R"(
      %x = lz.constant dense<[[[[-3., -2., -1.], [0., 1., 2.], [3., -3., -2.]
          ]]]> : tensor<1x1x3x3xf32>
      %y, %r = lz.pool <max> %x kernel [2, 2] strides [1, 1] low [0, 0]
          high [0, 0] dilations [1, 1] sizes [2, 2]
          {with_indices = true, column_major = true} : (tensor<1x1x3x3xf32>)
          -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>))";
  expect(text, "tensor<1x1x2x2xi64>", {4, 7, 2, 7});
}

//===----------------------------------------------------------------------===//
// Shape, resize, indices
//===----------------------------------------------------------------------===//

// numpy.pad of [1, 2, 3] by (4, 3) in modes reflect and wrap.
TEST_F(OpsTest, PadReflectsAndWrapsMoreThanOnce) {
  const char *x = "%x = lz.constant dense<[1, 2, 3]> : tensor<3xi64>";
  expect(std::string(x) + R"(%r = lz.pad <reflect> %x [4] [3]
      : (tensor<3xi64>) -> tensor<10xi64>)",
         "tensor<10xi64>", {1, 2, 3, 2, 1, 2, 3, 2, 1, 2});
  expect(std::string(x) + R"(%r = lz.pad <wrap> %x [4] [3]
      : (tensor<3xi64>) -> tensor<10xi64>)",
         "tensor<10xi64>", {3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
}

// numpy: x[3::-2].
TEST_F(OpsTest, SliceBackwards) {
  expect(R"(%x = lz.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
            %r = lz.slice %x [3] [2] [-2] : (tensor<5xi64>) -> tensor<2xi64>)",
         "tensor<2xi64>", {3, 1});
}

TEST_F(OpsTest, ResizeCubic) {
  expect(R"(%x = lz.constant dense<[1., 2., 4., 8.]> : tensor<4xf32>
            %r = lz.resize <cubic> %x [6] scales [1.5] coordinate <half_pixel>
                nearest <floor> : (tensor<4xf32>) -> tensor<6xf32>)",
         "tensor<6xf32>",
         {0.9131948947906494, 1.3125, 2.304401397705078, 3.383103370666504,
          6.1875, 8.347222328186035},
         1e-5);
}

// The operation's description: never outside the tensor.
TEST_F(OpsTest, GatherClampsIndices) {
  expect(R"(%x = lz.constant dense<[10, 20, 30]> : tensor<3xi64>
            %i = lz.constant dense<[-1, -4, 7, 1]> : tensor<4xi64>
            %r = lz.gather %x, %i axis 0
                : (tensor<3xi64>, tensor<4xi64>) -> tensor<4xi64>)",
         "tensor<4xi64>", {30, 10, 30, 20});
}

// The operation's description: in order, and nothing out of range.
TEST_F(OpsTest, ScatterDropsIndicesOutOfRange) {
  expect(R"(%x = lz.constant dense<[1, 2, 3]> : tensor<3xi64>
            %i = lz.constant dense<[0, 0, -1, 3]> : tensor<4xi64>
            %u = lz.constant dense<[10, 20, 30, 40]> : tensor<4xi64>
            %r = lz.scatter_elements <add> %x, %i, %u axis 0 : (tensor<3xi64>,
                tensor<4xi64>, tensor<4xi64>) -> tensor<3xi64>)",
         "tensor<3xi64>", {31, 2, 33});
}

TEST_F(OpsTest, TopKKeepsTheOrderOfEqualElements) {
  expect(R"(%x = lz.constant dense<[3, 1, 3, 2]> : tensor<4xi32>
            %v, %r = lz.top_k %x k [3] axis 0 largest true
                : (tensor<4xi32>) -> (tensor<3xi32>, tensor<3xi64>))",
         "tensor<3xi64>", {0, 2, 3});
}

// ONNX QuantizeLinear: halves to even, then saturation.
TEST_F(OpsTest, QuantizeSaturates) {
  expect(R"(%x = lz.constant dense<[1., 3., 5., 1000., -1000.]> : tensor<5xf32>
            %s = lz.constant dense<2.> : tensor<f32>
            %z = lz.constant dense<128> : tensor<ui8>
            %r = lz.quantize %x, %s zero %z axis 0 to ui8 : (tensor<5xf32>,
                tensor<f32>, tensor<ui8>) -> tensor<5xui8>)",
         "tensor<5xui8>", {128, 130, 130, 255, 0});
}

//===----------------------------------------------------------------------===//
// Recurrent
//===----------------------------------------------------------------------===//

TEST_F(OpsTest, Lstm) {
  expect(R"(
      %x = lz.constant dense<[[[-3., -2.]], [[-1., 0.]]]> : tensor<2x1x2xf32>
      %w = lz.constant dense<[[[-0.3, -0.2], [-0.1, 0.], [0.1, 0.2],
          [0.3, -0.3], [-0.2, -0.1], [0., 0.1], [0.2, 0.3], [-0.3, -0.2]]]>
          : tensor<1x8x2xf32>
      %w2 = lz.constant dense<[[[-0.6, -0.4], [-0.2, 0.], [0.2, 0.4],
          [0.6, -0.6], [-0.4, -0.2], [0., 0.2], [0.4, 0.6], [-0.6, -0.4]]]>
          : tensor<1x8x2xf32>
      %b = lz.constant dense<[[-0.15, -0.1, -0.05, 0., 0.05, 0.1, 0.15, -0.15,
          -0.1, -0.05, 0., 0.05, 0.1, 0.15, -0.15, -0.1]]> : tensor<1x16xf32>
      %r, %h, %c = lz.lstm %x, %w, %w2 bias %b <forward> {hidden = 2 : i64,
          activations = ["sigmoid", "tanh", "tanh"], activation_alpha = [],
          activation_beta = [], input_forget = false}
          : (tensor<2x1x2xf32>, tensor<1x8x2xf32>, tensor<1x8x2xf32>,
          tensor<1x16xf32>) -> (tensor<2x1x1x2xf32>, tensor<1x1x2xf32>,
          tensor<1x1x2xf32>))",
         "tensor<2x1x1x2xf32>",
         {-0.17626570165157318, 0.1738467514514923, -0.2001078724861145,
          0.10649432241916656},
         1e-5);
}

TEST_F(OpsTest, GruInReverse) {
  expect(R"(
      %x = lz.constant dense<[[[-3., -2.]], [[-1., 0.]]]> : tensor<2x1x2xf32>
      %w = lz.constant dense<[[[-0.3, -0.2], [-0.1, 0.], [0.1, 0.2],
          [0.3, -0.3], [-0.2, -0.1], [0., 0.1]]]> : tensor<1x6x2xf32>
      %w2 = lz.constant dense<[[[-0.6, -0.4], [-0.2, 0.], [0.2, 0.4],
          [0.6, -0.6], [-0.4, -0.2], [0., 0.2]]]> : tensor<1x6x2xf32>
      %b = lz.constant dense<[[-0.15, -0.1, -0.05, 0., 0.05, 0.1, 0.15, -0.15,
          -0.1, -0.05, 0., 0.05]]> : tensor<1x12xf32>
      %r, %h = lz.gru %x, %w, %w2 bias %b <reverse> {hidden = 2 : i64,
          activations = ["sigmoid", "tanh"], activation_alpha = [],
          activation_beta = [], linear_before_reset = false}
          : (tensor<2x1x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2xf32>,
          tensor<1x12xf32>) -> (tensor<2x1x1x2xf32>, tensor<1x1x2xf32>))",
         "tensor<2x1x1x2xf32>",
         {0.23710237443447113, 0.01925583928823471, 0.1042269691824913,
          0.08001524955034256},
         1e-5);
}

TEST_F(OpsTest, RnnStopsAtLengths) {
  const char *text = R"(
      %x = lz.constant dense<[[[-3.], [-2.]], [[-1.], [0.]], [[1.], [2.]]]>
          : tensor<3x2x1xf32>
      %w = lz.constant dense<-0.3> : tensor<1x1x1xf32>
      %w2 = lz.constant dense<-0.6> : tensor<1x1x1xf32>
      %l = lz.constant dense<[1, 3]> : tensor<2xi32>
      %r, %h = lz.rnn %x, %w, %w2 lengths %l <forward> {hidden = 1 : i64,
          activations = ["tanh"], activation_alpha = [], activation_beta = []}
          : (tensor<3x2x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>,
          tensor<2xi32>) -> (tensor<3x1x2x1xf32>, tensor<1x2x1xf32>))";
  expect(text, "tensor<3x1x2x1xf32>",
         {0.7162977457046509, 0.5370496511459351, 0, -0.3115217685699463, 0,
          -0.39109063148498535},
         1e-5);
}

} // namespace
