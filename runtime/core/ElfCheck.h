//===- ElfCheck.h - is a file safe to hand to dlopen ------------*- C++ -*-===//
//
// dlopen trusts its file: a truncated or foreign one can end the process. This
// reads the headers first, and refuses with a text whatever does not look like
// a whole artifact for this machine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lezero/lz.h"

namespace lz::rt {

/// Fails unless the file at `path` is a complete x86-64 shared object that
/// exports LZ_ARTIFACT_SYMBOL.
lz_status checkElf(const char *path);

} // namespace lz::rt
