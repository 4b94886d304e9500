//===- CpuFeatures.h - what this CPU can do ---------------------*- C++ -*-===//
//
// Artifacts name the features that their code uses by LLVM's names. This asks
// cpuid, and the operating system's part of it, before any of that code runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace lz::rt {

/// The members of the comma-separated list `features` that this CPU does not
/// have, or that are not known, joined by ", "; empty if all are there.
std::string missingCpuFeatures(const char *features);

} // namespace lz::rt
