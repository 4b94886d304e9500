//===- Tool.cpp - lz-run as a function ------------------------------------===//

#include "Tool.h"
#include "Elements.h"
#include "Files.h"
#include "Report.h"

#include <new>

using namespace lz;
using namespace lz::run;

/// Compares each output that the reference has; returns the exit status.
static int compareOutputs(const Options &options, const Results &results,
                          std::ostream &out) {
  std::map<std::string, FileTensor> references =
      readTensors(options.references);
  if (references.empty())
    throw Failure(options.references[0] + ": there is nothing to compare with");
  bool passed = true;
  for (const NamedTensor &output : results.outputs) {
    auto found = references.find(output.name);
    if (found == references.end())
      continue;
    Comparison verdict =
        compare(output.tensor, found->second.any(), options.tolerance);
    out << (verdict.passed ? "ok    " : "WRONG ") << output.name << ": "
        << verdict.text << "\n";
    passed &= verdict.passed;
    references.erase(found);
  }
  if (!references.empty())
    throw Failure(references.begin()->second.source +
                  ": the model has no such output");
  return passed ? 0 : 3;
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
    status = compareOutputs(options, results, out);
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
  return runAndReport(options, out);
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
