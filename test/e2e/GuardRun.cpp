//===- GuardRun.cpp - run an artifact under guard -------------------------===//
//
// What a plan promises, checked on a compiled model:
//   - an arena of exactly the planned bytes, with a guard page behind it, is
//     enough; in programs of class exact its last line is written;
//   - an arena of 64 bytes fewer is refused;
//   - with outputs and arena bound, a run calls no allocator and makes no
//   system
//     call that gets memory, threads or files.
//
// usage: lz-guard-run ARTIFACT THREADS [NAME=DIM,DIM...=FILE]...
//        each FILE holds the bytes of one input
//
//===----------------------------------------------------------------------===//

#include "lezero/lezero.hpp"
#include "test/support/RunGuard.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

static constexpr int64_t line = 64;
static constexpr char untouched = '\xa5';

namespace {

/// Memory that ends right before a page that nobody may touch.
class GuardedArena {
public:
  explicit GuardedArena(int64_t size) : bytes(size) {
    int64_t page = sysconf(_SC_PAGESIZE);
    int64_t used = (bytes + page) / page * page;
    void *memory = mmap(nullptr, used + page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED ||
        mprotect(static_cast<char *>(memory) + used, page, PROT_NONE))
      throw std::runtime_error("cannot map the arena");
    std::memset(memory, untouched, used);
    begin =
        static_cast<char *>(memory) + used - (bytes + line - 1) / line * line;
  }

  char *data() const { return begin; }

  /// Returns true if a byte of the last line has changed.
  bool lastLineWritten() const {
    const char *end = begin + bytes;
    return std::any_of(end - std::min(bytes, line), end,
                       [](char byte) { return byte != untouched; });
  }

private:
  int64_t bytes;
  char *begin;
};

/// An input as the command line gives it.
struct Argument {
  std::string name;
  std::vector<int64_t> shape;
  std::string file;
};

} // namespace

/// Parses NAME=DIM,DIM=FILE. The name may hold anything; it ends at the last
/// but one '='.
static Argument parseArgument(const std::string &text) {
  size_t last = text.rfind('='), first = text.rfind('=', last - 1);
  if (last == std::string::npos || first == std::string::npos)
    throw std::runtime_error("expected NAME=SHAPE=FILE, found " + text);
  Argument result = {text.substr(0, first), {}, text.substr(last + 1)};
  std::istringstream dims(text.substr(first + 1, last - first - 1));
  for (std::string dim; std::getline(dims, dim, ',');)
    result.shape.push_back(std::stoll(dim));
  return result;
}

/// Reads the input's bytes into a tensor of the model's element type.
static lz::Tensor readInput(const lz::ValueInfo &info, const Argument &from) {
  lz::Tensor tensor(info.elementType, from.shape);
  std::ifstream file(from.file, std::ios::binary);
  if (!file.read(static_cast<char *>(tensor.data()), tensor.bytes()))
    throw std::runtime_error(from.file + ": too short for input " + info.name);
  return tensor;
}

/// Returns the inputs in the model's order.
static std::vector<lz::Tensor> readInputs(const lz::Model &model, int argc,
                                          char **argv) {
  std::vector<Argument> arguments;
  for (int i = 3; i < argc; ++i)
    arguments.push_back(parseArgument(argv[i]));
  std::vector<lz::Tensor> inputs;
  for (const lz::ValueInfo &info : model.inputs())
    for (const Argument &argument : arguments)
      if (argument.name == info.name)
        inputs.push_back(readInput(info, argument));
  return inputs;
}

/// Binds inputs, and outputs of our own; returns the outputs.
static std::vector<lz::Tensor> bindAll(const lz::Model &model,
                                       lz::Context &context,
                                       const std::vector<lz::Tensor> &inputs) {
  std::vector<lz::ValueInfo> in = model.inputs(), out = model.outputs();
  if (in.size() != inputs.size())
    throw std::runtime_error("not every input is given");
  for (size_t i = 0; i != in.size(); ++i)
    context.bindInput(in[i].name, inputs[i]);
  std::vector<lz::Tensor> outputs;
  for (size_t i = 0; i != out.size(); ++i) {
    outputs.emplace_back(out[i].elementType, model.outputShape(inputs, i));
    context.bindOutput(out[i].name, outputs[i]);
  }
  return outputs;
}

/// Throws unless an arena of 64 bytes fewer is refused as too small.
static void expectRefusal(lz::Context &context, char *arena, int64_t bytes) {
  lz_status status = lz_bind_arena(context.raw(), arena, bytes - line);
  if (status == LZ_OK)
    status = lz_prepare(context.raw());
  if (status != LZ_ARENA_TOO_SMALL)
    throw std::runtime_error("an arena of 64 bytes fewer was not refused");
}

/// Runs under guard and ends the process: 0 if all is well.
[[noreturn]] static void runGuarded(lz::Context &context) {
  long before = lz::test::allocatorCalls();
  lz::test::forbidResources();
  for (int i = 0; i != 3; ++i)
    if (lz_run(context.raw()))
      _exit(2);
  if (lz::test::allocatorCalls() != before) {
    const char text[] = "a run called the allocator\n";
    (void)!write(2, text, sizeof text - 1);
    _exit(1);
  }
  _exit(0);
}

static void checkArtifact(int argc, char **argv) {
  lz::Model model = lz::Model::load(argv[1]);
  lz::Context context(model, 0, std::stoll(argv[2]));
  std::vector<lz::Tensor> inputs = readInputs(model, argc, argv);
  std::vector<lz::Tensor> outputs = bindAll(model, context, inputs);

  lz_plan_info plan = context.plan();
  GuardedArena arena(plan.arena_bytes);
  if (plan.arena_bytes) {
    expectRefusal(context, arena.data(), plan.arena_bytes);
    context.bindArena(arena.data(), plan.arena_bytes);
  }
  context.prepare();
  context.run();
  std::printf("arena of %lld bytes, class %d\n",
              static_cast<long long>(plan.arena_bytes), plan.memory_class);
  std::fflush(stdout);
  if (plan.memory_class == LZ_MEMORY_EXACT && plan.arena_bytes &&
      !arena.lastLineWritten())
    throw std::runtime_error(
        "the arena's last 64 bytes are planned but unused");
  if (plan.memory_class != LZ_MEMORY_OPEN)
    runGuarded(context);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: lz-guard-run ARTIFACT THREADS "
                         "[NAME=DIM,DIM...=FILE]...\n");
    return 1;
  }
  try {
    checkArtifact(argc, argv);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "lz-guard-run: %s\n", error.what());
    return 1;
  }
  return 0;
}
