//===- Support.cpp - functions, tensors and runs for tests of rules -------===//

#include "test/unit/rules/Support.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry.insert<LzDialect, func::FuncDialect>();
  registerReferenceModels(registry);
  registerRuleModels(registry);
  return registry;
}

RuleTest::RuleTest()
    : context(makeRegistry()),
      handler(&context, [this](Diagnostic &d) { error += d.str() + "\n"; }) {
  context.loadDialect<LzDialect, func::FuncDialect>();
}

func::FuncOp RuleTest::parse(StringRef text) {
  ParserConfig config(&context);
  module = parseSourceString<ModuleOp>(text, config);
  return module ? *module->getOps<func::FuncOp>().begin() : func::FuncOp();
}

Operation *RuleTest::getTarget(func::FuncOp function) {
  return function.front().getTerminator()->getOperand(0).getDefiningOp();
}

func::FuncOp RuleTest::makeFunction(StringRef name, ArrayRef<SymShape> sizes,
                                    ArrayRef<Type> elements,
                                    ShapeAnalysis &shapes) {
  auto types = llvm::map_to_vector(
      llvm::zip_equal(sizes, elements), [](auto pair) -> Type {
        auto [shape, element] = pair;
        return ResultInfo(element, shape).getType();
      });
  OpBuilder builder(module->getBodyRegion());
  auto function = func::FuncOp::create(builder, UnknownLoc::get(&context), name,
                                       builder.getFunctionType(types, {}));
  function.addEntryBlock();
  for (auto [argument, shape] : llvm::zip_equal(function.getArguments(), sizes))
    shapes.setShape(argument, shape);
  return function;
}

void RuleTest::finish(func::FuncOp function, ArrayRef<Value> results) {
  OpBuilder builder = OpBuilder::atBlockEnd(&function.front());
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(results).getTypes()));
}

std::vector<RefTensor> RuleTest::run(func::FuncOp function,
                                     ArrayRef<RefTensor> inputs) {
  SmallVector<RefValue> values(inputs.begin(), inputs.end()), results;
  Evaluator evaluator;
  if (failed(evaluator.run(cast<FunctionOpInterface>(function.getOperation()),
                           values, results)))
    return {};
  std::vector<RefTensor> tensors;
  for (const RefValue &result : results)
    tensors.push_back(result.getTensor());
  return tensors;
}

RefTensor RuleTest::random(StringRef type, int64_t low, int64_t high) {
  RefTensor result = tensor(type, {});
  bool isFloat = isa<FloatType>(result.getElementType());
  for (int64_t i = 0; i != result.getNumElements(); ++i) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    uint64_t bits = seed >> 33;
    if (isFloat)
      result.setDouble(i, static_cast<double>(bits) / (1u << 30) - 1);
    else
      result.setInt(i, low + static_cast<int64_t>(bits % (high - low + 1)));
  }
  return result;
}

RefTensor RuleTest::tensor(StringRef type, ArrayRef<double> values) {
  auto parsed =
      cast<RankedTensorType>(parseType("tensor<" + type.str() + ">", &context));
  RefTensor result(parsed);
  for (auto [i, value] : llvm::enumerate(values))
    result.setDouble(i, value);
  return result;
}
