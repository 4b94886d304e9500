//===- Tool.cpp - lz-run as a function ------------------------------------===//

#include "Tool.h"
#include "Elements.h"
#include "Files.h"
#include "JUnit.h"
#include "Report.h"

#include <algorithm>
#include <chrono>
#include <new>

using namespace lz;
using namespace lz::run;

/// Seconds since `start`.
static double secondsSince(std::chrono::steady_clock::time_point start) {
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - start;
  return passed.count();
}

/// The reference must not hold what the model doesn't give.
static void checkNames(const std::map<std::string, FileTensor> &references,
                       const Results &results) {
  std::string names;
  for (const NamedTensor &output : results.outputs)
    names += (names.empty() ? "'" : ", '") + output.name + "'";
  for (auto &[name, reference] : references)
    if (std::none_of(results.outputs.begin(), results.outputs.end(),
                     [&, &name = name](auto &o) { return o.name == name; }))
      throw Failure(reference.source +
                    ": the model has no such output; it has " + names);
}

/// Compares each output that the reference has.
static std::vector<TestCase> compareOutputs(const Options &options,
                                            const Results &results) {
  std::map<std::string, FileTensor> references =
      readTensors(options.references);
  if (references.empty())
    throw Failure(options.references[0] + ": there is nothing to compare with");
  checkNames(references, results);
  std::vector<TestCase> cases;
  for (const NamedTensor &output : results.outputs) {
    auto found = references.find(output.name);
    if (found == references.end()) {
      cases.push_back({output.name, TestCase::Skipped,
                       "the reference has no such output", 0});
      continue;
    }
    auto start = std::chrono::steady_clock::now();
    Comparison verdict =
        compare(output.tensor, found->second.any(), options.tolerance);
    cases.push_back({output.name,
                     verdict.passed ? TestCase::Passed : TestCase::Failed,
                     verdict.text, secondsSince(start)});
  }
  return cases;
}

/// Prints a line for each output; returns the exit status.
static int printCases(const std::vector<TestCase> &cases, std::ostream &out) {
  const char *words[] = {"ok    ", "WRONG ", "skip  ", "error "};
  int status = 0;
  for (const TestCase &test : cases) {
    out << words[test.outcome] << test.name << ": " << test.message << "\n";
    if (test.outcome == TestCase::Failed)
      status = 3;
  }
  return status;
}

static void writeReport(const Options &options,
                        const std::vector<TestCase> &cases) {
  if (!options.junit.empty())
    writeFile(options.junit, junitReport(options.model, cases));
}

static int compareAndReport(const Options &options, const Results &results,
                            std::ostream &out) {
  std::vector<TestCase> cases = compareOutputs(options, results);
  int status = printCases(cases, out);
  writeReport(options, cases);
  return status;
}

/// Runs and prints what was asked for.
static int runAndReport(const Options &options, std::ostream &out) {
  Results results = runModel(options);
  if (!options.outputs.empty())
    writeTensors(options.outputs, results.outputs);
  if (!options.json && !options.profile && options.references.empty())
    out << outputReport(results);
  if (options.time)
    out << timeReport(results);
  if (options.profile)
    out << profileReport(results);
  int status = 0;
  if (!options.references.empty())
    status = compareAndReport(options, results, out);
  if (options.json)
    out << jsonReport(results);
  return status;
}

static int dispatch(const std::vector<std::string> &arguments,
                    std::ostream &out) {
  Options options = parseOptions(arguments);
  if (options.help || options.version) {
    if (options.help)
      out << helpText();
    else
      out << "lz-run " << lz_version() << "\n";
    return 0;
  }
  if (options.info) {
    out << infoReport(options);
    return 0;
  }
  try {
    return runAndReport(options, out);
  } catch (const std::exception &error) {
    writeReport(options, {{"run", TestCase::Broken, error.what(), 0}});
    throw;
  }
}

int run::runTool(const std::vector<std::string> &arguments, std::ostream &out,
                 std::ostream &err) {
  try {
    int status = dispatch(arguments, out);
    out.flush();
    if (out)
      return status;
    err << "lz-run: cannot write to standard output\n";
  } catch (const UsageError &error) {
    err << "lz-run: " << error.what() << "; see lz-run --help\n";
    return 2;
  } catch (const std::bad_alloc &) {
    err << "lz-run: out of memory\n";
  } catch (const std::exception &error) {
    err << "lz-run: " << error.what() << "\n";
  }
  return 1;
}
