//===- Arguments.h - lzc's command line -------------------------*- C++ -*-===//
//
// Not llvm::cl: its options are global, LLVM's own among them (`--stop-after`
// is one), and lld resets them all.
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_LZC_ARGUMENTS_H
#define TOOLS_LZC_ARGUMENTS_H

#include "compiler/driver/Compiler.h"

#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace lz {

struct Arguments {
  std::string input;
  std::string output; // empty: none
  CompileOptions options;
  bool check = false, time = false, statsJson = false;
  bool help = false, version = false;
  llvm::StringSet<> given; // options, by name
};

/// Reads the command line without the program's name. An error says what is
/// wrong with it.
llvm::Expected<Arguments> parseArguments(const std::vector<std::string> &line);

/// What `--help` prints.
std::string getHelp();

} // namespace lz

#endif // TOOLS_LZC_ARGUMENTS_H
