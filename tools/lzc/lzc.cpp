//===- lzc.cpp - compile a model from the command line --------------------===//

#include "compiler/driver/Version.h"
#include "tools/lzc/Arguments.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static void clearProgress() {
  if (sys::Process::StandardErrIsDisplayed())
    errs() << "\r\033[K";
}

/// Shows on a terminal which stage runs, on one line.
static void showProgress(lz::Stage stage) {
  clearProgress();
  if (sys::Process::StandardErrIsDisplayed())
    errs() << lz::getStageName(stage) << " ...";
}

static void printTimes(const lz::CompileStats &facts) {
  double total = 0;
  for (const auto &[stage, seconds] : facts.seconds) {
    total += seconds;
    errs() << format("%9.3f s  ", seconds) << lz::getStageName(stage) << "\n";
  }
  errs() << format("%9.3f s  total\n", total);
}

static int compile(const lz::Arguments &arguments) {
  lz::CompileStats facts;
  auto report = [](StringRef text) {
    clearProgress();
    errs() << text << "\n";
  };
  bool done = lz::compile(arguments.input, arguments.output, arguments.options,
                          report, &facts);
  clearProgress();
  if (arguments.time)
    printTimes(facts);
  if (!done)
    return 1;
  if (arguments.statsJson)
    outs() << facts.toJson() << "\n";
  if (arguments.check)
    outs() << arguments.input << ": compiles\n";
  return 0;
}

int main(int argc, char **argv) {
  auto arguments = lz::parseArguments({argv + 1, argv + argc});
  if (!arguments) {
    errs() << "lzc: " << toString(arguments.takeError())
           << "; see lzc --help\n";
    return 2;
  }
  if (arguments->help)
    outs() << lz::getHelp();
  else if (arguments->version)
    outs() << lz::getProducer() << "\n";
  if (arguments->help || arguments->version)
    return 0;
  arguments->options.progress = showProgress;
  return compile(*arguments);
}
