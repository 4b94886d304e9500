//===- EvaluateModel.cpp - run a model by the reference evaluator ---------===//

#include "test/conformance/RunModel.h"

#include "dialects/lz/IR/LzDialect.h"
#include "dialects/lz/Reference/Evaluator.h"
#include "frontends/onnx/Importer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "test/conformance/SequenceParts.h"

using namespace mlir;
using namespace lz;

/// The inputs in the order of the function's arguments, which bear their names.
static llvm::Expected<SmallVector<RefValue>>
orderInputs(FunctionOpInterface function, const DataSet &data) {
  SmallVector<RefValue> inputs;
  while (inputs.size() != function.getNumArguments()) {
    unsigned i = inputs.size();
    auto name = function.getArgAttrOfType<StringAttr>(i, LzDialect::kNameAttr);
    const RefValue *value = name ? data.find(name.getValue()) : nullptr;
    if (!value)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "argument " + llvm::Twine(i) +
                                         " has no value in the data set");
    if (function.getArgAttr(i, LzDialect::kValueAttr))
      addParts(function, i, *value, inputs);
    else
      inputs.push_back(*value);
  }
  return inputs;
}

/// Evaluates `function` on one data set; says what is wrong, or nothing.
static std::string evaluateDataSet(FunctionOpInterface function,
                                   const TestModel &model,
                                   const DataSet &data) {
  auto inputs = orderInputs(function, data);
  if (!inputs)
    return llvm::toString(inputs.takeError());
  Evaluator evaluator;
  SmallVector<RefValue> results;
  if (failed(evaluator.run(function, *inputs, results)))
    return "evaluation failed";
  return checkOutputs(model, data, joinParts(function, results));
}

std::string lz::evaluateModel(const TestModel &model, MLIRContext &context) {
  auto module = importOnnx(model.file, context);
  if (failed(module))
    return "import failed";
  auto functions = (*module)->getOps<func::FuncOp>();
  if (functions.empty())
    return "import gave no function";
  auto function =
      cast<FunctionOpInterface>((*functions.begin()).getOperation());
  for (const std::string &folder : model.folders) {
    auto data = readDataSet(folder, model.graph, context);
    if (!data)
      return llvm::toString(data.takeError());
    std::string text = evaluateDataSet(function, model, *data);
    if (!text.empty())
      return text;
  }
  return "";
}
