// Sequences and optionals: what goes in comes out, and what can't go in.
#include "Support.h"

using namespace lz::test;

namespace {

struct Compound : ContextTest {
  void SetUp() override { open("sequence"); }

  /// Binds a value or nothing to each input.
  void bindAll() {
    lz_tensor values[] = {tensor(LZ_F32, matrix, floats),
                          tensor(LZ_F32, vector, floats + 4)};
    bind("s", values, 2);
    bind("o", values + 1, 1);
    lz_tensor number = tensor(LZ_I64, {}, &seven);
    bind("q", &number, 1);
  }
  void bind(const char *name, const lz_tensor *values, int64_t count) {
    ASSERT_EQ(lz_bind_input_values(context, name, values, count), LZ_OK)
        << lz_last_error();
  }
  /// The values of an output after a run.
  const lz_tensor *read(const char *name, int64_t expected) {
    const lz_tensor *values = nullptr;
    int64_t count = 99;
    EXPECT_EQ(lz_get_output_values(context, name, &values, &count), LZ_OK)
        << lz_last_error();
    EXPECT_EQ(count, expected);
    return values;
  }

  std::vector<int64_t> matrix = {2, 2}, vector = {2}, three = {3};
  std::vector<int64_t> cube = {1, 1, 1, 1};
  alignas(64) float floats[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int64_t seven = 7;
};

} // namespace

TEST_F(Compound, GivesWhatItTakes) {
  bindAll();
  for (float first : {1.0f, 11.0f}) {
    floats[0] = first; // values are read at each run
    ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
    const lz_tensor *values = read("t", 2);
    EXPECT_EQ(values[0].rank, 2);
    EXPECT_EQ(values[0].shape[1], 2);
    EXPECT_EQ(static_cast<float *>(values[0].data)[0], first);
    EXPECT_EQ(values[1].rank, 1);
    EXPECT_EQ(static_cast<float *>(values[1].data)[1], 6.0f);
  }
  EXPECT_EQ(static_cast<float *>(read("p", 1)->data)[0], 5.0f);
  EXPECT_EQ(*static_cast<int64_t *>(read("r", 1)->data), 7);
}

TEST_F(Compound, TellsNothingFromEmpty) {
  bind("s", nullptr, 0);
  bind("o", nullptr, LZ_NO_VALUE);
  bind("q", nullptr, LZ_NO_VALUE);
  ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  read("t", 0);
  read("p", LZ_NO_VALUE);
  read("r", LZ_NO_VALUE);
  bind("q", nullptr, 0);
  ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  read("r", 0);
}

TEST_F(Compound, RefusesWrongValues) {
  lz_tensor value = tensor(LZ_I64, {}, &seven);
  EXPECT_FAILS(lz_bind_input_values(context, "s", &value, 1), LZ_BAD_TENSOR,
               "input 's[0]' has element type i64, not f32");
  value = tensor(LZ_F32, three, floats);
  EXPECT_FAILS(lz_bind_input_values(context, "o", &value, 1), LZ_BAD_TENSOR,
               "input 'o[0]': dimension 0 is 3, not 2");
  EXPECT_FAILS(lz_bind_input_values(context, "q", &value, 1), LZ_BAD_TENSOR,
               "input 'q[0]' has element type f32, not i64");
  value = tensor(LZ_F32, cube, floats);
  EXPECT_FAILS(lz_bind_input_values(context, "s", &value, 1), LZ_UNSUPPORTED,
               "input 's[0]' has rank 4");
  value = tensor(LZ_F32, vector, nullptr);
  EXPECT_FAILS(lz_bind_input_values(context, "s", &value, 1), LZ_BAD_TENSOR,
               "input 's[0]': its data is a null pointer");
}

TEST_F(Compound, RefusesWrongCounts) {
  lz_tensor values[] = {tensor(LZ_F32, vector, floats),
                        tensor(LZ_F32, vector, floats)};
  EXPECT_FAILS(lz_bind_input_values(context, "o", values, 2), LZ_BAD_ARGUMENT,
               "input 'o' is an optional tensor, which can't have 2 values");
  EXPECT_FAILS(lz_bind_input_values(context, "o", values, 0), LZ_BAD_ARGUMENT,
               "0 values");
  EXPECT_FAILS(lz_bind_input_values(context, "s", nullptr, LZ_NO_VALUE),
               LZ_BAD_ARGUMENT, "can be empty but not absent");
  EXPECT_FAILS(lz_bind_input_values(context, "s", nullptr, 2), LZ_BAD_ARGUMENT,
               "2 values at a null pointer");
  EXPECT_FAILS(lz_bind_input_values(context, "s", values, -2), LZ_BAD_ARGUMENT,
               "-2 values");
}

TEST_F(Compound, RefusesTheCallsForTensors) {
  lz_tensor value = tensor(LZ_F32, vector, floats);
  EXPECT_FAILS(lz_bind_input(context, "s", &value), LZ_BAD_ARGUMENT,
               "bind it by lz_bind_input_values");
  EXPECT_FAILS(lz_bind_output(context, "t", &value), LZ_UNSUPPORTED,
               "leave it unbound");
  EXPECT_FAILS(lz_bind_input(context, "s.shapes", &value), LZ_BAD_ARGUMENT,
               "no input 's.shapes'; it has 's', 'o', 'q'");
  auto output = lz::detail::sized<lz_tensor>();
  bindAll();
  EXPECT_FAILS(lz_get_output(context, "t", &output), LZ_BAD_ARGUMENT,
               "read it by lz_get_output_values");
  const lz_tensor *values;
  int64_t count;
  EXPECT_FAILS(lz_get_output_values(context, "t", &values, &count),
               LZ_BAD_ARGUMENT, "after a run");
}

TEST_F(Compound, IsOneValueToCallers) {
  auto info = lz::detail::sized<lz_entry_info>();
  ASSERT_EQ(lz_get_entry_info(model, 0, &info), LZ_OK);
  EXPECT_EQ(info.input_count, 3);
  EXPECT_EQ(info.output_count, 3);
  auto value = lz::detail::sized<lz_value_info>();
  ASSERT_EQ(lz_get_value_info(model, 0, LZ_INPUT, 2, &value), LZ_OK);
  EXPECT_STREQ(value.name, "q");
  EXPECT_EQ(value.element_type, LZ_UNDEFINED);
  auto whole = lz::detail::sized<lz_compound_info>();
  ASSERT_EQ(lz_get_compound_info(model, 0, LZ_INPUT, 2, &whole), LZ_OK);
  EXPECT_EQ(whole.kind, LZ_OPTIONAL_SEQUENCE);
  EXPECT_EQ(whole.element_type, LZ_I64);
  auto symbol = lz::detail::sized<lz_symbol_info>();
  ASSERT_EQ(lz_get_symbol_info(model, 0, 3, &symbol), LZ_OK);
  EXPECT_EQ(symbol.input, 2);
  auto plan = lz::detail::sized<lz_plan_info>();
  lz_tensor inputs[3] = {};
  EXPECT_FAILS(lz_plan(model, 0, inputs, 3, 1, &plan), LZ_UNSUPPORTED,
               "ask lz_get_plan");
  bindAll();
  EXPECT_EQ(lz_get_plan(context, &plan), LZ_OK) << lz_last_error();
}

TEST(CompoundTable, RefusesPartsThatDontFit) {
  lz_model *model = nullptr;
  EXPECT_FAILS(lz_open(artifact("broken_parts").c_str(), nullptr, &model),
               LZ_BAD_FILE, "the shapes of a sequence");
}

TEST(CompoundTable, MayEndBeforeSequences) {
  lz::Model model = lz::Model::load(artifact("old"));
  EXPECT_EQ(model.inputs()[0].compound, 0);
  lz::Tensor x = lz::Tensor::of<float>({4}, {1, 2, 3, 4});
  EXPECT_EQ(model.run({x})[0].as<float>()[3], 4.0f);
}

TEST(CompoundFace, TakesAndGivesValues) {
  lz::Model model = lz::Model::load(artifact("sequence"));
  EXPECT_FALSE(model.inputs()[0].hasRank);
  EXPECT_EQ(model.inputs()[1].compound, LZ_OPTIONAL);
  EXPECT_EQ(model.inputs()[1].shape, std::vector<int64_t>{2});
  lz::Context context(model);
  context.bindInputValues("s", {{lz::Tensor::of<float>({3}, {1, 2, 3})}});
  context.bindInputValues("o", std::nullopt);
  context.bindInputValues("q", {{}});
  context.run();
  lz::Values values = context.outputValues("t");
  ASSERT_TRUE(values && values->size() == 1);
  EXPECT_EQ((*values)[0].as<float>()[2], 3.0f);
  EXPECT_FALSE(context.outputValues("p"));
  ASSERT_TRUE(context.outputValues("r"));
  EXPECT_TRUE(context.outputValues("r")->empty());
}
