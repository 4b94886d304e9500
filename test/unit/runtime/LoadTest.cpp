// Opening artifacts: whole ones, and everything that must be refused.
#include "Support.h"

#include <elf.h>
#include <random>

using namespace lz::test;

/// Opens a path; returns the status, and closes.
static lz_status open(const std::string &path, bool verify = false) {
  auto options = lz::detail::sized<lz_open_options>();
  options.verify_weights = verify;
  lz_model *model = nullptr;
  lz_status status = lz_open(path.c_str(), &options, &model);
  EXPECT_EQ(model != nullptr, status == LZ_OK);
  lz_close(model);
  return status;
}

/// Opens a file of that content.
static lz_status openContent(const std::string &content) {
  TempFolder folder;
  writeFile(folder / "model.so", content);
  return open(folder / "model.so");
}

TEST(Load, OpensAnArtifact) {
  EXPECT_EQ(open(artifact("exact")), LZ_OK) << lz_last_error();
}

TEST(Load, DescribesTheModel) {
  lz::Model model = lz::Model::load(artifact("exact"));
  lz_model_info info = model.info();
  EXPECT_STREQ(info.producer, "by hand");
  EXPECT_STREQ(info.model_name, "exact");
  EXPECT_STREQ(info.report, "{}");
  EXPECT_EQ(info.entry_count, 2);
  EXPECT_EQ(info.weights_bytes, 24);
  const char *key, *value;
  ASSERT_EQ(lz_get_metadata(model.raw(), 1, &key, &value), LZ_OK);
  EXPECT_STREQ(key, "license");
  EXPECT_STREQ(value, "none");
  EXPECT_FAILS(lz_get_metadata(model.raw(), 2, &key, &value), LZ_BAD_ARGUMENT,
               "metadata 2 does not exist: there are 2");
  EXPECT_EQ(lz_find_entry(model.raw(), "negate"), 1);
  EXPECT_EQ(lz_find_entry(model.raw(), "other"), -1);
  auto parameter = lz::detail::sized<lz_parameter_info>();
  ASSERT_EQ(lz_get_parameter_info(model.raw(), 0, &parameter), LZ_OK);
  EXPECT_STREQ(parameter.name, "bias");
  EXPECT_EQ(parameter.shape[0], 6);
  EXPECT_EQ(static_cast<const float *>(parameter.data)[5], 6.0f);
}

TEST(Load, DescribesSymbols) {
  lz::Model model = lz::Model::load(artifact("dynamic"));
  std::vector<lz::ValueInfo> inputs = model.inputs(), outputs = model.outputs();
  EXPECT_EQ(inputs[0].shape, (std::vector<int64_t>{-1, -1}));
  EXPECT_EQ(inputs[0].dimNames, (std::vector<std::string>{"N", "M"}));
  EXPECT_EQ(inputs[0].dimSymbols, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(outputs[0].dimSymbols, (std::vector<int64_t>{-1, -1}));
  EXPECT_EQ(model.symbols()[1].max, 4096);
}

TEST(Load, RefusesStructsOfUnknownSize) {
  lz::Model model = lz::Model::load(artifact("exact"));
  lz_model_info info = {};
  EXPECT_FAILS(lz_get_model_info(model.raw(), &info), LZ_BAD_ARGUMENT,
               "size of lz_model_info is 0");
  struct {
    lz_open_options options;
    uint64_t later = 0;
  } newer = {};
  newer.options.size = sizeof newer;
  lz_model *raw;
  ASSERT_EQ(lz_open(artifact("exact").c_str(), &newer.options, &raw), LZ_OK);
  lz_close(raw);
  newer.later = 1;
  EXPECT_FAILS(lz_open(artifact("exact").c_str(), &newer.options, &raw),
               LZ_UNSUPPORTED, "sets a field that this version");
}

TEST(Load, RefusesWhatIsNoFile) {
  EXPECT_FAILS(open("/nonexistent/model.so"), LZ_BAD_FILE, "cannot open");
  EXPECT_FAILS(open("/"), LZ_BAD_FILE, "not a regular file");
  EXPECT_FAILS(open("/dev/null"), LZ_BAD_FILE, "not a regular file");
  EXPECT_FAILS(lz_open(nullptr, nullptr, nullptr), LZ_BAD_ARGUMENT,
               "null pointer");
}

TEST(Load, RefusesWhatIsNoLibrary) {
  EXPECT_FAILS(openContent(""), LZ_BAD_FILE, "the file is empty");
  EXPECT_FAILS(openContent("PK"), LZ_BAD_FILE, "not a compiled model");
  EXPECT_FAILS(openContent(std::string(100000, 'x')), LZ_BAD_FILE,
               "not a compiled model");
}

TEST(Load, RefusesTruncationAtEveryLength) {
  std::string whole = readFile(artifact("exact"));
  ASSERT_GT(whole.size(), 4096u);
  TempFolder folder;
  std::string path = folder / "model.so";
  writeFile(path, whole);
  for (size_t length = whole.size(); length-- > 0;) {
    if (length > 1200 && length % 61 && length + 70 < whole.size())
      continue;
    ASSERT_EQ(truncate(path.c_str(), off_t(length)), 0);
    ASSERT_EQ(open(path), LZ_BAD_FILE) << length;
    ASSERT_NE(std::string(lz_last_error()).find(path), std::string::npos);
  }
}

TEST(Load, SurvivesDamagedHeaders) {
  std::string whole = readFile(artifact("exact"));
  Elf64_Ehdr header;
  memcpy(&header, whole.data(), sizeof header);
  size_t headers = sizeof header + header.e_phnum * sizeof(Elf64_Phdr);
  std::mt19937 random(1);
  for (int i = 0; i != 300; ++i) {
    std::string damaged = whole;
    damaged[random() % headers] ^= char(1 << random() % 8);
    openContent(damaged); // some bits do not matter; none may crash
  }
  for (int i = 0; i != 100; ++i) {
    std::string damaged = whole.substr(0, 4);
    while (damaged.size() < whole.size())
      damaged += char(random());
    ASSERT_EQ(openContent(damaged), LZ_BAD_FILE);
  }
}

TEST(Load, RefusesOtherMachines) {
  std::string content = readFile(artifact("exact"));
  content[offsetof(Elf64_Ehdr, e_machine)] = char(EM_AARCH64);
  EXPECT_FAILS(openContent(content), LZ_BAD_FILE,
               "built for another machine (ELF machine 183)");
}

// The constructor of that library ends the process.
TEST(Load, RunsNothingOfForeignLibraries) {
  EXPECT_FAILS(open(artifact("foreign")), LZ_BAD_FILE,
               "does not export 'lz_artifact_v1'");
}

TEST(Load, RefusesAnotherAbi) {
  EXPECT_FAILS(open(artifact("broken_abi")), LZ_BAD_ABI,
               "the artifact has ABI version 99, this runtime reads 1");
  std::string content = readFile(artifact("exact"));
  for (size_t at = 0;
       (at = content.find("lz_artifact_v1", at)) != std::string::npos;)
    content[at + 13] = '7';
  EXPECT_FAILS(openContent(content), LZ_BAD_ABI, "another artifact format");
}

TEST(Load, RefusesBrokenTables) {
  EXPECT_FAILS(open(artifact("broken_size")), LZ_BAD_ABI,
               "the artifact's table has 40 bytes");
  EXPECT_FAILS(open(artifact("broken_entry_size")), LZ_BAD_ABI,
               "the artifact's entry structs have 64 bytes");
  EXPECT_FAILS(open(artifact("broken_type")), LZ_UNSUPPORTED,
               "'x' has element type 77");
  EXPECT_FAILS(open(artifact("broken_symbol")), LZ_BAD_FILE,
               "a dimension of an input (number 0)");
  EXPECT_FAILS(open(artifact("broken_run")), LZ_BAD_FILE, "an entry");
  EXPECT_FAILS(open(artifact("broken_null")), LZ_UNSUPPORTED,
               "needs more than this runtime");
}

TEST(Load, NamesMissingCpuFeatures) {
  EXPECT_FAILS(open(artifact("broken_features")), LZ_MISSING_CPU,
               "'nonexistent'");
  bool has = __builtin_cpu_supports("avx512f");
  EXPECT_EQ(std::string(lz_last_error()).find("'avx512f'"),
            has ? std::string::npos
                : std::string(lz_last_error()).find("lacks ") + 6);
  EXPECT_EQ(std::string(lz_last_error()).find("sse2"), std::string::npos);
}

TEST(Load, ChecksTheWeightsFile) {
  EXPECT_FAILS(open(artifact("broken_weights")), LZ_BAD_FILE,
               "cannot open the weights file");
  EXPECT_FAILS(open(artifact("broken_weights_name")), LZ_BAD_FILE,
               "the name of the weights file");
  TempFolder folder;
  std::string path = folder / "model.so";
  std::filesystem::copy(artifact("external"), path);
  float right[] = {1, 2, 3, 4}, wrong[] = {1, 2, 3, 5};
  std::string bytes(reinterpret_cast<char *>(right), sizeof right);
  std::string other(reinterpret_cast<char *>(wrong), sizeof wrong);
  writeFile(folder / "external.lzw", bytes.substr(1));
  EXPECT_FAILS(open(path), LZ_BAD_FILE, "has 15 bytes, not 16");
  writeFile(folder / "external.lzw", bytes + "x");
  EXPECT_FAILS(open(path), LZ_BAD_FILE, "has 17 bytes, not 16");
  writeFile(folder / "external.lzw", other);
  EXPECT_EQ(open(path), LZ_OK);
  EXPECT_FAILS(open(path, true), LZ_BAD_FILE, "SHA-256");
  writeFile(folder / "external.lzw", bytes);
  ASSERT_EQ(open(path, true), LZ_OK) << lz_last_error();
  lz::Model model = lz::Model::load(path);
  lz::Tensor y = model.run({lz::Tensor::of<float>({4}, {10, 20, 30, 40})})[0];
  EXPECT_EQ(std::vector<float>(y.as<float>(), y.as<float>() + 4),
            (std::vector<float>{11, 22, 33, 44}));
}

// A file renamed over the path of an open model is another model.
TEST(Load, SeesAReplacedFile) {
  TempFolder folder;
  std::string path = folder / "model.so";
  std::filesystem::copy(artifact("numbered2"), path);
  lz::Model before = lz::Model::load(path);
  std::filesystem::copy(artifact("numbered3"), folder / "new.so");
  std::filesystem::rename(folder / "new.so", path);
  lz::Model after = lz::Model::load(path);
  lz::Tensor x = lz::Tensor::of<float>({1000}, std::vector<float>(1000, 5));
  EXPECT_EQ(before.run({x})[0].as<float>()[0], 11);
  EXPECT_EQ(after.run({x})[0].as<float>()[0], 16);
}
