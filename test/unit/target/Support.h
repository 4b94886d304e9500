//===- Support.h - what the target's tests share ----------------*- C++ -*-===//
#pragma once

#include "compiler/target/Codegen.h"
#include "compiler/target/TargetSpec.h"
#include "compiler/target/TemporaryFolder.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

#include <dlfcn.h>

/// Unwraps an Expected in a test; a failure ends the process with the text.
template <typename T> T orDie(llvm::Expected<T> value) {
  if (!value)
    llvm::report_fatal_error(value.takeError());
  return std::move(*value);
}

/// Parses `text` as a module for x86-64-v3.
struct TestModule {
  explicit TestModule(llvm::StringRef text, llvm::StringRef cpu = "x86-64-v3")
      : machine(
            orDie(lz::createTargetMachine(orDie(lz::TargetSpec::parse(cpu))))) {
    llvm::SMDiagnostic error;
    module = llvm::parseAssemblyString(text, error, context);
    if (!module)
      llvm::report_fatal_error(error.getMessage());
    lz::setTarget(*module, *machine);
  }

  llvm::SmallVector<char, 0> emit() {
    return orDie(lz::emitObject(*module, *machine));
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

inline std::string writeFile(const lz::TemporaryFolder &folder,
                             llvm::StringRef name, llvm::ArrayRef<char> bytes) {
  return orDie(folder.write(name, [&](llvm::raw_ostream &os) {
    os.write(bytes.data(), bytes.size());
  }));
}

inline std::string readFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}
