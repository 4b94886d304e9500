//===- RunCase.cpp - put one model to the test ----------------------------===//

#include "test/conformance/RunCase.h"

#include "dialects/lz/IR/LzDialect.h"
#include "dialects/lz/Reference/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "onnx/onnx-data.pb.h"
#include "test/conformance/RunModel.h"
#include "test/conformance/TestData.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
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

const RefValue *DataSet::find(StringRef name) const {
  for (const auto &[key, value] : inputs)
    if (key == name)
      return &value;
  return nullptr;
}

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

llvm::Expected<DataSet> lz::readDataSet(StringRef folder,
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

/// Adds a node in front of the others.
static onnx::NodeProto &addNode(onnx::GraphProto &graph, StringRef op,
                                const std::string &result) {
  onnx::NodeProto &node = *graph.add_node();
  node.set_op_type(op.str());
  node.add_output(result);
  return node;
}

/// Makes the sequence `name` of initializers.
static void fixSequence(onnx::GraphProto &graph, const std::string &name,
                        const onnx::SequenceProto &sequence, int elementType) {
  if (sequence.tensor_values().empty()) {
    auto &dtype = *addNode(graph, "SequenceEmpty", name).add_attribute();
    dtype.set_name("dtype");
    dtype.set_type(onnx::AttributeProto::INT);
    dtype.set_i(elementType);
    return;
  }
  onnx::NodeProto &node = addNode(graph, "SequenceConstruct", name);
  for (const onnx::TensorProto &value : sequence.tensor_values()) {
    onnx::TensorProto &tensor = *graph.add_initializer();
    tensor = value;
    tensor.set_name(name + "." + std::to_string(node.input_size()));
    node.add_input(tensor.name());
  }
}

/// Makes the optional `name` of initializers.
static void fixOptional(onnx::GraphProto &graph, const std::string &name,
                        const onnx::OptionalProto &value,
                        const onnx::TypeProto &type) {
  std::string inner = name + ".value";
  bool hasValue = value.has_tensor_value() || value.has_sequence_value();
  if (value.has_sequence_value()) {
    fixSequence(graph, inner, value.sequence_value(),
                type.sequence_type().elem_type().tensor_type().elem_type());
  } else if (value.has_tensor_value()) {
    *graph.add_initializer() = value.tensor_value();
    graph.mutable_initializer(graph.initializer_size() - 1)->set_name(inner);
  }
  onnx::NodeProto &node = addNode(graph, "Optional", name);
  if (hasValue) {
    node.add_input(inner);
    return;
  }
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name("type");
  attribute.set_type(onnx::AttributeProto::TYPE_PROTO);
  *attribute.mutable_tp() = type;
}

/// Turns the inputs of `model` into initializers with the values of the data
/// set in `folder`, and nodes that make sequences and optionals of them.
static llvm::Error fixInputs(onnx::ModelProto &model, StringRef folder) {
  onnx::GraphProto &graph = *model.mutable_graph();
  onnx::GraphProto before = graph;
  graph.clear_input();
  graph.clear_node();
  auto add = [&](StringRef file,
                 const onnx::ValueInfoProto &info) -> llvm::Error {
    if (info.type().has_sequence_type()) {
      onnx::SequenceProto sequence;
      if (llvm::Error error = readMessage(file, sequence))
        return error;
      fixSequence(
          graph, info.name(), sequence,
          info.type().sequence_type().elem_type().tensor_type().elem_type());
      return llvm::Error::success();
    }
    if (info.type().has_optional_type()) {
      onnx::OptionalProto optional;
      if (llvm::Error error = readMessage(file, optional))
        return error;
      fixOptional(graph, info.name(), optional,
                  info.type().optional_type().elem_type());
      return llvm::Error::success();
    }
    onnx::TensorProto &tensor = *graph.add_initializer();
    if (llvm::Error error = readMessage(file, tensor))
      return error;
    tensor.set_name(info.name());
    return llvm::Error::success();
  };
  if (llvm::Error error = forEachFile(folder, "input_", before.input(), add))
    return error;
  graph.mutable_node()->MergeFrom(before.node());
  return llvm::Error::success();
}

/// The first operand of an operator that, as those after it, states a number
/// for each dimension or for some; none if it has no such operands.
static std::optional<int> findShapeOperand(StringRef op) {
  if (op.starts_with("Reduce"))
    return 1;
  return llvm::StringSwitch<std::optional<int>>(op)
      .Case("ConstantOfShape", 0)
      .Cases({"AffineGrid", "CenterCropPad", "Col2Im", "Expand", "Pad"}, 1)
      .Cases({"Reshape", "Resize", "Slice", "Split", "Squeeze"}, 1)
      .Cases({"Tile", "TopK", "Unsqueeze", "Upsample"}, 1)
      .Case("MaxUnpool", 2)
      .Default(std::nullopt);
}

/// The graph's inputs whose lengths decide ranks, which stay known.
static llvm::StringSet<> findShapeInputs(const onnx::GraphProto &graph) {
  llvm::StringSet<> found;
  for (const onnx::NodeProto &node : graph.node())
    if (auto first = findShapeOperand(node.op_type()))
      for (int i = *first; i < node.input_size(); ++i)
        found.insert(node.input(i));
  return found;
}

/// Gives each dimension of each input a name instead of its size, and takes
/// away what is said of other values' sizes.
static void forgetSizes(onnx::ModelProto &model) {
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.clear_value_info();
  llvm::StringSet<> shapes = findShapeInputs(graph);
  for (int i = 0; i != graph.input_size(); ++i) {
    if (!graph.input(i).type().has_tensor_type() ||
        shapes.contains(graph.input(i).name()))
      continue;
    auto &type = *graph.mutable_input(i)->mutable_type();
    auto &shape = *type.mutable_tensor_type()->mutable_shape();
    for (int dim = 0; dim != shape.dim_size(); ++dim)
      shape.mutable_dim(dim)->set_dim_param("d" + std::to_string(i) + "_" +
                                            std::to_string(dim));
  }
  for (onnx::ValueInfoProto &output : *graph.mutable_output())
    if (output.type().has_tensor_type())
      output.mutable_type()->mutable_tensor_type()->clear_shape();
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
// The case
//===----------------------------------------------------------------------===//

/// Changes `model` to the form, in which it no longer is the case's own file.
/// Fails if the model can't have it.
static llvm::Error changeForm(onnx::ModelProto &model, Form form,
                              TestModel &test) {
  if (form == Form::Dynamic) {
    forgetSizes(model);
    return llvm::Error::success();
  }
  if (model.graph().input_size() == 0 || test.folders.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the model has no inputs");
  test.folders.resize(1);
  return fixInputs(model, test.folders.front());
}

/// A context with what import and evaluation need.
static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry.insert<LzDialect, func::FuncDialect>();
  registerReferenceModels(registry);
  return registry;
}

/// Runs the model; errors of the context become part of the reason.
static Outcome runModel(const TestModel &test, Form form, Mode mode) {
  MLIRContext context(makeRegistry(), MLIRContext::Threading::DISABLED);
  context.loadDialect<LzDialect>();
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    diagnostics += ": " + diagnostic.str();
  });
  std::string text =
      mode == Mode::Eval
          ? evaluateModel(test, context)
          : runCompiledModel(test, form == Form::O0 ? 0 : 3, context);
  if (text.empty())
    return {};
  return {Outcome::Failed, text + diagnostics};
}

Outcome lz::runCase(const Case &test, Form form, Mode mode) {
  if (form == Form::O0 && mode == Mode::Eval)
    return {Outcome::Skipped, "form O0 is compiled"};
  TestModel model = {join(test.folder, "model.onnx"), {}, findDataSets(test)};
  onnx::ModelProto proto;
  if (llvm::Error error = readMessage(model.file, proto))
    return {Outcome::Failed, llvm::toString(std::move(error))};
  model.graph = proto.graph();
  if (form == Form::AsIs || form == Form::O0)
    return runModel(model, form, mode);
  if (llvm::Error error = changeForm(proto, form, model))
    return {Outcome::Skipped, llvm::toString(std::move(error))};
  auto written = writeModel(proto);
  if (!written)
    return {Outcome::Failed, llvm::toString(written.takeError())};
  llvm::FileRemover remover(*written);
  model.file = *written;
  return runModel(model, form, mode);
}
