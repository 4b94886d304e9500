//===- CpuCount.cpp - how many CPUs may be used ---------------------------===//

#include "runtime/cpu/CpuCount.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sched.h>
#include <vector>

using namespace lz::rt;

int64_t lz::rt::affinityCpus() {
  // The kernel's mask may be larger than cpu_set_t.
  for (size_t cpus = 1024; cpus <= (1 << 20); cpus *= 2) {
    size_t bytes = CPU_ALLOC_SIZE(cpus);
    std::vector<cpu_set_t> mask(bytes / sizeof(cpu_set_t) + 1);
    if (!sched_getaffinity(0, bytes, mask.data()))
      return std::max(1, CPU_COUNT_S(bytes, mask.data()));
    if (errno != EINVAL)
      break;
  }
  return 1;
}

/// The text of a small file; empty if it cannot be read.
static std::string readText(const std::string &path) {
  std::string text;
  FILE *file = fopen(path.c_str(), "re");
  if (!file)
    return text;
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof buffer, file))
    text.append(buffer, n);
  fclose(file);
  return text;
}

/// CPUs of a quota of `quota` microseconds in each `period`; 0 if unlimited.
static int64_t quotaCpus(long long quota, long long period) {
  return quota > 0 && period > 0 ? (quota - 1) / period + 1 : 0;
}

/// The quota of one group: cpu.max holds "max 100000" or "150000 100000".
static int64_t groupCpus(const std::string &folder, bool v2) {
  long long quota = 0, period = 0;
  if (v2) {
    if (sscanf(readText(folder + "/cpu.max").c_str(), "%lld %lld", &quota,
               &period) != 2)
      return 0;
    return quotaCpus(quota, period);
  }
  quota = atoll(readText(folder + "/cpu.cfs_quota_us").c_str());
  period = atoll(readText(folder + "/cpu.cfs_period_us").c_str());
  return quotaCpus(quota, period);
}

/// The least quota of a group and its parents. In a container the path may be
/// that of the host, which is not mounted; then only its root is there.
static int64_t pathCpus(const std::string &root, std::string path, bool v2) {
  int64_t least = 0;
  if (path == "/")
    path.clear();
  for (;;) {
    if (int64_t cpus = groupCpus(root + path, v2))
      least = least ? std::min(least, cpus) : cpus;
    size_t slash = path.rfind('/');
    if (slash == std::string::npos)
      return least;
    path.resize(slash);
  }
}

/// True if `name` is one of the comma-separated `list`.
static bool contains(const std::string &list, const std::string &name) {
  return ("," + list + ",").find("," + name + ",") != std::string::npos;
}

/// Quota that one line of /proc/self/cgroup leads to: "4:cpu,cpuacct:/a/b" in
/// version 1, "0::/a/b" in version 2.
static int64_t lineCpus(const std::string &line, const std::string &mount) {
  size_t first = line.find(':'), second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos)
    return 0;
  std::string controllers = line.substr(first + 1, second - first - 1);
  std::string path = line.substr(second + 1);
  if (path.find("..") != std::string::npos)
    path = "/";
  if (controllers.empty())
    return pathCpus(mount, path, /*v2=*/true);
  if (!contains(controllers, "cpu"))
    return 0;
  int64_t cpus = pathCpus(mount + "/" + controllers, path, /*v2=*/false);
  if (cpus || controllers == "cpu")
    return cpus;
  return pathCpus(mount + "/cpu", path, /*v2=*/false);
}

int64_t lz::rt::cgroupCpus(const std::string &membership,
                           const std::string &mount) {
  std::string text = readText(membership);
  int64_t least = 0;
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.find('\n', start), text.size());
    if (int64_t cpus = lineCpus(text.substr(start, end - start), mount))
      least = least ? std::min(least, cpus) : cpus;
    start = end + 1;
  }
  return least;
}

int64_t lz::rt::availableCpus() {
  // Files are read once: a quota hardly changes, and a context must cost
  // little.
  static const int64_t quota =
      cgroupCpus("/proc/self/cgroup", "/sys/fs/cgroup");
  int64_t cpus = affinityCpus();
  return quota ? std::min(cpus, quota) : cpus;
}
