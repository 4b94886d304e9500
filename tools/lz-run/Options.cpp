//===- Options.cpp - lz-run's command line --------------------------------===//

#include "Options.h"
#include "Files.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <functional>

using namespace lz::run;

const char *lz::run::helpText() {
  return R"(usage: lz-run MODEL.so [options]

Runs a compiled model on the CPU: times it, profiles it, compares its outputs.

Inputs (seeded random values if none are given)
  --inputs FILE...      in.npz, whose members are named as the inputs are; or
                        NAME=x.npy, NAME=x.pb, x.pb (ONNX TensorProto, which
                        carries its name)
  --seed N              of the random values (default 0)
  --dim NAME=SIZE       a free size of the random inputs (default: 1, or the
                        nearest that the model takes)
  --range INPUT=LO:HI   random values in [LO, HI) for floats (default -1:1),
                        LO..HI for whole numbers (default 0:1)
  --entry NAME          the entry to run (default: the first)

Outputs
  --outputs FILE.npz    writes the outputs
  --compare FILE...     compares the outputs with those in ref.npz, or in files
                        as for --inputs; exit status 3 if one is off
  --tolerance T         floats may be off by T * max|reference| + 1e-6 (default
                        1e-4), whole numbers by one in 1 % of the elements
  --rtol R, --atol A    instead, each number may be off by A + R * |reference|

Running
  --threads N           threads to use (default: all that the process may use)
  --repeat R            after the first run, R more that are timed (default 0)
  --time                prints the times
  --profile             prints the time of each kernel, with its nodes
  --json                prints one JSON object as the last line: load_ms,
                        first_ms, latency_ms {min, median, max}, peak_bytes,
                        memory_class, rss_mb, threads, outputs [{name, type,
                        shape, sha256}]

Else
  --info                describes the model and runs nothing
  --verify-weights      checks the SHA-256 of a weights file beside the model
  --help, --version

The exit status is 0 if all went well, 1 for an error in the model, its inputs or
its run, 2 for a wrong command line, 3 if a comparison failed.
)";
}

namespace {

/// Parses one command line.
class Parser {
public:
  explicit Parser(const std::vector<std::string> &arguments)
      : arguments(arguments) {}
  Options run();

private:
  bool flag(const std::string &name);
  bool valued(const std::string &name);
  std::string value(const std::string &name);
  int64_t whole(const std::string &name, const std::string &text,
                int64_t least) const;
  double real(const std::string &name, const std::string &text) const;
  std::pair<std::string, std::string> pair(const std::string &name,
                                           const char *form);
  void inputs(const std::string &name, std::vector<std::string> &into);
  void range(const std::string &name);
  void dim(const std::string &name);
  void check() const;

  const std::vector<std::string> &arguments;
  size_t next = 0;
  bool hasAttached = false; // --name=value
  std::string attached;
  Options options;
};

} // namespace

std::string Parser::value(const std::string &name) {
  if (hasAttached) {
    hasAttached = false;
    return attached;
  }
  if (next == arguments.size())
    throw UsageError(name + " needs a value");
  return arguments[next++];
}

int64_t Parser::whole(const std::string &name, const std::string &text,
                      int64_t least) const {
  char *end = nullptr;
  errno = 0;
  long long parsed = strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno || parsed < least)
    throw UsageError(name + " needs a whole number of at least " +
                     std::to_string(least) + ", not '" + text + "'");
  return parsed;
}

double Parser::real(const std::string &name, const std::string &text) const {
  char *end = nullptr;
  double parsed = strtod(text.c_str(), &end);
  if (text.empty() || *end || !std::isfinite(parsed))
    throw UsageError(name + " needs a number, not '" + text + "'");
  return parsed;
}

/// A value "key=rest".
std::pair<std::string, std::string> Parser::pair(const std::string &name,
                                                 const char *form) {
  std::string text = value(name);
  size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(name + " needs " + form + ", not '" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// True for what can only be a file of tensors, and not the model.
static bool namesTensors(const std::string &argument) {
  return argument.compare(0, 2, "--") &&
         (argument.find('=') != std::string::npos ||
          endsWith(argument, ".npz") || endsWith(argument, ".pb") ||
          endsWith(argument, ".npy"));
}

/// One file or more.
void Parser::inputs(const std::string &name, std::vector<std::string> &into) {
  into.push_back(value(name));
  while (next != arguments.size() && namesTensors(arguments[next]))
    into.push_back(arguments[next++]);
}

void Parser::range(const std::string &name) {
  auto [input, text] = pair(name, "INPUT=LO:HI");
  size_t colon = text.find(':');
  if (colon == std::string::npos)
    throw UsageError(name + " needs INPUT=LO:HI, not '" + input + "=" + text +
                     "'");
  options.ranges[input] = {real(name, text.substr(0, colon)),
                           real(name, text.substr(colon + 1))};
}

void Parser::dim(const std::string &name) {
  auto [symbol, text] = pair(name, "NAME=SIZE");
  options.dims[symbol] = whole(name + " " + symbol, text, 0);
}

bool Parser::flag(const std::string &name) {
  const std::map<std::string, bool *> flags = {
      {"--json", &options.json},
      {"--time", &options.time},
      {"--profile", &options.profile},
      {"--info", &options.info},
      {"--verify-weights", &options.verifyWeights},
      {"--help", &options.help},
      {"-h", &options.help},
      {"--version", &options.version}};
  auto found = flags.find(name);
  if (found == flags.end())
    return false;
  if (hasAttached)
    throw UsageError(name + " takes no value");
  *found->second = true;
  return true;
}

bool Parser::valued(const std::string &name) {
  using Action = std::function<void()>;
  const std::map<std::string, Action> actions = {
      {"--inputs", [&] { inputs(name, options.inputs); }},
      {"--input", [&] { inputs(name, options.inputs); }},
      {"--compare", [&] { inputs(name, options.references); }},
      {"--outputs", [&] { options.outputs = value(name); }},
      {"--entry", [&] { options.entry = value(name); }},
      {"--range", [&] { range(name); }},
      {"--dim", [&] { dim(name); }},
      {"--threads", [&] { options.threads = whole(name, value(name), 1); }},
      {"--repeat", [&] { options.repeat = whole(name, value(name), 0); }},
      {"--seed", [&] { options.seed = uint64_t(whole(name, value(name), 0)); }},
      {"--rtol", [&] { options.tolerance.rtol = real(name, value(name)); }},
      {"--atol", [&] { options.tolerance.atol = real(name, value(name)); }},
      {"--tolerance",
       [&] { options.tolerance.tolerance = real(name, value(name)); }}};
  auto found = actions.find(name);
  if (found == actions.end())
    return false;
  found->second();
  return true;
}

void Parser::check() const {
  if (options.help || options.version)
    return;
  if (options.model.empty())
    throw UsageError("no model is given");
  if (!options.inputs.empty() &&
      (!options.dims.empty() || !options.ranges.empty()))
    throw UsageError("--dim and --range are for random inputs, but --inputs "
                     "is given");
}

Options Parser::run() {
  while (next != arguments.size()) {
    std::string argument = arguments[next++];
    if (argument.size() < 2 || argument[0] != '-') {
      if (!options.model.empty())
        throw UsageError("'" + argument + "' is too much: the model is '" +
                         options.model + "'");
      options.model = argument;
      continue;
    }
    size_t equals = argument.find('=');
    hasAttached = equals != std::string::npos;
    attached = hasAttached ? argument.substr(equals + 1) : "";
    std::string name = argument.substr(0, equals);
    if (!flag(name) && !valued(name))
      throw UsageError("there is no option " + name);
  }
  check();
  return options;
}

Options lz::run::parseOptions(const std::vector<std::string> &arguments) {
  return Parser(arguments).run();
}
