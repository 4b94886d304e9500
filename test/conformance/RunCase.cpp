//===- RunCase.cpp - put one model to the test ----------------------------===//

#include "test/conformance/RunCase.h"

#include "dialects/lz/IR/LzDialect.h"
#include "dialects/lz/Reference/Evaluator.h"
#include "frontends/onnx/Importer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "test/conformance/TestData.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lz;

static std::string join(StringRef folder, const llvm::Twine &file) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, file);
  return std::string(path);
}

static void collectOperators(const onnx::GraphProto &graph,
                             std::vector<std::string> &operators) {
  for (const onnx::NodeProto &node : graph.node()) {
    operators.push_back(node.op_type());
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        collectOperators(attribute.g(), operators);
  }
}

std::vector<std::string> lz::listOperators(const Case &test) {
  onnx::ModelProto model;
  std::vector<std::string> operators;
  if (llvm::Error error = readMessage(join(test.folder, "model.onnx"), model))
    llvm::consumeError(std::move(error));
  collectOperators(model.graph(), operators);
  return operators;
}

//===----------------------------------------------------------------------===//
// Data sets
//===----------------------------------------------------------------------===//

namespace {
/// Named inputs and expected outputs.
struct DataSet {
  std::vector<std::pair<std::string, RefValue>> inputs;
  std::vector<RefValue> outputs;
};
} // namespace

/// Calls `add` with the path and the declaration of each `<prefix>N.pb`.
template <typename Infos>
static llvm::Error forEachFile(
    StringRef folder, StringRef prefix, const Infos &infos,
    function_ref<llvm::Error(StringRef, const onnx::ValueInfoProto &)> add) {
  for (int i = 0; i != infos.size(); ++i) {
    std::string file = join(folder, prefix + llvm::Twine(i) + ".pb");
    if (!llvm::sys::fs::exists(file))
      break;
    if (llvm::Error error = add(file, infos.Get(i)))
      return error;
  }
  return llvm::Error::success();
}

static llvm::Expected<DataSet> readDataSet(StringRef folder,
                                           const onnx::GraphProto &graph,
                                           MLIRContext &context) {
  DataSet data;
  auto addInput = [&](StringRef file, const onnx::ValueInfoProto &info) {
    auto value = readValue(file, info.type(), context);
    if (value)
      data.inputs.push_back({info.name(), *value});
    return value.takeError();
  };
  auto addOutput = [&](StringRef file, const onnx::ValueInfoProto &info) {
    auto value = readValue(file, info.type(), context);
    if (value)
      data.outputs.push_back(*value);
    return value.takeError();
  };
  if (llvm::Error error =
          forEachFile(folder, "input_", graph.input(), addInput))
    return std::move(error);
  if (llvm::Error error =
          forEachFile(folder, "output_", graph.output(), addOutput))
    return std::move(error);
  if (data.outputs.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   folder + ": holds no outputs");
  return data;
}

/// The folders `test_data_set_N` of a case.
static std::vector<std::string> findDataSets(const Case &test) {
  std::vector<std::string> folders;
  for (int i = 0;; ++i) {
    folders.push_back(join(test.folder, "test_data_set_" + llvm::Twine(i)));
    if (!llvm::sys::fs::is_directory(folders.back()))
      break;
  }
  folders.pop_back();
  return folders;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Turns the inputs of `model` into initializers with the values of the data
/// set in `folder`. Fails for inputs that aren't tensors.
static llvm::Error fixInputs(onnx::ModelProto &model, StringRef folder) {
  onnx::GraphProto &graph = *model.mutable_graph();
  onnx::GraphProto before = graph;
  graph.clear_input();
  auto add = [&](StringRef file,
                 const onnx::ValueInfoProto &info) -> llvm::Error {
    if (!info.type().has_tensor_type())
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "input '" + info.name() +
                                         "' is not a tensor");
    onnx::TensorProto &tensor = *graph.add_initializer();
    if (llvm::Error error = readMessage(file, tensor))
      return error;
    tensor.set_name(info.name());
    return llvm::Error::success();
  };
  return forEachFile(folder, "input_", before.input(), add);
}

/// Writes `model` to a new file for the life of the process.
static llvm::Expected<std::string> writeModel(const onnx::ModelProto &model) {
  int descriptor = -1;
  llvm::SmallString<128> path;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile(
          "lz-conformance", "onnx", descriptor, path))
    return llvm::createStringError(code, "can't make a temporary file");
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << model.SerializeAsString();
  return std::string(path);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// The inputs in the order of the function's arguments, which bear their names.
static llvm::Expected<SmallVector<RefValue>>
orderInputs(FunctionOpInterface function, const DataSet &data) {
  SmallVector<RefValue> inputs;
  for (unsigned i = 0; i != function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, LzDialect::kNameAttr);
    auto found = llvm::find_if(data.inputs, [&](const auto &input) {
      return name && input.first == name.getValue();
    });
    if (found == data.inputs.end())
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "argument " + llvm::Twine(i) +
                                         " has no value in the data set");
    inputs.push_back(found->second);
  }
  return inputs;
}

/// Compares all outputs; says what is wrong, or nothing.
static std::string compareOutputs(ArrayRef<RefValue> actual,
                                  ArrayRef<RefValue> expected) {
  if (actual.size() < expected.size())
    return "gives " + std::to_string(actual.size()) + " outputs, expected " +
           std::to_string(expected.size());
  for (size_t i = 0; i != expected.size(); ++i) {
    std::string text = compareValues(actual[i], expected[i], Tolerance());
    if (!text.empty())
      return "output " + std::to_string(i) + " " + text;
  }
  return "";
}

/// Evaluates `function` on one data set; says what is wrong, or nothing.
static std::string evaluateDataSet(FunctionOpInterface function,
                                   const DataSet &data) {
  auto inputs = orderInputs(function, data);
  if (!inputs)
    return llvm::toString(inputs.takeError());
  Evaluator evaluator;
  SmallVector<RefValue> results;
  if (failed(evaluator.run(function, *inputs, results)))
    return "evaluation failed";
  return compareOutputs(results, data.outputs);
}

/// Imports the file and evaluates it on every data set.
static std::string evaluateModel(StringRef file, const onnx::GraphProto &graph,
                                 ArrayRef<std::string> folders,
                                 const ImportOptions &options,
                                 MLIRContext &context) {
  auto module = importOnnx(file, context, options);
  if (failed(module))
    return "import failed";
  auto functions = (*module)->getOps<func::FuncOp>();
  if (functions.empty())
    return "import gave no function";
  auto function =
      cast<FunctionOpInterface>((*functions.begin()).getOperation());
  for (const std::string &folder : folders) {
    auto data = readDataSet(folder, graph, context);
    if (!data)
      return llvm::toString(data.takeError());
    std::string text = evaluateDataSet(function, *data);
    if (!text.empty())
      return text;
  }
  return "";
}

/// A context with what import and evaluation need.
static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry.insert<LzDialect, func::FuncDialect>();
  registerReferenceModels(registry);
  return registry;
}

static Outcome evaluateForm(const Case &test, Form form) {
  std::string file = join(test.folder, "model.onnx");
  std::vector<std::string> folders = findDataSets(test);
  onnx::ModelProto model;
  if (llvm::Error error = readMessage(file, model))
    return {Outcome::Failed, llvm::toString(std::move(error))};
  onnx::GraphProto graph = model.graph();
  std::string temporary;
  auto cleanUp = llvm::scope_exit([&] {
    if (!temporary.empty())
      llvm::sys::fs::remove(temporary);
  });
  if (form == Form::Initializers) {
    if (model.graph().input_size() == 0 || folders.empty())
      return {Outcome::Skipped, "the model has no inputs"};
    folders.resize(1);
    if (llvm::Error error = fixInputs(model, folders.front()))
      return {Outcome::Skipped, llvm::toString(std::move(error))};
    auto written = writeModel(model);
    if (!written)
      return {Outcome::Failed, llvm::toString(written.takeError())};
    file = temporary = *written;
  }
  MLIRContext context(makeRegistry(), MLIRContext::Threading::DISABLED);
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    diagnostics += ": " + diagnostic.str();
  });
  ImportOptions options;
  options.allDynamic = form == Form::Dynamic;
  std::string text = evaluateModel(file, graph, folders, options, context);
  if (text.empty())
    return {};
  return {Outcome::Failed, text + diagnostics};
}

Outcome lz::runCase(const Case &test, Form form, Mode mode) {
  if (form == Form::O0)
    return {Outcome::Skipped, "form O0 is compiled"};
  return evaluateForm(test, form);
}
