//===- BuildReport.cpp - what an artifact is made of, as JSON -------------===//

#include "compiler/driver/BuildReport.h"

#include "runtime/include/lezero/lz_artifact.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace lz;

static void writeEntry(llvm::json::OStream &json,
                       const EntryDescription &entry) {
  json.attribute("name", entry.name);
  json.attribute("memory_class",
                 entry.memoryClass == LZ_MEMORY_EXACT ? "exact" : "bound");
  if (!entry.memoryClassNode.empty())
    json.attribute("memory_class_node", entry.memoryClassNode);
  json.attributeArray("checks", [&] {
    for (const CheckDescription &check : entry.checks)
      json.object([&] {
        json.attribute("node", check.node);
        json.attribute("message", check.message);
      });
  });
  json.attributeArray("steps", [&] {
    for (const LaunchDescription &launch : entry.launches)
      json.object([&] {
        json.attribute("kernel", launch.kernel);
        json.attribute("nodes", launch.nodes);
      });
  });
}

std::string lz::getBuildReport(const ArtifactDescription &artifact) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("producer", artifact.producer);
    json.attribute("model", artifact.modelName);
    json.attribute("target", artifact.target);
    json.attribute("cpu_features", artifact.cpuFeatures);
    json.attribute("weights_bytes", artifact.weightsBytes);
    json.attributeArray("libraries", [] {});
    json.attributeArray("entries", [&] {
      for (const EntryDescription &entry : artifact.entries)
        json.object([&] { writeEntry(json, entry); });
    });
  });
  return text;
}
