//===- TemporaryFolder.h - a private folder that removes itself -*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace lz {

/// A new folder that only this user may enter. It is removed with all that is
/// in it when the object goes.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder &&other) : path(std::move(other.path)) {
    other.path.clear();
  }
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();

  /// Writes a file by `fill` and returns its path. A full disk is an error.
  llvm::Expected<std::string>
  write(llvm::StringRef name,
        llvm::function_ref<void(llvm::raw_ostream &)> fill) const;

  llvm::StringRef getPath() const { return path; }

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}
  std::string path;
};

} // namespace lz
