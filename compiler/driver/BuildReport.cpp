//===- BuildReport.cpp - what an artifact is made of, as JSON -------------===//

#include "compiler/driver/BuildReport.h"

#include "runtime/include/lezero/lz_artifact.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace lz;

/// Adds a text that comes from the model: JSON is UTF-8, a model's names may be
/// anything.
static void writeText(llvm::json::OStream &json, llvm::StringRef key,
                      llvm::StringRef text) {
  json.attribute(key, llvm::json::fixUTF8(text));
}

static void writeEntry(llvm::json::OStream &json,
                       const EntryDescription &entry) {
  writeText(json, "name", entry.name);
  json.attribute("memory_class",
                 entry.memoryClass == LZ_MEMORY_EXACT ? "exact" : "bound");
  if (!entry.memoryClassNode.empty())
    writeText(json, "memory_class_node", entry.memoryClassNode);
  json.attributeArray("checks", [&] {
    for (const CheckDescription &check : entry.checks)
      json.object([&] {
        writeText(json, "node", check.node);
        writeText(json, "message", check.message);
      });
  });
  json.attributeArray("steps", [&] {
    for (const LaunchDescription &launch : entry.launches)
      json.object([&] {
        writeText(json, "kernel", launch.kernel);
        writeText(json, "nodes", launch.nodes);
      });
  });
}

std::string lz::getBuildReport(const ArtifactDescription &artifact) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    writeText(json, "producer", artifact.producer);
    writeText(json, "model", artifact.modelName);
    writeText(json, "target", artifact.target);
    writeText(json, "cpu_features", artifact.cpuFeatures);
    json.attribute("weights_bytes", artifact.weightsBytes);
    json.attributeArray("libraries", [] {});
    json.attributeArray("entries", [&] {
      for (const EntryDescription &entry : artifact.entries)
        json.object([&] { writeEntry(json, entry); });
    });
  });
  return text;
}
