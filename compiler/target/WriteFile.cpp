//===- WriteFile.cpp - files that are whole or not there ------------------===//

#include "compiler/target/WriteFile.h"

#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace lz;

Error lz::writeFile(StringRef path, function_ref<void(raw_ostream &)> fill) {
  std::error_code error;
  {
    raw_fd_ostream os(path, error);
    if (!error) {
      fill(os);
      os.flush();
      error = os.error();
      os.clear_error(); // or the stream ends the process
    }
  }
  if (!error)
    return Error::success();
  if (sys::fs::is_regular_file(path))
    (void)sys::fs::remove(path); // the first error is the one to tell
  return createStringError(error,
                           "cannot write '" + path + "': " + error.message());
}
