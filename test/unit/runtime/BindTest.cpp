// Binding tensors: what a caller can get wrong, and the text that says so.
#include "Support.h"

#include <atomic>
#include <thread>

using namespace lz::test;

namespace {

struct Bind : ContextTest {
  /// Binds `a` of shape [n, m] and `b` of shape [k] to the dynamic model.
  void bindDynamic(int64_t n, int64_t m, int64_t k) {
    aShape = {n, m}, bShape = {k};
    lz_tensor a = tensor(LZ_F32, aShape, memory);
    lz_tensor b = tensor(LZ_F32, bShape, memory);
    ASSERT_EQ(lz_bind_input(context, "a", &a), LZ_OK) << lz_last_error();
    ASSERT_EQ(lz_bind_input(context, "b", &b), LZ_OK) << lz_last_error();
  }
  /// Binds `x` of the exact model.
  void bindExact() {
    lz_tensor x = tensor(LZ_F32, exactShape, memory);
    ASSERT_EQ(lz_bind_input(context, "x", &x), LZ_OK) << lz_last_error();
  }

  std::vector<int64_t> aShape, bShape, exactShape = {4, 6};
  alignas(64) float memory[64 * 100] = {};
  alignas(64) char arena[256] = {};
};

} // namespace

TEST_F(Bind, RefusesWrongNames) {
  open("dynamic");
  lz_tensor x = tensor(LZ_F32, exactShape, memory);
  EXPECT_FAILS(lz_bind_input(context, "c", &x), LZ_BAD_ARGUMENT,
               "entry 'main' has no input 'c'; it has 'a', 'b'");
  EXPECT_FAILS(lz_bind_output(context, "a", &x), LZ_BAD_ARGUMENT,
               "entry 'main' has no output 'a'; it has 'y', 'sum'");
  EXPECT_FAILS(lz_bind_input(context, nullptr, &x), LZ_BAD_ARGUMENT, "(null)");
  EXPECT_STREQ(lz_context_error(context), lz_last_error());
}

TEST_F(Bind, RefusesWrongTypes) {
  open("exact");
  lz_tensor x = tensor(LZ_F64, exactShape, memory);
  EXPECT_FAILS(lz_bind_input(context, "x", &x), LZ_BAD_TENSOR,
               "input 'x' has element type f64, not f32");
  x.element_type = 1234;
  EXPECT_FAILS(lz_bind_input(context, "x", &x), LZ_BAD_TENSOR, "unknown");
}

TEST_F(Bind, RefusesWrongRanks) {
  open("exact");
  std::vector<int64_t> shape = {24};
  lz_tensor x = tensor(LZ_F32, shape, memory);
  EXPECT_FAILS(lz_bind_input(context, "x", &x), LZ_BAD_TENSOR,
               "input 'x' has rank 1, not 2");
  x.rank = -1;
  EXPECT_FAILS(lz_bind_input(context, "x", &x), LZ_BAD_TENSOR, "rank -1");
  x.rank = 2, x.shape = nullptr;
  EXPECT_FAILS(lz_bind_input(context, "x", &x), LZ_BAD_TENSOR,
               "its shape is a null pointer");
}

TEST_F(Bind, RefusesWrongDimensions) {
  open("exact");
  std::vector<int64_t> shape = {4, 7};
  lz_tensor x = tensor(LZ_F32, shape, memory);
  ASSERT_EQ(lz_bind_input(context, "x", &x), LZ_OK);
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR,
               "input 'x': dimension 1 is 7, not 6");
  for (int64_t dim : {int64_t(-1), int64_t(1) << 62, INT64_MAX}) {
    shape[1] = dim;
    EXPECT_FAILS(lz_bind_input(context, "x", &x), LZ_BAD_TENSOR,
                 "which is not possible");
  }
}

TEST_F(Bind, RefusesDisagreeingSymbols) {
  open("dynamic");
  bindDynamic(3, 4, 5);
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR,
               "input 'b': dimension 0 is 5, but symbol 'N' is 3 by dimension "
               "0 of input 'a'");
}

TEST_F(Bind, RefusesSymbolsOutOfRange) {
  open("dynamic");
  bindDynamic(65, 2, 65);
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR,
               "symbol 'N' (dimension 0 of input 'a') is 65, which is outside "
               "of its range 1 to 64");
  bindDynamic(0, 2, 0);
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR, "is 0, which is outside");
}

TEST_F(Bind, ReportsFailedChecks) {
  open("dynamic");
  bindDynamic(2, 3, 2);
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR,
               "node 'reshape_3': M must be even (with N = 2, M = 3)");
}

TEST_F(Bind, RefusesNullPointers) {
  open("exact");
  lz_tensor x = tensor(LZ_F32, exactShape, nullptr);
  EXPECT_FAILS(lz_bind_input(context, "x", &x), LZ_BAD_TENSOR,
               "input 'x': its data is a null pointer");
  EXPECT_FAILS(lz_bind_output(context, "y", &x), LZ_BAD_TENSOR,
               "output 'y': its data is a null pointer");
  EXPECT_FAILS(lz_bind_input(context, "x", nullptr), LZ_BAD_ARGUMENT,
               "the tensor is a null pointer");
  EXPECT_FAILS(lz_run(context), LZ_BAD_ARGUMENT, "input 'x' is not bound");
  EXPECT_FAILS(lz_run(nullptr), LZ_BAD_ARGUMENT, "the context is a null");
}

TEST_F(Bind, RefusesMisalignedPointers) {
  open("exact");
  char *odd = reinterpret_cast<char *>(memory) + 2;
  lz_tensor x = tensor(LZ_F32, exactShape, odd);
  EXPECT_FAILS(lz_bind_input(context, "x", &x), LZ_BAD_TENSOR,
               "is not aligned to 4 bytes");
  x = tensor(LZ_F32, exactShape, memory);
  x.byte_offset = 1;
  EXPECT_FAILS(lz_bind_output(context, "y", &x), LZ_BAD_TENSOR,
               "is not aligned to 4 bytes");
  EXPECT_FAILS(lz_bind_arena(context, arena + 32, 200), LZ_BAD_ARGUMENT,
               "is not aligned to 64 bytes");
}

TEST_F(Bind, RefusesStridesAndDevices) {
  open("exact");
  std::vector<int64_t> dense = {6, 1}, transposed = {1, 4};
  lz_tensor x = tensor(LZ_F32, exactShape, memory);
  x.strides = dense.data();
  EXPECT_EQ(lz_bind_input(context, "x", &x), LZ_OK) << lz_last_error();
  x.strides = transposed.data();
  EXPECT_FAILS(lz_bind_input(context, "x", &x), LZ_UNSUPPORTED,
               "has strides [1, 4] for shape [4, 6]");
  x.strides = nullptr, x.device_type = LZ_DEVICE_CUDA;
  EXPECT_FAILS(lz_bind_input(context, "x", &x), LZ_UNSUPPORTED,
               "is on device type 2");
}

TEST_F(Bind, RefusesTensorsOfWrongSize) {
  open("exact");
  lz_tensor x = tensor(LZ_F32, exactShape, memory);
  x.size = 8;
  EXPECT_FAILS(lz_bind_input(context, "x", &x), LZ_BAD_ARGUMENT,
               "size of lz_tensor is 8");
}

TEST_F(Bind, RefusesASmallArena) {
  open("exact");
  bindExact();
  ASSERT_EQ(lz_bind_arena(context, arena, 64), LZ_OK);
  EXPECT_FAILS(lz_run(context), LZ_ARENA_TOO_SMALL,
               "the arena of 64 bytes is too small: entry 'main' needs 128");
  ASSERT_EQ(lz_bind_arena(context, arena, 127), LZ_OK);
  EXPECT_EQ(lz_run(context), LZ_ARENA_TOO_SMALL);
  ASSERT_EQ(lz_bind_arena(context, arena, 128), LZ_OK);
  EXPECT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  EXPECT_FAILS(lz_bind_arena(context, nullptr, 1), LZ_BAD_ARGUMENT, "arena");
  EXPECT_FAILS(lz_bind_arena(context, arena, -1), LZ_BAD_ARGUMENT, "arena");
}

TEST_F(Bind, RefusesOutputsOfWrongShape) {
  open("dynamic");
  bindDynamic(3, 4, 3);
  std::vector<int64_t> shape = {4, 3};
  lz_tensor y = tensor(LZ_F32, shape, memory + 1000);
  ASSERT_EQ(lz_bind_output(context, "y", &y), LZ_OK);
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR,
               "output 'y' has shape [3, 4], but the bound tensor has [4, 3]");
  ASSERT_EQ(lz_bind_output(context, "y", nullptr), LZ_OK);
  EXPECT_EQ(lz_run(context), LZ_OK) << lz_last_error();
}

TEST_F(Bind, RefusesOverlaps) {
  open("exact");
  bindExact();
  lz_tensor y = tensor(LZ_F32, exactShape, memory + 23);
  ASSERT_EQ(lz_bind_output(context, "y", &y), LZ_OK);
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR,
               "output 'y' and input 'x' overlap in memory");
  y.data = memory + 24;
  ASSERT_EQ(lz_bind_output(context, "y", &y), LZ_OK);
  EXPECT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  ASSERT_EQ(lz_bind_arena(context, memory + 32, 256), LZ_OK);
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR,
               "output 'y' and the arena of entry 'main' overlap");
}

TEST_F(Bind, RefusesBadOptions) {
  open("exact");
  lz_context *other;
  auto options = lz::detail::sized<lz_context_options>();
  options.entry = 2;
  EXPECT_FAILS(lz_create_context(model, &options, &other), LZ_BAD_ARGUMENT,
               "entry 2 does not exist: there are 2");
  options.entry = 0, options.threads = -1;
  EXPECT_FAILS(lz_create_context(model, &options, &other), LZ_BAD_ARGUMENT,
               "-1 threads");
  options.threads = 1, options.communicator = memory;
  EXPECT_FAILS(lz_create_context(model, &options, &other), LZ_UNSUPPORTED,
               "communicator");
  EXPECT_FAILS(lz_create_context(nullptr, nullptr, &other), LZ_BAD_ARGUMENT,
               "the model is a null pointer");
  EXPECT_EQ(other, nullptr);
}

// A trace that uses the context while it runs stands for a second thread.
TEST_F(Bind, RefusesASecondUser) {
  open("exact");
  lz_destroy_context(context);
  auto options = lz::detail::sized<lz_context_options>();
  options.trace = [](void *user, int64_t, int32_t) {
    EXPECT_FAILS(lz_run(*static_cast<lz_context **>(user)), LZ_BUSY,
                 "in use by another thread");
  };
  options.trace_user = &context;
  create(options);
  bindExact();
  EXPECT_EQ(lz_run(context), LZ_OK) << lz_last_error();
}

TEST_F(Bind, PlansWithoutData) {
  open("dynamic");
  auto plan = lz::detail::sized<lz_plan_info>();
  std::vector<int64_t> aShape = {5, 10}, bShape = {5};
  lz_tensor inputs[] = {tensor(LZ_F32, aShape, nullptr),
                        tensor(LZ_F32, bShape, nullptr)};
  ASSERT_EQ(lz_plan(model, 0, inputs, 2, 3, &plan), LZ_OK) << lz_last_error();
  EXPECT_EQ(plan.arena_bytes, 256); // 5 * 10 * 4, in lines of 64
  EXPECT_EQ(plan.memory_class, LZ_MEMORY_EXACT);
  int64_t shape[2];
  ASSERT_EQ(lz_plan_output_shape(model, 0, inputs, 2, 0, shape), LZ_OK);
  EXPECT_EQ(shape[0], 5);
  EXPECT_EQ(shape[1], 10);
  EXPECT_FAILS(lz_plan(model, 0, inputs, 1, 3, &plan), LZ_BAD_ARGUMENT,
               "entry 'main' has 2 inputs, not 1");
  bShape[0] = 4;
  EXPECT_FAILS(lz_plan(model, 0, inputs, 2, 3, &plan), LZ_BAD_TENSOR,
               "symbol 'N' is 5");
}
