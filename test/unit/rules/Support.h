//===- Support.h - functions, tensors and runs for tests of rules -*- C++
//-*-===//
#ifndef TEST_UNIT_RULES_SUPPORT_H
#define TEST_UNIT_RULES_SUPPORT_H

#include "dialects/lz/Reference/Evaluator.h"
#include "dialects/lz/Rules/RuleInterfaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

/// Parses functions, builds others from rules, and runs them on the evaluator.
class RuleTest : public testing::Test {
protected:
  RuleTest();

  /// The first function of `text`; null, with `error` set, if it's wrong.
  mlir::func::FuncOp parse(llvm::StringRef text);
  /// The operation that gives the first result of `function`.
  static mlir::Operation *getTarget(mlir::func::FuncOp function);

  /// An empty function of `module` with arguments of these shapes and types,
  /// which `shapes` gets to know.
  mlir::func::FuncOp makeFunction(llvm::StringRef name,
                                  llvm::ArrayRef<lz::SymShape> sizes,
                                  llvm::ArrayRef<mlir::Type> elements,
                                  lz::ShapeAnalysis &shapes);
  /// Ends a function by returning `results`.
  void finish(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> results);

  /// The results of `function`; empty, with `error` set, if it fails.
  std::vector<lz::RefTensor> run(mlir::func::FuncOp function,
                                 llvm::ArrayRef<lz::RefTensor> inputs);

  /// A tensor of `type` ("2x3xf64") with random elements: floats within [-1,
  /// 1], integers within [low, high].
  lz::RefTensor random(llvm::StringRef type, int64_t low = -100,
                       int64_t high = 100);
  lz::RefTensor tensor(llvm::StringRef type, llvm::ArrayRef<double> values);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string error;

private:
  uint64_t seed = 1;
  mlir::ScopedDiagnosticHandler handler;
};

#endif // TEST_UNIT_RULES_SUPPORT_H
