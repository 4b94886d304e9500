//===- Options.cpp - lz-run's command line --------------------------------===//

#include "Options.h"
#include "Files.h"
#include "runtime/cpu/Pool.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

using namespace lz::run;

static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

namespace {

/// Parses one command line.
class Parser {
public:
  explicit Parser(const std::vector<std::string> &arguments)
      : arguments(arguments) {}
  Options run();

private:
  using Action = std::function<void(const std::string &)>;

  bool flag(const std::string &name);
  bool valued(const std::string &name);
  bool repeated(const std::string &name);
  std::string value(const std::string &name);
  std::pair<std::string, std::string> pair(const std::string &name,
                                           const char *form);
  void inputs(const std::string &name, std::vector<std::string> &into);
  void outputs(const std::string &name);
  void range(const std::string &name);
  void dim(const std::string &name);
  void check() const;

  const std::vector<std::string> &arguments;
  size_t next = 0;
  bool hasAttached = false; // --name=value
  std::string attached;
  std::set<std::string> given; // options
  Options options;
};

/// An option that makes no sense beside another.
struct Conflict {
  const char *option, *other, *reason;
};

} // namespace

static constexpr Conflict kConflicts[] = {
    {"--dim", "--inputs", "it is for random inputs"},
    {"--range", "--inputs", "it is for random inputs"},
    {"--seed", "--inputs", "it is for random inputs"},
    {"--tolerance", "--rtol", "each is a rule of its own"},
    {"--tolerance", "--atol", "each is a rule of its own"},
};

/// What says how to compare, or where to report it.
static constexpr const char *kOfCompare[] = {"--tolerance", "--rtol", "--atol",
                                             "--junit"};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Reads all of `text`; strtod and its like would take a part, or blanks.
template <typename Number>
static bool parseNumber(const std::string &text, Number &number) {
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

static int64_t whole(const std::string &name, const std::string &text,
                     int64_t least, int64_t most) {
  int64_t number = 0;
  if (!parseNumber(text, number) || number < least || number > most)
    throw UsageError(name + " needs a whole number from " +
                     std::to_string(least) + " to " + std::to_string(most) +
                     ", not '" + text + "'");
  return number;
}

static double real(const std::string &name, const std::string &text) {
  double number = 0;
  if (!parseNumber(text, number) || !std::isfinite(number))
    throw UsageError(name + " needs a number, not '" + text + "'");
  return number;
}

/// A number that is not negative.
static double bound(const std::string &name, const std::string &text) {
  double number = real(name, text);
  if (number < 0)
    throw UsageError(name + " needs a number of at least 0, not '" + text +
                     "'");
  return number;
}

std::string Parser::value(const std::string &name) {
  bool isApart = !hasAttached && next != arguments.size();
  std::string text = hasAttached ? attached : isApart ? arguments[next++] : "";
  hasAttached = false;
  if (text.empty())
    throw UsageError(name + " needs a value");
  if (isApart && !text.compare(0, 2, "--"))
    throw UsageError(name + " needs a value, not the option " + text);
  return text;
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

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// One file or more.
void Parser::inputs(const std::string &name, std::vector<std::string> &into) {
  into.push_back(value(name));
  while (next != arguments.size() && namesTensors(arguments[next]))
    into.push_back(arguments[next++]);
}

void Parser::outputs(const std::string &name) {
  options.outputs = value(name);
  if (!endsWith(options.outputs, ".npz"))
    throw UsageError(name + " writes a .npz file; '" + options.outputs +
                     "' does not end in .npz");
}

void Parser::range(const std::string &name) {
  auto [input, text] = pair(name, "INPUT=LO:HI");
  size_t colon = text.find(':');
  if (colon == std::string::npos)
    throw UsageError(name + " needs INPUT=LO:HI, not '" + input + "=" + text +
                     "'");
  Range range = {real(name, text.substr(0, colon)),
                 real(name, text.substr(colon + 1))};
  if (range.lo > range.hi)
    throw UsageError(name + " needs LO of at most HI, not '" + text + "'");
  if (!options.ranges.emplace(input, range).second)
    throw UsageError(name + " " + input + " is given twice");
}

void Parser::dim(const std::string &name) {
  auto [symbol, text] = pair(name, "NAME=SIZE");
  int64_t size = whole(name + " " + symbol, text, 0, kNoLimit);
  if (!options.dims.emplace(symbol, size).second)
    throw UsageError(name + " " + symbol + " is given twice");
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
  given.insert(name);
  *found->second = true;
  return true;
}

/// Options whose values add up.
bool Parser::repeated(const std::string &name) {
  const std::map<std::string, Action> actions = {
      {"--inputs", [&](auto &n) { inputs(n, options.inputs); }},
      {"--compare", [&](auto &n) { inputs(n, options.references); }},
      {"--range", [&](auto &n) { range(n); }},
      {"--dim", [&](auto &n) { dim(n); }}};
  auto found = actions.find(name);
  if (found == actions.end())
    return false;
  given.insert(name);
  found->second(name);
  return true;
}

/// Options of one value.
bool Parser::valued(const std::string &name) {
  Tolerance &off = options.tolerance;
  const std::map<std::string, Action> actions = {
      {"--outputs", [&](auto &n) { outputs(n); }},
      {"--junit", [&](auto &n) { options.junit = value(n); }},
      {"--entry", [&](auto &n) { options.entry = value(n); }},
      {"--threads",
       [&](auto &n) {
         options.threads = whole(n, value(n), 1, lz::rt::kMaxThreads);
       }},
      {"--repeat",
       [&](auto &n) { options.repeat = whole(n, value(n), 0, kNoLimit); }},
      {"--seed",
       [&](auto &n) {
         options.seed = uint64_t(whole(n, value(n), 0, kNoLimit));
       }},
      {"--rtol", [&](auto &n) { off.rtol = bound(n, value(n)); }},
      {"--atol", [&](auto &n) { off.atol = bound(n, value(n)); }},
      {"--tolerance", [&](auto &n) { off.tolerance = bound(n, value(n)); }}};
  auto found = actions.find(name);
  if (found == actions.end())
    return false;
  if (!given.insert(name).second)
    throw UsageError(name + " is given twice");
  found->second(name);
  return true;
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

void Parser::check() const {
  if (options.help || options.version)
    return;
  if (options.model.empty())
    throw UsageError("no model is given");
  for (const std::string &option : given)
    if (options.info && option != "--info" && option != "--verify-weights")
      throw UsageError("--info runs nothing, so " + option +
                       " makes no sense beside it");
  for (const Conflict &conflict : kConflicts)
    if (given.count(conflict.option) && given.count(conflict.other))
      throw UsageError(std::string(conflict.option) +
                       " makes no sense beside " + conflict.other + ": " +
                       conflict.reason);
  for (const char *option : kOfCompare)
    if (given.count(option) && !given.count("--compare"))
      throw UsageError(std::string(option) +
                       " is for --compare, which is not given");
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
    if (name == "--input")
      name = "--inputs";
    if (!flag(name) && !repeated(name) && !valued(name))
      throw UsageError("there is no option " + name);
  }
  check();
  return options;
}

Options lz::run::parseOptions(const std::vector<std::string> &arguments) {
  return Parser(arguments).run();
}
