// Running hand-made artifacts: values, threads, arenas, memory classes,
// profiles.
#include "Support.h"

#include <cstring>
#include <immintrin.h>
#include <numeric>
#include <sys/mman.h>

using namespace lz::test;

namespace {

struct Run : ContextTest {
  void SetUp() override { std::iota(x.begin(), x.end(), -10.5f); }

  void bindX() {
    lz_tensor c = tensor(LZ_F32, shape, x.data());
    ASSERT_EQ(lz_bind_input(context, "x", &c), LZ_OK) << lz_last_error();
  }
  /// Binds an i32 vector.
  void bindInts(const char *name, std::vector<int32_t> &values) {
    std::vector<int64_t> dims = {int64_t(values.size())};
    lz_tensor c = tensor(LZ_I32, dims, values.data());
    ASSERT_EQ(lz_bind_input(context, name, &c), LZ_OK) << lz_last_error();
  }
  /// The output `y` as integers.
  std::vector<int32_t> ints() {
    auto c = lz::detail::sized<lz_tensor>();
    EXPECT_EQ(lz_get_output(context, "y", &c), LZ_OK) << lz_last_error();
    auto *data = static_cast<int32_t *>(c.data);
    return {data, data + c.shape[0]};
  }
  /// What the exact model computes.
  std::vector<float> expected() const {
    std::vector<float> y(24);
    for (size_t i = 0; i != 24; ++i)
      y[i] = 2 * x[i] + float(i % 6 + 1);
    return y;
  }
  std::vector<float> floats() {
    auto c = lz::detail::sized<lz_tensor>();
    EXPECT_EQ(lz_get_output(context, "y", &c), LZ_OK) << lz_last_error();
    auto *data = static_cast<float *>(c.data);
    return {data, data + 24};
  }

  std::vector<float> x = std::vector<float>(24);
  std::vector<int64_t> shape = {4, 6};
};

/// Bytes that end at a page which cannot be touched.
class GuardedMemory {
public:
  explicit GuardedMemory(size_t bytes) : bytes(bytes) {
    base = static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base + page, page, PROT_NONE);
  }
  ~GuardedMemory() { munmap(base, 2 * page); }
  char *data() const { return base + page - bytes; }

private:
  size_t page = 65536, bytes;
  char *base;
};

} // namespace

TEST_F(Run, ComputesWithOwnedMemory) {
  open("exact");
  bindX();
  ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  EXPECT_EQ(floats(), expected());
}

TEST_F(Run, ComputesIntoBoundMemory) {
  open("exact");
  bindX();
  std::vector<float> y(24);
  lz_tensor c = tensor(LZ_F32, shape, y.data());
  ASSERT_EQ(lz_bind_output(context, "y", &c), LZ_OK);
  ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  EXPECT_EQ(y, expected());
  x[3] = 100; // the next run reads the same memory
  ASSERT_EQ(lz_run(context), LZ_OK);
  EXPECT_EQ(y, expected());
}

TEST_F(Run, HasSeveralEntries) {
  open("exact", 1);
  bindX();
  ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  EXPECT_EQ(floats()[0], 10.5f);
}

// The arena is the plan's bytes and not one more; its last line is used.
TEST_F(Run, NeedsJustThePlannedArena) {
  open("exact");
  bindX();
  auto plan = lz::detail::sized<lz_plan_info>();
  ASSERT_EQ(lz_get_plan(context, &plan), LZ_OK);
  GuardedMemory memory(size_t(plan.arena_bytes));
  char *last = memory.data() + plan.arena_bytes - 64;
  std::vector<char> before(last, last + 64);
  ASSERT_EQ(lz_bind_arena(context, memory.data(), plan.arena_bytes), LZ_OK);
  ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  EXPECT_EQ(floats(), expected());
  EXPECT_NE(before, std::vector<char>(last, last + 64));
  ASSERT_EQ(lz_bind_arena(context, memory.data() + 64, plan.arena_bytes - 64),
            LZ_OK);
  EXPECT_EQ(lz_run(context), LZ_ARENA_TOO_SMALL);
  ASSERT_EQ(lz_bind_arena(context, nullptr, 0), LZ_OK);
  EXPECT_EQ(lz_run(context), LZ_OK) << lz_last_error();
}

/// Output and sum of the dynamic model with so many threads.
static std::pair<std::string, float> runDynamic(int64_t n, int64_t m,
                                                int64_t threads) {
  lz::Model model = lz::Model::load(artifact("dynamic"));
  std::vector<float> a(size_t(n * m)), b(static_cast<size_t>(n));
  for (size_t i = 0; i != a.size(); ++i)
    a[i] = 1.0f / float(i + 3);
  std::iota(b.begin(), b.end(), 0.3f);
  lz::Context context(model, 0, threads);
  context.bindInput("a", lz::Tensor::of<float>({n, m}, a));
  context.bindInput("b", lz::Tensor::of<float>({n}, b));
  context.run();
  lz::Tensor y = context.output("y");
  EXPECT_EQ(y.shape(), (std::vector<int64_t>{n, m}));
  for (size_t i = 0; i != a.size(); ++i)
    EXPECT_EQ(y.as<float>()[i], a[i] * b[i / size_t(m)]);
  return {std::string(static_cast<char *>(y.data()), size_t(y.bytes())),
          context.output("sum").as<float>()[0]};
}

TEST_F(Run, GivesTheSameBitsForAnyThreads) {
  for (auto [n, m] : {std::pair<int64_t, int64_t>{1, 2}, {7, 998}, {64, 4096}})
    for (int64_t threads : {2, 3, 7})
      EXPECT_EQ(runDynamic(n, m, threads), runDynamic(n, m, 1))
          << n << " " << m << " " << threads;
}

TEST_F(Run, TakesNewSizes) {
  open("dynamic");
  for (int64_t n : {3, 60, 1}) {
    std::vector<float> a(size_t(n) * 10, 2.0f), b(size_t(n), 3.0f);
    std::vector<int64_t> aShape = {n, 10}, bShape = {n};
    lz_tensor ca = tensor(LZ_F32, aShape, a.data());
    lz_tensor cb = tensor(LZ_F32, bShape, b.data());
    ASSERT_EQ(lz_bind_input(context, "a", &ca), LZ_OK);
    ASSERT_EQ(lz_bind_input(context, "b", &cb), LZ_OK);
    ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
    auto sum = lz::detail::sized<lz_tensor>();
    ASSERT_EQ(lz_get_output(context, "sum", &sum), LZ_OK);
    EXPECT_EQ(*static_cast<float *>(sum.data), 60.0f * float(n));
  }
}

TEST_F(Run, RunsEmptyTensors) {
  open("dynamic");
  float one = 1;
  std::vector<int64_t> aShape = {1, 0}, bShape = {1};
  lz_tensor a = tensor(LZ_F32, aShape, nullptr);
  lz_tensor b = tensor(LZ_F32, bShape, &one);
  ASSERT_EQ(lz_bind_input(context, "a", &a), LZ_OK) << lz_last_error();
  ASSERT_EQ(lz_bind_input(context, "b", &b), LZ_OK);
  EXPECT_EQ(lz_run(context), LZ_OK) << lz_last_error();
}

TEST_F(Run, UpdatesInputsInPlace) {
  open("special", 0);
  std::vector<int64_t> dims = {4};
  std::vector<int64_t> total = {1, 2, 3, 4}, step = {10, 20, 30, 40}, other(4);
  lz_tensor t = tensor(LZ_I64, dims, total.data());
  lz_tensor s = tensor(LZ_I64, dims, step.data());
  ASSERT_EQ(lz_bind_input(context, "total", &t), LZ_OK);
  ASSERT_EQ(lz_bind_input(context, "step", &s), LZ_OK);
  ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  ASSERT_EQ(lz_bind_output(context, "new_total", &t), LZ_OK);
  ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  EXPECT_EQ(total, (std::vector<int64_t>{21, 42, 63, 84}));
  lz_tensor o = tensor(LZ_I64, dims, other.data());
  ASSERT_EQ(lz_bind_output(context, "new_total", &o), LZ_OK);
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR,
               "output 'new_total' updates input 'total' in place");
}

TEST_F(Run, ReadsSizesFromInputs) {
  open("special", 1);
  std::vector<int32_t> count = {5};
  bindInts("count", count);
  ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  EXPECT_EQ(ints(), (std::vector<int32_t>{0, 1, 2, 3, 4}));
  count[0] = 2; // without binding again
  ASSERT_EQ(lz_run(context), LZ_OK);
  EXPECT_EQ(ints(), (std::vector<int32_t>{0, 1}));
  count[0] = 1001;
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR,
               "symbol 'count' (element 0 of input 'count') is 1001");
  count[0] = -1;
  EXPECT_EQ(lz_run(context), LZ_BAD_TENSOR);
  std::vector<int64_t> dims = {1};
  lz_tensor input = tensor(LZ_I32, dims, nullptr);
  auto plan = lz::detail::sized<lz_plan_info>();
  EXPECT_FAILS(lz_plan(model, 1, &input, 1, 1, &plan), LZ_BAD_TENSOR,
               "a size depends on element 0 of input 'count'");
}

TEST_F(Run, FindsSizesDuringTheRun) {
  open("special", 2);
  std::vector<int32_t> values = {0, 7, 0, 8, 9};
  bindInts("x", values);
  ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  EXPECT_EQ(ints(), (std::vector<int32_t>{7, 8, 9}));
  values = {1, 2, 3, 4, 5};
  ASSERT_EQ(lz_run(context), LZ_OK);
  EXPECT_EQ(ints(), values);
  auto plan = lz::detail::sized<lz_plan_info>();
  ASSERT_EQ(lz_get_plan(context, &plan), LZ_OK);
  EXPECT_EQ(plan.memory_class, LZ_MEMORY_BOUND);
  EXPECT_STREQ(plan.memory_class_node, "nonzero_4");
}

TEST_F(Run, GrowsOnlyThroughTheCaller) {
  open("special", 3);
  std::vector<int32_t> values = {3, 1, 2};
  bindInts("x", values);
  EXPECT_FAILS(lz_run(context), LZ_RUN_FAILED,
               "entry 'growing': node 'loop_7' (kernel 'lz_copy') failed");
  lz_destroy_context(context);
  std::vector<int32_t> block(100);
  auto options = lz::detail::sized<lz_context_options>();
  options.entry = 3;
  options.grow = [](void *user, int64_t bytes, int64_t) -> void * {
    return bytes <= 400 ? static_cast<std::vector<int32_t> *>(user)->data()
                        : nullptr;
  };
  options.grow_user = &block;
  create(options);
  bindInts("x", values);
  ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  EXPECT_EQ(ints(), values);
  EXPECT_EQ(block[0], 3);
}

TEST_F(Run, FindsOutputsWithoutABound) {
  open("special", 4);
  std::vector<int32_t> values = {3, 1};
  bindInts("x", values);
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR,
               "entry 'endless': node 'loop_8': gets no memory");
  lz_destroy_context(context);
  std::vector<int32_t> block(100);
  auto options = lz::detail::sized<lz_context_options>();
  options.entry = 4;
  options.grow = [](void *user, int64_t, int64_t) -> void * { return user; };
  options.grow_user = block.data();
  create(options);
  bindInts("x", values);
  ASSERT_EQ(lz_prepare(context), LZ_OK) << lz_last_error();
  auto y = lz::detail::sized<lz_tensor>();
  ASSERT_EQ(lz_get_output(context, "y", &y), LZ_OK);
  EXPECT_EQ(y.shape[0], -1);
  ASSERT_EQ(lz_run(context), LZ_OK) << lz_last_error();
  EXPECT_EQ(ints(), (std::vector<int32_t>{0, 1, 2, 3}));
  ASSERT_EQ(lz_get_output(context, "y", &y), LZ_OK);
  EXPECT_EQ(y.data, block.data());
  values = {1, 1};
  ASSERT_EQ(lz_run(context), LZ_OK);
  EXPECT_EQ(ints(), (std::vector<int32_t>{0, 1}));
  values = {30, 30};
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR,
               "entry 'endless': node 'loop_8': gives too many");
  std::vector<int64_t> dims = {4};
  lz_tensor bound = tensor(LZ_I32, dims, block.data());
  ASSERT_EQ(lz_bind_output(context, "y", &bound), LZ_OK);
  EXPECT_FAILS(lz_run(context), LZ_BAD_TENSOR,
               "the size of output 'y' has no bound before the run");
}

TEST_F(Run, ProfilesLaunches) {
  open("exact");
  lz_destroy_context(context);
  std::vector<std::pair<int64_t, int32_t>> seen;
  auto options = lz::detail::sized<lz_context_options>();
  options.profile = 1, options.threads = 1;
  options.trace = [](void *user, int64_t launch, int32_t phase) {
    static_cast<decltype(seen) *>(user)->emplace_back(launch, phase);
  };
  options.trace_user = &seen;
  create(options);
  bindX();
  for (int i = 0; i != 3; ++i)
    ASSERT_EQ(lz_run(context), LZ_OK);
  EXPECT_EQ(seen.size(), 12u);
  EXPECT_EQ(seen[1], (std::pair<int64_t, int32_t>{0, 1}));
  auto profile = lz::detail::sized<lz_launch_profile>();
  ASSERT_EQ(lz_get_launch_profile(context, 1, &profile), LZ_OK);
  EXPECT_STREQ(profile.kernel, "lz_bias");
  EXPECT_STREQ(profile.nodes, "add_1,relu_2");
  EXPECT_EQ(profile.calls, 3);
  EXPECT_GE(profile.total_ns, 3 * profile.min_ns);
  EXPECT_GE(3 * profile.max_ns, profile.total_ns);
  ASSERT_EQ(lz_reset_profile(context), LZ_OK);
  ASSERT_EQ(lz_get_launch_profile(context, 1, &profile), LZ_OK);
  EXPECT_EQ(profile.calls, 0);
  EXPECT_FAILS(lz_get_launch_profile(context, 2, &profile), LZ_BAD_ARGUMENT,
               "launch 2 does not exist: there are 2");
}

// The caller's rounding mode changes nothing, and is left as it was.
TEST_F(Run, IgnoresTheCallersRounding) {
  open("dynamic");
  float a[] = {1.0f / 3, 1e-40f}, b[] = {1.0f / 7};
  std::vector<int64_t> aShape = {1, 2}, bShape = {1};
  lz_tensor ca = tensor(LZ_F32, aShape, a), cb = tensor(LZ_F32, bShape, b);
  ASSERT_EQ(lz_bind_input(context, "a", &ca), LZ_OK);
  ASSERT_EQ(lz_bind_input(context, "b", &cb), LZ_OK);
  auto bits = [&] {
    EXPECT_EQ(lz_run(context), LZ_OK);
    auto y = lz::detail::sized<lz_tensor>();
    EXPECT_EQ(lz_get_output(context, "y", &y), LZ_OK);
    uint64_t word;
    memcpy(&word, y.data, sizeof word);
    return word;
  };
  uint64_t expected = bits();
  unsigned saved = _mm_getcsr(), odd = saved | 0xe040; // to zero, no denormals
  _mm_setcsr(odd);
  uint64_t got = bits();
  unsigned after = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_EQ(got, expected);
  EXPECT_EQ(after & ~0x3fu, odd & ~0x3fu);
}
