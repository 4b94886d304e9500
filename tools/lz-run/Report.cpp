//===- Report.cpp - what lz-run prints ------------------------------------===//

#include "Report.h"
#include "Elements.h"
#include "runtime/core/Sha256.h"

#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <tuple>

using namespace lz;
using namespace lz::run;

/// printf to a string.
[[gnu::format(printf, 1, 2)]] static std::string format(const char *pattern,
                                                        ...) {
  va_list args, again;
  va_start(args, pattern);
  va_copy(again, args);
  std::string text(size_t(vsnprintf(nullptr, 0, pattern, args)) + 1, '\0');
  vsnprintf(text.data(), text.size(), pattern, again);
  va_end(again);
  va_end(args);
  text.pop_back();
  return text;
}

static const char *className(int32_t memoryClass) {
  switch (memoryClass) {
  case LZ_MEMORY_EXACT:
    return "exact";
  case LZ_MEMORY_BOUND:
    return "bound";
  default:
    return "open";
  }
}

/// The most memory that this process had resident, in MiB.
static double residentMb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (!line.compare(0, 6, "VmHWM:"))
      return std::stod(line.substr(6)) / 1024;
  return 0;
}

static double median(const std::vector<double> &sorted) {
  size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half]
                           : (sorted[half - 1] + sorted[half]) / 2;
}

static std::string hashOf(const Tensor &tensor) {
  return rt::sha256(tensor.data(), size_t(tensor.bytes()));
}

/// A JSON string.
static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (static_cast<unsigned char>(c) < 32)
      result += format("\\u%04x", unsigned(c));
    else
      result += c;
  }
  return result + "\"";
}

static std::string jsonOutputs(const Results &results) {
  std::string text;
  for (const NamedTensor &output : results.outputs)
    text += (text.empty() ? "" : ", ") + ("{\"name\": " + quoted(output.name)) +
            ", \"type\": " + quoted(typeName(output.tensor.elementType())) +
            ", \"shape\": " + shapeText(output.tensor.shape()) +
            ", \"sha256\": " + quoted(hashOf(output.tensor)) + "}";
  return text;
}

std::string run::jsonReport(const Results &results) {
  const std::vector<double> &times = results.latencyMs;
  return format("{\"load_ms\": %.6f, \"first_ms\": %.6f, \"latency_ms\": "
                "{\"min\": %.6f, \"median\": %.6f, \"max\": %.6f}, "
                "\"peak_bytes\": %lld, \"memory_class\": \"%s\", \"rss_mb\": "
                "%.3f, \"threads\": %lld, \"outputs\": [",
                results.loadMs, results.firstMs, times.front(), median(times),
                times.back(), (long long)results.arenaBytes,
                className(results.memoryClass), residentMb(),
                (long long)results.threads) +
         jsonOutputs(results) + "]}\n";
}

/// The first numbers of a tensor.
static std::string someNumbers(const Tensor &tensor) {
  std::string text;
  int64_t count = numberCount(tensor);
  for (int64_t i = 0; i != std::min<int64_t>(count, 6); ++i)
    text += (i ? ", " : "") + format("%.6g", readNumber(tensor, i));
  return text + (count > 6 ? ", ..." : "");
}

std::string run::outputReport(const Results &results) {
  std::string text;
  for (const NamedTensor &output : results.outputs)
    text += output.name + ": " + typeName(output.tensor.elementType()) + " " +
            shapeText(output.tensor.shape()) + " = " +
            someNumbers(output.tensor) + "\n";
  return text;
}

std::string run::timeReport(const Results &results) {
  const std::vector<double> &times = results.latencyMs;
  return format("load %.3f ms, first run %.3f ms, %zu timed run%s: min %.3f, "
                "median %.3f, max %.3f ms\n%lld threads, arena %lld bytes "
                "(%s), resident %.1f MiB\n",
                results.loadMs, results.firstMs, times.size(),
                times.size() == 1 ? "" : "s", times.front(), median(times),
                times.back(), (long long)results.threads,
                (long long)results.arenaBytes, className(results.memoryClass),
                residentMb());
}

namespace {

/// All launches of one kernel.
struct KernelTime {
  std::string kernel, nodes;
  int64_t launches = 0, ns = 0;
};

} // namespace

/// Sums launches up by kernel; the slowest first.
static std::vector<KernelTime> sumByKernel(const Results &results) {
  std::vector<KernelTime> kernels;
  std::map<std::string, size_t> index;
  for (const LaunchTime &launch : results.profile) {
    auto [found, isNew] = index.emplace(launch.kernel, kernels.size());
    if (isNew)
      kernels.push_back({launch.kernel, "", 0, 0});
    KernelTime &kernel = kernels[found->second];
    kernel.nodes += (kernel.nodes.empty() ? "" : ", ") + launch.nodes;
    kernel.launches += launch.calls;
    kernel.ns += launch.ns;
  }
  std::sort(kernels.begin(), kernels.end(), [](auto &a, auto &b) {
    return std::tie(b.ns, a.kernel) < std::tie(a.ns, b.kernel);
  });
  return kernels;
}

std::string run::profileReport(const Results &results) {
  auto runs = double(results.latencyMs.size());
  double total = 0;
  std::vector<KernelTime> kernels = sumByKernel(results);
  for (const KernelTime &kernel : kernels)
    total += double(kernel.ns);
  std::string text = format("%9s %6s %9s  %-28s %s\n", "us/run", "%",
                            "launches", "kernel", "nodes");
  for (const KernelTime &kernel : kernels)
    text += format("%9.2f %6.2f %9.0f  %-28s ", double(kernel.ns) / runs / 1e3,
                   total > 0 ? 100 * double(kernel.ns) / total : 0,
                   double(kernel.launches) / runs, kernel.kernel.c_str()) +
            kernel.nodes + "\n";
  return text + format("%9.2f in all kernels\n", total / runs / 1e3);
}

/// "image: f32 [batch, 3, 224, 224]"
static std::string describe(const ValueInfo &value) {
  return "  " + value.name + ": " + valueText(value) + "\n";
}

/// Where a symbol gets its value.
static std::string describe(const lz_symbol_info &symbol,
                            const std::vector<ValueInfo> &inputs) {
  if (symbol.source == LZ_SYMBOL_RUN)
    return format("  %s: found during the run\n", symbol.name);
  const char *kind = symbol.source == LZ_SYMBOL_DIM ? "dimension" : "element";
  return format("  %s: %lld to %lld, %s %lld of '%s'\n", symbol.name,
                (long long)symbol.min, (long long)symbol.max, kind,
                (long long)symbol.index,
                inputs[size_t(symbol.input)].name.c_str());
}

static std::string describeEntry(const Model &model, int64_t index) {
  lz_entry_info info = model.entryInfo(index);
  std::string text = format(
      "\nentry '%s', memory %s%s%s%s, %lld launches\n", info.name,
      className(info.memory_class), info.memory_class_node ? " by node '" : "",
      info.memory_class_node ? info.memory_class_node : "",
      info.memory_class_node ? "'" : "", (long long)info.launch_count);
  std::vector<ValueInfo> inputs = model.inputs(index);
  text += " inputs\n";
  for (const ValueInfo &value : inputs)
    text += describe(value);
  text += " outputs\n";
  for (const ValueInfo &value : model.outputs(index))
    text += describe(value);
  std::vector<lz_symbol_info> symbols = model.symbols(index);
  text += symbols.empty() ? "" : " free sizes\n";
  for (const lz_symbol_info &symbol : symbols)
    text += describe(symbol, inputs);
  return text;
}

std::string run::infoReport(const Options &options) {
  Model model = Model::load(options.model, options.verifyWeights);
  lz_model_info info = model.info();
  std::string text =
      format("model '%s' by %s\ntarget %s (%s)\n%lld parameters, %lld bytes of "
             "weights\n",
             info.model_name, info.producer, info.target, info.cpu_features,
             (long long)info.parameter_count, (long long)info.weights_bytes);
  for (int64_t i = 0; i != info.metadata_count; ++i) {
    const char *key, *value;
    if (!lz_get_metadata(model.raw(), i, &key, &value))
      text += format("metadata %s: %.200s\n", key, value);
  }
  for (int64_t i = 0; i != info.entry_count; ++i)
    text += describeEntry(model, i);
  return text;
}
