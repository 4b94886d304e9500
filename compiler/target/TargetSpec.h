//===- TargetSpec.h - the CPU an artifact is compiled for -------*- C++ -*-===//
//
// A target is a CPU name and the complete list of the features that generated
// code may use. It is read from `--cpu`, never from the build machine unless
// `native` asks for that, and even then it is spelled out, so that it can be
// recorded in the artifact and given again elsewhere.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace lz {

struct TargetSpec {
  /// LLVM's name of the CPU; it decides tuning and cache sizes.
  std::string cpu;

  /// The features that code may use, sorted; only such as the runtime can
  /// check for.
  std::vector<std::string> features;

  /// Reads `native`, or a CPU with changes: `x86-64-v3,+avxvnni,-fma`. A
  /// feature brings those it implies; taking one away takes what needs it too.
  /// A CPU's features that the runtime cannot check are left out.
  static llvm::Expected<TargetSpec> parse(llvm::StringRef text);

  /// The recorded form: the CPU and its changes, sorted. Parsing it gives the
  /// same target on any machine.
  std::string text() const;

  /// Every feature of the CPU with its sign, for LLVM: "+avx,+avx2,-ptwrite".
  std::string llvmFeatures() const;

  /// What a machine must have to run the code, in the runtime's names:
  /// "avx,avx2,fma". Features of every 64-bit CPU are not listed.
  std::string required() const;

  bool has(llvm::StringRef feature) const;
};

/// A position-independent x86-64 Linux code generator for `spec`.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetSpec &spec);

} // namespace lz
