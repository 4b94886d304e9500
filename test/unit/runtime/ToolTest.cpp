// lz-run: its command line, its exit status, what it prints and writes.
#include "tools/lz-run/Tool.h"
#include "Support.h"
#include "tools/lz-run/Elements.h"
#include "tools/lz-run/Files.h"
#include "tools/lz-run/Random.h"
#include "tools/lz-run/Tensors.h"

#include <cmath>
#include <regex>
#include <sstream>

using namespace lz::test;
using namespace lz::run;

namespace {

struct Tool : ::testing::Test {
  /// Runs lz-run; returns its exit status.
  int run(std::vector<std::string> arguments) {
    std::ostringstream outStream, errStream;
    int status = runTool(arguments, outStream, errStream);
    out = outStream.str(), err = errStream.str();
    EXPECT_EQ(err.empty(), status == 0 || status == 3) << err;
    return status;
  }
  /// Writes floats to a .npz file; returns its path.
  std::string npz(const std::string &name, std::vector<int64_t> shape,
                  const std::vector<float> &values) {
    std::string path = folder / (name + ".npz");
    writeTensors(path, {{name, lz::Tensor::of<float>(shape, values)}});
    return path;
  }
  std::string npz(const std::string &name, float value) {
    return npz(name, {4, 6}, std::vector<float>(24, value));
  }

  TempFolder folder;
  std::string out, err;
  std::string exact = artifact("exact"), dynamic = artifact("dynamic");
  std::string special = artifact("special");
};

} // namespace

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(Tool, ExplainsItself) {
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_HAS(out, "usage: lz-run MODEL.so");
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_HAS(out, lz_version());
  EXPECT_EQ(run({exact, "--info"}), 0);
  EXPECT_HAS(out, "x: f32 [4, 6]");
  EXPECT_HAS(out, "metadata license: none");
  EXPECT_EQ(run({dynamic, "--info"}), 0);
  EXPECT_HAS(out, "a: f32 [N, M]");
  EXPECT_HAS(out, "M: 0 to 4096, dimension 1 of 'a'");
}

TEST_F(Tool, RefusesWrongCommandLines) {
  auto refuses = [&](std::vector<std::string> arguments, const char *text) {
    EXPECT_EQ(run(arguments), 2);
    EXPECT_HAS(err, text);
    EXPECT_HAS(err, "see lz-run --help");
  };
  refuses({}, "no model is given");
  refuses({exact, "--frobnicate"}, "there is no option --frobnicate");
  refuses({exact, "--json=1"}, "--json takes no value");
  refuses({exact, "--dim", "N"}, "--dim needs NAME=SIZE");
  refuses({exact, "--range", "x=2:1"}, "--range needs LO of at most HI");
  refuses({exact, "--outputs", "y.txt"}, "'y.txt' does not end in .npz");
  refuses({exact, "--range", "x=1"}, "--range needs INPUT=LO:HI");
  refuses({exact, dynamic}, "is too much");
}

TEST_F(Tool, RefusesWrongNumbers) {
  auto refuses = [&](const std::string &option, const std::string &text) {
    EXPECT_EQ(run({exact, "--compare=y.npz", option}), 2);
    std::string name = option.substr(0, option.find('='));
    EXPECT_HAS(err, "lz-run: " + name);
    EXPECT_HAS(err, text);
  };
  for (const char *text :
       {"0", "-1", "many", "2x", " 2", "1.5", "1025", "99999999999999999999"})
    refuses(std::string("--threads=") + text,
            std::string("needs a whole number from 1 to 1024, not '") + text);
  for (const char *name : {"--repeat", "--seed", "--dim=N"})
    for (const char *text : {"-1", "x", "99999999999999999999"})
      refuses(std::string(name) + "=" + text,
              "needs a whole number from 0 to 9223372036854775807, not '");
  for (const char *name : {"--tolerance", "--rtol", "--atol"}) {
    refuses(std::string(name) + "=-1", "needs a number of at least 0");
    for (const char *text : {"nan", "inf", "x", "1e-4x", "1e999"})
      refuses(std::string(name) + "=" + text, "needs a number, not '");
  }
  refuses("--range=x=0:nan", "needs a number, not 'nan'");
}

TEST_F(Tool, RefusesMissingValues) {
  for (const char *name :
       {"--inputs", "--outputs", "--compare", "--tolerance", "--rtol", "--atol",
        "--junit", "--threads", "--repeat", "--seed", "--dim", "--range",
        "--entry"}) {
    std::string text = std::string(name) + " needs a value";
    EXPECT_EQ(run({exact, name}), 2);
    EXPECT_HAS(err, text);
    EXPECT_EQ(run({exact, std::string(name) + "="}), 2);
    EXPECT_HAS(err, text);
    EXPECT_EQ(run({exact, name, "--json"}), 2);
    EXPECT_HAS(err, text + ", not the option --json");
  }
}

TEST_F(Tool, RefusesOptionsThatContradict) {
  auto refuses = [&](std::vector<std::string> arguments, const char *text) {
    arguments.insert(arguments.begin(), exact);
    EXPECT_EQ(run(arguments), 2);
    EXPECT_HAS(err, text);
  };
  for (const char *option : {"--dim=N=1", "--range=x=0:1", "--seed=1"})
    refuses({"--inputs", "x=a.npy", option}, "it is for random inputs");
  refuses({"--compare=y.npz", "--tolerance=1", "--atol=1"}, "beside --atol");
  refuses({"--tolerance=1"}, "--tolerance is for --compare, which is not");
  refuses({"--junit=y.xml"}, "--junit is for --compare, which is not given");
  refuses({"--info", "--threads=2"}, "so --threads makes no sense beside it");
  refuses({"--threads=2", "--threads=1"}, "--threads is given twice");
  refuses({"--dim=N=1", "--dim=N=2"}, "--dim N is given twice");
  refuses({"--range=x=0:1", "--range=x=0:2"}, "--range x is given twice");
}

TEST_F(Tool, PrintsJson) {
  ASSERT_EQ(run({exact, "--inputs", npz("x", 1), "--threads=3", "--repeat=4",
                 "--json", "--time"}),
            0)
      << err;
  std::string line = out.substr(out.rfind('\n', out.size() - 2) + 1);
  std::regex form(
      R"re(\{"load_ms": [\d.]+, "first_ms": [\d.]+, "latency_ms": )re"
      R"re(\{"min": [\d.]+, "median": [\d.]+, "max": [\d.]+\}, )re"
      R"re("peak_bytes": 128, "memory_class": "exact", "rss_mb": [\d.]+, )re"
      R"re("threads": 3, "outputs": \[\{"name": "y", "type": "f32", )re"
      R"re("shape": \[4, 6\], "sha256": "([0-9a-f]{64})"\}\]\}\n)re");
  std::smatch match;
  ASSERT_TRUE(std::regex_match(line, match, form)) << line;
  // sha256sum of the floats 3, 4, 5, 6, 7, 8, four times
  EXPECT_EQ(match[1],
            "2b96587aba99a72619e46efba3bcd57210b2b05d69892dfd7ad6806b3e1f1ceb");
}

TEST_F(Tool, ReadsAndWritesTensors) {
  std::string result = folder / "out.npz";
  ASSERT_EQ(run({"--inputs", npz("x", 10), exact, "--outputs", result}), 0);
  lz::Tensor y = readTensors({result}).at("y").any();
  EXPECT_EQ(y.shape(), (std::vector<int64_t>{4, 6}));
  EXPECT_EQ(y.as<float>()[5], 26);
  EXPECT_HAS(out, "y: f32 [4, 6] = 21, 22, 23, 24, 25, 26, ...");
  EXPECT_EQ(run({exact, "--outputs", "/nonexistent/out.npz"}), 1);
  EXPECT_HAS(err, "/nonexistent/out.npz: cannot write");
}

TEST_F(Tool, RefusesInputsThatDoNotFit) {
  auto refuses = [&](const std::string &file, const char *text) {
    EXPECT_EQ(run({exact, "--inputs", file}), 1);
    EXPECT_HAS(err, text);
  };
  refuses(npz("picture", 1),
          "picture.npz: 'picture': the model has no such input; it has 'x'");
  refuses(npz("x", {24}, std::vector<float>(24)),
          "input 'x' has rank 1, not 2; ");
  EXPECT_HAS(err, "x.npz: 'x' is f32 [24], the model takes f32 [4, 6]");
  refuses(npz("x", {4, 5}, std::vector<float>(20)), "dimension 1 is 5, not 6");
  EXPECT_HAS(err, "x.npz: 'x' is f32 [4, 5], the model takes f32 [4, 6]");
  std::string a = npz("a", {3, 2}, std::vector<float>(6));
  EXPECT_EQ(run({dynamic, "--inputs", a}), 1);
  EXPECT_HAS(err, "' is not in the --inputs files (which have 'a')");
  std::string path = folder / "two.npz";
  lz::Tensor x(LZ_F32, {4, 6});
  writeTensors(path, {{"x", x}, {"extra", x}});
  refuses(path, "two.npz: 'extra': the model has no such input; it has 'x'");
  writeTensors(path, {{"x", lz::Tensor(LZ_F64, {4, 6})}});
  refuses(path, "two.npz: 'x' is float64, but must be f32");
  refuses("/nonexistent.npz", "/nonexistent.npz: cannot open");
  EXPECT_EQ(run({"/nonexistent.so"}), 1);
  EXPECT_HAS(err, "/nonexistent.so: cannot open");
  EXPECT_EQ(run({exact, "--entry", "other"}), 1);
  EXPECT_HAS(err, "no entry 'other'; it has 'main'");
}

TEST_F(Tool, ChoosesSizes) {
  ASSERT_EQ(run({dynamic, "--dim", "N=3", "--dim=M=8"}), 0) << err;
  EXPECT_HAS(out, "y: f32 [3, 8]");
  EXPECT_EQ(run({dynamic, "--dim", "Q=3"}), 1);
  EXPECT_HAS(err, "no free size 'Q'; it has 'M', 'N'");
  EXPECT_EQ(run({dynamic, "--dim", "N=65", "--dim", "M=2"}), 1);
  EXPECT_HAS(err, "--dim: 'N' is 65, the model takes 1 to 64");
  EXPECT_EQ(run({dynamic, "--dim", "N=4611686018427387904"}), 1);
  ASSERT_EQ(run({special, "--entry", "ramp", "--dim", "count=4"}), 0) << err;
  EXPECT_HAS(out, "y: i32 [4] = 0, 1, 2, 3");
  ASSERT_EQ(run({special, "--entry", "ramp", "--range", "count=3:3"}), 0)
      << err;
  EXPECT_HAS(out, "y: i32 [3] = 0, 1, 2");
  EXPECT_EQ(run({special, "--entry", "ramp", "--range", "count=-3:-3"}), 1);
  EXPECT_HAS(err, "values outside have to be constants of the model");
}

TEST_F(Tool, RunsEveryMemoryClass) {
  for (std::string entry : {"update", "compact", "growing", "endless"}) {
    std::vector<std::string> arguments = {special,  "--entry",  entry,
                                          "--json", "--repeat", "3"};
    EXPECT_EQ(run(arguments), 0) << err;
  }
  EXPECT_HAS(out, "\"memory_class\": \"open\"");
}

TEST_F(Tool, Compares) {
  std::string x = npz("x", 0);
  std::vector<float> y;
  for (int i = 0; i != 24; ++i)
    y.push_back(float(i % 6 + 1));
  EXPECT_EQ(run({exact, "--inputs", x, "--compare", npz("y", {4, 6}, y)}), 0);
  EXPECT_HAS(out, "ok    y: max|d| 0");
  y[7] += 0.01f;
  std::string off = npz("y", {4, 6}, y);
  EXPECT_EQ(run({exact, "--inputs", x, "--compare", off, "--json"}), 3);
  EXPECT_HAS(out, "WRONG y: max|d| 0.01");
  EXPECT_HAS(out, "first 7: 2 for 2.01");
  EXPECT_EQ(out[out.rfind('\n', out.size() - 2) + 1], '{');
  EXPECT_EQ(run({exact, "--inputs", x, "--compare", off, "--tolerance=1e-2"}),
            0);
  EXPECT_EQ(run({exact, "--inputs", x, "--compare", off, "--atol=0.02"}), 0);
  EXPECT_EQ(run({exact, "--inputs", x, "--compare", off, "--rtol=1e-3"}), 3);
  EXPECT_EQ(run({exact, "--inputs", x, "--compare", npz("z", 1)}), 1);
  EXPECT_HAS(err, "'z': the model has no such output; it has 'y'");
}

TEST_F(Tool, WritesJUnit) {
  std::string x = npz("x", 0), report = folder / "report.xml";
  std::vector<std::string> command = {
      exact, "--inputs", x, "--junit", report, "--compare", npz("y", 1)};
  EXPECT_EQ(run(command), 3);
  std::string text = lz::run::readFile(report);
  EXPECT_HAS(text, "tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\"");
  EXPECT_HAS(text, "<testcase name=\"y\"");
  EXPECT_HAS(text, "<failure message=\"max|d| 5");
  // A run that gives nothing to compare leaves no report of an earlier one.
  command.back() = folder / "none.npz";
  EXPECT_EQ(run(command), 1);
  text = lz::run::readFile(report);
  EXPECT_HAS(text, "failures=\"0\" errors=\"1\"");
  EXPECT_HAS(text, "none.npz: cannot open");
  command[4] = "/nonexistent/report.xml";
  EXPECT_EQ(run(command), 1);
  EXPECT_HAS(err, "/nonexistent/report.xml: cannot write");
}

TEST_F(Tool, Profiles) {
  EXPECT_EQ(run({exact, "--profile", "--repeat", "10", "--threads=1"}), 0);
  EXPECT_HAS(out, "lz_bias");
  EXPECT_HAS(out, "add_1,relu_2");
  EXPECT_TRUE(std::regex_search(out, std::regex(" 1  lz_double +mul_0")))
      << out;
}

// The numbers are from a Python transcription of what Random.h says;
// splitmix64's first outputs from state 1234567 were checked against its
// published ones.
TEST(Random, IsWhatItsDescriptionSays) {
  lz::Tensor x(LZ_F64, {4});
  fillRandom(x, "x", 1, std::nullopt);
  EXPECT_EQ(std::vector<double>(x.as<double>(), x.as<double>() + 4),
            (std::vector<double>{0.617053524968139, 0.28664726835009247,
                                 0.656218802914484, -0.16213279463389152}));
  lz::Tensor n(LZ_I32, {8});
  fillRandom(n, "x", 0, Range{3, 9});
  EXPECT_EQ(std::vector<int>(n.as<int>(), n.as<int>() + 8),
            (std::vector<int>{5, 9, 6, 8, 7, 9, 3, 6}));
}

TEST(Random, StaysInRangeForEveryType) {
  for (int32_t type = LZ_F32; type <= LZ_I2; ++type) {
    if (type == LZ_STRING)
      continue;
    lz::Tensor tensor(type, {500});
    fillRandom(tensor, "x", 7, std::nullopt);
    double least = 1, most = -1;
    for (int64_t i = 0; i != numberCount(tensor); ++i) {
      double value = readNumber(tensor, i);
      ASSERT_TRUE(value >= -1 && value <= 1) << typeName(type) << " " << value;
      least = std::min(least, value), most = std::max(most, value);
    }
    EXPECT_LT(least, most) << typeName(type);
  }
}

TEST(Random, RefusesRangesThatDoNotFit) {
  auto throws = [](int32_t type, Range range) {
    EXPECT_THROW(fillRandom(lz::Tensor(type, {2}), "x", 0, range),
                 std::runtime_error);
  };
  throws(LZ_U8, {0, 256});
  throws(LZ_U8, {-1, 1});
  throws(LZ_I32, {0, 0.5});
  throws(LZ_I32, {2, 1});
  throws(LZ_F32, {2, 1});
  throws(LZ_F8E5M2, {0, 1});
}
