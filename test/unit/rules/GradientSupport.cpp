//===- GradientSupport.cpp - finite differences of functions --------------===//

#include "test/unit/rules/GradientSupport.h"

#include "dialects/lz/Rules/Gradient/Reverse.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace lz;

/// Adds an argument of the type and sizes of the function's result.
static Value addSeed(func::FuncOp function, ShapeAnalysis &shapes) {
  Value result = function.front().getTerminator()->getOperand(0);
  SymShape shape(shapes.getShape(result));
  Builder builder(function.getContext());
  auto dims = builder.getDictionaryAttr(builder.getNamedAttr(
      LzDialect::kDimsAttr, getExprArray(function.getContext(), shape)));
  unsigned index = function.getNumArguments();
  EXPECT_TRUE(succeeded(function.insertArgument(index, result.getType(), dims,
                                                function.getLoc())));
  shapes.setShape(function.getArgument(index), shape);
  return function.getArgument(index);
}

LogicalResult GradientTest::differentiate(func::FuncOp function) {
  ShapeAnalysis shapes(&context);
  if (failed(shapes.run(cast<FunctionOpInterface>(function.getOperation()))))
    return failure();
  SmallVector<Value> wanted;
  for (Value argument : function.getArguments())
    if (isDifferentiable(argument))
      wanted.push_back(argument);
  Operation *end = function.front().getTerminator();
  SmallVector<Operation *> ops;
  for (Operation &op : function.front().without_terminator())
    ops.push_back(&op);
  Value result = end->getOperand(0), seed = addSeed(function, shapes);
  OpBuilder builder(end);
  RuleBuilder rules(builder, shapes, function.getLoc());
  GradientMap gradients;
  if (failed(gradients.add(rules, result, seed)) ||
      failed(buildReverse(rules, ops, wanted, gradients)))
    return failure();
  SmallVector<Value> built;
  for (Value value : wanted) {
    Value gradient = gradients.get(value);
    built.push_back(gradient ? gradient : rules.zerosLike(value));
  }
  end->erase();
  finish(function, built);
  return mlir::verify(*module);
}

static double dot(const RefTensor &a, const RefTensor &b) {
  double sum = 0;
  for (int64_t i = 0; i != a.getNumElements(); ++i)
    sum += a.getDouble(i) * b.getDouble(i);
  return sum;
}

void GradientTest::check(StringRef text, std::vector<RefTensor> inputs) {
  auto function = parse(text);
  ASSERT_TRUE(function) << error;
  auto gradientOf = cast<func::FuncOp>(function->clone());
  gradientOf.setName("gradient");
  module->push_back(gradientOf);
  ASSERT_TRUE(succeeded(differentiate(gradientOf))) << error;

  auto results = run(function, inputs);
  ASSERT_EQ(results.size(), 1u) << error;
  RefTensor seed(results[0].getType());
  for (int64_t i = 0; i != seed.getNumElements(); ++i)
    seed.setDouble(i, std::sin(3.7 * i + 1));
  std::vector<RefTensor> given = inputs;
  given.push_back(seed);
  auto gradients = run(gradientOf, given);
  ASSERT_FALSE(gradients.empty()) << error;

  constexpr double step = 1e-6;
  double largest = 0;
  auto gradient = gradients.begin();
  for (auto [index, input] : llvm::enumerate(inputs)) {
    if (!isa<FloatType>(input.getElementType()))
      continue;
    ASSERT_EQ(gradient->getType(), input.getType());
    for (int64_t i = 0; i != input.getNumElements(); ++i) {
      double value = input.getDouble(i), ends[2];
      for (int side : {0, 1}) {
        input.setDouble(i, value + (side ? step : -step));
        ends[side] = dot(seed, run(function, inputs)[0]);
      }
      input.setDouble(i, value);
      double expected = (ends[1] - ends[0]) / (2 * step);
      largest = std::max(largest, std::abs(expected));
      EXPECT_NEAR(gradient->getDouble(i), expected, 1e-7)
          << "input " << index << ", element " << i;
    }
    ++gradient;
  }
  EXPECT_GT(largest, 0.01) << "nothing depends on the inputs";
}

void GradientTest::checkIsFlat(StringRef body) {
  auto function =
      parse(("func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {\n" + body +
             "\nreturn %r : tensor<4xf64>\n}")
                .str());
  ASSERT_TRUE(succeeded(differentiate(function))) << error;
  auto gradients = run(function, {random("4xf64"), random("4xf64")});
  ASSERT_EQ(gradients.size(), 1u) << error;
  for (int64_t i = 0; i != 4; ++i)
    EXPECT_EQ(gradients[0].getDouble(i), 0);
}
