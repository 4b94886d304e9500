//===- Stage.cpp - the stages of a compilation ----------------------------===//

#include "compiler/driver/Stage.h"

#include "llvm/ADT/Twine.h"

using namespace lz;

llvm::ArrayRef<StageInfo> lz::getStages() {
  static constexpr StageInfo kStages[] = {
      {Stage::Import, "import", "the model as lz operations"},
      {Stage::Graph, "graph", "cleaned up, sizes refined, patterns raised"},
      {Stage::Freeze, "freeze", "parameters are constants, norms folded"},
      {Stage::Remat, "remat", "large values computed by bands of rows"},
      {Stage::Fuse, "fuse", "operations grouped into fusion regions"},
      {Stage::Schedule, "schedule", "programs of launches over an arena"},
      {Stage::Kernel, "kernel", "each distinct group as loops"},
      {Stage::Object, "object", "machine code, weights and tables, linked"},
  };
  return kStages;
}

llvm::StringRef lz::getStageName(Stage stage) {
  return getStages()[static_cast<size_t>(stage)].name;
}

std::optional<Stage> lz::parseStage(llvm::StringRef name) {
  for (const StageInfo &info : getStages())
    if (info.name == name)
      return info.stage;
  return std::nullopt;
}

std::string lz::getStageFileName(Stage stage) {
  std::string number = std::to_string(static_cast<int>(stage));
  return (llvm::Twine("0") + number + "-" + getStageName(stage) + ".mlir")
      .str();
}
