//===- Arguments.cpp - lzc's command line ---------------------------------===//

#include "tools/lzc/Arguments.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace lz;

static Error problem(const Twine &text) { return createStringError(text); }

//===----------------------------------------------------------------------===//
// One function an option
//===----------------------------------------------------------------------===//

static Error setOutput(Arguments &arguments, StringRef value) {
  arguments.output = value.str();
  return Error::success();
}

static Error setTarget(Arguments &, StringRef value) {
  if (value == "cpu")
    return Error::success();
  return problem("unknown target '" + value + "'; this build knows: cpu");
}

static Error setCpu(Arguments &arguments, StringRef value) {
  auto target = TargetSpec::parse(value);
  if (!target)
    return target.takeError();
  arguments.options.target = *target;
  return Error::success();
}

static Error addDim(Arguments &arguments, StringRef value) {
  arguments.options.dims.push_back(value.str());
  return Error::success();
}

static Error setLevel(Arguments &arguments, StringRef value) {
  StringRef digits = value;
  digits.consume_front("O");
  unsigned level;
  if (digits.getAsInteger(10, level) || level > 3)
    return problem("unknown level '" + value + "'; O0, O1, O2, O3 are known");
  arguments.options.optLevel = level;
  return Error::success();
}

static Error setEmit(Arguments &arguments, StringRef value) {
  auto kind = StringSwitch<std::optional<EmitKind>>(value)
                  .Case("so", EmitKind::SharedLibrary)
                  .Case("obj", EmitKind::Object)
                  .Case("mlir", EmitKind::Mlir)
                  .Case("llvm", EmitKind::Llvm)
                  .Default(std::nullopt);
  if (!kind)
    return problem("can't emit '" + value + "'; so, obj, mlir, llvm are known");
  arguments.options.emit = *kind;
  return Error::success();
}

static Error setWeights(Arguments &arguments, StringRef value) {
  auto place = StringSwitch<std::optional<WeightsPlace>>(value)
                   .Case("inside", WeightsPlace::Inside)
                   .Case("external", WeightsPlace::External)
                   .Default(std::nullopt);
  if (!place)
    return problem("can't put weights '" + value +
                   "'; inside, external are known");
  arguments.options.weights = *place;
  return Error::success();
}

static Error setStopAfter(Arguments &arguments, StringRef value) {
  arguments.options.stopAfter = parseStage(value);
  if (!arguments.options.stopAfter)
    return problem("unknown stage '" + value +
                   "'; import, graph, freeze, remat, fuse, schedule, kernel, "
                   "object are known");
  return Error::success();
}

static Error setDumpDir(Arguments &arguments, StringRef value) {
  arguments.options.dumpDir = value.str();
  return Error::success();
}

static Error setStats(Arguments &arguments, StringRef value) {
  if (value != "json")
    return problem("unknown format '" + value + "' of --stats; json is known");
  arguments.statsJson = true;
  return Error::success();
}

static Error setVerify(Arguments &arguments, StringRef) {
  arguments.options.verify = true;
  return Error::success();
}

static Error setCheck(Arguments &arguments, StringRef) {
  arguments.check = true;
  return Error::success();
}

static Error setTime(Arguments &arguments, StringRef) {
  arguments.time = true;
  return Error::success();
}

static Error setHelp(Arguments &arguments, StringRef) {
  arguments.help = true;
  return Error::success();
}

static Error setVersion(Arguments &arguments, StringRef) {
  arguments.version = true;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

struct Option {
  StringRef name;
  StringRef value; // what stands after the name; empty: nothing
  StringRef help;
  Error (*set)(Arguments &, StringRef);
};

} // namespace

static constexpr Option kOptions[] = {
    {"-o", "FILE", "write the artifact here", setOutput},
    {"--target", "cpu", "what runs the artifact", setTarget},
    {"--cpu", "CPU",
     "native, x86-64, x86-64-v2, x86-64-v3 (the default), x86-64-v4, or\n"
     "a name LLVM knows, with changes: x86-64-v3,+avxvnni,-fma",
     setCpu},
    {"--dim", "NAME=N", "fix a size, or bound it (seq=1..512); may be repeated",
     addDim},
    {"--opt-level", "LEVEL", "O0 (each operation alone) to O3 (the default)",
     setLevel},
    {"--emit", "KIND",
     "so (the default), obj (one object, weights included), mlir\n"
     "(the module after the last stage), llvm (optimized IR)",
     setEmit},
    {"--weights", "PLACE",
     "inside the artifact, or external: in a file of its name with .lzw,\n"
     "which must stay beside it (the default beyond 1 GiB)",
     setWeights},
    {"--stop-after", "STAGE",
     "stop after import, graph, freeze, remat, fuse, schedule or kernel,\n"
     "and print the module, or write it to -o",
     setStopAfter},
    {"--dump-dir", "FOLDER",
     "write NN-stage.mlir after each stage, and the weights; lzc goes\n"
     "on from any of these files",
     setDumpDir},
    {"--verify", "",
     "evaluate the model around each pass and name the first pass and\n"
     "operation that change a value",
     setVerify},
    {"--check", "", "only say whether the model compiles", setCheck},
    {"--stats", "json", "print facts about the compilation", setStats},
    {"--time", "", "print the time of each stage", setTime},
    {"--help", "", "print this", setHelp},
    {"--version", "", "print the version", setVersion},
};

std::string lz::getHelp() {
  std::string text;
  raw_string_ostream os(text);
  os << "LeZero's compiler: a neural network in, one shared library out.\n\n"
        "usage: lzc MODEL.onnx -o MODEL.so [options]\n"
        "       lzc NN-STAGE.mlir -o MODEL.so [options]\n\noptions:\n";
  for (const Option &option : kOptions) {
    std::string left = option.name.str();
    if (!option.value.empty())
      left += (option.name == "-o" ? " " : "=") + option.value.str();
    SmallVector<StringRef> lines;
    option.help.split(lines, '\n');
    os << "  " << left_justify(left, 20) << " " << lines.front() << "\n";
    for (StringRef line : drop_begin(lines))
      os << std::string(23, ' ') << line << "\n";
  }
  os << "\nexit status: 0 done, 1 the model can't be compiled, 2 wrong "
        "arguments\n\nexamples:\n"
        "  lzc resnet50.onnx -o resnet50.so --cpu=native --dim batch=1\n"
        "  lzc bert.onnx --stop-after=fuse | less\n";
  return text;
}

static const Option *findOption(StringRef name) {
  for (const Option &option : kOptions)
    if (option.name == name)
      return &option;
  return nullptr;
}

/// The value of `option` at `index`, which moves over one that stands apart.
static Expected<StringRef> readValue(const std::vector<std::string> &line,
                                     size_t &index, const Option &option) {
  StringRef value = StringRef(line[index]).split('=').second;
  bool isAttached = StringRef(line[index]).contains('=');
  if (option.value.empty()) {
    if (isAttached)
      return problem("option '" + option.name + "' takes no value");
    return value;
  }
  if (!isAttached && index + 1 != line.size())
    value = line[++index];
  if (value.empty())
    return problem("option '" + option.name +
                   "' needs a value: " + option.value);
  if (!isAttached && findOption(value.split('=').first))
    return problem("option '" + option.name + "' needs a value: " +
                   option.value + ", not the option '" + value + "'");
  return value;
}

/// Reads the option at `index`, which moves over a value that stands apart.
static Error parseOption(const std::vector<std::string> &line, size_t &index,
                         Arguments &arguments) {
  StringRef name = StringRef(line[index]).split('=').first;
  const Option *option = findOption(name);
  if (!option)
    return problem("unknown option '" + name + "'");
  Expected<StringRef> value = readValue(line, index, *option);
  if (!value)
    return value.takeError();
  bool isNew = arguments.given.insert(name).second;
  if (!isNew && !option->value.empty() && name != "--dim")
    return problem("option '" + name + "' is given twice");
  return option->set(arguments, *value);
}

/// True if no artifact is made, but the module after a stage.
static bool stopsEarly(const CompileOptions &options) {
  return options.stopAfter && *options.stopAfter != Stage::Object;
}

/// Options that contradict each other.
static Error checkConflicts(const Arguments &arguments) {
  const CompileOptions &options = arguments.options;
  if (arguments.check && arguments.given.contains("-o"))
    return problem("--check writes nothing, so -o makes no sense beside it");
  if (stopsEarly(options) && arguments.given.contains("--emit") &&
      options.emit != EmitKind::Mlir)
    return problem("--stop-after=" + getStageName(*options.stopAfter) +
                   " gives a module, so --emit can only be mlir");
  return Error::success();
}

/// Looks at the arguments as a whole, and adds what follows from them.
static Error finish(Arguments &arguments) {
  CompileOptions &options = arguments.options;
  if (arguments.input.empty())
    return problem("no input");
  if (Error error = checkDims(options.dims))
    return problem("--dim: " + toString(std::move(error)));
  if (Error error = checkConflicts(arguments))
    return error;
  if (stopsEarly(options))
    options.emit = EmitKind::Mlir;
  if (arguments.check || !arguments.output.empty())
    return Error::success();
  if (options.emit != EmitKind::Mlir)
    return problem("no output; give -o FILE, or --check");
  arguments.output = "-"; // text, for people
  return Error::success();
}

Expected<Arguments> lz::parseArguments(const std::vector<std::string> &line) {
  Arguments arguments;
  if (Error error = setCpu(arguments, "x86-64-v3"))
    return std::move(error);
  for (size_t index = 0; index != line.size(); ++index) {
    StringRef word = line[index];
    if (word.size() > 1 && word.starts_with("-")) {
      if (Error error = parseOption(line, index, arguments))
        return std::move(error);
    } else if (arguments.input.empty()) {
      arguments.input = word.str();
    } else {
      return problem("more than one input: '" + arguments.input + "' and '" +
                     word + "'");
    }
  }
  if (arguments.help || arguments.version)
    return arguments;
  if (Error error = finish(arguments))
    return std::move(error);
  return arguments;
}
