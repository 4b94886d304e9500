//===- Evaluate.h - evaluates functions given as text -----------*- C++ -*-===//
#ifndef TEST_UNIT_REFERENCE_EVALUATE_H
#define TEST_UNIT_REFERENCE_EVALUATE_H

#include "dialects/lz/IR/LzOps.h"
#include "dialects/lz/Reference/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

/// Parses modules and runs their first function.
class ReferenceTest : public testing::Test {
protected:
  ReferenceTest() : context(makeRegistry()) {
    context.loadDialect<lz::LzDialect, mlir::func::FuncDialect>();
  }

  /// A module of `text`.
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    mlir::ParserConfig config(&context);
    return mlir::parseSourceString<mlir::ModuleOp>(text, config);
  }

  /// Runs the first function of `text`; on failure `error` says why.
  mlir::LogicalResult run(llvm::StringRef text,
                          llvm::ArrayRef<lz::RefValue> inputs = {}) {
    module = parse(text);
    if (!module)
      return mlir::failure();
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &d) { error += d.str(); });
    results.clear();
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    return evaluator.run(
        mlir::cast<mlir::FunctionOpInterface>(function.getOperation()), inputs,
        results);
  }

  /// Runs `body`, whose last value `%r` has type `type`, in a function, and
  /// compares the elements of `%r`.
  void expect(llvm::StringRef body, llvm::StringRef type,
              llvm::ArrayRef<double> expected, double tolerance = 0) {
    std::string text = ("func.func @f() -> " + type + " {\n" + body +
                        "\nreturn %r : " + type + "\n}")
                           .str();
    ASSERT_TRUE(succeeded(run(text))) << error;
    expectElements(results[0].getTensor(), expected, tolerance);
  }

  static void expectElements(const lz::RefTensor &tensor,
                             llvm::ArrayRef<double> expected,
                             double tolerance = 0) {
    ASSERT_EQ(tensor.getNumElements(), static_cast<int64_t>(expected.size()));
    for (size_t i = 0; i != expected.size(); ++i)
      if (std::isnan(expected[i]))
        EXPECT_TRUE(std::isnan(tensor.getDouble(i))) << "element " << i;
      else if (std::isinf(expected[i]))
        EXPECT_EQ(tensor.getDouble(i), expected[i]) << "element " << i;
      else
        EXPECT_NEAR(tensor.getDouble(i), expected[i],
                    tolerance * std::abs(expected[i]))
            << "element " << i;
  }

  /// A tensor of element type `type` with the given elements.
  static lz::RefTensor makeTensor(mlir::Type type,
                                  llvm::ArrayRef<int64_t> shape,
                                  llvm::ArrayRef<double> values) {
    lz::RefTensor tensor(mlir::RankedTensorType::get(shape, type));
    for (size_t i = 0; i != values.size(); ++i)
      tensor.setDouble(i, values[i]);
    return tensor;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  lz::Evaluator evaluator;
  llvm::SmallVector<lz::RefValue> results;
  std::string error;

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registry.insert<lz::LzDialect, mlir::func::FuncDialect>();
    lz::registerReferenceModels(registry);
    return registry;
  }
};

#endif // TEST_UNIT_REFERENCE_EVALUATE_H
