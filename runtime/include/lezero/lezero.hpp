//===- lezero.hpp - run compiled models from C++ ----------------*- C++ -*-===//
//
// The C++17 face of lz.h; header only. It owns what it makes and throws
// lz::Error.
//
//     lz::Model model = lz::Model::load("model.so");
//     lz::Tensor image = lz::Tensor::of<float>({1, 3, 224, 224}, pixels);
//     lz::Tensor logits = model.run({image})[0];
//
// Model::run gives fresh outputs each time, from any number of threads at once.
// A Context binds memory once and then runs without taking any.
//
//===----------------------------------------------------------------------===//
#ifndef LEZERO_LEZERO_HPP
#define LEZERO_LEZERO_HPP

#include "lezero/lz.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lz {

/// What every function here throws.
class Error : public std::runtime_error {
public:
  Error(lz_status status, const std::string &text)
      : std::runtime_error(text), code(status) {}
  lz_status status() const { return code; }

private:
  lz_status code;
};

namespace detail {

inline void check(lz_status status) {
  if (status)
    throw Error(status, lz_last_error());
}

/// A struct of lz.h with its size set.
template <typename T> T sized() {
  T value = {};
  value.size = sizeof value;
  return value;
}

/// The element type of a C++ type; those that C++ lacks are borrowed or filled
/// by way of their bytes.
template <typename T> struct ElementType;
// clang-format off
template <> struct ElementType<float> { static constexpr int32_t value = LZ_F32; };
template <> struct ElementType<double> { static constexpr int32_t value = LZ_F64; };
template <> struct ElementType<bool> { static constexpr int32_t value = LZ_BOOL; };
template <> struct ElementType<int8_t> { static constexpr int32_t value = LZ_I8; };
template <> struct ElementType<int16_t> { static constexpr int32_t value = LZ_I16; };
template <> struct ElementType<int32_t> { static constexpr int32_t value = LZ_I32; };
template <> struct ElementType<int64_t> { static constexpr int32_t value = LZ_I64; };
template <> struct ElementType<uint8_t> { static constexpr int32_t value = LZ_U8; };
template <> struct ElementType<uint16_t> { static constexpr int32_t value = LZ_U16; };
template <> struct ElementType<uint32_t> { static constexpr int32_t value = LZ_U32; };
template <> struct ElementType<uint64_t> { static constexpr int32_t value = LZ_U64; };
// clang-format on

} // namespace detail

/// A dense row-major tensor on the CPU. Copies share the memory.
class Tensor {
public:
  Tensor() = default;

  /// A tensor of zeros in memory of its own, aligned to 64 bytes.
  Tensor(int32_t elementType, std::vector<int64_t> shape)
      : type(elementType), dims(std::move(shape)) {
    size_t size = (static_cast<size_t>(bytes()) + 64) / 64 * 64;
    void *fresh = std::aligned_alloc(64, size);
    if (!fresh)
      throw Error(LZ_OUT_OF_MEMORY,
                  "cannot get " + std::to_string(size) + " bytes");
    memory.reset(fresh, std::free);
    std::memset(fresh, 0, size);
  }

  /// A copy of `values`.
  template <typename T>
  static Tensor of(std::vector<int64_t> shape, const std::vector<T> &values) {
    Tensor tensor(detail::ElementType<T>::value, std::move(shape));
    if (tensor.elements() != static_cast<int64_t>(values.size()))
      throw Error(LZ_BAD_ARGUMENT, "the shape has " +
                                       std::to_string(tensor.elements()) +
                                       " elements, but there are " +
                                       std::to_string(values.size()));
    std::copy(values.begin(), values.end(), tensor.as<T>());
    return tensor;
  }

  /// The caller's memory, which must outlive the tensor.
  static Tensor borrow(int32_t elementType, std::vector<int64_t> shape,
                       void *data) {
    Tensor tensor;
    tensor.type = elementType;
    tensor.dims = std::move(shape);
    tensor.memory = std::shared_ptr<void>(std::shared_ptr<void>(), data);
    tensor.bytes(); // checks the shape
    return tensor;
  }
  template <typename T>
  static Tensor borrow(std::vector<int64_t> shape, T *data) {
    return borrow(detail::ElementType<T>::value, std::move(shape), data);
  }

  int32_t elementType() const { return type; }
  const std::vector<int64_t> &shape() const { return dims; }
  void *data() const { return memory.get(); }

  int64_t elements() const {
    int64_t count = 1;
    bool empty = false;
    for (int64_t dim : dims) {
      if (dim < 0)
        throw Error(LZ_BAD_TENSOR, "a dimension is negative");
      empty |= dim == 0;
    }
    for (int64_t dim : dims)
      if (!empty && (__builtin_mul_overflow(count, dim, &count) ||
                     count > INT64_MAX / 256))
        throw Error(LZ_BAD_TENSOR, "the tensor is too large");
    return empty ? 0 : count;
  }

  int64_t bytes() const { return (elements() * lz_element_bits(type) + 7) / 8; }

  /// The elements; throws if they are of another type.
  template <typename T> T *as() const {
    if (type != detail::ElementType<T>::value) {
      const char *name = lz_element_type_name(type);
      throw Error(LZ_BAD_TENSOR, std::string("the tensor's elements are ") +
                                     (name ? name : "of unknown type"));
    }
    return static_cast<T *>(memory.get());
  }

  /// The same elements in memory of their own.
  Tensor copied() const {
    Tensor tensor(type, dims);
    if (bytes())
      std::memcpy(tensor.data(), data(), static_cast<size_t>(bytes()));
    return tensor;
  }

  /// The same memory under another shape of at most as many bytes.
  Tensor reshaped(std::vector<int64_t> shape) const {
    return viewed(type, std::move(shape));
  }

  /// The same memory as elements of another type.
  Tensor viewed(int32_t elementType, std::vector<int64_t> shape) const {
    Tensor tensor = *this;
    tensor.type = elementType;
    tensor.dims = std::move(shape);
    if (tensor.bytes() > bytes())
      throw Error(LZ_BAD_TENSOR, "the view has more bytes than the tensor");
    return tensor;
  }

  /// What lz.h calls take; valid while this tensor is.
  lz_tensor raw() const {
    auto tensor = detail::sized<lz_tensor>();
    tensor.data = memory.get();
    tensor.device_type = LZ_DEVICE_CPU;
    tensor.element_type = type;
    tensor.rank = static_cast<int32_t>(dims.size());
    tensor.shape = dims.data();
    return tensor;
  }

private:
  int32_t type = LZ_UNDEFINED;
  std::vector<int64_t> dims;
  std::shared_ptr<void> memory;
};

/// What is in a sequence or an optional; none for an optional without a value.
using Values = std::optional<std::vector<Tensor>>;

/// An input or output as the model declares it. Of a sequence or optional, type
/// and shape are those of its values.
struct ValueInfo {
  std::string name;
  int32_t compound = 0; // lz_compound_kind; 0 for a tensor
  bool hasRank = true;  // false if values may have any
  int32_t elementType = LZ_UNDEFINED;
  std::vector<int64_t> shape;        // -1 where it is not known
  std::vector<std::string> dimNames; // empty where there is none
  std::vector<int64_t> dimSymbols;   // -1 where there is none
  int64_t aliasInput = -1;
};

class Context;

/// An open model. Copies share it.
class Model {
public:
  static Model load(const std::string &path, bool verifyWeights = false);

  lz_model *raw() const { return handle.get(); }

  lz_model_info info() const {
    auto result = detail::sized<lz_model_info>();
    detail::check(lz_get_model_info(raw(), &result));
    return result;
  }

  lz_entry_info entryInfo(int64_t entry = 0) const {
    auto result = detail::sized<lz_entry_info>();
    detail::check(lz_get_entry_info(raw(), entry, &result));
    return result;
  }

  /// The index of an entry; throws if there is none of that name.
  int64_t findEntry(const std::string &name) const {
    int64_t entry = lz_find_entry(raw(), name.c_str());
    if (entry >= 0)
      return entry;
    std::string names;
    for (int64_t i = 0; i != info().entry_count; ++i)
      names += (i ? ", '" : "'") + std::string(entryInfo(i).name) + "'";
    throw Error(LZ_BAD_ARGUMENT,
                "the model has no entry '" + name + "'; it has " + names);
  }

  std::vector<ValueInfo> inputs(int64_t entry = 0) const {
    return values(entry, LZ_INPUT, entryInfo(entry).input_count);
  }
  std::vector<ValueInfo> outputs(int64_t entry = 0) const {
    return values(entry, LZ_OUTPUT, entryInfo(entry).output_count);
  }

  std::vector<lz_symbol_info> symbols(int64_t entry = 0) const {
    std::vector<lz_symbol_info> result;
    for (int64_t i = 0; i != entryInfo(entry).symbol_count; ++i) {
      result.push_back(detail::sized<lz_symbol_info>());
      detail::check(lz_get_symbol_info(raw(), entry, i, &result.back()));
    }
    return result;
  }

  /// The memory of a run with these inputs; their data may be null.
  lz_plan_info plan(const std::vector<Tensor> &inputs, int64_t entry = 0,
                    int64_t threads = 0) const {
    auto result = detail::sized<lz_plan_info>();
    std::vector<lz_tensor> tensors = rawTensors(inputs);
    detail::check(lz_plan(raw(), entry, tensors.data(),
                          static_cast<int64_t>(tensors.size()), threads,
                          &result));
    return result;
  }

  /// The shape that an output will have, or cannot exceed.
  std::vector<int64_t> outputShape(const std::vector<Tensor> &inputs,
                                   int64_t output, int64_t entry = 0) const {
    auto info = detail::sized<lz_value_info>();
    detail::check(lz_get_value_info(raw(), entry, LZ_OUTPUT, output, &info));
    std::vector<int64_t> shape(static_cast<size_t>(info.rank) + 1);
    std::vector<lz_tensor> tensors = rawTensors(inputs);
    detail::check(lz_plan_output_shape(raw(), entry, tensors.data(),
                                       static_cast<int64_t>(tensors.size()),
                                       output, shape.data()));
    shape.pop_back();
    return shape;
  }

  /// Runs an entry on inputs in its order; the outputs are fresh, save those
  /// that update an input in place, which share its memory.
  std::vector<Tensor> run(const std::vector<Tensor> &inputs,
                          int64_t entry = 0) const;

private:
  struct Idle;

  std::vector<ValueInfo> values(int64_t entry, int32_t kind,
                                int64_t count) const {
    std::vector<ValueInfo> result;
    for (int64_t i = 0; i != count; ++i)
      result.push_back(value(entry, kind, i));
    return result;
  }

  ValueInfo value(int64_t entry, int32_t kind, int64_t index) const {
    auto info = detail::sized<lz_value_info>();
    detail::check(lz_get_value_info(raw(), entry, kind, index, &info));
    ValueInfo result;
    result.name = info.name;
    result.elementType = info.element_type;
    result.aliasInput = info.alias_input;
    auto whole = detail::sized<lz_compound_info>();
    detail::check(lz_get_compound_info(raw(), entry, kind, index, &whole));
    if (whole.kind) {
      result.compound = whole.kind;
      result.elementType = whole.element_type;
      result.hasRank = whole.rank >= 0;
      for (int32_t d = 0; d < whole.rank; ++d)
        result.shape.push_back(whole.shape[d]);
      result.dimNames.resize(result.shape.size());
      result.dimSymbols.resize(result.shape.size(), -1);
      return result;
    }
    for (int32_t d = 0; d != info.rank; ++d) {
      auto dim = detail::sized<lz_dim_info>();
      detail::check(lz_get_dim_info(raw(), entry, kind, index, d, &dim));
      result.shape.push_back(dim.value);
      result.dimNames.push_back(dim.name ? dim.name : "");
      result.dimSymbols.push_back(dim.symbol);
    }
    return result;
  }

  static std::vector<lz_tensor> rawTensors(const std::vector<Tensor> &from) {
    std::vector<lz_tensor> result;
    result.reserve(from.size());
    for (const Tensor &tensor : from)
      result.push_back(tensor.raw());
    return result;
  }

  Context takeContext(int64_t entry) const;
  void giveBack(int64_t entry, Context context) const;

  std::shared_ptr<lz_model> handle;
  std::shared_ptr<Idle> idle;
};

/// One caller's use of a model: bind once, run often. Programs of class open
/// get memory beyond their plan, until the next run.
class Context {
public:
  explicit Context(const Model &model, int64_t entry = 0, int64_t threads = 0,
                   bool profile = false)
      : Context(model, makeOptions(entry, threads, profile)) {}

  /// With all options; `grow`, if null, is provided.
  Context(const Model &model, lz_context_options options)
      : growth(std::make_unique<Growth>()) {
    auto info = model.entryInfo(options.entry);
    if (info.memory_class == LZ_MEMORY_OPEN && !options.grow) {
      options.grow = Growth::grow;
      options.grow_user = growth.get();
    }
    lz_context *raw = nullptr;
    detail::check(lz_create_context(model.raw(), &options, &raw));
    handle.reset(raw);
    launches = info.launch_count;
  }

  lz_context *raw() const { return handle.get(); }

  /// Binds; the context holds on to the tensor.
  void bindInput(const std::string &name, const Tensor &tensor) {
    lz_tensor c = tensor.raw();
    detail::check(lz_bind_input(raw(), name.c_str(), &c));
    keep("i" + name, tensor);
  }
  /// As above, for an input that is a sequence or an optional.
  void bindInputValues(const std::string &name, const Values &values) {
    std::vector<lz_tensor> c;
    for (size_t i = 0; values && i != values->size(); ++i) {
      c.push_back((*values)[i].raw());
      keep("i" + name + "[" + std::to_string(i) + "]", (*values)[i]);
    }
    detail::check(lz_bind_input_values(raw(), name.c_str(), c.data(),
                                       values ? static_cast<int64_t>(c.size())
                                              : LZ_NO_VALUE));
  }
  void bindOutput(const std::string &name, const Tensor &tensor) {
    lz_tensor c = tensor.raw();
    detail::check(lz_bind_output(raw(), name.c_str(), &c));
    keep("o" + name, tensor);
  }
  /// The caller's memory, which must outlive its use here.
  void bindArena(void *memory, int64_t bytes) {
    detail::check(lz_bind_arena(raw(), memory, bytes));
  }

  void prepare() { detail::check(lz_prepare(raw())); }

  void run() {
    growth->release(); // of the last run, whose outputs may lie there
    detail::check(lz_run(raw()));
  }

  lz_plan_info plan() {
    auto result = detail::sized<lz_plan_info>();
    detail::check(lz_get_plan(raw(), &result));
    return result;
  }

  /// The output after a run; valid while the context is bound as it is.
  Tensor output(const std::string &name) {
    auto c = detail::sized<lz_tensor>();
    detail::check(lz_get_output(raw(), name.c_str(), &c));
    return Tensor::borrow(c.element_type,
                          std::vector<int64_t>(c.shape, c.shape + c.rank),
                          static_cast<char *>(c.data) + c.byte_offset);
  }

  /// The same of an output that is a sequence or an optional.
  Values outputValues(const std::string &name) {
    const lz_tensor *c = nullptr;
    int64_t count = 0;
    detail::check(lz_get_output_values(raw(), name.c_str(), &c, &count));
    if (count == LZ_NO_VALUE)
      return std::nullopt;
    std::vector<Tensor> values;
    for (const lz_tensor *value = c; value != c + count; ++value)
      values.push_back(Tensor::borrow(
          value->element_type,
          std::vector<int64_t>(value->shape, value->shape + value->rank),
          value->data));
    return values;
  }

  /// Times of all launches so far; for contexts made with `profile`.
  std::vector<lz_launch_profile> profile() const {
    std::vector<lz_launch_profile> result;
    for (int64_t i = 0; i != launches; ++i) {
      result.push_back(detail::sized<lz_launch_profile>());
      detail::check(lz_get_launch_profile(raw(), i, &result.back()));
    }
    return result;
  }
  void resetProfile() { detail::check(lz_reset_profile(raw())); }

private:
  friend class Model;

  /// Lets go of all tensors; they must be bound again before the next run.
  void forget() {
    tensors.clear();
    growth->release();
  }

  /// Memory that open programs ask for during a run.
  struct Growth {
    std::mutex mutex;
    std::vector<void *> blocks;

    ~Growth() { release(); }
    void release() {
      std::lock_guard<std::mutex> lock(mutex);
      for (void *block : blocks)
        std::free(block);
      blocks.clear();
    }
    static void *grow(void *self, int64_t bytes, int64_t alignment) {
      auto *growth = static_cast<Growth *>(self);
      void *block = nullptr;
      if (bytes < 0 ||
          posix_memalign(&block,
                         static_cast<size_t>(std::max<int64_t>(alignment, 64)),
                         static_cast<size_t>(bytes)))
        return nullptr;
      std::lock_guard<std::mutex> lock(growth->mutex);
      growth->blocks.push_back(block);
      return block;
    }
  };
  struct Destroy {
    void operator()(lz_context *context) const { lz_destroy_context(context); }
  };

  static lz_context_options makeOptions(int64_t entry, int64_t threads,
                                        bool profile) {
    auto options = detail::sized<lz_context_options>();
    options.entry = entry;
    options.threads = threads;
    options.profile = profile;
    return options;
  }

  void keep(const std::string &key, const Tensor &tensor) {
    for (auto &kept : tensors)
      if (kept.first == key) {
        kept.second = tensor;
        return;
      }
    tensors.emplace_back(key, tensor);
  }

  std::unique_ptr<Growth> growth;
  std::unique_ptr<lz_context, Destroy> handle;
  std::vector<std::pair<std::string, Tensor>> tensors;
  int64_t launches = 0;
};

/// Contexts between their runs, for Model::run, with the entry of each.
struct Model::Idle {
  std::mutex mutex;
  std::vector<std::pair<int64_t, Context>> contexts;
};

inline Model Model::load(const std::string &path, bool verifyWeights) {
  auto options = detail::sized<lz_open_options>();
  options.verify_weights = verifyWeights;
  lz_model *raw = nullptr;
  detail::check(lz_open(path.c_str(), &options, &raw));
  Model model;
  model.handle.reset(raw, lz_close);
  model.idle = std::make_shared<Idle>();
  return model;
}

inline Context Model::takeContext(int64_t entry) const {
  {
    std::lock_guard<std::mutex> lock(idle->mutex);
    auto &contexts = idle->contexts;
    for (size_t i = 0; i != contexts.size(); ++i)
      if (contexts[i].first == entry) {
        Context context = std::move(contexts[i].second);
        contexts.erase(contexts.begin() + static_cast<std::ptrdiff_t>(i));
        return context;
      }
  }
  return Context(*this, entry);
}

inline void Model::giveBack(int64_t entry, Context context) const {
  std::lock_guard<std::mutex> lock(idle->mutex);
  idle->contexts.emplace_back(entry, std::move(context));
}

inline std::vector<Tensor> Model::run(const std::vector<Tensor> &inputs,
                                      int64_t entry) const {
  std::vector<ValueInfo> ins = this->inputs(entry), outs = outputs(entry);
  if (ins.size() != inputs.size())
    throw Error(LZ_BAD_ARGUMENT, "the entry has " + std::to_string(ins.size()) +
                                     " inputs, not " +
                                     std::to_string(inputs.size()));
  Context context = takeContext(entry);
  for (size_t i = 0; i != ins.size(); ++i)
    context.bindInput(ins[i].name, inputs[i]);
  std::vector<Tensor> results(outs.size());
  std::vector<bool> isBound(outs.size(), true);
  for (size_t i = 0; i != outs.size(); ++i) {
    int64_t alias = outs[i].aliasInput;
    auto shape = outputShape(inputs, static_cast<int64_t>(i), entry);
    // A size without a bound is -1: the context has that output after the run.
    isBound[i] = std::find(shape.begin(), shape.end(), -1) == shape.end();
    if (!isBound[i])
      continue;
    results[i] = alias >= 0 ? inputs[static_cast<size_t>(alias)].reshaped(shape)
                            : Tensor(outs[i].elementType, shape);
    context.bindOutput(outs[i].name, results[i]);
  }
  context.run();
  for (size_t i = 0; i != outs.size(); ++i) {
    Tensor output = context.output(outs[i].name);
    results[i] =
        isBound[i] ? results[i].reshaped(output.shape()) : output.copied();
  }
  context.forget();
  giveBack(entry, std::move(context));
  return results;
}

} // namespace lz

#endif // LEZERO_LEZERO_HPP
