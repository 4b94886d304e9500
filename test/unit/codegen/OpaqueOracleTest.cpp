//===- OpaqueOracleTest.cpp - C++ kernels against the reference -----------===//
//
// The kernels have tests of their own; these are about what is passed to them,
// with sizes that are known and free.
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include "gtest/gtest.h"

using namespace lz::test;

namespace {

TEST(OpaqueOracle, MultipliesAlongADimension) {
  expectLikeReference({"(%x: tensor<2x?x3xf32> {lz.dims = [#lz.expr<2>, "
                       "#lz.expr<s0>, #lz.expr<3>]}) -> tensor<2x?x3xf32>",
                       R"(%0 = lz.cumsum %x axis 1 exclusive true reverse true
                            {product} : (tensor<2x?x3xf32>) -> tensor<2x?x3xf32>
                        return %0 : tensor<2x?x3xf32>)",
                       {{{2, 5, 3}}},
                       {5}});
}

TEST(OpaqueOracle, FindsWhatIsUnique) {
  expectLikeReference(
      {"(%x: tensor<?x9x2xi8> {lz.dims = [#lz.expr<s0>, #lz.expr<9>, "
       "#lz.expr<2>]}) -> (tensor<?x9x2xi8>, tensor<9xi64>, tensor<9xi64>, "
       "tensor<9xi64>, tensor<1xi64>)",
       R"(%0:5 = lz.unique %x axis 1 sorted true
              : (tensor<?x9x2xi8>) -> (tensor<?x9x2xi8>, tensor<9xi64>,
                tensor<9xi64>, tensor<9xi64>, tensor<1xi64>)
          return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<?x9x2xi8>,
              tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<1xi64>)",
       {{{1, 9, 2}, 0, 1}},
       {1}});
  // In order of occurrence, and only some of the results.
  expectLikeReference(
      {"(%x: tensor<?xi1> {lz.dims = [#lz.expr<s0>]}) -> (tensor<?xi1>, "
       "tensor<1xi64>)",
       R"(%0:5 = lz.unique %x axis 0 sorted false
              : (tensor<?xi1>) -> (tensor<?xi1>, tensor<?xi64>,
                tensor<?xi64>, tensor<?xi64>, tensor<1xi64>)
          return %0#0, %0#4 : tensor<?xi1>, tensor<1xi64>)",
       {{{20}, 0, 1}},
       {20}});
}

TEST(OpaqueOracle, SuppressesBoxes) {
  for (const char *center : {"false", "true"})
    expectLikeReference(
        {"(%b: tensor<2x?x4xf32> {lz.dims = [#lz.expr<2>, #lz.expr<s0>, "
         "#lz.expr<4>]}, %s: tensor<2x3x?xf32> {lz.dims = [#lz.expr<2>, "
         "#lz.expr<3>, #lz.expr<s0>]}, %m: tensor<i64>, %o: tensor<1xf32>, "
         "%t: tensor<f32>) -> (tensor<?x3xi64>, tensor<1xi64>)",
         std::string(R"(%0:2 = lz.non_max_suppression %b, %s most %m overlap %o
              threshold %t limit [s0] center )") +
             center +
             R"(: (tensor<2x?x4xf32>, tensor<2x3x?xf32>, tensor<i64>,
                 tensor<1xf32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<1xi64>)
             return %0#0, %0#1 : tensor<?x3xi64>, tensor<1xi64>)",
         {{{2, 30, 4}, 0, 2},
          {{2, 3, 30}, 0, 1},
          {{}, 5, 5},
          {{1}, 0.1, 0.2},
          {{}, 0.1, 0.2}},
         {30}});
}

TEST(OpaqueOracle, PoolsRegions) {
  for (const char *how :
       {"<average> %x, %r, %b sizes [3, 2] samples 2 scale 0.5 half_pixel true",
        "<average> %x, %r, %b sizes [3, 2] samples 0 scale 1.0 half_pixel "
        "false",
        "<max> %x, %r, %b sizes [3, 2] samples 3 scale 1.0 half_pixel true"})
    for (const char *type : {"f32", "f64", "bf16"}) {
      std::string t(type);
      std::string x = "tensor<2x3x?x8x" + t + ">", r = "tensor<?x4x" + t + ">",
                  b = "tensor<?xi32>", y = "tensor<?x3x3x2x" + t + ">";
      expectLikeReference(
          {"(%x: " + x +
               " {lz.dims = [#lz.expr<2>, #lz.expr<3>, #lz.expr<s0>, "
               "#lz.expr<8>]}, %r: " +
               r + " {lz.dims = [#lz.expr<s1>, #lz.expr<4>]}, %b: " + b +
               " {lz.dims = [#lz.expr<s1>]}) -> " + y,
           std::string("%0 = lz.roi_align ") + how + " : (" + x + ", " + r +
               ", " + b + ") -> " + y + "\nreturn %0 : " + y,
           {{{2, 3, 7, 8}}, {{11, 4}, -3, 12}, {{11}, -1, 2}},
           {7, 11},
           t == "bf16" ? 1e-2 : 2e-5});
    }
}

TEST(OpaqueOracle, TransformsSignals) {
  struct Case {
    const char *parts, *how, *resultParts;
    int64_t size;
  };
  for (Case test : {Case{"1", "inverse false onesided false", "2", 7},
                    Case{"2", "inverse true onesided false", "2", 8},
                    Case{"2", "inverse true onesided true", "1", 5}})
    for (int64_t length : {6, 7, 8, 13}) {
      std::string x = std::string("tensor<3x?x5x") + test.parts + "xf32>";
      std::string fixed = std::to_string(length);
      std::string y = "tensor<3x" + fixed + "x5x" + test.resultParts + "xf32>";
      expectLikeReference(
          {"(%x: " + x + " {lz.dims = [#lz.expr<3>, #lz.expr<s0>, " +
               "#lz.expr<5>, #lz.expr<" + test.parts + ">]}) -> " + y,
           "%0 = lz.dft %x length [" + fixed + "] axis 1 " + test.how + " : (" +
               x + ") -> " + y + "\nreturn %0 : " + y,
           {{{3, test.size, 5, test.parts[0] - '0'}}},
           {test.size}});
    }
}

/// Of a length that is not known when compiling.
TEST(OpaqueOracle, TransformsSignalsOfFreeLengths) {
  for (int64_t length : {1, 9, 16})
    expectLikeReference(
        {"(%x: tensor<2x?x1xf64> {lz.dims = [#lz.expr<2>, #lz.expr<s0>, "
         "#lz.expr<1>]}) -> tensor<2x?x2xf64>",
         R"(%0 = lz.dft %x length [s0] axis 1 inverse false onesided true
                : (tensor<2x?x1xf64>) -> tensor<2x?x2xf64>
            return %0 : tensor<2x?x2xf64>)",
         {{{2, length, 1}}},
         {length},
         1e-13});
}

TEST(OpaqueOracle, FindsDeterminants) {
  for (int64_t n : {1, 4, 9})
    expectLikeReference(
        {"(%x: tensor<70x?x?xf32> {lz.dims = [#lz.expr<70>, #lz.expr<s0>, "
         "#lz.expr<s0>]}) -> tensor<70xf32>",
         R"(%0 = lz.det %x : (tensor<70x?x?xf32>) -> tensor<70xf32>
            return %0 : tensor<70xf32>)",
         {{{70, n, n}}},
         {n}});
}

} // namespace
