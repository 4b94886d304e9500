//===- TargetSpecTest.cpp - reading and recording of --cpu ----------------===//

#include "Support.h"

#include "runtime/core/CpuFeatures.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;
using namespace lz;

namespace {

std::string errorOf(StringRef text) {
  auto spec = TargetSpec::parse(text);
  return spec ? "" : toString(spec.takeError());
}

TEST(TargetSpecTest, KnowsTheLevelsOfThePlatform) {
  EXPECT_EQ(orDie(TargetSpec::parse("x86-64")).required(), "");
  EXPECT_EQ(orDie(TargetSpec::parse("x86-64-v2")).required(),
            "crc32,cx16,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3");
  EXPECT_EQ(
      orDie(TargetSpec::parse("x86-64-v3")).required(),
      "avx,avx2,bmi,bmi2,crc32,cx16,f16c,fma,lzcnt,movbe,popcnt,sahf,sse3,"
      "sse4.1,sse4.2,ssse3,xsave");
  TargetSpec v4 = orDie(TargetSpec::parse("x86-64-v4"));
  EXPECT_TRUE(v4.has("avx512f") && v4.has("avx512vl") && !v4.has("avx512vnni"));
}

TEST(TargetSpecTest, AppliesChangesWithWhatTheyImply) {
  TargetSpec plus = orDie(TargetSpec::parse("x86-64-v2,+avx2"));
  EXPECT_TRUE(plus.has("avx") && plus.has("avx2") && !plus.has("fma"));
  TargetSpec minus = orDie(TargetSpec::parse("x86-64-v3,-avx"));
  EXPECT_FALSE(minus.has("avx2") || minus.has("fma") || minus.has("f16c"));
  EXPECT_TRUE(minus.has("sse4.2") && minus.has("bmi2"));
}

TEST(TargetSpecTest, RecordsWhatParsesToTheSame) {
  for (StringRef text : {"native", "x86-64", "znver4", "sapphirerapids",
                         "x86-64-v3,+avxvnni,-bmi2", "bdver2"}) {
    TargetSpec spec = orDie(TargetSpec::parse(text));
    TargetSpec again = orDie(TargetSpec::parse(spec.text()));
    EXPECT_EQ(again.cpu, spec.cpu);
    EXPECT_EQ(again.features, spec.features);
    EXPECT_EQ(again.text(), spec.text());
    EXPECT_EQ(spec.text().find("native"), std::string::npos);
  }
  EXPECT_EQ(orDie(TargetSpec::parse("x86-64-v3")).text(), "x86-64-v3");
  EXPECT_EQ(orDie(TargetSpec::parse("x86-64-v3,-fma,+avxvnni,-bmi2")).text(),
            "x86-64-v3,-bmi2,-fma,+avxvnni");
}

TEST(TargetSpecTest, LeavesOutWhatTheRuntimeCannotCheck) {
  TargetSpec spec = orDie(TargetSpec::parse("bdver2")); // has fma4, xop, tbm
  EXPECT_FALSE(spec.has("xop"));
  EXPECT_NE(spec.llvmFeatures().find("-xop"), std::string::npos);
  EXPECT_NE(spec.llvmFeatures().find("+fma"), std::string::npos);
}

TEST(TargetSpecTest, NeedsOnlyFeaturesThatTheRuntimeKnows) {
  SmallVector<StringRef> cpus;
  X86::fillValidCPUArchList(cpus, /*Only64Bit=*/true);
  for (StringRef cpu : cpus) {
    std::string required = orDie(TargetSpec::parse(cpu)).required();
    EXPECT_EQ(lz::rt::missingCpuFeatures(required.c_str()).find("not known"),
              std::string::npos)
        << cpu.str();
  }
}

TEST(TargetSpecTest, NativeRunsHere) {
  std::string required = orDie(TargetSpec::parse("native")).required();
  EXPECT_EQ(lz::rt::missingCpuFeatures(required.c_str()), "");
}

TEST(TargetSpecTest, GivesFeaturesThatLlvmUnderstandsTheSameWay) {
  for (StringRef text : {"x86-64-v3", "sapphirerapids,-avx512fp16", "znver4"}) {
    TargetSpec spec = orDie(TargetSpec::parse(text));
    auto machine = orDie(createTargetMachine(spec));
    for (StringRef feature : {"avx2", "avx512f", "avx512fp16", "gfni"})
      EXPECT_EQ(
          machine->getMCSubtargetInfo()->checkFeatures(("+" + feature).str()),
          spec.has(feature))
          << text.str() << " " << feature.str();
  }
}

TEST(TargetSpecTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(
      errorOf("x86-65").rfind("unknown cpu 'x86-65'; known are native, ", 0),
      0u);
  EXPECT_NE(errorOf("").find("unknown cpu ''"), std::string::npos);
  EXPECT_NE(errorOf("i386").find("unknown cpu 'i386'"), std::string::npos);
  EXPECT_NE(errorOf("x86-64,+avx3").find("unknown cpu feature 'avx3'"),
            std::string::npos);
  EXPECT_NE(errorOf("x86-64,avx2").find("expected +feature or -feature"),
            std::string::npos);
  EXPECT_NE(errorOf("x86-64,").find("expected +feature"), std::string::npos);
  EXPECT_NE(errorOf("x86-64,-sse2").find("cannot be taken away"),
            std::string::npos);
}

} // namespace
