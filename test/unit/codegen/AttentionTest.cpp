//===- AttentionTest.cpp - attention kernels against the evaluator --------===//

#include "Oracle.h"

#include "gtest/gtest.h"

using namespace lz::test;

namespace {

/// Neither whole blocks of queries nor whole tiles of keys and columns.
constexpr const char *kPlainBody = R"(
    %0 = lz.matmul %q, %k {transpose_rhs}
        : (tensor<2x37x5xf32>, tensor<2x11x5xf32>) -> tensor<2x37x11xf32>
    %1 = lz.softmax <softmax> %0 axis 2
        : (tensor<2x37x11xf32>) -> tensor<2x37x11xf32>
    %2 = lz.matmul %1, %v
        : (tensor<2x37x11xf32>, tensor<2x11x7xf32>) -> tensor<2x37x7xf32>
    return %2 : tensor<2x37x7xf32>)";

constexpr const char *kPlainSignature =
    "(%q: tensor<2x37x5xf32>, %k: tensor<2x11x5xf32>, %v: tensor<2x11x7xf32>)"
    " -> tensor<2x37x7xf32>";

const std::vector<Input> kPlainInputs = {
    {{2, 37, 5}}, {{2, 11, 5}}, {{2, 11, 7}}};

TEST(AttentionKernel, ComputesBlocksOfQueries) {
  for (const char *cpu : {"x86-64-v3", "x86-64-v2"}) {
    KernelCase test = {kPlainSignature, kPlainBody, kPlainInputs};
    test.cpu = cpu;
    expectLikeReference(test);
  }
}

// One kernel, whose iterations are the blocks, not the elements of the result.
TEST(AttentionKernel, RunsOverBlocks) {
  KernelJit kernel("func.func private @k" + std::string(kPlainSignature) +
                   " attributes {lzx.kernel} {" + kPlainBody + "}");
  std::vector<float> q(2 * 37 * 5), k(2 * 11 * 5), v(2 * 11 * 7, 3),
      result(2 * 37 * 7);
  kernel.run({q.data(), k.data(), v.data(), result.data()}, 1);
  EXPECT_EQ(kernel.getIterations(), 2 * 3); // blocks of 16 queries
  for (float value : result)
    EXPECT_FLOAT_EQ(value, 3); // the mean of equal values
}

// Scores scaled, masked for each key, and bent, as models do.
TEST(AttentionKernel, AppliesWhatLiesBeforeTheSoftmax) {
  KernelCase test;
  test.signature = "(%q: tensor<2x3x20x8xf32>, %k: tensor<2x3x8x33xf32>, "
                   "%v: tensor<2x3x33x8xf32>, %m: tensor<2x1x1x33xf32>, "
                   "%b: tensor<3x20x33xf32>) -> tensor<2x3x20x8xf32>";
  test.body = R"(
    %c = lz.constant dense<0.25> : tensor<f32>
    %0 = lz.matmul %q, %k : (tensor<2x3x20x8xf32>, tensor<2x3x8x33xf32>)
        -> tensor<2x3x20x33xf32>
    %1 = lz.binary <mul> %0, %c : (tensor<2x3x20x33xf32>, tensor<f32>)
        -> tensor<2x3x20x33xf32>
    %2 = lz.unary <tanh> %1 : (tensor<2x3x20x33xf32>) -> tensor<2x3x20x33xf32>
    %3 = lz.binary <add> %2, %m
        : (tensor<2x3x20x33xf32>, tensor<2x1x1x33xf32>)
        -> tensor<2x3x20x33xf32>
    %4 = lz.binary <add> %3, %b : (tensor<2x3x20x33xf32>, tensor<3x20x33xf32>)
        -> tensor<2x3x20x33xf32>
    %5 = lz.softmax <softmax> %4 axis 3
        : (tensor<2x3x20x33xf32>) -> tensor<2x3x20x33xf32>
    %6 = lz.matmul %5, %v : (tensor<2x3x20x33xf32>, tensor<2x3x33x8xf32>)
        -> tensor<2x3x20x8xf32>
    return %6 : tensor<2x3x20x8xf32>)";
  test.inputs = {{{2, 3, 20, 8}},
                 {{2, 3, 8, 33}},
                 {{2, 3, 33, 8}},
                 {{2, 1, 1, 33}, -9, 0},
                 {{3, 20, 33}}};
  expectLikeReference(test);
}

// Values that lie transposed, keys and values that all heads share, and an
// operation behind the attention.
TEST(AttentionKernel, ReadsOperandsWhereTheyLie) {
  KernelCase test;
  test.signature = "(%q: tensor<4x9x6xf32>, %k: tensor<1x25x6xf32>, "
                   "%v: tensor<1x10x25xf32>, %r: tensor<4x9x10xf32>)"
                   " -> tensor<4x9x10xf32>";
  test.body = R"(
    %0 = lz.matmul %q, %k {transpose_rhs}
        : (tensor<4x9x6xf32>, tensor<1x25x6xf32>) -> tensor<4x9x25xf32>
    %1 = lz.softmax <softmax> %0 axis 2
        : (tensor<4x9x25xf32>) -> tensor<4x9x25xf32>
    %2 = lz.matmul %1, %v {transpose_rhs}
        : (tensor<4x9x25xf32>, tensor<1x10x25xf32>) -> tensor<4x9x10xf32>
    %3 = lz.binary <add> %2, %r
        : (tensor<4x9x10xf32>, tensor<4x9x10xf32>) -> tensor<4x9x10xf32>
    return %3 : tensor<4x9x10xf32>)";
  test.inputs = {{{4, 9, 6}}, {{1, 25, 6}}, {{1, 10, 25}}, {{4, 9, 10}}};
  expectLikeReference(test);
}

TEST(AttentionKernel, TakesAnySizes) {
  KernelCase test;
  test.signature =
      "(%q: tensor<?x?x?xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<s1>, "
      "#lz.expr<s2>]}, %k: tensor<?x?x?xf32> {lz.dims = [#lz.expr<s0>, "
      "#lz.expr<s3>, #lz.expr<s2>]}, %v: tensor<?x?x?xf32> {lz.dims = "
      "[#lz.expr<s0>, #lz.expr<s3>, #lz.expr<s4>]}) -> tensor<?x?x?xf32>";
  test.body = R"(
    %0 = lz.matmul %q, %k {transpose_rhs}
        : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %1 = lz.softmax <softmax> %0 axis 2
        : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %2 = lz.matmul %1, %v
        : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    return %2 : tensor<?x?x?xf32>)";
  test.tolerance = 2e-5; // far scores: an exponential has their error
  for (std::vector<int64_t> s : std::vector<std::vector<int64_t>>{
           {1, 1, 1, 1, 1},
           {3, 16, 8, 6, 6},
           {2, 50, 64, 130, 64},
           {1, 17, 3, 0, 4}, // no keys: zeros
           {2, 5, 0, 7, 3},  // all keys are alike
           {2, 0, 4, 5, 3},
           {0, 4, 4, 5, 3},
           {2, 4, 4, 5, 0}}) {
    test.symbols = s;
    test.inputs = {{{s[0], s[1], s[2]}},
                   {{s[0], s[3], s[2]}},
                   {{s[0], s[3], s[4]}}};
    expectLikeReference(test);
  }
}

// Whose exponentials would overflow.
TEST(AttentionKernel, SubtractsTheLargestScore) {
  KernelCase test = {kPlainSignature, kPlainBody, kPlainInputs};
  for (Input &input : test.inputs)
    input.low = -60, input.high = 60;
  test.tolerance = 2e-3;
  expectLikeReference(test);
}

} // namespace
