//===- ArtifactTableTest.cpp - the table read back through the C header ---===//

#include "Support.h"

#include "compiler/target/ArtifactTable.h"
#include "compiler/target/ElfData.h"
#include "compiler/target/Link.h"
#include "runtime/include/lezero/lz_artifact.h"

using namespace llvm;
using namespace lz;

namespace {

constexpr StringLiteral kFunctions = R"(
define i64 @prepare(ptr %symbols, i64 %workers, ptr %state) {
  %s = load i64, ptr %symbols
  %bytes = mul i64 %s, 64
  store i64 %bytes, ptr %state
  ret i64 0
}
define i64 @run(ptr %host, ptr %state, ptr %arena, ptr %weights, ptr %inputs,
                ptr %outputs) {
  %w = load i8, ptr %weights
  %r = zext i8 %w to i64
  ret i64 %r
})";

EntryDescription describeEntry() {
  EntryDescription entry;
  entry.name = "main";
  entry.memoryClass = LZ_MEMORY_BOUND;
  entry.memoryClassNode = "nz";
  entry.inputs = {{"x", LZ_F32, {-1, 3}, {"batch", ""}, "the \"doc\"", -1}};
  entry.outputs = {{"y", LZ_F32, {-3, 3}, {}, "", 0},
                   {"z", LZ_I64, {}, {}, "", -1}};
  entry.symbols = {{"batch", 1, 1 << 20, LZ_SYMBOL_DIM, 0, 0},
                   {"n", -5, INT64_MAX, LZ_SYMBOL_ELEMENT, 7, 9}};
  entry.checks = {{"Reshape_3", "sizes must agree"}};
  entry.launches = {{"k0", "conv1,relu1"}, {"k0", "conv2"}};
  entry.stateSlots = 12;
  entry.prepareFunction = "prepare";
  entry.runFunction = "run";
  return entry;
}

ArtifactDescription describeArtifact() {
  ArtifactDescription artifact;
  artifact.producer = "LeZero 0.1.0";
  artifact.modelName = "net";
  artifact.target = "x86-64-v3";
  artifact.cpuFeatures = "avx,avx2";
  artifact.entries = {describeEntry()};
  artifact.parameters = {{"w", LZ_F16, {2, 5}, "row-major", 64, 20},
                         {"scalar", LZ_F32, {}, "packed", 128, 4}};
  artifact.weightsSymbol = "lz_weights";
  artifact.weightsBytes = 132;
  artifact.metadata = {{"author", "somebody"}, {"empty", ""}};
  artifact.report = "{}";
  return artifact;
}

/// An artifact, compiled and loaded.
struct Loaded {
  explicit Loaded(const ArtifactDescription &description)
      : folder(orDie(TemporaryFolder::create())) {
    TestModule test(kFunctions);
    EXPECT_FALSE(errorToBool(addArtifactTable(*test.module, description)));
    internalizeExcept(*test.module, LZ_ARTIFACT_SYMBOL);
    std::vector<std::string> objects = {
        writeFile(folder, "code.o", test.emit())};
    std::string bytes(132, 'w');
    DataBlock block;
    block.append(ArrayRef(bytes.data(), bytes.size()));
    objects.push_back(orDie(folder.write("weights.o", [&](raw_ostream &os) {
      writeElfData(os, "lz_weights", block);
    })));
    std::string output = (folder.getPath() + "/model.so").str();
    EXPECT_FALSE(errorToBool(linkShared(objects, LZ_ARTIFACT_SYMBOL, output)));
    library = dlopen(output.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      report_fatal_error(dlerror());
    auto function =
        reinterpret_cast<lz_artifact_fn>(dlsym(library, LZ_ARTIFACT_SYMBOL));
    table = function(nullptr);
  }
  ~Loaded() { dlclose(library); }

  TemporaryFolder folder;
  void *library;
  const lz_artifact *table;
};

TEST(ArtifactTableTest, ReadsBackTheArtifact) {
  Loaded loaded(describeArtifact());
  const lz_artifact &table = *loaded.table;
  EXPECT_EQ(table.size, sizeof(lz_artifact));
  EXPECT_EQ(table.abi, uint32_t(LZ_ARTIFACT_ABI));
  EXPECT_STREQ(table.producer, "LeZero 0.1.0");
  EXPECT_STREQ(table.model_name, "net");
  EXPECT_STREQ(table.target, "x86-64-v3");
  EXPECT_STREQ(table.cpu_features, "avx,avx2");
  ASSERT_EQ(table.entry_count, 1);
  ASSERT_EQ(table.parameter_count, 2);
  EXPECT_EQ(table.weights[131], 'w');
  EXPECT_EQ(table.weights_bytes, 132);
  EXPECT_EQ(table.weights_file, nullptr);
  EXPECT_EQ(table.weights_hash, nullptr);
  ASSERT_EQ(table.metadata_count, 2);
  EXPECT_STREQ(table.metadata[1], "somebody");
  EXPECT_STREQ(table.metadata[2], "empty");
  EXPECT_STREQ(table.metadata[3], "");
  EXPECT_STREQ(table.report, "{}");
}

TEST(ArtifactTableTest, ReadsBackTheParameters) {
  Loaded loaded(describeArtifact());
  const lz_parameter_desc *parameters = loaded.table->parameters;
  EXPECT_EQ(parameters[0].size, sizeof(lz_parameter_desc));
  EXPECT_STREQ(parameters[0].name, "w");
  EXPECT_EQ(parameters[0].element_type, LZ_F16);
  EXPECT_EQ(parameters[0].rank, 2);
  EXPECT_EQ(parameters[0].dims[1], 5);
  EXPECT_STREQ(parameters[0].layout, "row-major");
  EXPECT_EQ(parameters[0].offset, 64);
  EXPECT_EQ(parameters[0].bytes, 20);
  EXPECT_EQ(parameters[1].rank, 0);
  EXPECT_STREQ(parameters[1].layout, "packed");
}

TEST(ArtifactTableTest, ReadsBackTheEntry) {
  Loaded loaded(describeArtifact());
  const lz_entry &entry = loaded.table->entries[0];
  EXPECT_EQ(entry.size, sizeof(lz_entry));
  EXPECT_STREQ(entry.name, "main");
  EXPECT_EQ(entry.memory_class, LZ_MEMORY_BOUND);
  EXPECT_STREQ(entry.memory_class_node, "nz");
  EXPECT_EQ(entry.input_count, 1);
  EXPECT_EQ(entry.output_count, 2);
  ASSERT_EQ(entry.symbol_count, 2);
  EXPECT_STREQ(entry.symbols[1].name, "n");
  EXPECT_EQ(entry.symbols[1].min, -5);
  EXPECT_EQ(entry.symbols[1].max, INT64_MAX);
  EXPECT_EQ(entry.symbols[1].source, LZ_SYMBOL_ELEMENT);
  EXPECT_EQ(entry.symbols[1].input, 7);
  EXPECT_EQ(entry.symbols[1].index, 9);
  ASSERT_EQ(entry.check_count, 1);
  EXPECT_STREQ(entry.checks[0].node, "Reshape_3");
  EXPECT_STREQ(entry.checks[0].message, "sizes must agree");
  ASSERT_EQ(entry.launch_count, 2);
  EXPECT_STREQ(entry.launches[1].kernel, "k0");
  EXPECT_STREQ(entry.launches[1].nodes, "conv2");
  EXPECT_EQ(entry.state_slots, 12);
}

TEST(ArtifactTableTest, ReadsBackTheValues) {
  Loaded loaded(describeArtifact());
  const lz_entry &entry = loaded.table->entries[0];
  const lz_value_desc &x = entry.inputs[0];
  EXPECT_EQ(x.size, sizeof(lz_value_desc));
  EXPECT_STREQ(x.name, "x");
  EXPECT_EQ(x.element_type, LZ_F32);
  ASSERT_EQ(x.rank, 2);
  EXPECT_EQ(x.dims[0], -1);
  EXPECT_EQ(x.dims[1], 3);
  EXPECT_STREQ(x.dim_names[0], "batch");
  EXPECT_EQ(x.dim_names[1], nullptr);
  EXPECT_STREQ(x.doc, "the \"doc\"");
  EXPECT_EQ(x.alias_input, -1);
  EXPECT_EQ(entry.outputs[0].dim_names, nullptr);
  EXPECT_EQ(entry.outputs[0].doc, nullptr);
  EXPECT_EQ(entry.outputs[0].alias_input, 0);
  EXPECT_EQ(entry.outputs[1].rank, 0);
  EXPECT_EQ(entry.outputs[1].dims, nullptr);
}

TEST(ArtifactTableTest, CallsTheFunctions) {
  Loaded loaded(describeArtifact());
  const lz_entry &entry = loaded.table->entries[0];
  int64_t symbols[] = {3, 0}, state[12] = {};
  EXPECT_EQ(entry.prepare(symbols, 1, state), 0);
  EXPECT_EQ(state[0], 192);
  EXPECT_EQ(entry.run(nullptr, state, nullptr, loaded.table->weights, nullptr,
                      nullptr),
            'w');
}

TEST(ArtifactTableTest, NamesAWeightsFile) {
  ArtifactDescription description = describeArtifact();
  description.weightsSymbol.clear();
  description.weightsFile = "net.lzw";
  description.weightsHash = "00ff";
  Loaded loaded(description);
  EXPECT_EQ(loaded.table->weights, nullptr);
  EXPECT_STREQ(loaded.table->weights_file, "net.lzw");
  EXPECT_STREQ(loaded.table->weights_hash, "00ff");
}

TEST(ArtifactTableTest, RefusesAMissingFunction) {
  TestModule test(kFunctions);
  ArtifactDescription description = describeArtifact();
  description.entries[0].runFunction = "absent";
  EXPECT_EQ(toString(addArtifactTable(*test.module, description)),
            "entry 'main' has no function 'absent' in the module");
}

} // namespace
