//===- WriteFile.h - files that are whole or not there ----------*- C++ -*-===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace lz {

/// Writes the file `path`, or the standard output if that is "-", by `fill`. If
/// the disk is full, say, that is an error, and no part of a file is left.
llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> fill);

} // namespace lz
