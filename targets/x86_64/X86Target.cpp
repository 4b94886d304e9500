//===- X86Target.cpp - x86-64 CPUs ----------------------------------------===//
//
// Vector length from the features a CPU name stands for, cache sizes from a
// small table of core families: the smallest of a family, so that a choice that
// fits one member fits all.
//
//===----------------------------------------------------------------------===//

#include "targets/x86_64/X86Target.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;
using namespace lz::targets;

/// Switches a feature with those that it implies, or that imply it: a CPU's own
/// list names only what follows from nothing else in it.
static void setFeature(StringRef name, bool on, StringMap<bool> &enabled) {
  enabled[name] = on;
  X86::updateImpliedFeatures(name, on, enabled);
}

/// Applies "+avx2,-fma" to `enabled`.
static Error applyFeatures(StringRef features, StringMap<bool> &enabled) {
  SmallVector<StringRef> parts;
  features.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    if (part.size() < 2 || (part[0] != '+' && part[0] != '-'))
      return createStringError("feature '" + part +
                               "' must start with '+' or '-'");
    setFeature(part.drop_front(), part[0] == '+', enabled);
  }
  return Error::success();
}

static int64_t getL2KiB(StringRef cpu) {
  return StringSwitch<int64_t>(cpu)
      .Cases({"znver1", "znver2", "znver3"}, 512)
      .Cases({"znver4", "znver5"}, 1024)
      .Cases({"skylake-avx512", "cascadelake", "cooperlake"}, 1024)
      .Cases({"icelake-server"}, 1280)
      .Cases({"sapphirerapids", "emeraldrapids", "graniterapids"}, 2048)
      .Cases({"alderlake", "raptorlake"}, 1280)
      .Default(256);
}

static int64_t getL1KiB(StringRef cpu) {
  return StringSwitch<int64_t>(cpu)
      .Cases({"icelake-client", "icelake-server", "tigerlake"}, 48)
      .Cases({"sapphirerapids", "emeraldrapids", "graniterapids"}, 48)
      .Cases({"alderlake", "raptorlake", "znver5"}, 48)
      .Default(32);
}

Expected<CpuTarget> lz::targets::getX86Target(StringRef cpu,
                                              StringRef features) {
  if (X86::parseArchX86(cpu, /*Only64Bit=*/true) == X86::CK_None)
    return createStringError("unknown cpu '" + cpu +
                             "'; give an x86-64 CPU known to LLVM, such as "
                             "x86-64-v3, or 'native'");
  SmallVector<StringRef> names;
  X86::getFeaturesForCPU(cpu, names);
  StringMap<bool> enabled;
  for (StringRef name : names)
    setFeature(name, true, enabled);
  if (Error error = applyFeatures(features, enabled))
    return error;

  CpuTarget target;
  target.triple = "x86_64-unknown-linux-gnu";
  target.cpu = cpu.str();
  target.features = features.str();
  if (enabled.lookup("avx"))
    target.vectorBytes = 32;
  if (enabled.lookup("avx512f") && enabled.lookup("avx512vl")) {
    target.vectorBytes = 64;
    target.vectorRegisters = 32;
  }
  target.convertsHalf = enabled.lookup("f16c");
  target.l1Bytes = getL1KiB(cpu) << 10;
  target.l2Bytes = getL2KiB(cpu) << 10;
  return target;
}
