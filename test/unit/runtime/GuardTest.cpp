// A run takes nothing from the system: no memory, no thread, no file.
#include "Support.h"
#include "test/support/RunGuard.h"

using namespace lz::test;

static ::testing::ExitedWithCode exits(int code) {
  return ::testing::ExitedWithCode(code);
}

/// Prepares a context in a fresh process and runs it under guard. Exits with 1
/// if it called the allocator, with 2 if the run failed.
[[noreturn]] static void runGuarded(lz::Context &context) {
  context.prepare();
  long before = allocatorCalls();
  forbidResources();
  lz_status status = LZ_OK;
  for (int i = 0; i != 20 && !status; ++i)
    status = lz_run(context.raw());
  _exit(status ? 2 : allocatorCalls() != before);
}

[[noreturn]] static void runExact(int64_t threads, bool profile) {
  lz::Model model = lz::Model::load(artifact("exact"));
  lz::Context context(model, 0, threads, profile);
  alignas(64) static char arena[128];
  context.bindInput("x", lz::Tensor(LZ_F32, {4, 6}));
  context.bindOutput("y", lz::Tensor(LZ_F32, {4, 6}));
  context.bindArena(arena, sizeof arena);
  runGuarded(context);
}

[[noreturn]] static void runOwned(int64_t threads) {
  lz::Model model = lz::Model::load(artifact("dynamic"));
  lz::Context context(model, 0, threads);
  context.bindInput("a", lz::Tensor(LZ_F32, {8, 1000}));
  context.bindInput("b", lz::Tensor(LZ_F32, {8}));
  runGuarded(context);
}

[[noreturn]] static void runBoundClass() {
  lz::Model model = lz::Model::load(artifact("special"));
  lz::Context context(model, model.findEntry("compact"), 1);
  context.bindInput("x", lz::Tensor(LZ_I32, {500}));
  runGuarded(context);
}

TEST(GuardDeathTest, RunsTakeNothing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(runExact(1, false), exits(0), "");
  EXPECT_EXIT(runExact(4, false), exits(0), "");
  EXPECT_EXIT(runExact(2, true), exits(0), "");
  EXPECT_EXIT(runOwned(1), exits(0), "");
  EXPECT_EXIT(runOwned(3), exits(0), "");
  EXPECT_EXIT(runBoundClass(), exits(0), "");
}

// The same without preparing: the guard does see what lz_prepare takes.
TEST(GuardDeathTest, SeesAnUnpreparedRun) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        lz::Model model = lz::Model::load(artifact("exact"));
        lz::Context context(model, 0, 1);
        context.bindInput("x", lz::Tensor(LZ_F32, {4, 6}));
        long before = allocatorCalls();
        lz_status status = lz_run(context.raw());
        _exit(status ? 2 : allocatorCalls() != before);
      },
      exits(1), "");
}
