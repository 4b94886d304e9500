//===- Version.h - which LeZero this is -------------------------*- C++ -*-===//
#ifndef COMPILER_DRIVER_VERSION_H
#define COMPILER_DRIVER_VERSION_H

#include "llvm/ADT/StringRef.h"

namespace lz {

/// The compiler's name and version, "LeZero 1.2.3": what `lzc --version` prints
/// and artifacts state as their producer. The number is CMake's alone.
llvm::StringRef getProducer();

} // namespace lz

#endif // COMPILER_DRIVER_VERSION_H
