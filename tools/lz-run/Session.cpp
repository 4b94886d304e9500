//===- Session.cpp - run a model as the command line says -----------------===//

#include "Session.h"
#include "Elements.h"
#include "Files.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace lz;
using namespace lz::run;

namespace {

/// Milliseconds since it was made.
class Stopwatch {
public:
  double milliseconds() const {
    std::chrono::duration<double, std::milli> passed = Clock::now() - start;
    return passed.count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

/// Feeds and runs one entry.
class Session {
public:
  explicit Session(const Options &options);
  Results run();

private:
  void bindFiles();
  FileTensor takeFile(std::map<std::string, FileTensor> &files,
                      const std::string &name);
  Values takeFiles(std::map<std::string, FileTensor> &files,
                   const ValueInfo &value);
  Values makeValues(const ValueInfo &value,
                    const std::map<std::string, int64_t> &sizes) const;
  void bindRandom();
  std::map<std::string, int64_t> chooseSizes() const;
  Tensor makeInput(const ValueInfo &value,
                   const std::map<std::string, int64_t> &sizes) const;
  void setElements(const std::map<std::string, int64_t> &sizes);
  void bindInputs();
  void bindOutputs();
  std::string explain(std::string text) const;
  double firstRun();
  double timedRun();
  std::vector<NamedTensor> readOutputs();
  std::vector<NamedTensor> copyOutputs();
  void checkSame(const std::vector<NamedTensor> &first);

  const Options &options;
  Model model;
  int64_t entry = 0;
  std::vector<ValueInfo> values;
  std::vector<Tensor> inputs;
  std::map<std::string, Values> lists; // inputs that are no tensors
  std::vector<std::string> sources;    // of inputs from files
  /// What inputs were that runs change in place: with their index.
  std::vector<std::pair<size_t, std::string>> originals;
  std::unique_ptr<Context> context;
  double loadMs = 0;
};

} // namespace

int64_t run::findEntry(const Model &model, const Options &options) {
  return options.entry.empty() ? 0 : model.findEntry(options.entry);
}

Session::Session(const Options &options) : options(options) {
  Stopwatch watch;
  model = Model::load(options.model, options.verifyWeights);
  entry = findEntry(model, options);
  context =
      std::make_unique<Context>(model, entry, options.threads, options.profile);
  loadMs = watch.milliseconds();
  values = model.inputs(entry);
}

/// " (which have 'a', 'b')"
static std::string listNames(const std::map<std::string, FileTensor> &files) {
  std::string text;
  for (auto &[name, file] : files)
    text += (text.empty() ? "'" : ", '") + name + "'";
  return " (which have " + (text.empty() ? "none" : text) + ")";
}

/// True if a file may call a tensor of input `value` by `name`: the input's
/// own, or "x[3]" in a sequence.
static bool isNameOf(const ValueInfo &value, const std::string &name) {
  if (value.compound != LZ_SEQUENCE && value.compound != LZ_OPTIONAL_SEQUENCE)
    return value.name == name;
  size_t length = value.name.size();
  return name.size() > length + 2 && name.size() < length + 12 &&
         name.compare(0, length, value.name) == 0 && name[length] == '[' &&
         name.back() == ']' &&
         name.find_first_not_of("0123456789", length + 1) == name.size() - 1;
}

FileTensor Session::takeFile(std::map<std::string, FileTensor> &files,
                             const std::string &name) {
  auto found = files.find(name);
  if (found == files.end())
    throw Failure("input '" + name + "' is not in the --inputs files" +
                  listNames(files));
  return found->second;
}

/// A sequence has as many values as the files hold; without any it is empty. An
/// optional has none if the files hold none.
Values Session::takeFiles(std::map<std::string, FileTensor> &files,
                          const ValueInfo &value) {
  auto count = std::count_if(files.begin(), files.end(), [&](auto &file) {
    return isNameOf(value, file.first);
  });
  std::vector<Tensor> tensors;
  for (int64_t i = 0; i != count; ++i)
    tensors.push_back(
        takeFile(files, value.compound == LZ_OPTIONAL
                            ? value.name
                            : value.name + "[" + std::to_string(i) + "]")
            .as(value.elementType));
  if (tensors.empty() && value.compound != LZ_SEQUENCE)
    return std::nullopt;
  return tensors;
}

/// Takes every input, and nothing else, from the files. What the model does not
/// know is told before what it misses: most often it is the same, misspelt.
void Session::bindFiles() {
  std::map<std::string, FileTensor> files = readTensors(options.inputs);
  for (auto &[name, file] : files)
    if (std::none_of(values.begin(), values.end(),
                     [&, &name = name](auto &v) { return isNameOf(v, name); }))
      throw Failure(file.source + ": the model has no such input; it has " +
                    namesText(values));
  for (const ValueInfo &value : values) {
    if (value.compound) {
      lists[value.name] = takeFiles(files, value);
      inputs.emplace_back();
      sources.emplace_back();
      continue;
    }
    FileTensor file = takeFile(files, value.name);
    inputs.push_back(file.as(value.elementType));
    sources.push_back(file.source);
  }
}

/// Says where each input came from that `text`, an error, names, and what the
/// model takes.
std::string Session::explain(std::string text) const {
  for (size_t i = 0; i != sources.size(); ++i)
    if (!values[i].compound &&
        text.find("input '" + values[i].name + "'") != std::string::npos) {
      std::string given = typeName(inputs[i].elementType()) + " " +
                          shapeText(inputs[i].shape());
      text += "; " + sources[i] + " is " + given;
      if (given != valueText(values[i]))
        text += ", the model takes " + valueText(values[i]);
    }
  return text;
}

/// A size for each symbol: what --dim says, or 1 as far as its range lets it.
std::map<std::string, int64_t> Session::chooseSizes() const {
  std::map<std::string, int64_t> sizes;
  for (const lz_symbol_info &symbol : model.symbols(entry)) {
    sizes[symbol.name] = std::min(std::max<int64_t>(symbol.min, 1), symbol.max);
    auto given = options.dims.find(symbol.name);
    if (given != options.dims.end() &&
        (given->second < symbol.min || given->second > symbol.max))
      throw Failure("--dim: '" + std::string(symbol.name) + "' is " +
                    std::to_string(given->second) + ", the model takes " +
                    std::to_string(symbol.min) + " to " +
                    std::to_string(symbol.max));
  }
  for (auto &[name, size] : options.dims) {
    auto found = sizes.find(name);
    if (found == sizes.end()) {
      std::string names;
      for (auto &symbol : sizes)
        names += (names.empty() ? "'" : ", '") + symbol.first + "'";
      throw Failure("--dim: the model has no free size '" + name +
                    "'; it has " + (names.empty() ? "none" : names));
    }
    found->second = size;
  }
  return sizes;
}

Tensor Session::makeInput(const ValueInfo &value,
                          const std::map<std::string, int64_t> &sizes) const {
  std::vector<lz_symbol_info> symbols = model.symbols(entry);
  std::vector<int64_t> shape = value.shape;
  for (size_t d = 0; d != shape.size(); ++d)
    if (value.dimSymbols[d] >= 0)
      shape[d] = sizes.at(symbols[size_t(value.dimSymbols[d])].name);
  Tensor tensor(value.elementType, shape);
  auto range = options.ranges.find(value.name);
  fillRandom(tensor, value.name, options.seed,
             range == options.ranges.end()
                 ? std::nullopt
                 : std::optional<Range>(range->second));
  return tensor;
}

/// A sequence has as many values as --dim says of its length, or one; each size
/// that may differ is 1.
Values Session::makeValues(const ValueInfo &value,
                           const std::map<std::string, int64_t> &sizes) const {
  ValueInfo one = value;
  for (int64_t &size : one.shape)
    size = std::abs(size);
  auto length = sizes.find(value.name + "_length");
  std::vector<Tensor> tensors;
  for (int64_t i = 0; i < (length == sizes.end() ? 1 : length->second); ++i) {
    one.name = value.name + "[" + std::to_string(i) + "]";
    tensors.push_back(makeInput(one, sizes));
  }
  if (tensors.empty() && value.compound == LZ_OPTIONAL)
    return std::nullopt;
  return tensors;
}

/// Where a size is the value of an input's element, sets that element, unless
/// --range says what the input holds.
void Session::setElements(const std::map<std::string, int64_t> &sizes) {
  for (const lz_symbol_info &symbol : model.symbols(entry)) {
    if (symbol.source != LZ_SYMBOL_ELEMENT ||
        values[size_t(symbol.input)].compound ||
        (options.ranges.count(values[size_t(symbol.input)].name) &&
         !options.dims.count(symbol.name)))
      continue;
    const Tensor &tensor = inputs[size_t(symbol.input)];
    int64_t bytes = lz_element_bits(tensor.elementType()) / 8;
    int64_t value = sizes.at(symbol.name);
    if (symbol.index < tensor.elements())
      memcpy(static_cast<char *>(tensor.data()) + symbol.index * bytes, &value,
             size_t(bytes));
  }
}

void Session::bindRandom() {
  for (auto &[name, range] : options.ranges) {
    bool known = false;
    for (const ValueInfo &value : values)
      known |= value.name == name;
    if (!known)
      throw Failure("--range: the model has no input '" + name + "'; it has " +
                    namesText(values));
  }
  std::map<std::string, int64_t> sizes = chooseSizes();
  for (const ValueInfo &value : values)
    if (value.compound) {
      lists[value.name] = makeValues(value, sizes);
      inputs.emplace_back();
    } else {
      inputs.push_back(makeInput(value, sizes));
    }
  setElements(sizes);
}

void Session::bindInputs() {
  if (options.inputs.empty())
    bindRandom();
  else
    bindFiles();
  for (size_t i = 0; i != values.size(); ++i)
    if (values[i].compound)
      context->bindInputValues(values[i].name, lists[values[i].name]);
    else
      context->bindInput(values[i].name, inputs[i]);
  for (const ValueInfo &output : model.outputs(entry)) {
    if (output.aliasInput < 0)
      continue;
    auto index = size_t(output.aliasInput);
    originals.emplace_back(
        index, std::string(static_cast<char *>(inputs[index].data()),
                           size_t(inputs[index].bytes())));
  }
}

/// Gives outputs memory as a server would, before the first run, so that the
/// times are those of the model. An output in an input's place has memory.
void Session::bindOutputs() {
  std::vector<ValueInfo> outputs = model.outputs(entry);
  if (!lists.empty())
    return; // what outputs take is known when sequences have been bound
  for (size_t i = 0; i != outputs.size(); ++i) {
    const ValueInfo &output = outputs[i];
    if (output.aliasInput >= 0 || output.compound ||
        !lz_element_bits(output.elementType))
      continue;
    Tensor tensor(output.elementType,
                  model.outputShape(inputs, int64_t(i), entry));
    context->bindOutput(output.name, tensor);
  }
}

/// One run, on the inputs as they were given.
double Session::timedRun() {
  for (auto &[index, bytes] : originals)
    memcpy(inputs[index].data(), bytes.data(), bytes.size());
  Stopwatch watch;
  context->run();
  return watch.milliseconds();
}

/// Binds and runs. The runtime finds inputs that do not fit in either step.
double Session::firstRun() try {
  bindInputs();
  if (model.entryInfo(entry).memory_class != LZ_MEMORY_OPEN)
    bindOutputs();
  return timedRun();
} catch (const lz::Error &error) {
  throw Failure(explain(error.what()));
}

/// The outputs where they are, those of sequences by names as in "y[3]".
std::vector<NamedTensor> Session::readOutputs() {
  std::vector<NamedTensor> outputs;
  for (const ValueInfo &value : model.outputs(entry)) {
    if (!value.compound) {
      outputs.push_back({value.name, context->output(value.name)});
      continue;
    }
    Values list = context->outputValues(value.name);
    for (size_t i = 0; list && i != list->size(); ++i)
      outputs.push_back({value.compound == LZ_OPTIONAL
                             ? value.name
                             : value.name + "[" + std::to_string(i) + "]",
                         (*list)[i]});
  }
  return outputs;
}

std::vector<NamedTensor> Session::copyOutputs() {
  std::vector<NamedTensor> outputs = readOutputs();
  for (NamedTensor &output : outputs)
    output.tensor = output.tensor.copied();
  return outputs;
}

/// The last run must have given the bits of the first.
void Session::checkSame(const std::vector<NamedTensor> &first) {
  std::vector<NamedTensor> outputs = readOutputs();
  auto isSame = [](const NamedTensor &a, const NamedTensor &b) {
    int64_t bytes = a.tensor.bytes();
    return a.name == b.name && a.tensor.shape() == b.tensor.shape() &&
           (!bytes || !memcmp(a.tensor.data(), b.tensor.data(), size_t(bytes)));
  };
  for (size_t i = 0; i != std::max(first.size(), outputs.size()); ++i)
    if (i >= first.size() || i >= outputs.size() ||
        !isSame(first[i], outputs[i]))
      throw Failure("output '" + (i < first.size() ? first : outputs)[i].name +
                    "' of the last run differs from that of the first: the "
                    "model is not deterministic");
}

Results Session::run() {
  Results results;
  results.firstMs = firstRun();
  results.loadMs = loadMs;
  results.arenaBytes = context->plan().arena_bytes;
  results.memoryClass = context->plan().memory_class;
  results.outputs = copyOutputs();
  if (options.repeat && options.profile)
    context->resetProfile();
  for (int64_t i = 0; i != options.repeat; ++i)
    results.latencyMs.push_back(timedRun());
  if (options.repeat)
    checkSame(results.outputs);
  else
    results.latencyMs.push_back(results.firstMs);
  std::sort(results.latencyMs.begin(), results.latencyMs.end());
  if (options.profile)
    for (const lz_launch_profile &launch : context->profile())
      results.profile.push_back(
          {launch.kernel, launch.nodes, launch.calls, launch.total_ns});
  results.threads = options.threads ? options.threads : lz_default_threads();
  return results;
}

Results run::runModel(const Options &options) { return Session(options).run(); }
