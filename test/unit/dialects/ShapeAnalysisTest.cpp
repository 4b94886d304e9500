//===- ShapeAnalysisTest.cpp - shapes and contents as expressions ---------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace lz;

namespace {

struct ShapeAnalysisTest : testing::Test {
  ShapeAnalysisTest() {
    context.loadDialect<LzDialect, func::FuncDialect>();
    context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
      message += diagnostic.str();
      return success();
    });
  }

  /// Analyses a function of one dynamic argument %x [n, 8] and these lines.
  LogicalResult analyze(StringRef lines) {
    std::string text = "func.func @f(%x: tensor<?x8xf32> {lz.dims = "
                       "[#lz.expr<n>, #lz.expr<8>]}) attributes {lz.symbols = "
                       "[#lz.symbol<n, 0, 100, dim>]} {\n" +
                       lines.str() + "\nreturn\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure();
    shapes.emplace(&context);
    function = *module->getOps<func::FuncOp>().begin();
    return shapes->run(function);
  }

  Value last() {
    return function.getBody().front().getTerminator()->getPrevNode()->getResult(
        0);
  }
  std::string shape() { return text(shapes->getShape(last())); }
  std::string contents() {
    auto known = shapes->getContents(last());
    return known ? text(*known) : "unknown";
  }
  static std::string text(ArrayRef<SymExpr> exprs) {
    std::string result;
    for (SymExpr expr : exprs)
      result += (result.empty() ? "" : ", ") + expr.str();
    return result;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::optional<ShapeAnalysis> shapes;
  std::string message;
};

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST_F(ShapeAnalysisTest, BroadcastTakesTheOtherSizeOfOne) {
  ASSERT_TRUE(succeeded(analyze(
      "%c = lz.constant dense<1.0> : tensor<4x1x8xf32>\n"
      "%0 = lz.binary <add> %x, %c : (tensor<?x8xf32>, tensor<4x1x8xf32>) -> "
      "tensor<4x?x8xf32>")));
  EXPECT_EQ(shape(), "4, n, 8");
  EXPECT_TRUE(shapes->getChecks().empty());
}

TEST_F(ShapeAnalysisTest, OpenBroadcastIsChecked) {
  ASSERT_TRUE(succeeded(analyze(
      "%c = lz.constant dense<1.0> : tensor<4x8xf32>\n"
      "%0 = lz.binary <add> %x, %c : (tensor<?x8xf32>, tensor<4x8xf32>) -> "
      "tensor<?x8xf32>")));
  EXPECT_EQ(shape(), "4, 8");
  ASSERT_EQ(shapes->getChecks().size(), 1u);
  EXPECT_EQ(shapes->getChecks()[0].kind, SizeCheck::Broadcastable);
}

TEST_F(ShapeAnalysisTest, BoundOfOtherSizeEqualsIt) {
  ASSERT_TRUE(succeeded(analyze(
      "%c = lz.constant dense<1.0> : tensor<9x8xf32>\n"
      "%s = lz.slice %c [0, 0] [9 + n + -1 * max(9, n), 8] [1, 1] : "
      "(tensor<9x8xf32>) -> tensor<?x8xf32>\n"
      "%0 = lz.binary <add> %x, %s : (tensor<?x8xf32>, tensor<?x8xf32>) -> "
      "tensor<?x8xf32>")));
  EXPECT_EQ(shape(), "n, 8");
  ASSERT_FALSE(shapes->getChecks().empty());
  EXPECT_EQ(shapes->getChecks().back().kind, SizeCheck::Equal);
}

TEST_F(ShapeAnalysisTest, LastElementBroadcastsToAll) {
  ASSERT_TRUE(succeeded(
      analyze("%s = lz.slice %x [-1 + max(1, n), 0] [1 + n + -1 * max(1, n), "
              "8] [1, 1] : (tensor<?x8xf32>) -> tensor<?x8xf32>\n"
              "%0 = lz.binary <sub> %x, %s : (tensor<?x8xf32>, "
              "tensor<?x8xf32>) -> tensor<?x8xf32>")));
  ASSERT_FALSE(shapes->getChecks().empty());
  EXPECT_EQ(shapes->getChecks().back().kind, SizeCheck::Broadcastable);
}

TEST_F(ShapeAnalysisTest, ContradictingBroadcastIsAnError) {
  EXPECT_TRUE(failed(analyze(
      "%c = lz.constant dense<1.0> : tensor<4x7xf32>\n"
      "%0 = lz.binary <add> %x, %c : (tensor<?x8xf32>, tensor<4x7xf32>) -> "
      "tensor<?x8xf32>")));
  EXPECT_NE(message.find("operands must broadcast: sizes 8 and 7"),
            std::string::npos)
      << message;
}

TEST_F(ShapeAnalysisTest, ReshapeIsProvedOrChecked) {
  ASSERT_TRUE(succeeded(analyze("%0 = lz.reshape %x [2, n, 4] : "
                                "(tensor<?x8xf32>) -> tensor<2x?x4xf32>")));
  EXPECT_TRUE(shapes->getChecks().empty());
  ASSERT_TRUE(succeeded(analyze(
      "%0 = lz.reshape %x [16] : (tensor<?x8xf32>) -> tensor<16xf32>")));
  EXPECT_EQ(shapes->getChecks().size(), 1u);
  EXPECT_TRUE(failed(analyze("%0 = lz.reshape %x [n, 9] : (tensor<?x8xf32>) -> "
                             "tensor<?x9xf32>")) ||
              !shapes->getChecks().empty());
}

TEST_F(ShapeAnalysisTest, SameCheckIsRecordedOnce) {
  ASSERT_TRUE(succeeded(analyze(
      "%0 = lz.reshape %x [16] : (tensor<?x8xf32>) -> tensor<16xf32>\n"
      "%1 = lz.reshape %x [16] : (tensor<?x8xf32>) -> tensor<16xf32>")));
  EXPECT_EQ(shapes->getChecks().size(), 1u);
}

TEST_F(ShapeAnalysisTest, ImpossibleSizesAreErrors) {
  EXPECT_TRUE(failed(analyze("%0 = lz.expand %x [9223372036854775807 * n, 1] : "
                             "(tensor<?x8xf32>) -> tensor<?x8xf32>\n"
                             "%1 = lz.tile %0 [2, 1] : (tensor<?x8xf32>) -> "
                             "tensor<?x8xf32>")));
  EXPECT_NE(message.find("a size that exceeds 64 bits"), std::string::npos)
      << message;
  message.clear();
  EXPECT_TRUE(failed(analyze("%0 = lz.slice %x [0, 0] [n, -1] [1, 1] : "
                             "(tensor<?x8xf32>) -> tensor<?x?xf32>")));
  EXPECT_NE(message.find("the negative size -1"), std::string::npos) << message;
  message.clear();
  EXPECT_TRUE(failed(analyze(
      "%c = lz.constant dense<1.0> : tensor<1x1xf32>\n"
      "%0 = lz.expand %c [4611686018427387904, 2] : (tensor<1x1xf32>) -> "
      "tensor<4611686018427387904x2xf32>")));
  EXPECT_NE(message.find("more elements than 64 bits count"), std::string::npos)
      << message;
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

TEST_F(ShapeAnalysisTest, ContentsFollowShapeArithmetic) {
  ASSERT_TRUE(succeeded(analyze(
      "%s = lz.sizes [n, 8] shape [2] : () -> tensor<2xi64>\n"
      "%i = lz.constant dense<[-1, 0]> : tensor<2xi64>\n"
      "%g = lz.gather %s, %i axis 0 : (tensor<2xi64>, tensor<2xi64>) -> "
      "tensor<2xi64>\n"
      "%h = lz.constant dense<2> : tensor<i64>\n"
      "%0 = lz.binary <mul> %g, %h : (tensor<2xi64>, tensor<i64>) -> "
      "tensor<2xi64>")));
  EXPECT_EQ(contents(), "16, n * 2");
}

TEST_F(ShapeAnalysisTest, DivisionTruncatesOnlyWhereThatIsKnown) {
  auto divide = [&](StringRef a, StringRef b) {
    std::string size = "shape [1] : () -> tensor<1xi64>\n";
    EXPECT_TRUE(succeeded(analyze(
        ("%a = lz.sizes [" + a + "] " + size + "%b = lz.sizes [" + b + "] " +
         size +
         "%0 = lz.binary <div> %a, %b : (tensor<1xi64>, tensor<1xi64>) -> "
         "tensor<1xi64>")
            .str())));
    return contents();
  };
  EXPECT_EQ(divide("-7", "2"), "-3");
  EXPECT_EQ(divide("7", "0"), "unknown");
  EXPECT_EQ(divide("n", "2"), "floordiv(n, 2)");
  EXPECT_EQ(divide("n + -1", "2"), "unknown");
  EXPECT_EQ(divide("8", "n"), "unknown");
}

TEST_F(ShapeAnalysisTest, WrappingArithmeticHasNoContents) {
  ASSERT_TRUE(succeeded(
      analyze("%a = lz.constant dense<2000000000> : tensor<1xi32>\n"
              "%0 = lz.binary <add> %a, %a : (tensor<1xi32>, tensor<1xi32>) -> "
              "tensor<1xi32>")));
  EXPECT_EQ(contents(), "unknown");
  ASSERT_TRUE(succeeded(
      analyze("%a = lz.constant dense<9223372036854775807> : tensor<1xi64>\n"
              "%0 = lz.binary <add> %a, %a : (tensor<1xi64>, tensor<1xi64>) -> "
              "tensor<1xi64>")));
  EXPECT_EQ(contents(), "unknown");
  ASSERT_TRUE(succeeded(
      analyze("%a = lz.constant dense<200> : tensor<1xui8>\n"
              "%0 = lz.binary <add> %a, %a : (tensor<1xui8>, tensor<1xui8>) -> "
              "tensor<1xui8>")));
  EXPECT_EQ(contents(), "unknown");
}

TEST_F(ShapeAnalysisTest, RoundingCastsLoseContents) {
  auto castAndBack = [&](int64_t value) {
    EXPECT_TRUE(succeeded(
        analyze("%a = lz.constant dense<" + std::to_string(value) +
                "> : tensor<1xi64>\n"
                "%f = lz.cast %a to f32 : (tensor<1xi64>) -> tensor<1xf32>\n"
                "%0 = lz.cast %f to i64 : (tensor<1xf32>) -> tensor<1xi64>")));
    return contents();
  };
  EXPECT_EQ(castAndBack(16777216), "16777216");
  EXPECT_EQ(castAndBack(16777217), "unknown");
}

TEST_F(ShapeAnalysisTest, ReductionOfOneElementIsStillReduced) {
  ASSERT_TRUE(succeeded(
      analyze("%a = lz.constant dense<3> : tensor<1xi64>\n"
              "%0 = lz.reduce <sum_square> %a axes [0] keep_dims false : "
              "(tensor<1xi64>) -> tensor<i64>")));
  EXPECT_EQ(contents(), "unknown");
  ASSERT_TRUE(succeeded(analyze(
      "%a = lz.sizes [n, 3] shape [2] : () -> tensor<2xi64>\n"
      "%0 = lz.reduce <prod> %a axes [0] keep_dims false : (tensor<2xi64>) -> "
      "tensor<i64>")));
  EXPECT_EQ(contents(), "n * 3");
}

TEST_F(ShapeAnalysisTest, ComparisonsAreDecidedOrUnknown) {
  auto compare = [&](StringRef kind, StringRef b) {
    EXPECT_TRUE(succeeded(analyze(
        ("%a = lz.sizes [n] shape [1] : () -> tensor<1xi64>\n%b = lz.sizes [" +
         b + "] shape [1] : () -> tensor<1xi64>\n%0 = lz.compare <" + kind +
         "> %a, %b : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>")
            .str())));
    return contents();
  };
  EXPECT_EQ(compare("ge", "0"), "1");
  EXPECT_EQ(compare("lt", "0"), "0");
  EXPECT_EQ(compare("eq", "n"), "1");
  EXPECT_EQ(compare("eq", "-1"), "0");
  EXPECT_EQ(compare("gt", "0"), "unknown");
  EXPECT_EQ(compare("lt", "n + 1"), "1");
}

} // namespace
