//===- TensorTest.cpp - where the data of tensors comes from --------------===//

#include "test/unit/frontends/Support.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace lz;
using namespace lz::test;
using namespace mlir;
using onnx::TensorProto;

namespace {

class Tensor : public OnnxTest {
protected:
  /// The attribute that initializer `w` becomes, by way of an output.
  ElementsAttr importTensor() {
    addNode("Identity", {"w"}, "y");
    addOutput("y");
    if (!import()) {
      ADD_FAILURE() << errors;
      return {};
    }
    ElementsAttr found;
    module->walk([&](ConstantOp op) { found = op.getValue(); });
    module->walk([&](ParameterOp op) { found = op.getValue(); });
    return found;
  }
  template <typename T> std::vector<T> getValues() {
    ElementsAttr elements = importTensor();
    if (!elements)
      return {};
    auto values = elements.getValues<T>();
    return std::vector<T>(values.begin(), values.end());
  }
  std::vector<int64_t> getIntegers(bool isSigned) {
    std::vector<int64_t> result;
    for (const APInt &value : getValues<APInt>())
      result.push_back(isSigned ? value.getSExtValue() : value.getZExtValue());
    return result;
  }
};

using Integers = std::vector<int64_t>;

// Elements of four bits: the first in the low half of a byte.
TEST_F(Tensor, Int4IsPacked) {
  addTensor("w", TensorProto::INT4, {3})->set_raw_data("\x7f\x08");
  EXPECT_EQ(getIntegers(true), Integers({-1, 7, -8}));
}

TEST_F(Tensor, Uint2IsPacked) {
  addTensor("w", TensorProto::UINT2, {5})->set_raw_data("\xe4\x02");
  EXPECT_EQ(getIntegers(false), Integers({0, 1, 2, 3, 2}));
}

TEST_F(Tensor, BoolIsAByte) {
  TensorProto *tensor = addTensor("w", TensorProto::BOOL, {3});
  tensor->set_raw_data(std::string("\1\0\1", 3));
  EXPECT_EQ(getIntegers(false), Integers({1, 0, 1}));
}

TEST_F(Tensor, NarrowTypesStandInInt32Data) {
  TensorProto *tensor = addTensor("w", TensorProto::INT8, {3});
  for (int value : {-128, 0, 127})
    tensor->add_int32_data(value);
  EXPECT_EQ(getIntegers(true), Integers({-128, 0, 127}));
}

TEST_F(Tensor, HalfStandsInInt32Data) {
  TensorProto *tensor = addTensor("w", TensorProto::FLOAT16, {2});
  tensor->add_int32_data(0x3c00); // 1
  tensor->add_int32_data(0xc000); // -2
  std::vector<APFloat> values = getValues<APFloat>();
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].convertToFloat(), 1);
  EXPECT_EQ(values[1].convertToFloat(), -2);
}

TEST_F(Tensor, Uint64KeepsItsTopBit) {
  TensorProto *tensor = addTensor("w", TensorProto::UINT64, {1});
  tensor->add_uint64_data(uint64_t(1) << 63);
  EXPECT_EQ(getValues<APInt>().at(0).getZExtValue(), uint64_t(1) << 63);
}

TEST_F(Tensor, NoElements) {
  addTensor("w", TensorProto::FLOAT, {0, 4});
  EXPECT_TRUE(getValues<APFloat>().empty());
}

TEST_F(Tensor, StringsAreKept) {
  TensorProto *tensor = addTensor("w", TensorProto::STRING, {2});
  tensor->add_string_data("one");
  tensor->add_string_data(std::string("t\0wo", 4));
  auto strings = dyn_cast<DenseStringElementsAttr>(importTensor());
  ASSERT_TRUE(strings);
  EXPECT_EQ(strings.getRawStringData()[0], "one");
  EXPECT_EQ(strings.getRawStringData()[1], StringRef("t\0wo", 4));
}

TEST_F(Tensor, SparseBecomesDense) {
  auto *sparse = model.mutable_graph()->add_sparse_initializer();
  sparse->add_dims(2);
  sparse->add_dims(2);
  TensorProto *values = sparse->mutable_values();
  values->set_name("w");
  values->set_data_type(TensorProto::INT32);
  values->add_dims(1);
  values->add_int32_data(7);
  TensorProto *indices = sparse->mutable_indices();
  indices->set_data_type(TensorProto::INT64);
  indices->add_dims(1);
  indices->add_dims(2);
  indices->add_int64_data(1);
  indices->add_int64_data(0);
  EXPECT_EQ(getIntegers(true), Integers({0, 0, 7, 0}));
}

/// The bytes of a parameter's resource.
ArrayRef<char> getBytes(ElementsAttr attr) {
  auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(attr);
  return resource ? resource.getRawHandle().getBlob()->getData()
                  : ArrayRef<char>();
}

// The file states a location for its own data after the data: the last one
// counts in protobuf.
TEST_F(Tensor, LargeTensorStaysInTheFile) {
  TensorProto *tensor = addTensor("w", TensorProto::FLOAT, {512});
  std::string bytes(2048, '\0');
  for (size_t i = 0; i != bytes.size(); ++i)
    bytes[i] = static_cast<char>(i * 31);
  tensor->set_raw_data(bytes);
  tensor->set_data_location(TensorProto::DEFAULT);
  ArrayRef<char> found = getBytes(importTensor());
  EXPECT_EQ(StringRef(found.data(), found.size()), bytes);
}

TEST_F(Tensor, ExternalDataIsMapped) {
  TensorProto *tensor = addTensor("w", TensorProto::FLOAT, {64});
  std::string bytes(300, '\0');
  for (size_t i = 0; i != bytes.size(); ++i)
    bytes[i] = static_cast<char>(i * 7);
  write("w.bin", bytes);
  setExternal(tensor, "location", "w.bin");
  setExternal(tensor, "offset", "12");
  ArrayRef<char> found = getBytes(importTensor());
  // No length: as much as the type needs.
  EXPECT_EQ(StringRef(found.data(), found.size()),
            StringRef(bytes).substr(12, 256));
}

// Up to IR version 3 every initializer is an input, too.
TEST_F(Tensor, InputWithAValueIsAConstant) {
  addInput("w", {2});
  TensorProto *tensor = addTensor("w", TensorProto::FLOAT, {2});
  tensor->add_float_data(1);
  tensor->add_float_data(2);
  EXPECT_EQ(getValues<float>(), std::vector<float>({1, 2}));
}

} // namespace
