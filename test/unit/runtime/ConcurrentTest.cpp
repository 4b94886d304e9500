// Many models, many threads, one process. Of most use under ThreadSanitizer.
#include "Support.h"

#include <thread>

using namespace lz::test;

/// Runs model number `i` on a context of its own and checks each value.
static void runNumbered(const lz::Model &model, int i, int threads) {
  std::vector<float> x(1000);
  for (int round = 0; round != 10; ++round) {
    for (size_t k = 0; k != x.size(); ++k)
      x[k] = float(k) + float(round);
    lz::Context context(model, 0, threads);
    context.bindInput("x", lz::Tensor::of<float>({1000}, x));
    for (int repeat = 0; repeat != 5; ++repeat)
      context.run();
    lz::Tensor y = context.output("y");
    for (size_t k = 0; k != x.size(); ++k)
      ASSERT_EQ(y.as<float>()[k], float(i) * x[999 - k] + 1);
  }
}

TEST(Concurrent, TenModelsRunSideBySide) {
  std::vector<std::thread> callers;
  for (int i = 0; i != 10; ++i)
    callers.emplace_back([i] {
      lz::Model model =
          lz::Model::load(artifact("numbered" + std::to_string(i)));
      runNumbered(model, i, 1 + i % 4);
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(Concurrent, OneModelServesManyThreads) {
  lz::Model model = lz::Model::load(artifact("numbered7"));
  std::vector<std::thread> callers;
  for (int i = 0; i != 6; ++i)
    callers.emplace_back([&model, i] {
      runNumbered(model, 7, 1 + i % 3);
      lz::Tensor x = lz::Tensor::of<float>({1000}, std::vector<float>(1000, 2));
      for (int repeat = 0; repeat != 20; ++repeat)
        ASSERT_EQ(model.run({x})[0].as<float>()[500], 15);
    });
  for (std::thread &caller : callers)
    caller.join();
}

// Each thread has its own error text.
TEST(Concurrent, ErrorsDoNotMix) {
  std::vector<std::thread> callers;
  for (int i = 0; i != 8; ++i)
    callers.emplace_back([i] {
      std::string path = "/nonexistent/" + std::to_string(i);
      for (int repeat = 0; repeat != 100; ++repeat) {
        lz_model *model;
        ASSERT_EQ(lz_open(path.c_str(), nullptr, &model), LZ_BAD_FILE);
        ASSERT_EQ(std::string(lz_last_error()).find(path), 0u);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}
