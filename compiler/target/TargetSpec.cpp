//===- TargetSpec.cpp - the CPU an artifact is compiled for ---------------===//

#include "compiler/target/TargetSpec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <mutex>
#include <set>

using namespace llvm;
using namespace lz;

using FeatureSet = std::set<std::string>;

/// What every 64-bit CPU has.
static constexpr StringLiteral kBaseline[] = {"cmov", "cx8",  "fxsr", "mmx",
                                              "sse",  "sse2", "x87"};

/// Features beyond those that code generation may use and the runtime can check
/// by cpuid. Anything else stays off: an artifact must never meet a CPU that
/// lacks what it needs.
static constexpr StringLiteral kChecked[] = {"adx",
                                             "aes",
                                             "avx",
                                             "avx2",
                                             "avx512bf16",
                                             "avx512bitalg",
                                             "avx512bw",
                                             "avx512cd",
                                             "avx512dq",
                                             "avx512f",
                                             "avx512fp16",
                                             "avx512ifma",
                                             "avx512vbmi",
                                             "avx512vbmi2",
                                             "avx512vl",
                                             "avx512vnni",
                                             "avx512vpopcntdq",
                                             "avxifma",
                                             "avxneconvert",
                                             "avxvnni",
                                             "avxvnniint16",
                                             "avxvnniint8",
                                             "bmi",
                                             "bmi2",
                                             "crc32",
                                             "cx16",
                                             "f16c",
                                             "fma",
                                             "gfni",
                                             "lzcnt",
                                             "movbe",
                                             "pclmul",
                                             "popcnt",
                                             "prfchw",
                                             "sahf",
                                             "sse3",
                                             "sse4.1",
                                             "sse4.2",
                                             "sse4a",
                                             "ssse3",
                                             "vaes",
                                             "vpclmulqdq",
                                             "xsave"};

static bool isBaseline(StringRef feature) {
  return is_contained(kBaseline, feature);
}

/// Returns true if code may use the feature where the CPU has it.
static bool isUsable(StringRef feature) {
  return isBaseline(feature) || is_contained(kChecked, feature);
}

/// All that the CPU has, as LLVM knows it.
static FeatureSet cpuFeatures(StringRef cpu) {
  SmallVector<StringRef> features;
  X86::getFeaturesForCPU(cpu, features);
  StringMap<bool> implied;
  for (StringRef feature : features) {
    implied[feature] = true;
    X86::updateImpliedFeatures(feature, true, implied);
  }
  FeatureSet set;
  for (const auto &entry : implied)
    set.insert(entry.first().str());
  return set;
}

static FeatureSet usable(const FeatureSet &all) {
  FeatureSet set;
  for (const std::string &feature : all)
    if (isUsable(feature))
      set.insert(feature);
  return set;
}

/// Switches a feature, and what it implies or what implies it, in `set`.
static void change(FeatureSet &set, StringRef feature, bool on) {
  StringMap<bool> implied;
  if (!on) // LLVM only clears what it finds
    for (const std::string &name : set)
      implied[name] = true;
  implied[feature] = on;
  X86::updateImpliedFeatures(feature, on, implied);
  for (const auto &entry : implied) {
    if (!entry.second)
      set.erase(entry.first().str());
    else if (on && isUsable(entry.first()))
      set.insert(entry.first().str());
  }
}

/// Reads one `+feature` or `-feature` into `set`.
static Error applyChange(FeatureSet &set, StringRef text) {
  StringRef name = text.drop_front(text.empty() ? 0 : 1);
  if (name.empty() || (text[0] != '+' && text[0] != '-'))
    return createStringError("bad cpu feature '" + text +
                             "': expected +feature or -feature");
  if (isBaseline(name) && text[0] == '-')
    return createStringError("cpu feature '" + name +
                             "' cannot be taken away: every x86-64 cpu has it");
  if (!isUsable(name))
    return createStringError("unknown cpu feature '" + name + "'; known are " +
                             join(ArrayRef(kChecked), ", "));
  change(set, name, text[0] == '+');
  return Error::success();
}

static TargetSpec makeSpec(StringRef cpu, const FeatureSet &set) {
  return {cpu.str(), {set.begin(), set.end()}};
}

/// The build machine, as far as code may use it. A feature whose own needs are
/// masked (by a hypervisor, say) is left out.
static TargetSpec nativeSpec() {
  StringRef cpu = sys::getHostCPUName();
  if (X86::parseArchX86(cpu, /*Only64Bit=*/true) == X86::CK_None)
    cpu = "x86-64";
  StringMap<bool> host = sys::getHostCPUFeatures();
  FeatureSet set = usable(cpuFeatures(cpu));
  for (const auto &entry : host)
    if (entry.second && isUsable(entry.first()))
      set.insert(entry.first().str());
  for (const auto &entry : host)
    if (!entry.second && !isBaseline(entry.first()))
      change(set, entry.first(), false);
  return makeSpec(cpu, set);
}

static Error unknownCpu(StringRef cpu) {
  SmallVector<StringRef> names;
  X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
  return createStringError("unknown cpu '" + cpu + "'; known are native, " +
                           join(names, ", "));
}

Expected<TargetSpec> TargetSpec::parse(StringRef text) {
  auto [cpu, changes] = text.split(',');
  TargetSpec spec;
  if (cpu == "native")
    spec = nativeSpec();
  else if (X86::parseArchX86(cpu, /*Only64Bit=*/true) == X86::CK_None)
    return unknownCpu(cpu);
  else
    spec = makeSpec(cpu, usable(cpuFeatures(cpu)));

  if (cpu.size() == text.size())
    return spec;
  FeatureSet set(spec.features.begin(), spec.features.end());
  for (StringRef item : split(changes, ','))
    if (Error error = applyChange(set, item))
      return error;
  return makeSpec(spec.cpu, set);
}

std::string TargetSpec::text() const {
  FeatureSet set(features.begin(), features.end());
  FeatureSet base = usable(cpuFeatures(cpu));
  std::string text = cpu;
  for (const std::string &feature : base)
    if (!set.count(feature))
      text += ",-" + feature;
  for (const std::string &feature : set)
    if (!base.count(feature))
      text += ",+" + feature;
  return text;
}

std::string TargetSpec::llvmFeatures() const {
  FeatureSet all = cpuFeatures(cpu);
  all.insert(features.begin(), features.end());
  std::string text;
  for (const std::string &feature : all)
    text += (text.empty() ? "" : ",") + std::string(has(feature) ? "+" : "-") +
            feature;
  return text;
}

std::string TargetSpec::required() const {
  return join(make_filter_range(
                  features, [](StringRef name) { return !isBaseline(name); }),
              ",");
}

bool TargetSpec::has(StringRef feature) const {
  return is_contained(features, feature);
}

static void initializeX86() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

Expected<std::unique_ptr<TargetMachine>>
lz::createTargetMachine(const TargetSpec &spec) {
  initializeX86();
  Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(error);
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, spec.cpu, spec.llvmFeatures(), TargetOptions(), Reloc::PIC_,
      CodeModel::Small, CodeGenOptLevel::Aggressive));
}
