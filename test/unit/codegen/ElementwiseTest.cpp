//===- ElementwiseTest.cpp - kernels of elementwise operations ------------===//

#include "Oracle.h"

#include "gtest/gtest.h"

using namespace lz::test;

/// One kernel that returns `kind` of its input for each of `kinds`.
static void expectUnary(llvm::ArrayRef<const char *> kinds, std::string element,
                        double low, double high, double tolerance) {
  KernelCase test;
  std::string type = "tensor<37x" + element + ">";
  test.signature = "(%x: " + type + ") -> (";
  std::string values, types;
  for (auto [number, kind] : llvm::enumerate(kinds)) {
    std::string value = "%r" + std::to_string(number);
    test.body += value + " = lz.unary <" + kind + "> %x : (" + type + ") -> " +
                 type + "\n";
    values += (number ? ", " : "") + value;
    types += (number ? ", " : "") + type;
  }
  test.signature += types + ")";
  test.body += "return " + values + " : " + types;
  test.inputs = {{{37}, low, high}};
  test.tolerance = tolerance;
  expectLikeReference(test);
}

TEST(ElementwiseKernel, UnaryFloat) {
  expectUnary({"identity", "abs", "neg", "sign", "reciprocal", "floor", "ceil",
               "round", "exp", "sin", "cos", "sinh", "cosh", "tanh", "atan",
               "asinh", "erf"},
              "f32", -4, 4, 4e-7);
  expectUnary({"relu", "leaky_relu", "elu", "celu", "selu", "sigmoid",
               "hard_sigmoid", "hard_swish", "swish", "softplus", "softsign",
               "mish", "gelu", "gelu_tanh", "thresholded_relu", "shrink"},
              "f32", -5, 5, 2e-6);
  expectUnary({"log", "sqrt", "rsqrt", "acosh"}, "f32", 1.01, 20, 4e-7);
  expectUnary({"asin", "acos", "atanh", "tan"}, "f32", -0.95, 0.95, 4e-7);
}

TEST(ElementwiseKernel, UnaryOtherTypes) {
  expectUnary({"abs", "exp", "tanh", "gelu", "erf", "log", "softplus"}, "f64",
              0.1, 4, 1e-14);
  expectUnary({"exp", "sigmoid", "neg", "relu"}, "f16", -3, 3, 1e-3);
  expectUnary({"exp", "sigmoid", "neg", "relu"}, "bf16", -3, 3, 1e-2);
  expectUnary({"abs", "neg", "sign", "relu", "bit_not", "identity"}, "i32", -9,
              9, 0);
  expectUnary({"abs", "neg", "sign"}, "i8", -128, 127, 0);
  expectUnary({"bit_not", "identity"}, "ui8", 0, 255, 0);
  expectUnary({"logical_not"}, "i1", 0, 1, 0);
}

static void expectBinary(llvm::ArrayRef<const char *> kinds, Input lhs,
                         Input rhs, std::string element,
                         double tolerance = 4e-7) {
  for (const char *kind : kinds) {
    KernelCase test;
    test.signature = "(%x: tensor<5x7x" + element + ">, %y: tensor<7x" +
                     element + ">) -> tensor<5x7x" + element + ">";
    test.body = std::string("%0 = lz.binary <") + kind +
                "> %x, %y : (tensor<5x7x" + element + ">, tensor<7x" + element +
                ">) -> tensor<5x7x" + element + "> return %0 : tensor<5x7x" +
                element + ">";
    lhs.shape = {5, 7};
    rhs.shape = {7};
    test.inputs = {lhs, rhs};
    test.tolerance = tolerance;
    expectLikeReference(test);
  }
}

TEST(ElementwiseKernel, BinaryFloat) {
  expectBinary({"add", "sub", "mul", "div", "max", "min", "prelu", "fmod"},
               {{}, -5, 5}, {{}, -3, 3}, "f32");
  expectBinary({"pow"}, {{}, 0.1, 5}, {{}, -3, 3}, "f32", 2e-6);
}

TEST(ElementwiseKernel, BinaryInteger) {
  expectBinary(
      {"add", "sub", "mul", "max", "min", "bit_and", "bit_or", "bit_xor"},
      {{}, -120, 120}, {{}, -9, 9}, "i8", 0);
  expectBinary({"div", "mod", "fmod"}, {{}, -100, 100}, {{}, 1, 9}, "i64", 0);
  expectBinary({"div", "mod", "fmod"}, {{}, -100, 100}, {{}, -9, -1}, "i32", 0);
  expectBinary({"div", "mod", "max", "shift_left", "shift_right"}, {{}, 0, 255},
               {{}, 1, 7}, "ui8", 0);
  expectBinary({"logical_and", "logical_or", "logical_xor"}, {{}, 0, 1},
               {{}, 0, 1}, "i1", 0);
}

/// Division by zero and of the smallest number by -1 must not trap.
TEST(ElementwiseKernel, DivisionNeverTraps) {
  KernelJit kernel(R"(
    func.func private @k(%x: tensor<4xi32>, %y: tensor<4xi32>)
        -> (tensor<4xi32>, tensor<4xi32>) attributes {lzx.kernel} {
      %0 = lz.binary <div> %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      %1 = lz.binary <mod> %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      return %0, %1 : tensor<4xi32>, tensor<4xi32>
    })");
  int x[4] = {INT32_MIN, 7, INT32_MIN, -7}, y[4] = {-1, 0, 0, 2};
  int quotient[4], rest[4];
  kernel.run({x, y, quotient, rest}, 4);
  EXPECT_EQ(quotient[0], INT32_MIN);
  EXPECT_EQ(rest[0], 0);
  EXPECT_EQ(quotient[3], -3);
  EXPECT_EQ(rest[3], 1);
}

static void expectCast(std::string from, std::string to, double low,
                       double high, double tolerance = 0) {
  KernelCase test;
  test.signature = "(%x: tensor<67x" + from + ">) -> tensor<67x" + to + ">";
  test.body = "%0 = lz.cast %x to " + to + " : (tensor<67x" + from +
              ">) -> tensor<67x" + to + "> return %0 : tensor<67x" + to + ">";
  test.inputs = {{{67}, low, high}};
  test.tolerance = tolerance;
  expectLikeReference(test);
}

TEST(ElementwiseKernel, Cast) {
  for (const char *to : {"f64", "f16", "bf16", "i8", "i32", "i64", "i1"})
    expectCast("f32", to, -100, 100);
  for (const char *to : {"ui8", "ui16", "ui32", "ui64"})
    expectCast("f32", to, 0, 200);
  for (const char *to : {"f32", "f16", "bf16", "i64"})
    expectCast("f64", to, -1e4, 1e4);
  for (const char *from : {"f16", "bf16", "i8", "i64", "i32"})
    expectCast(from, "f32", -100, 100);
  for (const char *to : {"i8", "i32", "ui8", "f16", "i1"})
    expectCast("i64", to, -1000, 1000);
  for (const char *to : {"i8", "ui8", "i16", "ui16", "i32", "ui32", "i64"})
    for (const char *from : {"f32", "f64"})
      expectCast(from, to, -1e11, 1e11); // most are out of range
  expectCast("i1", "f32", 0, 1);
  expectCast("ui8", "i32", 0, 255);
}

TEST(ElementwiseKernel, CastNarrowFloats) {
  for (const char *type : {"f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"}) {
    expectCast("f32", type, -1, 1);
    expectCast("f32", type, -1e5, 1e5); // saturates
    expectCast("f64", type, -0.01, 0.01);
    expectCast(type, "f32", -300, 300);
  }
}

TEST(ElementwiseKernel, CompareAndSelect) {
  for (const char *kind : {"eq", "ne", "lt", "le", "gt", "ge"})
    for (const char *type : {"f32", "i64", "ui8"}) {
      std::string tensor = std::string("tensor<?x3x") + type + ">";
      std::string row = std::string("tensor<1x3x") + type + ">";
      expectLikeReference(
          {"(%x: " + tensor + " {lz.dims = [#lz.expr<s0>, #lz.expr<3>]}, %y: " +
               row + ") -> " + tensor,
           std::string("%0 = lz.compare <") + kind + "> %x, %y : (" + tensor +
               ", " + row +
               ") -> tensor<?x3xi1>\n%1 = lz.select %0, %x, %y : " +
               "(tensor<?x3xi1>, " + tensor + ", " + row + ") -> " + tensor +
               "\nreturn %1 : " + tensor,
           {{{6, 3}, 0, 3}, {{1, 3}, 0, 3}},
           {6}});
    }
}

// What is computed of narrow floats has their digits and range before anything
// can tell: 300 * 300 is infinite in f16.
TEST(ElementwiseKernel, NarrowFloatsAreRoundedBeforeTheyAreSeen) {
  for (std::string element : {"f16", "bf16"}) {
    std::string narrow = "tensor<37x" + element + ">";
    KernelCase test;
    test.signature = "(%x: " + narrow + ", %y: " + narrow + ") -> (" + narrow +
                     ", tensor<37xf32>, tensor<37xi1>, tensor<37xi1>)";
    test.body = "%m = lz.binary <mul> %x, %y : (" + narrow + ", " + narrow +
                ") -> " + narrow + "\n%c = lz.cast %m to f32 : (" + narrow +
                ") -> tensor<37xf32>\n%i = lz.unary <is_inf> %m : (" + narrow +
                ") -> tensor<37xi1>\n%e = lz.compare <eq> %m, %x : (" + narrow +
                ", " + narrow +
                ") -> tensor<37xi1>\nreturn %m, %c, %i, %e : " + narrow +
                ", tensor<37xf32>, tensor<37xi1>, tensor<37xi1>";
    test.inputs = {{{37}, 200, 400}, {{37}, 0.999, 400}};
    test.tolerance = 0;
    expectLikeReference(test);
  }
}
