//===- Stage.h - the stages of a compilation --------------------*- C++ -*-===//
#ifndef COMPILER_DRIVER_STAGE_H
#define COMPILER_DRIVER_STAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace lz {

enum class Stage { Import, Graph, Freeze, Remat, Fuse, Schedule, Kernel, Object };

struct StageInfo {
  Stage stage;
  llvm::StringLiteral name;
  llvm::StringLiteral description;
};

/// All stages in order.
llvm::ArrayRef<StageInfo> getStages();
llvm::StringRef getStageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);
/// "04-fuse.mlir"
std::string getStageFileName(Stage stage);

} // namespace lz

#endif // COMPILER_DRIVER_STAGE_H
