// The thread pool and its process: forks, and how many threads there are. Not
// for ThreadSanitizer, which does not follow a fork of a process with threads.
#include "Support.h"
#include "Visits.h"
#include "runtime/cpu/Pool.h"

#include <atomic>
#include <chrono>
#include <dirent.h>
#include <sched.h>
#include <sys/wait.h>
#include <thread>

using namespace lz::test;
using lz::rt::Pool;

static int64_t countThreads() {
  int64_t count = 0;
  DIR *folder = opendir("/proc/self/task");
  while (dirent *entry = readdir(folder))
    count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

TEST(Pool, WorksAfterFork) {
  Pool::process().ensureWorkers(3);
  pid_t child = fork();
  if (child == 0) {
    Visits visits(1000, 3);
    Pool::process().run(Visits::body, &visits, 1000, 3, 4);
    for (auto &count : visits.counts)
      if (count != 1)
        _exit(1);
    _exit(0);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// Makes and runs a context in a fresh process, and exits with the number of
/// threads that this made.
[[noreturn]] static void exitWithThreads(lz_context_options options) {
  int64_t before = countThreads();
  lz::Model model = lz::Model::load(artifact("exact"));
  lz::Context context(model, options);
  context.bindInput("x", lz::Tensor(LZ_F32, {4, 6}));
  context.run();
  _exit(int(countThreads() - before));
}

TEST(PoolDeathTest, MakesNoThreadForOne) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto options = lz::detail::sized<lz_context_options>();
  options.threads = 1;
  EXPECT_EXIT(exitWithThreads(options), testing::ExitedWithCode(0), "");
  options.threads = 4;
  EXPECT_EXIT(exitWithThreads(options), testing::ExitedWithCode(3), "");
  options.parallel_for = [](void *, lz_body_fn body, void *args, int64_t n,
                            int64_t) { body(args, 0, n); };
  EXPECT_EXIT(exitWithThreads(options), testing::ExitedWithCode(0), "");
}

namespace {
/// The loop of two threads that look at the CPUs they may run on.
struct MaskLoop {
  cpu_set_t expected;
  std::atomic<int> threads{0}, others{0};

  static void body(void *args, int64_t, int64_t) {
    auto &loop = *static_cast<MaskLoop *>(args);
    cpu_set_t mask;
    loop.others += sched_getaffinity(0, sizeof mask, &mask) ||
                   !CPU_EQUAL(&mask, &loop.expected);
    ++loop.threads;
    while (loop.threads < 2)
      std::this_thread::yield();
  }
};
} // namespace

/// Exits with the number of times that a thread had not the CPUs of the main
/// one. The pool of a fresh process lets threads make way for their caller.
[[noreturn]] static void exitWithOtherMasks() {
  Pool::process().ensureWorkers(1);
  int others = 0;
  for (int i = 0; i != 50; ++i) {
    // Longer than a thread spins: the next loop wakes it.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    MaskLoop loop;
    sched_getaffinity(0, sizeof loop.expected, &loop.expected);
    Pool::process().run(MaskLoop::body, &loop, 2, 1, 2);
    others += loop.others;
  }
  _exit(others);
}

TEST(PoolDeathTest, KeepsTheAffinityOfItsThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exitWithOtherMasks(), testing::ExitedWithCode(0), "");
}
