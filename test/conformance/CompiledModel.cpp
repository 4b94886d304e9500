//===- CompiledModel.cpp - compile a model and run the artifact -----------===//

#include "test/conformance/RunModel.h"

#include "compiler/driver/Compiler.h"
#include "lezero/lz.h"
#include "test/conformance/TestData.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <memory>
#include <vector>

using namespace mlir;
using namespace lz;

/// Compiles to `artifact`; says what went wrong, or nothing.
static std::string compileModel(StringRef file, StringRef artifact,
                                unsigned optLevel) {
  CompileOptions options;
  auto target = TargetSpec::parse("native");
  if (!target)
    return llvm::toString(target.takeError());
  options.target = *target;
  options.optLevel = optLevel;
  std::string diagnostics;
  bool compiled = compile(file, artifact, options, [&](StringRef text) {
    diagnostics += ": " + text.str();
  });
  return compiled ? "" : "compilation failed" + diagnostics;
}

/// The tensor as the runtime takes it, over the same bytes.
static lz_tensor describe(const RefTensor &tensor) {
  lz_tensor description = {};
  description.size = sizeof(description);
  description.data = const_cast<char *>(tensor.getBytes().data());
  description.device_type = LZ_DEVICE_CPU;
  description.element_type = getElementNumber(tensor.getElementType());
  description.rank = static_cast<int32_t>(tensor.getRank());
  description.shape = tensor.getShape().data();
  return description;
}

/// A copy of what the runtime describes.
static RefValue readTensor(const lz_tensor &output, MLIRContext &context) {
  Type element = getElementType(output.element_type, context);
  ArrayRef<int64_t> shape(output.shape, output.rank);
  RefTensor tensor(RankedTensorType::get(shape, element));
  MutableArrayRef<char> bytes = tensor.getMutableBytes();
  if (!bytes.empty())
    std::memcpy(bytes.data(),
                static_cast<const char *>(output.data) + output.byte_offset,
                bytes.size());
  return tensor;
}

/// An output that is a sequence or an optional; none if the runtime refuses.
static std::optional<RefValue> readValues(lz_context *context, const char *name,
                                          const onnx::TypeProto &type,
                                          MLIRContext &types) {
  const lz_tensor *values = nullptr;
  int64_t count = 0;
  if (lz_get_output_values(context, name, &values, &count) != LZ_OK)
    return std::nullopt;
  if (count == LZ_NO_VALUE)
    return RefValue::none();
  std::vector<RefValue> elements;
  for (int64_t i = 0; i != count; ++i)
    elements.push_back(readTensor(values[i], types));
  if (type.has_sequence_type())
    return RefValue::sequence(std::move(elements));
  return RefValue::some(type.optional_type().elem_type().has_sequence_type()
                            ? RefValue::sequence(std::move(elements))
                            : elements.at(0));
}

/// The output that `info` declares; none if the runtime refuses.
static std::optional<RefValue> readOutput(lz_context *context,
                                          const onnx::ValueInfoProto &info,
                                          MLIRContext &types) {
  if (!info.type().has_tensor_type())
    return readValues(context, info.name().c_str(), info.type(), types);
  lz_tensor output = {};
  output.size = sizeof(output);
  if (lz_get_output(context, info.name().c_str(), &output) != LZ_OK)
    return std::nullopt;
  return readTensor(output, types);
}

/// Binds an input of the model's; the context's status.
static lz_status bindInput(lz_context *context, const char *name,
                           const RefValue &value) {
  if (value.getKind() == RefValue::Kind::Tensor) {
    lz_tensor tensor = describe(value.getTensor());
    return lz_bind_input(context, name, &tensor);
  }
  bool isOptional = value.getKind() == RefValue::Kind::Optional;
  ArrayRef<RefValue> elements = value.getElements();
  if (isOptional && elements.empty())
    return lz_bind_input_values(context, name, nullptr, LZ_NO_VALUE);
  if (isOptional && elements[0].getKind() == RefValue::Kind::Sequence)
    elements = elements[0].getElements();
  std::vector<lz_tensor> tensors;
  for (const RefValue &element : elements)
    tensors.push_back(describe(element.getTensor()));
  return lz_bind_input_values(context, name, tensors.data(), tensors.size());
}

/// Binds the inputs that the model has; says what went wrong, or nothing.
static std::string bindInputs(lz_model *model, lz_context *context,
                              const DataSet &data) {
  lz_entry_info entry = {};
  entry.size = sizeof(entry);
  lz_get_entry_info(model, 0, &entry);
  for (int64_t i = 0; i != entry.input_count; ++i) {
    lz_value_info info = {};
    info.size = sizeof(info);
    lz_get_value_info(model, 0, LZ_INPUT, i, &info);
    const RefValue *value = data.find(info.name);
    if (!value)
      return std::string("input '") + info.name + "' has no value";
    if (bindInput(context, info.name, *value) != LZ_OK)
      return std::string("binding failed: ") + lz_last_error();
  }
  return "";
}

namespace {
/// Memory that a program of class open asks for, until the end of its test.
struct Growth {
  std::vector<std::unique_ptr<char[]>> blocks;

  static void *grow(void *self, int64_t bytes, int64_t alignment) {
    auto &blocks = static_cast<Growth *>(self)->blocks;
    blocks.push_back(std::make_unique<char[]>(bytes + alignment));
    auto address = reinterpret_cast<uintptr_t>(blocks.back().get());
    return reinterpret_cast<void *>(llvm::alignTo(address, alignment));
  }
};
} // namespace

/// Runs the model once on a data set; says what is wrong, or nothing.
static std::string runDataSet(lz_model *model, const TestModel &test,
                              const DataSet &data, MLIRContext &types) {
  Growth growth;
  lz_context_options options = {};
  options.size = sizeof(options);
  options.grow = Growth::grow;
  options.grow_user = &growth;
  lz_context *context = nullptr;
  if (lz_create_context(model, &options, &context) != LZ_OK)
    return std::string("no context: ") + lz_last_error();
  auto destroy = llvm::scope_exit([&] { lz_destroy_context(context); });
  std::string text = bindInputs(model, context, data);
  if (!text.empty())
    return text;
  if (lz_run(context) != LZ_OK)
    return std::string("run failed: ") + lz_last_error();
  SmallVector<RefValue> outputs;
  for (const onnx::ValueInfoProto &info : test.graph.output()) {
    auto output = readOutput(context, info, types);
    if (!output)
      return std::string("no output: ") + lz_last_error();
    outputs.push_back(*output);
  }
  return checkOutputs(test, data, outputs);
}

std::string lz::runCompiledModel(const TestModel &test, unsigned optLevel,
                                 MLIRContext &context) {
  llvm::SmallString<128> artifact;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("lz-conformance", "so", artifact))
    return "no temporary file: " + code.message();
  llvm::FileRemover remover(artifact);
  std::string text = compileModel(test.file, artifact, optLevel);
  if (!text.empty())
    return text;
  lz_model *model = nullptr;
  if (lz_open(artifact.c_str(), nullptr, &model) != LZ_OK)
    return std::string("opening failed: ") + lz_last_error();
  auto close = llvm::scope_exit([&] { lz_close(model); });
  for (const std::string &folder : test.folders) {
    auto data = readDataSet(folder, test.graph, context);
    if (!data)
      return llvm::toString(data.takeError());
    text = runDataSet(model, test, *data, context);
    if (!text.empty())
      return text;
  }
  return "";
}
