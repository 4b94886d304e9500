//===- lz-conformance.cpp - ONNX's backend tests --------------------------===//
//
// Runs the test data of the ONNX project: every model on its inputs, in several
// forms, each in a process of its own, and compares with the expected outputs.
// Prints a line for each failure and a closing line of counts.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Isolate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace lz;
using namespace llvm;

namespace {
/// What the command line says.
struct Options {
  std::vector<std::string> groups;
  std::vector<Form> forms;
  Mode mode = Mode::Eval;
  std::string filter;
  unsigned part = 1, whole = 1;
  unsigned jobs = 2, timeout = 60;
  bool verbose = false;
};

/// The counts, and what is printed on the way to them.
struct Report {
  unsigned passed = 0, failed = 0, skipped = 0;

  /// Counts one outcome. A failure with a `reason` was expected; a success with
  /// one is a failure of the list.
  void add(StringRef test, const Outcome &outcome, const std::string *reason,
           bool verbose);
};
} // namespace

void Report::add(StringRef test, const Outcome &outcome,
                 const std::string *reason, bool verbose) {
  bool isExpected = outcome.kind == Outcome::Failed && reason;
  if (outcome.kind == Outcome::Skipped || isExpected) {
    ++skipped;
    if (verbose)
      outs() << "SKIP " << test << ": "
             << (isExpected ? *reason
                            : StringRef(outcome.reason).split('\n').first.str())
             << "\n";
    return;
  }
  if (outcome.kind == Outcome::Passed && !reason) {
    ++passed;
    if (verbose)
      outs() << "PASS " << test << "\n";
    return;
  }
  ++failed;
  outs() << "FAIL " << test << ": "
         << (reason ? "passes, but is listed as failing: " + *reason
                    : StringRef(outcome.reason).split('\n').first.str())
         << "\n";
  outs().flush();
}

/// A test in one form, and why it may fail.
namespace {
struct Task {
  Case test;
  Form form;
  const std::string *reason;
};
} // namespace

static std::vector<Task> listTasks(StringRef data, const Options &options,
                                   const ExpectedFailures &expected) {
  std::vector<Task> tasks;
  for (const Case &test : findCases(data, options.groups)) {
    if (!StringRef(test.name).contains(options.filter) ||
        !isSampled(test.name, options.part, options.whole))
      continue;
    std::vector<std::string> operators = listOperators(test);
    for (Form form : options.forms)
      tasks.push_back({test, form, expected.find(test.name, form, operators)});
  }
  return tasks;
}

static Report runTasks(const std::vector<Task> &tasks,
                       const ExpectedFailures &expected,
                       const Options &options) {
  std::vector<std::function<Outcome()>> functions;
  functions.reserve(tasks.size());
  for (const Task &task : tasks)
    functions.push_back(
        [&] { return runCase(task.test, task.form, options.mode); });
  Report report;
  runIsolated(functions, options.jobs, options.timeout,
              [&](size_t i, const Outcome &outcome) {
                const Task &task = tasks[i];
                const std::string *reason = task.reason;
                if (outcome.kind == Outcome::Failed && !reason)
                  reason = expected.findError(outcome.reason, task.form);
                std::string test =
                    task.test.name + " (" + getName(task.form).str() + ")";
                report.add(test, outcome, reason, options.verbose);
              });
  return report;
}

/// Prints an error about the command line.
static int fail(const Twine &text) {
  errs() << "lz-conformance: " << text << "\n";
  return 2;
}

/// Reads `text`, two numbers as in 1/10.
static bool parseSample(StringRef text, Options &options) {
  auto [part, whole] = text.split('/');
  return !part.getAsInteger(10, options.part) &&
         !whole.getAsInteger(10, options.whole) && options.whole > 0;
}

int main(int argc, char **argv) {
  cl::opt<std::string> data(cl::Positional, cl::Required,
                            cl::desc("<folder of ONNX's backend test data>"));
  cl::list<std::string> groups(
      "group", cl::CommaSeparated,
      cl::desc("node, simple ... (default: all four)"));
  cl::list<std::string> forms(
      "form", cl::CommaSeparated,
      cl::desc("as-is, dynamic, initializers, O0 (default: all)"));
  cl::opt<Mode> mode(
      "mode", cl::desc("what runs the models"),
      cl::values(clEnumValN(Mode::Eval, "eval", "the reference evaluator"),
                 clEnumValN(Mode::Compiled, "compiled", "compiled artifacts")));
  cl::opt<std::string> filter("filter", cl::desc("only names that hold this"));
  cl::opt<std::string> sample("sample", cl::init("1/1"),
                              cl::desc("a part of the tests, as in 1/10"));
  cl::opt<std::string> list("expected-failures", cl::desc("<file>"));
  cl::opt<unsigned> jobs("j", cl::init(2), cl::desc("processes at a time"));
  cl::opt<unsigned> timeout("timeout", cl::init(60), cl::desc("seconds"));
  cl::opt<bool> verbose("v", cl::desc("print every outcome"));
  cl::ParseCommandLineOptions(argc, argv, "ONNX's backend tests\n");

  Options options;
  options.groups = groups;
  if (options.groups.empty())
    options.groups = {"node", "simple", "pytorch-converted",
                      "pytorch-operator"};
  for (const std::string &name : forms) {
    std::optional<Form> form = parseForm(name);
    if (!form)
      return fail("unknown form '" + name + "'");
    options.forms.push_back(*form);
  }
  if (options.forms.empty())
    options.forms = {Form::AsIs, Form::Dynamic, Form::Initializers, Form::O0};
  options.mode = mode;
  if (!parseSample(sample, options))
    return fail("--sample needs two numbers, as in 1/10");
  options.filter = filter;
  options.jobs = jobs;
  options.timeout = timeout;
  options.verbose = verbose;

  ExpectedFailures expected;
  if (!list.empty()) {
    auto read = ExpectedFailures::read(list);
    if (!read)
      return fail(toString(read.takeError()));
    expected = std::move(*read);
  }
  std::vector<Task> tasks = listTasks(data, options, expected);
  if (tasks.empty())
    return fail("no tests in '" + data + "'");
  Report report = runTasks(tasks, expected, options);
  outs() << report.passed << " passed, " << report.failed << " failed, "
         << report.skipped << " skipped\n";
  return report.failed == 0 ? 0 : 1;
}
