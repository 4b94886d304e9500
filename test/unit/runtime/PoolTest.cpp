// The thread pool: every iteration once, in the same chunks for any threads.
#include "runtime/cpu/Pool.h"
#include "Support.h"
#include "Visits.h"

#include <atomic>
#include <thread>

using namespace lz::test;
using lz::rt::Pool;

TEST(Pool, VisitsEachIterationOnce) {
  Pool::process().ensureWorkers(6);
  for (int64_t threads : {1, 2, 3, 7})
    for (int64_t n : {0, 1, 2, 99, 100, 101, 5000})
      for (int64_t grain : {1, 3, 100, 1000000}) {
        Visits visits(n, grain);
        Pool::process().run(Visits::body, &visits, n, grain, threads);
        visits.expectEachOnce();
      }
}

TEST(Pool, TakesNonsenseSizes) {
  Visits visits(10, 10);
  Pool::process().run(Visits::body, &visits, -5, 10, 2);
  visits.expectEachOnce(0);
  Pool::process().run(Visits::body, &visits, 10, 0, 2);
  visits.expectEachOnce();
}

TEST(Pool, ServesManyCallersAtOnce) {
  Pool::process().ensureWorkers(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller != 8; ++caller)
    callers.emplace_back([] {
      for (int i = 0; i != 200; ++i) {
        Visits visits(300, 7);
        Pool::process().run(Visits::body, &visits, 300, 7, 4);
        visits.expectEachOnce();
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

// More loops at once than there are slots run on their callers.
TEST(Pool, RunsNestedLoops) {
  Pool::process().ensureWorkers(3);
  struct Nest {
    static void body(void *visits, int64_t lo, int64_t hi) {
      for (int64_t i = lo; i != hi; ++i)
        Pool::process().run(Visits::body, visits, 64, 4, 4);
    }
  };
  Visits visits(64, 4);
  Pool::process().run(Nest::body, &visits, 50, 1, 4);
  visits.expectEachOnce(50);
}

// Threads do take part, if there are any: all chunks wait for a second one.
TEST(Pool, UsesItsThreads) {
  Pool::process().ensureWorkers(1);
  std::atomic<int> inside{0};
  auto body = [](void *counter, int64_t, int64_t) {
    auto &inside = *static_cast<std::atomic<int> *>(counter);
    ++inside;
    while (inside < 2)
      std::this_thread::yield();
  };
  Pool::process().run(body, &inside, 2, 1, 2);
  EXPECT_EQ(inside, 2);
}

TEST(Pool, IsReplacedByTheCallers) {
  lz::Model model = lz::Model::load(artifact("exact"));
  int64_t calls = 0;
  auto options = lz::detail::sized<lz_context_options>();
  options.parallel_for = [](void *user, lz_body_fn body, void *args, int64_t n,
                            int64_t grain) {
    ++*static_cast<int64_t *>(user);
    int64_t chunks = (n + grain - 1) / grain;
    for (int64_t c = chunks; c-- > 0;) // backwards
      body(args, c * grain, std::min(n, (c + 1) * grain));
  };
  options.parallel_user = &calls;
  lz::Context context(model, options);
  context.bindInput("x",
                    lz::Tensor::of<float>({4, 6}, std::vector<float>(24, 3)));
  context.run();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(context.output("y").as<float>()[23], 12);
}
