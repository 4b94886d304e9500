//===- GradientSupport.h - finite differences of functions ------*- C++ -*-===//
//
// For a function f and a random tensor G, the rules' gradients of sum(G * f(x))
// are compared with central differences of f on the evaluator, in f64.
//
//===----------------------------------------------------------------------===//
#ifndef TEST_UNIT_RULES_GRADIENTSUPPORT_H
#define TEST_UNIT_RULES_GRADIENTSUPPORT_H

#include "test/unit/rules/Support.h"

struct GradientTest : RuleTest {
  /// Turns `function` into its gradient: from its inputs and the gradient of
  /// its result to the gradients of its float inputs.
  llvm::LogicalResult differentiate(mlir::func::FuncOp function);
  /// Compares the gradients of the function of `text` at `inputs`.
  void check(llvm::StringRef text, std::vector<lz::RefTensor> inputs);
  /// The same for a body that gives `%r`, of type `result`, from arguments.
  void check(llvm::StringRef arguments, llvm::StringRef body,
             llvm::StringRef result, std::vector<lz::RefTensor> inputs) {
    check(("func.func @f(" + arguments + ") -> tensor<" + result + "> {\n" +
           body + "\nreturn %r : tensor<" + result + ">\n}")
              .str(),
          std::move(inputs));
  }
  /// Expects zeros for `body`, which gives `%r` from `%x`, both of 4 f64.
  void checkIsFlat(llvm::StringRef body);
};

#endif // TEST_UNIT_RULES_GRADIENTSUPPORT_H
