//===- Oracle.cpp - kernels against the reference evaluator ---------------===//

#include "Oracle.h"

#include "dialects/lz/IR/LzDialect.h"
#include "dialects/lz/Reference/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace lz;
using namespace lz::test;

static std::string getText(const KernelCase &test) {
  std::string text = "func.func private @k" + test.signature +
                     " attributes {lzx.kernel, lz.symbols = [";
  for (size_t i = 0; i != test.symbols.size(); ++i)
    text += (i ? ", " : "") + ("#lz.symbol<s" + std::to_string(i)) +
            ", 0, 1000, dim>";
  return text + "]} {\n" + test.body + "\n}";
}

static RefTensor makeInput(const Input &input, mlir::Type element,
                           std::mt19937 &random) {
  RefTensor tensor(mlir::RankedTensorType::get(input.shape, element));
  std::uniform_real_distribution<double> real(input.low, input.high);
  std::uniform_int_distribution<int64_t> whole(
      static_cast<int64_t>(input.low), static_cast<int64_t>(input.high));
  for (int64_t i = 0; i != tensor.getNumElements(); ++i)
    if (mlir::isa<mlir::FloatType>(element))
      tensor.setDouble(i, real(random));
    else
      tensor.setInt(i,
                    element.isInteger(1) ? whole(random) & 1 : whole(random));
  return tensor;
}

namespace {

/// A kernel's inputs, and what the evaluator makes of them.
struct Expectation {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallVector<RefValue> inputs, results;
};

} // namespace

static void evaluate(const KernelCase &test, Expectation &expected) {
  mlir::DialectRegistry registry;
  registry.insert<LzDialect, mlir::func::FuncDialect>();
  registerReferenceModels(registry);
  expected.context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  expected.module = mlir::parseSourceString<mlir::ModuleOp>(
      getText(test), expected.context.get());
  ASSERT_TRUE(expected.module) << getText(test);
  auto function = expected.module->lookupSymbol<mlir::func::FuncOp>("k");
  std::mt19937 random(7);
  for (auto [type, input] :
       llvm::zip_equal(function.getArgumentTypes(), test.inputs))
    expected.inputs.push_back(
        makeInput(input, mlir::getElementTypeOrSelf(type), random));
  Evaluator evaluator;
  ASSERT_TRUE(succeeded(evaluator.run(
      mlir::cast<mlir::FunctionOpInterface>(function.getOperation()),
      expected.inputs, expected.results)))
      << getText(test);
}

/// Bytes beyond a buffer's end, which a kernel must leave as they are.
static constexpr size_t kGuardBytes = 64;

/// A buffer of `bytes` bytes and the guard after them, none of them zero.
static std::vector<char> makeBuffer(size_t bytes) {
  return std::vector<char>(bytes + kGuardBytes, 0x5a);
}

/// One run's result buffers. With `shared`, the only result lies in the memory
/// of that operand.
static std::vector<std::vector<char>>
runKernel(KernelJit &kernel, const KernelCase &test,
          const Expectation &expected, int64_t chunk,
          std::optional<int64_t> shared = std::nullopt) {
  std::vector<void *> buffers;
  for (const RefValue &input : expected.inputs)
    buffers.push_back(const_cast<char *>(input.getTensor().getBytes().data()));
  std::vector<std::vector<char>> results;
  for (const RefValue &result : expected.results)
    results.push_back(makeBuffer(result.getTensor().getBytes().size()));
  if (shared) {
    llvm::ArrayRef<char> bytes =
        expected.inputs[*shared].getTensor().getBytes();
    results[0] = makeBuffer(bytes.size());
    llvm::copy(bytes, results[0].begin());
    buffers[*shared] = results[0].data();
  }
  for (std::vector<char> &result : results)
    buffers.push_back(result.data());
  llvm::StringMap<int64_t> symbols;
  for (size_t i = 0; i != test.symbols.size(); ++i)
    symbols["s" + std::to_string(i)] = test.symbols[i];
  kernel.run(buffers, chunk, symbols);
  return results;
}

static bool isClose(double got, double want, double tolerance) {
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got);
  if (std::isinf(want) || std::isinf(got))
    return want == got;
  return std::abs(got - want) <= tolerance * (1 + std::abs(want));
}

std::string lz::test::expectLikeReference(const KernelCase &test) {
  Expectation expected;
  evaluate(test, expected);
  KernelJit kernel(getText(test), test.cpu);
  if (testing::Test::HasFatalFailure())
    return "";
  auto whole = runKernel(kernel, test, expected, 1 << 30);
  auto parts = runKernel(kernel, test, expected, 3);
  EXPECT_EQ(whole, parts) << "depends on chunks: " << getText(test);
  for (int64_t operand : kernel.getInPlaceOperands())
    for (int64_t chunk : {1 << 30, 3})
      EXPECT_EQ(runKernel(kernel, test, expected, chunk, operand), whole)
          << "differs in place of operand " << operand << ": " << getText(test);
  for (auto [bytes, want] : llvm::zip(whole, expected.results)) {
    const RefTensor &tensor = want.getTensor();
    RefTensor got(
        tensor.getType(),
        llvm::ArrayRef<char>(bytes).take_front(tensor.getBytes().size()),
        nullptr);
    for (size_t i = tensor.getBytes().size(); i != bytes.size(); ++i)
      EXPECT_EQ(bytes[i], 0x5a) << "written beyond the end: " << getText(test);
    for (int64_t i = 0; i != tensor.getNumElements(); ++i)
      if (!isClose(got.getDouble(i), tensor.getDouble(i), test.tolerance)) {
        ADD_FAILURE() << "element " << i << " is " << got.getDouble(i)
                      << ", not " << tensor.getDouble(i) << ": "
                      << getText(test);
        break;
      }
  }
  return kernel.getIr();
}
