// What the runtime's tests share: paths, tensors, folders that go away.
#pragma once

#include "lezero/lezero.hpp"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace lz::test {

/// The path of a hand-made artifact.
inline std::string artifact(const std::string &name) {
  return std::string(LZ_TEST_ARTIFACTS) + "/" + name + ".so";
}

/// A tensor of lz.h; the shape must outlive it.
inline lz_tensor tensor(int32_t type, const std::vector<int64_t> &shape,
                        void *data) {
  auto result = detail::sized<lz_tensor>();
  result.data = data;
  result.element_type = type;
  result.rank = static_cast<int32_t>(shape.size());
  result.shape = shape.data();
  return result;
}

/// Whole content of a file.
inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void writeFile(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// A folder of one test.
class TempFolder {
public:
  TempFolder() {
    std::string pattern = ::testing::TempDir() + "/lz-runtime-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~TempFolder() { std::filesystem::remove_all(folder); }
  std::string operator/(const std::string &name) const {
    return folder + "/" + name;
  }

private:
  std::string folder;
};

/// A fixture with an open model and a context on one of its entries.
struct ContextTest : ::testing::Test {
  void open(const std::string &name, int64_t entry = 0, int64_t threads = 1) {
    ASSERT_EQ(lz_open(artifact(name).c_str(), nullptr, &model), LZ_OK)
        << lz_last_error();
    auto options = detail::sized<lz_context_options>();
    options.entry = entry;
    options.threads = threads;
    create(options);
  }
  void create(const lz_context_options &options) {
    ASSERT_EQ(lz_create_context(model, &options, &context), LZ_OK)
        << lz_last_error();
  }
  void TearDown() override {
    lz_destroy_context(context);
    lz_close(model);
  }

  lz_model *model = nullptr;
  lz_context *context = nullptr;
};

} // namespace lz::test

/// `call` fails with `status`, and the thread's text contains `text`.
#define EXPECT_FAILS(call, status, text)                                       \
  do {                                                                         \
    EXPECT_EQ(call, status);                                                   \
    EXPECT_NE(std::string(lz_last_error()).find(text), std::string::npos)      \
        << lz_last_error();                                                    \
  } while (false)
