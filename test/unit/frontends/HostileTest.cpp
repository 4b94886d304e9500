//===- HostileTest.cpp - models that mean harm ----------------------------===//

#include "test/unit/frontends/Support.h"

#include <unistd.h>

using namespace lz;
using namespace lz::test;
using onnx::TensorProto;

namespace {

class Hostile : public OnnxTest {
protected:
  /// A model that adds `w`, whose data the test states, to its input.
  TensorProto *addWeight() {
    addInput("x", {3});
    addNode("Add", {"x", "w"}, "y")->set_name("culprit");
    addOutput("y");
    return addTensor("w", TensorProto::FLOAT, {3});
  }
};

TEST_F(Hostile, OwnLocationPointsBeyondTheFile) {
  TensorProto *weight = addWeight();
  setExternal(weight, "location", "#");
  setExternal(weight, "offset", "1000000");
  setExternal(weight, "length", "12");
  std::string error = refuse();
  EXPECT_HAS(error, "culprit");
  EXPECT_HAS(error, "tensor 'w': bytes 1000000 to 1000000 + 12 do not lie in");
}

TEST_F(Hostile, OffsetAndLengthOverflow) {
  TensorProto *weight = addWeight();
  write("w.bin", std::string(64, '\0'));
  setExternal(weight, "location", "w.bin");
  setExternal(weight, "offset", "18446744073709551615");
  setExternal(weight, "length", "12");
  EXPECT_HAS(refuse(), "do not lie in 'w.bin' of 64 bytes");
}

TEST_F(Hostile, ExternalEntryStandsTwice) {
  TensorProto *weight = addWeight();
  setExternal(weight, "location", "a.bin");
  setExternal(weight, "location", "b.bin");
  EXPECT_HAS(refuse(), "tensor 'w': external data states 'location' twice");
}

TEST_F(Hostile, LinkOutOfTheFolder) {
  TensorProto *weight = addWeight();
  std::string target = outer.str().str() + "/secret.bin";
  std::error_code error;
  llvm::raw_fd_ostream(target, error) << std::string(12, 'x');
  ASSERT_EQ(symlink(target.c_str(), (folder + "/w.bin").c_str()), 0);
  setExternal(weight, "location", "w.bin");
  EXPECT_HAS(refuse(), "'w.bin' is a link out of the model's folder");
}

TEST_F(Hostile, LinkWithinTheFolderIsFine) {
  TensorProto *weight = addWeight();
  std::string target = write("real.bin", std::string(12, '\0'));
  ASSERT_EQ(symlink(target.c_str(), (folder + "/w.bin").c_str()), 0);
  setExternal(weight, "location", "w.bin");
  EXPECT_TRUE(import()) << errors;
}

TEST_F(Hostile, PathLeadsUp) {
  setExternal(addWeight(), "location", "a/../../secret.bin");
  EXPECT_HAS(refuse(), "'a/../../secret.bin' has '..' in its path");
}

TEST_F(Hostile, DataInTwoPlaces) {
  TensorProto *weight = addWeight();
  weight->set_raw_data(std::string(12, '\0'));
  for (int i = 0; i != 3; ++i)
    weight->add_float_data(1);
  EXPECT_HAS(refuse(), "tensor 'w': has data in more than one place");
}

TEST_F(Hostile, SparseIndexOutside) {
  addInput("x", {3});
  addNode("Add", {"x", "w"}, "y");
  addOutput("y");
  auto *sparse = model.mutable_graph()->add_sparse_initializer();
  sparse->add_dims(3);
  TensorProto *values = sparse->mutable_values();
  values->set_name("w");
  values->set_data_type(TensorProto::FLOAT);
  values->add_dims(1);
  values->add_float_data(1);
  TensorProto *indices = sparse->mutable_indices();
  indices->set_data_type(TensorProto::INT64);
  indices->add_dims(1);
  indices->add_int64_data(3);
  EXPECT_HAS(refuse(), "sparse tensor 'w': index 0 lies outside");
}

/// Twenty functions, each calling the one before it sixteen times, are 16^20
/// nodes.
TEST_F(Hostile, FunctionsMultiply) {
  addInput("x", {3});
  for (int level = 0; level != 20; ++level) {
    onnx::FunctionProto *function = model.add_functions();
    function->set_name("f" + std::to_string(level));
    function->set_domain("local");
    function->add_input("a");
    function->add_output("v15");
    addOpset(function->mutable_opset_import(), "", 21);
    addOpset(function->mutable_opset_import(), "local", 1);
    for (int i = 0; i != 16; ++i) {
      std::string callee = level ? "f" + std::to_string(level - 1) : "Neg";
      onnx::NodeProto *node =
          addNode(function, callee.c_str(),
                  {i ? "v" + std::to_string(i - 1) : std::string("a")},
                  ("v" + std::to_string(i)).c_str());
      node->set_domain(level ? "local" : "");
    }
  }
  addOpset(model.mutable_opset_import(), "local", 1);
  addNode("f19", {"x"}, "y")->set_domain("local");
  addOutput("y");
  EXPECT_HAS(refuse(), "once those are expanded");
}

TEST_F(Hostile, UnknownRank) {
  addInput("x", {3});
  model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->clear_shape();
  addNode("Neg", {"x"}, "y");
  addOutput("y");
  EXPECT_HAS(refuse(), "input 'x' has no shape; state it in the model");
}

TEST_F(Hostile, ThirtyFourNestedSubgraphs) {
  addInput("c", {}, TensorProto::BOOL);
  onnx::GraphProto *graph = model.mutable_graph();
  for (int level = 0; level != 34; ++level) {
    onnx::NodeProto *node = addNode(graph, "If", {"c"}, "y");
    graph->add_output()->set_name("y");
    onnx::AttributeProto *branch = node->add_attribute();
    branch->set_name("then_branch");
    branch->set_type(onnx::AttributeProto::GRAPH);
    graph = branch->mutable_g();
    graph->set_name("inner");
  }
  EXPECT_HAS(refuse(), "nest more than 33 levels deep");
}

TEST_F(Hostile, DimOptionsAreChecked) {
  ImportOptions options;
  for (const char *text : {"batch", "batch=", "=1", "batch=x", "batch=3..2",
                           "batch=-1", "batch=99999999999", "batch=1..x"})
    EXPECT_TRUE(llvm::errorToBool(addDimOption(text, options))) << text;
  EXPECT_FALSE(llvm::errorToBool(addDimOption("batch=1..8", options)));
  EXPECT_TRUE(llvm::errorToBool(addDimOption("batch=2", options)));
}

} // namespace
