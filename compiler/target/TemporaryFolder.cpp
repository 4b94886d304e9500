//===- TemporaryFolder.cpp - a private folder that removes itself ---------===//

#include "compiler/target/TemporaryFolder.h"

#include "compiler/target/WriteFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstdlib>

using namespace llvm;
using namespace lz;

Expected<TemporaryFolder> TemporaryFolder::create() {
  SmallString<128> path;
  sys::path::system_temp_directory(/*erasedOnReboot=*/true, path);
  sys::path::append(path, "lezero-XXXXXX");
  if (!mkdtemp(const_cast<char *>(path.c_str()))) // mode 0700
    return createStringError(std::error_code(errno, std::generic_category()),
                             "cannot make a temporary folder '" + path + "'");
  return TemporaryFolder(std::string(path));
}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    (void)sys::fs::remove_directories(path); // nobody is left to tell
}

Expected<std::string>
TemporaryFolder::write(StringRef name,
                       function_ref<void(raw_ostream &)> fill) const {
  SmallString<128> file(path);
  sys::path::append(file, name);
  if (Error error = writeFile(file, fill))
    return std::move(error);
  return std::string(file);
}
