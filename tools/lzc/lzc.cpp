//===- lzc.cpp - compile a model from the command line --------------------===//

#include "compiler/driver/Compiler.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

// lzc shows these options only: LLVM's own would bury them.
static cl::OptionCategory category("Options");

static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("model.onnx | stage.mlir"),
                                  cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Write the artifact here"),
                                   cl::value_desc("model.so"),
                                   cl::cat(category));
static cl::opt<std::string> target("target", cl::init("cpu"),
                                   cl::desc("What runs the artifact: cpu"),
                                   cl::value_desc("target"), cl::cat(category));
static cl::opt<std::string>
    cpu("cpu", cl::init("x86-64-v3"),
        cl::desc("The CPU: native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, or "
                 "a name LLVM knows, with +feature or -feature after commas"),
        cl::value_desc("cpu"), cl::cat(category));
static cl::list<std::string>
    dims("dim",
         cl::desc("Fix or bound a size: batch=1, seq=1..512; may be repeated"),
         cl::value_desc("name=value"), cl::cat(category));
static cl::opt<std::string>
    optLevel("opt-level", cl::init("O3"),
             cl::desc("O0 (each operation alone) to O3 (the default)"),
             cl::value_desc("level"), cl::cat(category));
static cl::opt<lz::EmitKind> emit(
    "emit", cl::init(lz::EmitKind::SharedLibrary), cl::desc("What to write:"),
    cl::values(clEnumValN(lz::EmitKind::SharedLibrary, "so",
                          "the shared library (the default)"),
               clEnumValN(lz::EmitKind::Object, "obj",
                          "one object file, weights included"),
               clEnumValN(lz::EmitKind::Mlir, "mlir",
                          "the module after the last stage"),
               clEnumValN(lz::EmitKind::Llvm, "llvm", "optimized LLVM IR")),
    cl::cat(category));
static cl::opt<std::string>
    stopAfter("stop-after",
              cl::desc("Stop after import, graph, freeze, fuse, schedule or "
                       "kernel, and print the module (or write it to -o)"),
              cl::value_desc("stage"), cl::cat(category));
static cl::opt<std::string>
    dumpDir("dump-dir",
            cl::desc("Write NN-stage.mlir after each stage, and the weights, "
                     "here; lzc goes on from any of them"),
            cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool>
    verify("verify",
           cl::desc("Evaluate the model around each pass and name the first "
                    "pass and operation that change a value"),
           cl::cat(category));
static cl::opt<bool> check("check",
                           cl::desc("Only say whether the model compiles"),
                           cl::cat(category));
static cl::opt<std::string> stats("stats",
                                  cl::desc("Print facts about the compilation "
                                           "on standard output: json"),
                                  cl::value_desc("format"), cl::cat(category));
static cl::opt<bool> time_("time", cl::desc("Print the time of each stage"),
                           cl::cat(category));

/// Prints an error of usage and returns the exit status for it.
static int usageError(const Twine &message) {
  errs() << "lzc: " << message << "; see lzc --help\n";
  return 2;
}

/// Shows on a terminal which stage runs, on one line.
static void showProgress(lz::Stage stage) {
  if (sys::Process::StandardErrIsDisplayed())
    errs() << "\r\033[K" << lz::getStageName(stage) << " ...";
}

static void clearProgress() {
  if (sys::Process::StandardErrIsDisplayed())
    errs() << "\r\033[K";
}

static void printTimes(const lz::CompileStats &facts) {
  double total = 0;
  for (const auto &[stage, seconds] : facts.seconds) {
    total += seconds;
    errs() << format("%9.3f s  ", seconds) << lz::getStageName(stage) << "\n";
  }
  errs() << format("%9.3f s  total\n", total);
}

/// Reads the options into `options`; a text says what is wrong with them.
static std::optional<std::string> readOptions(lz::CompileOptions &options) {
  if (target != "cpu")
    return "unknown target '" + target + "'; this build knows: cpu";
  auto spec = lz::TargetSpec::parse(cpu);
  if (!spec)
    return toString(spec.takeError());
  options.target = *spec;
  options.dims.assign(dims.begin(), dims.end());
  StringRef level = optLevel;
  if (!level.consume_front("O") || level.getAsInteger(10, options.optLevel) ||
      options.optLevel > 3)
    return "unknown level '" + optLevel + "'; O0, O1, O2 or O3 are known";
  options.emit = emit;
  if (!stopAfter.empty()) {
    options.stopAfter = lz::parseStage(stopAfter);
    if (!options.stopAfter)
      return "unknown stage '" + stopAfter + "'";
    if (*options.stopAfter != lz::Stage::Object)
      options.emit = lz::EmitKind::Mlir;
  }
  if (!stats.empty() && stats != "json")
    return "unknown format '" + stats + "' of --stats; json is known";
  options.dumpDir = dumpDir;
  options.verify = verify;
  options.progress = showProgress;
  return std::nullopt;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](raw_ostream &os) { os << "LeZero 0.1.0\n"; });
  cl::ParseCommandLineOptions(
      argc, argv,
      "LeZero's compiler: a neural network in, one shared library out\n\n"
      "  lzc model.onnx -o model.so\n"
      "  lzc model.onnx -o model.so --cpu=native --dim batch=1\n\n"
      "Run the artifact with lz-run, or load it with lezero.hpp.\n");
  lz::CompileOptions options;
  if (std::optional<std::string> problem = readOptions(options))
    return usageError(*problem);
  std::string path = output;
  bool toTerminal = path.empty() && options.emit == lz::EmitKind::Mlir;
  if (toTerminal)
    path = "-";
  if (path.empty() && !check)
    return usageError("no output; give -o FILE, or --check");
  if (check)
    path.clear();

  lz::CompileStats facts;
  bool done = lz::compile(
      input, path, options,
      [](StringRef text) {
        clearProgress();
        errs() << text << "\n";
      },
      &facts);
  clearProgress();
  if (time_)
    printTimes(facts);
  if (!done)
    return 1;
  if (stats == "json")
    outs() << facts.toJson() << "\n";
  if (check)
    outs() << input << ": compiles\n";
  return 0;
}
