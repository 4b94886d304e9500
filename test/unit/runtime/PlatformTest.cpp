// What the runtime asks of CPU and system, and SHA-256.
#include "Support.h"
#include "runtime/core/CpuFeatures.h"
#include "runtime/core/Sha256.h"
#include "runtime/core/Tensor.h"
#include "runtime/cpu/CpuCount.h"

#include <sched.h>
#include <thread>

using namespace lz::test;
using namespace lz::rt;

// The examples of FIPS 180-4 and of its predecessor's text.
TEST(Sha256, MatchesTheStandard) {
  auto hash = [](const std::string &s) { return sha256(s.data(), s.size()); };
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b"
                      "7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410f"
                         "f61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// The compiler's own runtime is the other source.
TEST(CpuFeatures, AgreeWithTheCompilers) {
  auto has = [](const char *name) { return missingCpuFeatures(name).empty(); };
#define EXPECT_AGREES(ours, theirs)                                            \
  EXPECT_EQ(has(ours), bool(__builtin_cpu_supports(theirs))) << ours
  EXPECT_AGREES("sse2", "sse2");
  EXPECT_AGREES("sse4.2", "sse4.2");
  EXPECT_AGREES("popcnt", "popcnt");
  EXPECT_AGREES("avx", "avx");
  EXPECT_AGREES("avx2", "avx2");
  EXPECT_AGREES("fma", "fma");
  EXPECT_AGREES("bmi", "bmi");
  EXPECT_AGREES("bmi2", "bmi2");
  EXPECT_AGREES("aes", "aes");
  EXPECT_AGREES("avx512f", "avx512f");
  EXPECT_AGREES("avx512bw", "avx512bw");
  EXPECT_AGREES("avx512vl", "avx512vl");
  EXPECT_AGREES("avx512dq", "avx512dq");
  EXPECT_AGREES("avx512vnni", "avx512vnni");
  EXPECT_AGREES("avx512bf16", "avx512bf16");
#undef EXPECT_AGREES
}

TEST(CpuFeatures, NamesWhatIsMissing) {
  EXPECT_EQ(missingCpuFeatures(""), "");
  EXPECT_EQ(missingCpuFeatures("sse2,cx8,64bit"), "");
  EXPECT_EQ(missingCpuFeatures("sse2,warp,time-travel"),
            "'warp' (not known to this runtime), 'time-travel' (not known to "
            "this runtime)");
}

TEST(CpuCount, FollowsTheAffinityMask) {
  std::thread([] {
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    EXPECT_EQ(affinityCpus(), CPU_COUNT(&all));
    CPU_ZERO(&one);
    for (int cpu = 0; cpu != CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &all) && !CPU_COUNT(&one))
        CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(affinityCpus(), 1);
    EXPECT_EQ(availableCpus(), 1);
    EXPECT_EQ(lz_default_threads(), 1);
  }).join();
}

namespace {

/// A made-up tree of control groups.
struct CpuCountTree : ::testing::Test {
  void file(const std::string &path, const std::string &text) {
    std::filesystem::create_directories(
        std::filesystem::path(folder / path).parent_path());
    writeFile(folder / path, text);
  }
  int64_t cpus(const std::string &membership) {
    file("cgroup", membership);
    return cgroupCpus(folder / "cgroup", folder / "fs");
  }
  TempFolder folder;
};

} // namespace

TEST_F(CpuCountTree, ReadsVersion2) {
  file("fs/cpu.max", "max 100000\n");
  file("fs/a/cpu.max", "250000 100000\n");
  file("fs/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(cpus("0::/a/b\n"), 3);
  file("fs/a/b/cpu.max", "50000 100000\n");
  EXPECT_EQ(cpus("0::/a/b\n"), 1);
  EXPECT_EQ(cpus("0::/\n"), 0);
}

TEST_F(CpuCountTree, ReadsVersion1) {
  file("fs/cpu,cpuacct/a/cpu.cfs_quota_us", "400000\n");
  file("fs/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus("5:memory:/x\n4:cpu,cpuacct:/a\n"), 4);
  file("fs/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cpus("5:memory:/x\n4:cpu,cpuacct:/a\n"), 0);
}

// In a container the host's path is not there, only the root of the mount.
TEST_F(CpuCountTree, FallsBackToTheRoot) {
  file("fs/cpu/cpu.cfs_quota_us", "200000\n");
  file("fs/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus("4:cpu:/docker/0123\n"), 2);
}

TEST_F(CpuCountTree, IgnoresNonsense) {
  EXPECT_EQ(cpus(""), 0);
  EXPECT_EQ(cpus("nonsense\n::\n0::/../../..\n"), 0);
  EXPECT_EQ(cgroupCpus("/nonexistent", "/nonexistent"), 0);
  file("fs/cpu.max", "-5 0\n");
  EXPECT_EQ(cpus("0::/\n"), 0);
}

TEST(Tensor, KnowsItsBytes) {
  int64_t bytes;
  auto fits = [&](int32_t type, std::vector<int64_t> shape) {
    return tensorBytes(type, shape.data(), int32_t(shape.size()), &bytes);
  };
  EXPECT_TRUE(fits(LZ_F32, {}));
  EXPECT_EQ(bytes, 4);
  EXPECT_TRUE(fits(LZ_C128, {2, 3}));
  EXPECT_EQ(bytes, 96);
  EXPECT_TRUE(fits(LZ_U4, {5}));
  EXPECT_EQ(bytes, 3);
  EXPECT_TRUE(fits(LZ_I2, {5}));
  EXPECT_EQ(bytes, 2);
  EXPECT_TRUE(fits(LZ_F64, {int64_t(1) << 40, int64_t(1) << 40, 0}));
  EXPECT_EQ(bytes, 0);
  EXPECT_FALSE(fits(LZ_F64, {int64_t(1) << 60}));
  EXPECT_FALSE(fits(LZ_U8, {int64_t(1) << 62}));
  EXPECT_FALSE(fits(LZ_U8, {int64_t(1) << 40, int64_t(1) << 40}));
  EXPECT_FALSE(fits(LZ_U8, {2, -1}));
}
