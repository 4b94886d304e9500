//===- LinkTest.cpp - from LLVM IR to a library that loads ----------------===//

#include "Support.h"

#include "compiler/target/ElfData.h"
#include "compiler/target/Kernels.h"
#include "compiler/target/Link.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"

#include <cmath>
#include <cstring>

using namespace llvm;
using namespace lz;

namespace lz {
std::vector<StringRef> getAllKernels();
} // namespace lz

namespace {

constexpr StringLiteral kAdd = R"(
@weights = external hidden constant i8
declare float @expf(float)
define i32 @helper(i32 %x) noinline {
  %y = add i32 %x, 1
  ret i32 %y
}
define ptr @answer(i32 %x) {
  %y = call i32 @helper(i32 %x)
  %p = getelementptr i8, ptr @weights, i32 %y
  ret ptr %p
})";

/// Compiles kAdd with a weights object into `output`.
void buildAdd(const TemporaryFolder &folder, StringRef output) {
  TestModule test(kAdd);
  std::string code = writeFile(folder, "code.o", test.emit());
  std::string bytes(5000, 'w');
  DataBlock block;
  block.append(ArrayRef(bytes.data(), 3));
  EXPECT_EQ(block.append(ArrayRef(bytes.data(), 5000)), 64u);
  EXPECT_EQ(block.size(), 5064u);
  std::string weights = orDie(folder.write("weights.o", [&](raw_ostream &os) {
    writeElfData(os, "weights", block);
  }));
  EXPECT_FALSE(errorToBool(linkShared({code, weights}, "answer", output)));
}

/// The names a library exports, and the libraries it needs.
struct Dynamic {
  std::vector<std::string> exports, needed;
  std::string soname;
};
Dynamic dynamicOf(StringRef path) {
  auto buffer = cantFail(errorOrToExpected(MemoryBuffer::getFile(path)));
  auto file = cantFail(object::ELFObjectFile<object::ELF64LE>::create(
      buffer->getMemBufferRef()));
  Dynamic result;
  StringRef names;
  for (auto symbol : file.getDynamicSymbolIterators())
    if (!(cantFail(symbol.getFlags()) & object::SymbolRef::SF_Undefined))
      result.exports.push_back(cantFail(symbol.getName()).str());
  auto entries = cantFail(file.getELFFile().dynamicEntries());
  for (const auto &entry : entries)
    if (entry.d_tag == ELF::DT_STRTAB)
      names = reinterpret_cast<const char *>(
          cantFail(file.getELFFile().toMappedAddr(entry.d_un.d_ptr)));
  const char *base = names.data();
  for (const auto &entry : entries) {
    if (entry.d_tag == ELF::DT_NEEDED)
      result.needed.push_back(base + entry.d_un.d_val);
    if (entry.d_tag == ELF::DT_SONAME)
      result.soname = base + entry.d_un.d_val;
  }
  return result;
}

TEST(LinkTest, ExportsOneSymbolAndNeedsNothingUnused) {
  TemporaryFolder folder = orDie(TemporaryFolder::create());
  std::string output = (folder.getPath() + "/add.so").str();
  buildAdd(folder, output);
  Dynamic dynamic = dynamicOf(output);
  EXPECT_EQ(dynamic.exports, std::vector<std::string>{"answer"});
  EXPECT_TRUE(dynamic.needed.empty());
  EXPECT_EQ(dynamic.soname, "add.so");
}

TEST(LinkTest, MapsThePageAlignedWeights) {
  TemporaryFolder folder = orDie(TemporaryFolder::create());
  std::string output = (folder.getPath() + "/add.so").str();
  buildAdd(folder, output);
  void *library = dlopen(output.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  auto answer =
      reinterpret_cast<const char *(*)(int)>(dlsym(library, "answer"));
  const char *weights = answer(-1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(weights) % 4096, 0u);
  EXPECT_EQ(std::string(weights, 5), std::string("www\0\0", 5));
  EXPECT_EQ(weights[64], 'w');
  EXPECT_EQ(answer(5062)[0], 'w');
  dlclose(library);
}

TEST(LinkTest, GivesTheSameBytesInAnyFolder) {
  TemporaryFolder one = orDie(TemporaryFolder::create());
  TemporaryFolder two = orDie(TemporaryFolder::create());
  buildAdd(one, (one.getPath() + "/add.so").str());
  buildAdd(two, (two.getPath() + "/add.so").str());
  std::string bytes = readFile((one.getPath() + "/add.so").str());
  EXPECT_FALSE(bytes.empty());
  EXPECT_EQ(bytes, readFile((two.getPath() + "/add.so").str()));
}

TEST(LinkTest, NamesWhatIsUndefinedAndLeavesNoFile) {
  TemporaryFolder folder = orDie(TemporaryFolder::create());
  TestModule test("declare void @missing()\n"
                  "define void @f() { call void @missing() ret void }");
  std::string code = writeFile(folder, "code.o", test.emit());
  std::string output = (folder.getPath() + "/bad.so").str();
  std::string error = toString(linkShared({code}, "f", output));
  EXPECT_NE(error.find("undefined symbol: missing"), std::string::npos);
  EXPECT_FALSE(sys::fs::exists(output));
  EXPECT_TRUE(errorToBool(
      linkShared({code}, "f", (folder.getPath() + "/no/such.so").str())));
}

TEST(LinkTest, RemovesItsTemporaryFolder) {
  std::string path;
  {
    TemporaryFolder folder = orDie(TemporaryFolder::create());
    path = folder.getPath().str();
    writeFile(folder, "file", {'x'});
    sys::fs::file_status status;
    EXPECT_FALSE(sys::fs::status(path, status));
    EXPECT_EQ(status.permissions(), sys::fs::owner_all);
  }
  EXPECT_FALSE(sys::fs::exists(path));
}

TEST(CodegenTest, RefusesMalformedIr) {
  TestModule test("define i32 @f() { ret i32 0 }");
  test.module->getFunction("f")->front().back().eraseFromParent();
  auto object = emitObject(*test.module, *test.machine);
  ASSERT_FALSE(object);
  EXPECT_NE(toString(object.takeError()).find("malformed LLVM IR"),
            std::string::npos);
}

TEST(KernelsTest, InlinesAndVectorisesMath) {
  TestModule test(R"(
declare float @lz_exp_f32(float)
define void @run(ptr %in, ptr noalias %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %a = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %a
  %y = call float @lz_exp_f32(float %x)
  %b = getelementptr float, ptr %out, i64 %i
  store float %y, ptr %b
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
})");
  ASSERT_FALSE(errorToBool(linkKernels(*test.module)));
  TemporaryFolder folder = orDie(TemporaryFolder::create());
  std::string code = writeFile(folder, "code.o", test.emit());
  std::string ir;
  raw_string_ostream(ir) << *test.module;
  EXPECT_NE(ir.find("<8 x float>"), std::string::npos);
  EXPECT_EQ(ir.find("lz_exp_f32"), std::string::npos);

  std::string output = (folder.getPath() + "/exp.so").str();
  ASSERT_FALSE(errorToBool(linkShared({code}, "run", output)));
  EXPECT_TRUE(dynamicOf(output).needed.empty());
}

/// Declares in `module` the functions of all kernels.
SmallVector<Constant *> declareAllKernels(Module &module) {
  SmallVector<Constant *> functions;
  for (StringRef bitcode : getAllKernels()) {
    auto kernels = orDie(getLazyBitcodeModule(
        MemoryBufferRef(bitcode, "kernels"), module.getContext()));
    for (Function &function : *kernels)
      if (!function.isDeclaration() && function.hasExternalLinkage())
        functions.push_back(
            cast<Constant>(module
                               .getOrInsertFunction(function.getName(),
                                                    function.getFunctionType())
                               .getCallee()));
  }
  return functions;
}

/// The oldest CPU calls the most: fused products, roundings, float formats.
TEST(KernelsTest, AllNeedOnlyTheCAndMathLibraries) {
  TestModule test("", "x86-64");
  SmallVector<Constant *> functions = declareAllKernels(*test.module);
  ASSERT_GE(functions.size(), 100u);
  auto *type = ArrayType::get(functions[0]->getType(), functions.size());
  new GlobalVariable(*test.module, type, true, GlobalValue::ExternalLinkage,
                     ConstantArray::get(type, functions), "all");
  ASSERT_FALSE(errorToBool(linkKernels(*test.module)));
  TemporaryFolder folder = orDie(TemporaryFolder::create());
  std::string code = writeFile(folder, "code.o", test.emit());
  std::string output = (folder.getPath() + "/all.so").str();
  EXPECT_EQ(toString(linkShared({code}, "all", output)), "");
  EXPECT_EQ(dynamicOf(output).exports, std::vector<std::string>{"all"});
}

TEST(KernelsTest, TakesLibmFromTheSystem) {
  TestModule test("declare float @atanf(float)\n"
                  "define float @run(float %x) {\n"
                  "  %y = call float @atanf(float %x)\n  ret float %y\n}");
  TemporaryFolder folder = orDie(TemporaryFolder::create());
  std::string code = writeFile(folder, "code.o", test.emit());
  std::string output = (folder.getPath() + "/atan.so").str();
  ASSERT_FALSE(errorToBool(linkShared({code}, "run", output)));
  EXPECT_EQ(dynamicOf(output).needed, std::vector<std::string>{"libm.so.6"});
  void *library = dlopen(output.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  auto run = reinterpret_cast<float (*)(float)>(dlsym(library, "run"));
  EXPECT_EQ(run(0.5f), std::atan(0.5f));
  dlclose(library);
}

} // namespace
