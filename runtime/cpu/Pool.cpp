//===- Pool.cpp - the process's threads -----------------------------------===//

#include "runtime/cpu/Pool.h"
#include "runtime/cpu/CpuCount.h"

#include <algorithm>
#include <climits>
#include <csignal>
#include <ctime>
#include <immintrin.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace lz::rt;

static constexpr uint32_t kOpen = 1, kWaiting = 2;
static constexpr uint32_t kSeat = 1 << 2, kSeats = 0xfffc;
static constexpr uint32_t kHelper = 1 << 16, kHelpers = 0xffff0000;

/// Pauses before a thread sleeps; some tens of microseconds, about what a
/// kernel takes. Only where every thread has a CPU of its own.
static constexpr int kSpins = 2000;

/// Sleeps while `word` holds `value`, at most for `limit` if it is not null.
static void futexWait(std::atomic<uint32_t> &word, uint32_t value,
                      const timespec *limit = nullptr) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, limit, nullptr, 0);
}

/// Wakes up to `count` of those who sleep on `word`.
static void futexWake(std::atomic<uint32_t> &word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

namespace {
/// The CPUs that this thread may run on, and those but one.
struct Cpus {
  cpu_set_t allowed, others;

  explicit Cpus(int cpu) {
    if (sched_getaffinity(0, sizeof allowed, &allowed))
      CPU_ZERO(&allowed); // there are more than a mask holds
    others = allowed;
    CPU_CLR(cpu, &others);
  }
  bool hasOthers() const { return CPU_COUNT(&others); }
};
} // namespace

/// Moves this thread off `cpu`, if it is there and may run elsewhere.
static void leaveCpu(int cpu) {
  if (sched_getcpu() != cpu)
    return;
  Cpus cpus(cpu);
  if (!cpus.hasOthers())
    return;
  sched_setaffinity(0, sizeof cpus.others, &cpus.others);
  sched_setaffinity(0, sizeof cpus.allowed, &cpus.allowed);
}

/// Enters a loop that is open and has a seat.
static bool join(Loop &loop) {
  uint32_t seen = loop.ticket.load(std::memory_order_relaxed);
  while ((seen & kOpen) && (seen & kSeats))
    if (loop.ticket.compare_exchange_weak(seen, seen - kSeat + kHelper,
                                          std::memory_order_acquire,
                                          std::memory_order_relaxed))
      return true;
  return false;
}

/// Cuts `chunks` chunks into shares.
static void fillShares(Loop &loop, int64_t chunks, int64_t count) {
  loop.shareCount = count;
  int64_t first = 0;
  for (int64_t i = 0; i != count; ++i) {
    loop.shares[i].next.store(first, std::memory_order_relaxed);
    first += chunks / count + (i < chunks % count);
    loop.shares[i].end = first;
  }
}

/// Takes chunks of `share` until none is left.
static void workOn(Loop &loop, Share &share) {
  for (;;) {
    int64_t first = share.next.fetch_add(loop.batch, std::memory_order_relaxed);
    if (first >= share.end)
      return;
    int64_t last = std::min(first + loop.batch, share.end);
    for (int64_t chunk = first; chunk != last; ++chunk) {
      int64_t lo = chunk * loop.grain;
      loop.body(loop.args, lo, lo + std::min(loop.grain, loop.n - lo));
    }
  }
}

/// Works on all shares, from the one of thread `thread` on, and then closes the
/// loop.
static void work(Loop &loop, int64_t thread) {
  for (int64_t i = 0; i != loop.shareCount; ++i)
    workOn(loop, loop.shares[(thread + i) % loop.shareCount]);
  loop.ticket.fetch_and(~kOpen, std::memory_order_relaxed);
}

/// Leaves a loop; the last one out wakes a caller that sleeps.
static void leave(Loop &loop) {
  uint32_t before = loop.ticket.fetch_sub(kHelper, std::memory_order_acq_rel);
  if ((before & kHelpers) == kHelper && (before & kWaiting))
    futexWake(loop.ticket, 1);
}

Pool &Pool::process() {
  // Never destroyed: its threads may outlive the end of main.
  static Pool *pool = new Pool;
  return *pool;
}

bool Pool::help(int64_t worker) {
  bool helped = false;
  for (Loop &loop : slots)
    while (join(loop)) {
      work(loop, worker + 1);
      leave(loop);
      helped = true;
    }
  return helped;
}

void Pool::sleepUntilChanged(uint32_t seen) {
  for (int i = spins.load(std::memory_order_relaxed); i; --i) {
    if (epoch.load(std::memory_order_relaxed) != seen)
      return;
    _mm_pause();
  }
  sleepers.fetch_add(1);
  if (epoch.load() == seen)
    futexWait(epoch, seen);
  sleepers.fetch_sub(1);
  leaveCaller();
}

void Pool::leaveCaller() {
  if (spins.load(std::memory_order_relaxed))
    leaveCpu(callerCpu.load(std::memory_order_relaxed));
}

void Pool::workerLoop(int64_t worker) {
  for (;;) {
    uint32_t seen = epoch.load(std::memory_order_acquire);
    if (!help(worker))
      sleepUntilChanged(seen);
  }
}

void *Pool::threadMain(void *argument) {
  auto *pool = static_cast<Pool *>(argument);
  pthread_setname_np(pthread_self(), "lezero");
  _mm_setcsr(0x1f80); // the rounding that lz_run sets, whoever made the thread
  int64_t worker = pool->settleIn();
  pool->workerLoop(worker);
  return nullptr;
}

/// Makes one detached thread that never ends and takes no signals. It starts on
/// another CPU than the caller's if there is one.
static bool startThread(void *(*main)(void *), void *argument) {
  Cpus cpus(sched_getcpu());
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (cpus.hasOthers())
    pthread_attr_setaffinity_np(&attributes, sizeof cpus.others, &cpus.others);
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_t thread;
  bool started = !pthread_create(&thread, &attributes, main, argument);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  pthread_attr_destroy(&attributes);
  if (started && cpus.hasOthers())
    pthread_setaffinity_np(thread, sizeof cpus.allowed, &cpus.allowed);
  return started;
}

void Pool::ensureWorkers(int64_t count) {
  if (workerCount >= count)
    return;
  std::lock_guard<std::mutex> lock(growing);
  while (workerCount < count && startThread(threadMain, this))
    ++workerCount;
  spins = workerCount < availableCpus() ? kSpins : 0;
}

int64_t Pool::settleIn() {
  int64_t worker = settled.fetch_add(1);
  futexWake(settled, INT_MAX);
  return worker;
}

void Pool::awaitWorkers() {
  timespec millisecond = {0, 1000000};
  for (int patience = 100; patience; --patience) {
    uint32_t seen = settled.load();
    if (seen >= workerCount)
      return;
    futexWait(settled, seen, &millisecond);
  }
}

Loop *Pool::takeSlot() {
  for (Loop &loop : slots)
    if (!loop.taken.load(std::memory_order_relaxed) &&
        !loop.taken.exchange(true, std::memory_order_acquire))
      return &loop;
  return nullptr;
}

void Pool::offer(Loop &loop, int64_t seats) {
  callerCpu.store(sched_getcpu(), std::memory_order_relaxed);
  loop.ticket.store(kOpen + uint32_t(seats) * kSeat, std::memory_order_release);
  epoch.fetch_add(1);
  if (sleepers.load())
    futexWake(epoch, int(seats));
}

void Pool::awaitHelpers(Loop &loop) {
  for (int i = spins.load(std::memory_order_relaxed); i; --i) {
    if (!(loop.ticket.load(std::memory_order_acquire) & kHelpers))
      return;
    _mm_pause();
  }
  uint32_t seen = loop.ticket.fetch_or(kWaiting) | kWaiting;
  while (seen & kHelpers) {
    futexWait(loop.ticket, seen);
    seen = loop.ticket.load(std::memory_order_acquire);
  }
}

void Pool::run(lz_body_fn body, void *args, int64_t n, int64_t grain,
               int64_t threads) {
  if (n <= 0)
    return;
  grain = grain < 1 ? n : grain;
  int64_t chunks = (n - 1) / grain + 1;
  int64_t seats = std::min({threads, chunks, workerCount + 1}) - 1;
  Loop *loop = seats > 0 ? takeSlot() : nullptr;
  if (!loop)
    return runSerially(body, args, n, grain);
  loop->body = body, loop->args = args, loop->n = n, loop->grain = grain;
  loop->batch = std::max<int64_t>(1, chunks / ((seats + 1) * 8));
  fillShares(*loop, chunks, std::min(seats + 1, kMaxShares));
  offer(*loop, seats);
  work(*loop, 0);
  awaitHelpers(*loop);
  loop->taken.store(false, std::memory_order_release);
}

void lz::rt::runSerially(lz_body_fn body, void *args, int64_t n,
                         int64_t grain) {
  if (n <= 0)
    return;
  grain = grain < 1 ? n : grain;
  for (int64_t lo = 0; lo < n; lo += std::min(grain, n - lo))
    body(args, lo, lo + std::min(grain, n - lo));
}
