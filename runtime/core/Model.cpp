//===- Model.cpp - open and close artifacts -------------------------------===//

#include "runtime/core/Model.h"
#include "runtime/core/CpuFeatures.h"
#include "runtime/core/ElfCheck.h"
#include "runtime/core/Error.h"
#include "runtime/core/Sha256.h"
#include "runtime/cpu/Pool.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace lz::rt;

lz_model::~lz_model() {
  if (mapping)
    munmap(mapping, mappingBytes);
  if (library)
    dlclose(library);
}

lz_model *lz::rt::hold(lz_model *model) {
  model->holds.fetch_add(1, std::memory_order_relaxed);
  return model;
}

/// The folder of a path, without its last slash: "." for "model.so".
static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// Another spelling of the path at each call. dlopen takes an equal name for an
/// equal library, even when a new file was renamed over the old one; unequal
/// names make it compare the files.
static std::string freshSpelling(const std::string &path) {
  static std::atomic<uint32_t> calls{0};
  std::string spelled = folderOf(path);
  for (uint32_t bits = calls++, i = 0; i != 16; ++i, bits >>= 1)
    spelled += bits & 1 ? "/." : "/";
  return spelled + "/" + path.substr(path.rfind('/') + 1);
}

/// Loads the library and sets the table that it exports.
static lz_status loadLibrary(lz_model &model) {
  const char *path = model.path.c_str();
  std::string spelled = freshSpelling(model.path);
  model.library = dlopen(spelled.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!model.library)
    return fail(LZ_BAD_FILE, "%s: cannot load: %s", path, dlerror());
  auto *get = reinterpret_cast<lz_artifact_fn>(
      dlsym(model.library, LZ_ARTIFACT_SYMBOL));
  if (!get)
    return fail(LZ_BAD_FILE,
                "%s: not a compiled model: it does not export '%s'", path,
                LZ_ARTIFACT_SYMBOL);
  lz_host host = {};
  host.size = sizeof host;
  model.table = get(&host);
  if (!model.table)
    return fail(LZ_UNSUPPORTED,
                "%s: the artifact needs more than this runtime (%s) offers; "
                "update the runtime",
                path, lz_version());
  return LZ_OK;
}

static lz_status checkAbi(const lz_model &model) {
  const char *path = model.path.c_str();
  if (model.table->abi != LZ_ARTIFACT_ABI)
    return fail(LZ_BAD_ABI,
                "%s: the artifact has ABI version %u, this runtime reads %u; "
                "compile the model again or update the runtime",
                path, model.table->abi, unsigned(LZ_ARTIFACT_ABI));
  if (model.table->size < sizeof(lz_artifact))
    return fail(LZ_BAD_ABI,
                "%s: the artifact's table has %llu bytes, at least %zu are "
                "needed; compile the model again",
                path, (unsigned long long)model.table->size,
                sizeof(lz_artifact));
  return LZ_OK;
}

static lz_status checkCpu(const lz_model &model) {
  const char *features = model.table->cpu_features;
  std::string missing = missingCpuFeatures(features ? features : "");
  if (missing.empty())
    return LZ_OK;
  const char *target = model.table->target;
  return fail(LZ_MISSING_CPU,
              "%s: compiled for '%s', but this CPU lacks %s; compile the model "
              "for this CPU (lzc --cpu=...)",
              model.path.c_str(), target ? target : "", missing.c_str());
}

/// Maps the weights file, which must have just the size that the table tells.
static lz_status mapFile(lz_model &model, const std::string &path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return fail(LZ_BAD_FILE, "%s: cannot open the weights file '%s': %s",
                model.path.c_str(), path.c_str(), strerror(errno));
  struct stat status = {};
  int64_t wanted = model.table->weights_bytes;
  bool right = !fstat(fd, &status) && S_ISREG(status.st_mode) &&
               status.st_size == wanted;
  void *mapped = MAP_FAILED;
  if (right && wanted)
    mapped = mmap(nullptr, size_t(wanted), PROT_READ, MAP_PRIVATE, fd, 0);
  int error = errno;
  close(fd);
  if (!right)
    return fail(LZ_BAD_FILE,
                "%s: the weights file '%s' has %lld bytes, not %lld; it does "
                "not belong to this artifact",
                model.path.c_str(), path.c_str(), (long long)status.st_size,
                (long long)wanted);
  if (!wanted)
    return LZ_OK;
  if (mapped == MAP_FAILED)
    return fail(LZ_OUT_OF_MEMORY, "%s: cannot map the weights file '%s': %s",
                model.path.c_str(), path.c_str(), strerror(error));
  model.mapping = mapped, model.mappingBytes = size_t(wanted);
  model.weights = static_cast<const char *>(mapped);
  return LZ_OK;
}

static lz_status findWeights(lz_model &model, const lz_open_options &options) {
  const lz_artifact &table = *model.table;
  model.weights = table.weights;
  if (!table.weights_file)
    return LZ_OK;
  std::string path = folderOf(model.path) + "/" + table.weights_file;
  if (lz_status s = mapFile(model, path))
    return s;
  if (!options.verify_weights)
    return LZ_OK;
  const char *wanted = table.weights_hash ? table.weights_hash : "";
  if (sha256(model.weights, model.mappingBytes) == wanted)
    return LZ_OK;
  return fail(LZ_BAD_FILE,
              "%s: the content of the weights file '%s' is not what the "
              "artifact was compiled with (its SHA-256 is not %s)",
              model.path.c_str(), path.c_str(), wanted);
}

static lz_status load(lz_model &model, const lz_open_options &options) {
  if (lz_status s = checkElf(model.path.c_str()))
    return s;
  if (lz_status s = loadLibrary(model))
    return s;
  if (lz_status s = checkAbi(model))
    return s;
  if (lz_status s = checkTable(model.path.c_str(), model.table))
    return s;
  if (lz_status s = checkCpu(model))
    return s;
  return findWeights(model, options);
}

lz_status lz_open(const char *path, const lz_open_options *given,
                  lz_model **result) {
  if (!path || !result)
    return fail(LZ_BAD_ARGUMENT, "lz_open: %s is a null pointer",
                path ? "model" : "path");
  *result = nullptr;
  lz_open_options options;
  if (lz_status s = readStruct("lz_open_options", given, options))
    return s;
  auto model = std::make_unique<lz_model>();
  model->path = path;
  if (lz_status s = load(*model, options))
    return s;
  *result = model.release();
  return LZ_OK;
}

void lz_close(lz_model *model) {
  if (model && model->holds.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete model;
}
