//===- CpuFeatures.cpp - what this CPU can do -----------------------------===//

#include "runtime/core/CpuFeatures.h"

#include <cpuid.h>
#include <cstdint>
#include <cstring>

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
#define LZ_HAS_CPUID_COPY 1
// As in glibc's <sys/platform/x86.h>, which not every C++ compiler reads.
struct CpuidLeaf {
  uint32_t cpuid[4], active[4];
};
extern "C" const CpuidLeaf *__x86_get_cpuid_feature_leaf(unsigned leaf);
#endif

using namespace lz::rt;

namespace {

enum Register { EAX, EBX, ECX, EDX };

/// Register state that the operating system must save for a feature.
enum SystemState : uint64_t {
  None = 0,
  Ymm = 0x6,     // XMM and YMM
  Zmm = 0xe6,    // and opmask, ZMM
  Tile = 0x60000 // AMX configuration and data
};

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register reg;
  int bit;
  SystemState state;
};

} // namespace

/// LLVM's feature names and where cpuid reports them.
static constexpr Feature kFeatures[] = {
    {"cmov", 1, 0, EDX, 15, None},
    {"cx8", 1, 0, EDX, 8, None},
    {"fxsr", 1, 0, EDX, 24, None},
    {"mmx", 1, 0, EDX, 23, None},
    {"x87", 1, 0, EDX, 0, None},
    {"sse", 1, 0, EDX, 25, None},
    {"sse2", 1, 0, EDX, 26, None},
    {"sse3", 1, 0, ECX, 0, None},
    {"pclmul", 1, 0, ECX, 1, None},
    {"ssse3", 1, 0, ECX, 9, None},
    {"fma", 1, 0, ECX, 12, Ymm},
    {"cx16", 1, 0, ECX, 13, None},
    {"sse4.1", 1, 0, ECX, 19, None},
    {"sse4.2", 1, 0, ECX, 20, None},
    {"crc32", 1, 0, ECX, 20, None},
    {"movbe", 1, 0, ECX, 22, None},
    {"popcnt", 1, 0, ECX, 23, None},
    {"aes", 1, 0, ECX, 25, None},
    {"xsave", 1, 0, ECX, 26, None},
    {"avx", 1, 0, ECX, 28, Ymm},
    {"f16c", 1, 0, ECX, 29, Ymm},
    {"rdrnd", 1, 0, ECX, 30, None},
    {"fsgsbase", 7, 0, EBX, 0, None},
    {"bmi", 7, 0, EBX, 3, None},
    {"avx2", 7, 0, EBX, 5, Ymm},
    {"bmi2", 7, 0, EBX, 8, None},
    {"invpcid", 7, 0, EBX, 10, None},
    {"avx512f", 7, 0, EBX, 16, Zmm},
    {"avx512dq", 7, 0, EBX, 17, Zmm},
    {"rdseed", 7, 0, EBX, 18, None},
    {"adx", 7, 0, EBX, 19, None},
    {"avx512ifma", 7, 0, EBX, 21, Zmm},
    {"clflushopt", 7, 0, EBX, 23, None},
    {"clwb", 7, 0, EBX, 24, None},
    {"avx512cd", 7, 0, EBX, 28, Zmm},
    {"sha", 7, 0, EBX, 29, None},
    {"avx512bw", 7, 0, EBX, 30, Zmm},
    {"avx512vl", 7, 0, EBX, 31, Zmm},
    {"avx512vbmi", 7, 0, ECX, 1, Zmm},
    {"avx512vbmi2", 7, 0, ECX, 6, Zmm},
    {"gfni", 7, 0, ECX, 8, None},
    {"vaes", 7, 0, ECX, 9, Ymm},
    {"vpclmulqdq", 7, 0, ECX, 10, Ymm},
    {"avx512vnni", 7, 0, ECX, 11, Zmm},
    {"avx512bitalg", 7, 0, ECX, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Zmm},
    {"avx512vp2intersect", 7, 0, EDX, 8, Zmm},
    {"amx-bf16", 7, 0, EDX, 22, Tile},
    {"avx512fp16", 7, 0, EDX, 23, Zmm},
    {"amx-tile", 7, 0, EDX, 24, Tile},
    {"amx-int8", 7, 0, EDX, 25, Tile},
    {"avxvnni", 7, 1, EAX, 4, Ymm},
    {"avx512bf16", 7, 1, EAX, 5, Zmm},
    {"amx-fp16", 7, 1, EAX, 21, Tile},
    {"avxifma", 7, 1, EAX, 23, Ymm},
    {"avxvnniint8", 7, 1, EDX, 4, Ymm},
    {"avxneconvert", 7, 1, EDX, 5, Ymm},
    {"avxvnniint16", 7, 1, EDX, 10, Ymm},
    {"xsaveopt", 0xd, 1, EAX, 0, None},
    {"xsavec", 0xd, 1, EAX, 1, None},
    {"xsaves", 0xd, 1, EAX, 3, None},
    {"sahf", 0x80000001, 0, ECX, 0, None},
    {"lzcnt", 0x80000001, 0, ECX, 5, None},
    {"sse4a", 0x80000001, 0, ECX, 6, None},
    {"prfchw", 0x80000001, 0, ECX, 8, None},
    {"64bit", 0x80000001, 0, EDX, 29, None},
};

/// glibc's copy of what cpuid says of a leaf; null if it has none. In a virtual
/// machine cpuid itself takes microseconds, and there are dozens of features.
static const uint32_t *findCopy(uint32_t leaf, uint32_t subleaf) {
#ifdef LZ_HAS_CPUID_COPY
  struct {
    uint32_t leaf, subleaf, index;
  } constexpr copies[] = {
      {1, 0, 0}, {7, 0, 1}, {0x80000001, 0, 2}, {0xd, 1, 3}, {7, 1, 6}};
  for (auto &copy : copies)
    if (copy.leaf == leaf && copy.subleaf == subleaf)
      return __x86_get_cpuid_feature_leaf(copy.index)->cpuid;
#endif
  return nullptr;
}

static uint32_t readRegister(uint32_t leaf, uint32_t subleaf, Register reg) {
  if (const uint32_t *copy = findCopy(leaf, subleaf))
    return copy[reg];
  uint32_t r[4] = {};
  __get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3]);
  return r[reg];
}

/// The register state that the operating system saves.
static uint64_t systemState() {
  if (!(readRegister(1, 0, ECX) >> 27 & 1)) // OSXSAVE
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

static bool hasFeature(const Feature &feature) {
  if (!(readRegister(feature.leaf, feature.subleaf, feature.reg) >>
            feature.bit &
        1))
    return false;
  return !feature.state || (systemState() & feature.state) == feature.state;
}

/// The table's row of that name, or null.
static const Feature *findFeature(const std::string &name) {
  for (const Feature &feature : kFeatures)
    if (name == feature.name)
      return &feature;
  return nullptr;
}

std::string lz::rt::missingCpuFeatures(const char *features) {
  std::string missing;
  for (const char *p = features; *p;) {
    size_t length = strcspn(p, ",");
    std::string name(p, length);
    p += length + (p[length] == ',');
    const Feature *feature = findFeature(name);
    if (name.empty() || (feature && hasFeature(*feature)))
      continue;
    missing += (missing.empty() ? "'" : ", '") + name + "'";
    if (!feature)
      missing += " (not known to this runtime)";
  }
  return missing;
}
