// lz-run's file formats, on files that numpy and onnx wrote (data/make.py), and
// on damaged ones.
#include "Support.h"
#include "tools/lz-run/Elements.h"
#include "tools/lz-run/Files.h"
#include "tools/lz-run/Npy.h"
#include "tools/lz-run/OnnxTensor.h"
#include "tools/lz-run/Tensors.h"
#include "tools/lz-run/Zip.h"

#include <random>

using namespace lz::test;
using namespace lz::run;

static std::string data(const std::string &name) {
  return std::string(LZ_TEST_DATA) + "/" + name;
}

/// The text of the failure of `body`.
template <typename Body> static std::string failure(Body body) {
  try {
    body();
  } catch (const Failure &error) {
    return error.what();
  }
  return "nothing was thrown";
}

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// All numbers of a tensor.
static std::vector<double> numbers(const lz::Tensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i != numberCount(tensor); ++i)
    values.push_back(readNumber(tensor, i));
  return values;
}

using Numbers = std::vector<double>;

/// The arrays of make.py.
static void checkArrays(const std::string &file) {
  auto files = readTensors({data(file)});
  ASSERT_EQ(files.size(), 17u);
  auto get = [&](const char *name) { return files.at(name).any(); };
  Numbers expected = {-2, -1, 0, 1, 2, 3}, positive = {0, 1, 2, 3, 4, 5};
  for (auto name :
       {"float16", "float32", "float64", "int8", "int16", "int32", "int64"})
    EXPECT_EQ(numbers(get(name)), expected) << name;
  for (auto name : {"uint8", "uint16", "uint32", "uint64"})
    EXPECT_EQ(numbers(get(name)), positive) << name;
  EXPECT_EQ(get("float16").elementType(), LZ_F16);
  EXPECT_EQ(get("int64").shape(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(numbers(get("bool")), (Numbers{1, 0, 1}));
  EXPECT_EQ(get("bool").elementType(), LZ_BOOL);
  EXPECT_EQ(numbers(get("complex64")), (Numbers{1, 2, 0, -3.5}));
  EXPECT_EQ(numbers(get("complex128")), (Numbers{1, 2, 0, -3.5}));
  EXPECT_TRUE(get("scalar").shape().empty());
  EXPECT_EQ(numbers(get("scalar")), Numbers{7.5});
  EXPECT_EQ(get("empty").shape(), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(numbers(get("zeros")), Numbers(1000));
}

TEST(Npz, ReadsStoredFiles) { checkArrays("stored.npz"); }

TEST(Npz, ReadsDeflatedFiles) { checkArrays("deflated.npz"); }

// What is written is what numpy writes, but for the dates: read back here, and
// each .npy member compared with numpy's own bytes.
TEST(Npz, WritesWhatNumpyWrites) {
  std::string path = data("stored.npz");
  auto members = readZip(lz::run::readFile(path), path);
  for (auto &[name, content] : members) {
    lz::Tensor tensor = toTensor(parseNpy(content, name), name);
    lz::Tensor again = toTensor(parseNpy(writeNpy(tensor), name), name);
    EXPECT_EQ(again.shape(), tensor.shape());
    EXPECT_EQ(numbers(again), numbers(tensor)) << name;
    size_t spaces = content.find(" \n"); // numpy pads more for large arrays
    ASSERT_NE(spaces, std::string::npos);
    std::string header = content.substr(10, content.find('}') + 1 - 10);
    EXPECT_TRUE(contains(writeNpy(tensor), header)) << name;
  }
  auto copies = readZip(writeZip(members), "copy");
  EXPECT_EQ(copies, members);
}

TEST(Npz, ChecksTypes) {
  auto files = readTensors({data("stored.npz")});
  EXPECT_EQ(failure([&] { files.at("float64").as(LZ_F32); }),
            data("stored.npz") + ": 'float64' is float64, but must be f32");
  EXPECT_EQ(files.at("uint16").as(LZ_BF16).elementType(), LZ_BF16);
  EXPECT_TRUE(contains(failure([&] { files.at("float16").as(LZ_BF16); }),
                       "is float16, but must be bf16"));
  EXPECT_EQ(numbers(files.at("int8").as(LZ_I4)), (Numbers{-2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(numbers(files.at("uint8").as(LZ_U4)), (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST(Npz, RefusesDamage) {
  TempFolder folder;
  std::string path = folder / "in.npz";
  auto readDamaged = [&](const std::string &content) {
    lz::run::writeFile(path, content);
    return failure([&] { readTensors({path}); });
  };
  EXPECT_TRUE(contains(readDamaged(""), path));
  EXPECT_TRUE(contains(readDamaged("PK\x03\x04"), "it is too short"));
  EXPECT_TRUE(contains(readDamaged(std::string(100, 'x')), "no directory"));
  EXPECT_TRUE(contains(failure([&] { readTensors({"/nonexistent.npz"}); }),
                       "/nonexistent.npz: cannot open"));
  std::string whole = lz::run::readFile(data("deflated.npz"));
  for (size_t length = 0; length < whole.size(); length += 7)
    EXPECT_TRUE(contains(readDamaged(whole.substr(0, length)), path));
  std::mt19937 random(1);
  for (int i = 0; i != 500; ++i) { // any outcome but a crash will do
    std::string damaged = whole;
    for (unsigned k = unsigned(random() % 3); k < 3; ++k)
      damaged[random() % damaged.size()] = char(random());
    readDamaged(damaged);
  }
}

TEST(Npz, SeesWrongChecksums) {
  std::string whole = lz::run::readFile(data("stored.npz"));
  size_t at = whole.find("\n", whole.find("NUMPY")) + 1;
  whole[at] ^= 1;
  EXPECT_TRUE(contains(failure([&] { readZip(whole, "in.npz"); }),
                       "the checksum of a member is wrong"));
}

// A few bytes must not make the reader take gigabytes.
TEST(Npz, RefusesBombs) {
  std::string bomb = writeZip({{"x.npy", std::string(100, 'x')}});
  size_t central = bomb.find("PK\x01\x02");
  bomb[central + 10] = 8; // "deflated"
  bomb[central + 24 + 3] = '\x7f';
  EXPECT_TRUE(contains(failure([&] { readZip(bomb, "in.npz"); }),
                       "larger than its data can be"));
}

TEST(Npy, RefusesWhatNoModelTakes) {
  auto parse = [](const char *name) {
    return failure([&] { readTensors({std::string("x=") + data(name)}); });
  };
  EXPECT_TRUE(contains(parse("fortran.npy"), "Fortran order"));
  EXPECT_TRUE(contains(parse("big.npy"), "big-endian"));
  EXPECT_TRUE(contains(parse("text.npy"), "numpy type '<U4'"));
  EXPECT_TRUE(contains(failure([] { readTensors({data("big.npy")}); }),
                       "give it as NAME="));
  EXPECT_TRUE(contains(failure([] { readTensors({"x=file.txt"}); }),
                       "not a .npz, .npy or .pb file"));
}

/// A .npy file of 8 bytes with that header.
static std::string parseHeader(const std::string &header) {
  std::string content("\x93NUMPY\x01\x00", 8);
  content += char(header.size());
  content += '\0';
  return failure([&] { parseNpy(content + header + "abcdefgh", "x.npy"); });
}

TEST(Npy, RefusesBadHeaders) {
  auto shape = [](const std::string &dims) {
    return parseHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       dims + "), }");
  };
  EXPECT_EQ(shape("2,"), "nothing was thrown");
  EXPECT_TRUE(contains(shape("3,"), "shape [3] of 4-byte elements, but 8"));
  EXPECT_TRUE(contains(shape("1,"), "but 8 bytes"));
  EXPECT_TRUE(contains(shape("4611686018427387904, 4"), "but 8 bytes"));
  EXPECT_TRUE(contains(shape("99999999999999999999,"), "too large"));
  EXPECT_TRUE(contains(shape("-2,"), "its shape cannot be read"));
  EXPECT_TRUE(contains(shape("2 2"), "cannot be read"));
  EXPECT_TRUE(contains(parseHeader(""), "cannot be read"));
  EXPECT_TRUE(contains(parseHeader("{}"), "lacks a key"));
  EXPECT_TRUE(contains(parseHeader("{'descr': '<f4"), "cannot be read"));
  EXPECT_TRUE(contains(parseHeader("{'other': 1}"), "unknown key"));
  EXPECT_TRUE(
      contains(parseHeader("{'descr': [('a', '<f4')], 'fortran_order': False}"),
               "records"));
  EXPECT_TRUE(contains(failure([] { parseNpy("\x93NUMPY", "x.npy"); }),
                       "not a numpy array"));
}

static lz::Tensor pb(const std::string &name) {
  return parseOnnxTensor(lz::run::readFile(data(name + ".pb")), name).tensor;
}

TEST(OnnxTensor, ReadsEachField) {
  EXPECT_EQ(numbers(pb("raw")), (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(pb("raw").shape(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(numbers(pb("float_data")), (Numbers{1.5, -2, 3}));
  EXPECT_EQ(numbers(pb("double_data")), (Numbers{1.5, -2}));
  EXPECT_EQ(numbers(pb("int32_data")), (Numbers{1, -2, 3}));
  EXPECT_EQ(numbers(pb("int8_data")), (Numbers{1, -2, 127}));
  EXPECT_EQ(numbers(pb("bool_data")), (Numbers{1, 0, 1}));
  EXPECT_EQ(numbers(pb("int64_data")), (Numbers{0x1p40, -5}));
  EXPECT_EQ(numbers(pb("uint64_data")), (Numbers{0x1p63, 5}));
  EXPECT_EQ(numbers(pb("float16_data")), (Numbers{1.5, -2}));
  EXPECT_EQ(numbers(pb("bfloat16_data")), (Numbers{1.5, -2}));
  EXPECT_EQ(pb("bfloat16_data").elementType(), LZ_BF16);
  EXPECT_EQ(numbers(pb("int4_data")), (Numbers{1, -2, 7}));
  EXPECT_EQ(numbers(pb("complex_data")), (Numbers{1, 2}));
}

TEST(OnnxTensor, TakesNamesFromFileOrUser) {
  auto tensors = readTensors({data("raw.pb"), "other=" + data("raw.pb")});
  EXPECT_EQ(tensors.size(), 2u);
  EXPECT_TRUE(tensors.count("raw") && tensors.count("other"));
  EXPECT_TRUE(
      contains(failure([] { readTensors({data("raw.pb"), data("raw.pb")}); }),
               "'raw' is given twice"));
}

TEST(OnnxTensor, RefusesDamage) {
  auto parse = [](const std::string &content) {
    return failure([&] { parseOnnxTensor(content, "x.pb"); });
  };
  EXPECT_TRUE(contains(failure([] { pb("string_data"); }), "strings"));
  EXPECT_EQ(parse(""), "x.pb: the file is empty");
  EXPECT_TRUE(contains(parse("\x08\x03\x10\x01"), "takes 12 bytes, not 0"));
  EXPECT_TRUE(contains(parse("\x10\x63"), "element type 99"));
  EXPECT_TRUE(
      contains(parse(std::string(
                   "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x01", 13)),
               "a dimension is negative"));
  EXPECT_TRUE(
      contains(parse("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x40\x10\x01"),
               "the tensor is too large"));
  std::string whole = lz::run::readFile(data("raw.pb"));
  for (size_t length = 0; length != whole.size(); ++length)
    EXPECT_NE(parse(whole.substr(0, length)), "nothing was thrown") << length;
  std::mt19937 random(1);
  for (int i = 0; i != 3000; ++i) {
    std::string damaged = whole;
    for (unsigned k = unsigned(random() % 3); k < 3; ++k)
      damaged[random() % damaged.size()] = char(random());
    parse(damaged);
  }
}
