//===- CpuCount.h - how many CPUs may be used -------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>

namespace lz::rt {

/// CPUs in this thread's affinity mask, at least 1.
int64_t affinityCpus();

/// CPUs that the cgroup quota grants, rounded up; 0 if there is none. Reads the
/// file that says which groups the process is in (/proc/self/cgroup) and the
/// tree of groups (/sys/fs/cgroup), of version 1 or 2. A group's parents bound
/// it too.
int64_t cgroupCpus(const std::string &membership, const std::string &mount);

/// The smaller of both.
int64_t availableCpus();

} // namespace lz::rt
