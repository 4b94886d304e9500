//===- Isolate.h - run functions in processes of their own ------*- C++ -*-===//
//
// A crash or a hang of one test is that test's failure and no other's.
//
//===----------------------------------------------------------------------===//
#ifndef TEST_CONFORMANCE_ISOLATE_H
#define TEST_CONFORMANCE_ISOLATE_H

#include "test/conformance/RunCase.h"

#include <functional>
#include <vector>

namespace lz {

/// Runs each of `tasks` in a child process, `jobs` at a time, and calls `done`
/// with the outcomes in the order of the tasks. A child that crashes, or runs
/// for more than `timeout` seconds, has failed.
void runIsolated(const std::vector<std::function<Outcome()>> &tasks,
                 unsigned jobs, unsigned timeout,
                 const std::function<void(size_t, const Outcome &)> &done);

} // namespace lz

#endif // TEST_CONFORMANCE_ISOLATE_H
