// lezero.hpp: tensors, errors as exceptions, fresh and bound outputs.
#include "Support.h"

using namespace lz::test;

/// Runs `body`, which must throw; returns the error.
template <typename Body> static lz::Error thrown(Body body) {
  try {
    body();
  } catch (const lz::Error &error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return lz::Error(LZ_OK, "");
}

TEST(CppFace, RunsAModel) {
  lz::Model model = lz::Model::load(artifact("exact"));
  lz::Tensor x = lz::Tensor::of<float>({4, 6}, std::vector<float>(24, 1));
  lz::Tensor y = model.run({x})[0];
  EXPECT_EQ(y.shape(), (std::vector<int64_t>{4, 6}));
  EXPECT_EQ(y.as<float>()[5], 8);
  lz::Tensor negated = model.run({x}, model.findEntry("negate"))[0];
  EXPECT_EQ(negated.as<float>()[5], -1);
  EXPECT_EQ(y.as<float>()[5], 8); // results outlive later runs
}

TEST(CppFace, ThrowsErrors) {
  lz::Error error = thrown([] { lz::Model::load("/nonexistent"); });
  EXPECT_EQ(error.status(), LZ_BAD_FILE);
  EXPECT_STREQ(lz_status_name(error.status()), "bad file");
  lz::Model model = lz::Model::load(artifact("exact"));
  error = thrown([&] { model.run({}); });
  EXPECT_STREQ(error.what(), "the entry has 1 inputs, not 0");
  error = thrown([&] { model.run({lz::Tensor(LZ_F64, {4, 6})}); });
  EXPECT_STREQ(error.what(), "input 'x' has element type f64, not f32");
  error = thrown([&] { model.findEntry("other"); });
  EXPECT_EQ(error.status(), LZ_BAD_ARGUMENT);
}

TEST(CppFace, ChecksTensors) {
  EXPECT_EQ(thrown([] { lz::Tensor::of<float>({2}, {1, 2, 3}); }).status(),
            LZ_BAD_ARGUMENT);
  EXPECT_EQ(thrown([] { lz::Tensor(LZ_F32, {-1}); }).status(), LZ_BAD_TENSOR);
  EXPECT_EQ(
      thrown([] { lz::Tensor(LZ_F32, {1 << 30, 1 << 30, 1 << 30}); }).status(),
      LZ_BAD_TENSOR);
  EXPECT_STREQ(thrown([] { lz::Tensor(LZ_F32, {1}).as<int>(); }).what(),
               "the tensor's elements are f32");
  EXPECT_EQ(lz::Tensor(LZ_I4, {3}).bytes(), 2);
  EXPECT_EQ(lz::Tensor(LZ_F32, {INT64_MAX, 0, INT64_MAX}).bytes(), 0);
}

TEST(CppFace, BindsOnce) {
  lz::Model model = lz::Model::load(artifact("dynamic"));
  lz::Tensor a = lz::Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  lz::Tensor b = lz::Tensor::of<float>({2}, {10, 100});
  EXPECT_EQ(model.plan({a, b}).arena_bytes, 64);
  EXPECT_EQ(model.outputShape({a, b}, 0), (std::vector<int64_t>{2, 2}));
  lz::Context context(model, 0, 2, /*profile=*/true);
  lz::Tensor y(LZ_F32, {2, 2});
  context.bindInput("a", a);
  context.bindInput("b", b);
  context.bindOutput("y", y);
  context.prepare();
  context.run();
  EXPECT_EQ(y.as<float>()[3], 400);
  a.as<float>()[3] = 5;
  context.run();
  EXPECT_EQ(y.as<float>()[3], 500);
  EXPECT_EQ(context.output("sum").as<float>()[0], 10 + 20 + 300 + 500);
  EXPECT_TRUE(context.profile().empty());
}

TEST(CppFace, ServesAllMemoryClasses) {
  lz::Model model = lz::Model::load(artifact("special"));
  lz::Tensor x = lz::Tensor::of<int32_t>({4}, {0, 5, 0, 6});
  lz::Tensor kept = model.run({x}, model.findEntry("compact"))[0];
  EXPECT_EQ(kept.shape(), (std::vector<int64_t>{2}));
  EXPECT_EQ(kept.as<int32_t>()[1], 6);
  lz::Tensor copy = model.run({x}, model.findEntry("growing"))[0];
  EXPECT_EQ(copy.as<int32_t>()[3], 6);
  lz::Tensor ramp = model.run({x}, model.findEntry("endless"))[0];
  EXPECT_EQ(ramp.shape(), (std::vector<int64_t>{11}));
  EXPECT_EQ(ramp.as<int32_t>()[10], 10);
  lz::Tensor total = lz::Tensor::of<int64_t>({4}, {1, 2, 3, 4});
  lz::Tensor step = lz::Tensor::of<int64_t>({4}, {1, 1, 1, 1});
  lz::Tensor updated = model.run({total, step}, 0)[0];
  EXPECT_EQ(updated.data(), total.data());
  EXPECT_EQ(total.as<int64_t>()[3], 5);
  EXPECT_STREQ(thrown([&] { model.run({total, total}, 0); }).what(),
               "output 'new_total' and input 'step' overlap in memory");
}
