//===- Support.h - models for tests of the ONNX frontend --------*- C++ -*-===//
#ifndef TEST_UNIT_FRONTENDS_SUPPORT_H
#define TEST_UNIT_FRONTENDS_SUPPORT_H

#include "dialects/lz/IR/LzOps.h"
#include "frontends/onnx/Importer.h"
#include "mlir/IR/MLIRContext.h"
#include "onnx/onnx_pb.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace lz::test {

/// A folder with a model `m.onnx`, imported with its errors kept.
class OnnxTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("lezero-onnx", outer));
    folder = outer.str().str() + "/model";
    ASSERT_FALSE(llvm::sys::fs::create_directory(folder));
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
      llvm::raw_string_ostream(errors)
          << diagnostic.getLocation() << ": " << diagnostic << "\n";
      return mlir::success();
    });
    model.set_ir_version(10);
    model.mutable_graph()->set_name("test");
    addOpset(model.mutable_opset_import(), "", 25);
  }
  void TearDown() override {
    EXPECT_FALSE(llvm::sys::fs::remove_directories(outer));
  }

  template <typename Opsets>
  static void addOpset(Opsets *opsets, const char *domain, int version) {
    onnx::OperatorSetIdProto *opset = opsets->Add();
    opset->set_domain(domain);
    opset->set_version(version);
  }

  void addInput(const char *name, std::vector<int64_t> shape,
                int type = onnx::TensorProto::FLOAT) {
    onnx::ValueInfoProto *input = model.mutable_graph()->add_input();
    input->set_name(name);
    auto *tensor = input->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (int64_t size : shape)
      tensor->mutable_shape()->add_dim()->set_dim_value(size);
  }
  void addOutput(const char *name) {
    model.mutable_graph()->add_output()->set_name(name);
  }
  /// A tensor of the graph, with its shape; the test adds the data.
  onnx::TensorProto *addTensor(const char *name, int type,
                               std::vector<int64_t> shape) {
    onnx::TensorProto *tensor = model.mutable_graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type);
    for (int64_t size : shape)
      tensor->add_dims(size);
    return tensor;
  }
  static void setExternal(onnx::TensorProto *tensor, const char *key,
                          const std::string &value) {
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    onnx::StringStringEntryProto *entry = tensor->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  template <typename Graph>
  static onnx::NodeProto *addNode(Graph *graph, const char *type,
                                  std::vector<std::string> inputs,
                                  const char *output) {
    onnx::NodeProto *node = graph->add_node();
    node->set_op_type(type);
    for (const std::string &input : inputs)
      node->add_input(input);
    node->add_output(output);
    return node;
  }
  onnx::NodeProto *addNode(const char *type, std::vector<std::string> inputs,
                           const char *output) {
    return addNode(model.mutable_graph(), type, std::move(inputs), output);
  }

  std::string write(const std::string &name, llvm::StringRef bytes) {
    std::error_code error;
    std::string path = folder + "/" + name;
    llvm::raw_fd_ostream(path, error) << bytes;
    EXPECT_FALSE(error);
    return path;
  }

  /// Imports the model; null if that fails.
  mlir::ModuleOp import(const ImportOptions &options = {}) {
    auto result = importOnnx(write("m.onnx", model.SerializeAsString()),
                             context, options);
    if (failed(result)) {
      EXPECT_FALSE(errors.empty()) << "failed without an error";
      return {};
    }
    module = std::move(*result);
    return *module;
  }
  /// The error that the model is refused with.
  std::string refuse(const ImportOptions &options = {}) {
    EXPECT_FALSE(import(options)) << "expected an error";
    return errors;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallString<128> outer;
  std::string folder, errors;
  onnx::ModelProto model;
};

} // namespace lz::test

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

#endif // TEST_UNIT_FRONTENDS_SUPPORT_H
