//===- CompileStats.cpp - facts about a compilation as JSON ---------------===//

#include "compiler/driver/Compiler.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace lz;

std::string CompileStats::toJson() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attributeObject("seconds", [&] {
      for (const auto &[stage, value] : seconds)
        json.attribute(getStageName(stage), value);
    });
    json.attribute("nodes", nodes);
    json.attribute("launches", launches);
    json.attribute("kernels", kernels);
    json.attribute("weights_bytes", weightsBytes);
    json.attribute("artifact_bytes", artifactBytes);
    json.attribute("memory_class", memoryClass);
    if (arenaBytes)
      json.attribute("arena_bytes", *arenaBytes);
  });
  return text;
}
