//===- Pool.h - the process's threads ---------------------------*- C++ -*-===//
//
// One pool serves all models of a process. It is made when the first context
// asks for more than one thread, and grows to the most threads that any asked
// for. A parallel loop is offered in a slot; idle threads join it while it has
// seats, and the caller works too, so a loop always ends, whatever the others
// do (after fork, for example, when there are no others).
//
// A loop's iterations are cut into shares, one for each thread. A thread starts
// with the same share in each loop, so that it finds in its cache what it wrote
// there in the loop before; one that is done helps with the other shares.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lezero/lz_artifact.h"

#include <atomic>
#include <mutex>

namespace lz::rt {

/// The most threads that one context may have.
constexpr int64_t kMaxThreads = 1024;

/// More threads than these start with the same shares.
constexpr int64_t kMaxShares = 32;

/// A part of a loop.
struct alignas(64) Share {
  std::atomic<int64_t> next{0}; // first chunk that nobody took
  int64_t end = 0;
};

/// A parallel loop on offer. Slots belong to the pool and are used again, so
/// that a late thread never looks at memory that is gone.
struct Loop {
  /// Whether threads may join (bit 0), whether the caller sleeps (bit 1), seats
  /// left (bits 2..15) and threads inside (bits 16..31). Also a futex.
  alignas(64) std::atomic<uint32_t> ticket{0};
  std::atomic<bool> taken{false};
  lz_body_fn body = nullptr;
  void *args = nullptr;
  int64_t n = 0, grain = 0;
  int64_t batch = 0;      // chunks of `grain` iterations taken at a time
  int64_t shareCount = 0; // of those below
  Share shares[kMaxShares];
};

class Pool {
public:
  /// The pool of this process.
  static Pool &process();

  /// Makes threads until there are `count`, or as many as the system gives.
  void ensureWorkers(int64_t count);

  /// Waits until no worker has anything to do but loops, so that none of them
  /// takes memory or files during a run. Gives up after a while: in a process
  /// that was forked the workers are gone.
  void awaitWorkers();

  /// Runs `body` over chunks of `grain` iterations that cover [0, n), on at
  /// most `threads` threads, the caller's included.
  void run(lz_body_fn body, void *args, int64_t n, int64_t grain,
           int64_t threads);

  /// Number of threads made so far.
  int64_t workers() const { return workerCount; }

private:
  static void *threadMain(void *pool);
  void workerLoop(int64_t worker);
  /// Says that a worker is past its start. Returns its number.
  int64_t settleIn();
  bool help(int64_t worker);
  void sleepUntilChanged(uint32_t seen);
  /// Moves a worker that woke off its caller's CPU. The kernel may put it there
  /// although another is idle (in a virtual machine, where an idle CPU looks
  /// like one that the host has taken away), and each would then wait for the
  /// other. Only where every thread has a CPU of its own.
  void leaveCaller();
  Loop *takeSlot();
  void offer(Loop &loop, int64_t seats);
  void awaitHelpers(Loop &loop);

  static constexpr int kSlots = 32;
  Loop slots[kSlots];
  alignas(64) std::atomic<uint32_t> epoch{0}; // counts offers; a futex
  std::atomic<uint32_t> sleepers{0};
  std::atomic<uint32_t> settled{0}; // workers past their start; a futex
  std::atomic<int64_t> workerCount{0};
  std::atomic<int> spins{0};     // if each thread has a CPU of its own
  std::atomic<int> callerCpu{0}; // of who last offered a loop
  std::mutex growing;
};

/// Runs `body` over its chunks on this thread alone.
void runSerially(lz_body_fn body, void *args, int64_t n, int64_t grain);

} // namespace lz::rt
