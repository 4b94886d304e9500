//===- X86Target.h - x86-64 CPUs --------------------------------*- C++ -*-===//
#ifndef TARGETS_X86_64_X86TARGET_H
#define TARGETS_X86_64_X86TARGET_H

#include "targets/CpuTarget.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lz::targets {

/// The description of `cpu` (an LLVM name: "x86-64-v3", "znver3") with its
/// features changed as in `features` ("+avx512f,-fma"). Unknown names are
/// errors.
llvm::Expected<CpuTarget> getX86Target(llvm::StringRef cpu,
                                       llvm::StringRef features);

} // namespace lz::targets

#endif // TARGETS_X86_64_X86TARGET_H
